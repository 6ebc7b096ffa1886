"""Settings of lint: which rules are asked, and which findings fail.

Scope: their values, checked. Where they are written is the business of the command line.
"""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.lazy_dataclass import dataclass
from goodbot.site.lint.lint_rule import SEVERITIES, LintRule, LintSeverity
from goodbot.site.lint.registry import LINT_RULES, lint_rule

__all__ = ["ALL_CODES", "LintSettings"]

ALL_CODES = "all"
"""In place of codes: all of them."""


@dataclass(frozen=True, slots=True, repr=False)
class LintSettings:
    """Which rules of lint are asked, and which findings fail.

    >>> LintSettings(ignore=("unknown-field",), fail_on="error").fail_on
    'error'
    """

    select: tuple[str, ...] = (ALL_CODES,)
    """The codes that are reported; `all` for every one."""
    ignore: tuple[str, ...] = ()
    """The codes that are not reported."""
    fail_on: LintSeverity = "warning"
    """The least severity that fails."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check the values."""
        for codes in (self.select, self.ignore):
            if isinstance(codes, str) or not all(isinstance(code, str) for code in codes):
                message = "select and ignore are tuples of codes, such as ('never-decides',)"
                raise WrongTypeError(message)
            for code in codes:
                if code != ALL_CODES:
                    lint_rule(code)
        if self.fail_on not in SEVERITIES:
            message = f"fail_on is {', '.join(SEVERITIES)}, not {self.fail_on!r}"
            raise WrongValueError(message)

    @classmethod
    def of_table(cls, table: Mapping[str, Any]) -> "LintSettings":
        """Return the settings of a table of TOML, with the keys `select`, `ignore`, `fail-on`.

        Raises:
            WrongValueError: A key or a code does not exist.
            WrongTypeError: A value has another type.

        >>> LintSettings.of_table({"ignore": ["unknown-field"]}).ignore
        ('unknown-field',)

        """
        keys = {"select": "select", "ignore": "ignore", "fail-on": "fail_on"}
        unknown = [key for key in table if key not in keys]
        if unknown:
            spelt = unknown[0].replace("_", "-")
            then = f"write {spelt}" if spelt in keys else f"the keys are {', '.join(keys)}"
            message = f"there is no key {unknown[0]!r}; {then}"
            raise WrongValueError(message)
        values: dict[str, Any] = {}
        for key, value in table.items():
            if key == "fail-on":
                if not isinstance(value, str):
                    message = 'fail-on is a string such as "error"'
                    raise WrongTypeError(message)
                values["fail_on"] = value
            else:
                values[key] = codes_of(key, value)
        return cls(**values)

    def rules(self) -> Iterable[LintRule]:
        """Return the rules that are asked."""
        wanted = LINT_RULES if ALL_CODES in self.select else set(self.select)
        unwanted = LINT_RULES if ALL_CODES in self.ignore else set(self.ignore)
        return [
            rule for code, rule in LINT_RULES.items() if code in wanted and code not in unwanted
        ]

    def fails(self, severity: LintSeverity) -> bool:
        """Return whether a finding of this severity fails."""
        order = list(SEVERITIES)
        return order.index(severity) >= order.index(self.fail_on)


def codes_of(key: str, value: object) -> tuple[str, ...]:
    """Return the codes of a value of TOML."""
    if not isinstance(value, list) or not all(isinstance(code, str) for code in value):
        message = f'{key} is an array of codes, such as ["never-decides"]'
        raise WrongTypeError(message)
    return tuple(cast("list[str]", value))
