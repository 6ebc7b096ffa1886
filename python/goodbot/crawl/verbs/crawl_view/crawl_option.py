"""A row of the list of options of `goodbot crawl`, and ways to make rows.

Scope: what a row is; `option_rows` has the rows.
"""

import enum
from collections.abc import Callable
from typing import Any, Final

import click

from goodbot.cli.shared import options
from goodbot.crawl.verbs.crawl_view import conversions
from goodbot.crawl.verbs.crawl_view.option_kinds import LIFTED, NONE, OrNone
from goodbot.lazy_dataclass import dataclass

__all__ = ["CrawlOption", "limit", "shared"]

Convert = Callable[[Any], Any]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class NotLifted(enum.Enum):
    """The mark of an option that cannot be given as `none`."""

    NOT_LIFTED = 0


NOT_LIFTED: Final = NotLifted.NOT_LIFTED


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlOption:
    """One option of `goodbot crawl`."""

    section: str
    """The heading under which help lists it."""
    option: click.Option
    setting: str = ""
    """The setting that it changes, a name of `GivenSettings`, such as `sitemaps` or `bounds.pages`.
    Settings are stored in the folder and hold when the crawl is resumed. Empty: it holds for one
    run."""
    convert: Convert | None = None
    """Converts the value of the option to that of the setting."""
    lifted: Any = NOT_LIFTED
    """The value of the setting for `none`; the option has the type `OrNone` or is multiple."""
    never_in_file: str = ""
    """Why it is not read from a config file, as a clause; empty if it is."""

    @property
    def name(self) -> str:
        """The name under which click passes it."""
        return self.option.name or ""

    @property
    def flag(self) -> str:
        """The longest spelling, such as `--max-pages`."""
        return max(self.option.opts, key=len)

    @property
    def key(self) -> str:
        """The name in a config file, such as `max-pages`."""
        return self.flag.removeprefix("--")

    @property
    def is_switch(self) -> bool:
        """Whether it switches something on or off."""
        return self.option.is_flag

    @property
    def accepts_none(self) -> bool:
        """Whether its value can be the word `none`."""
        return self.is_liftable or isinstance(self.option.type, OrNone)

    @property
    def is_liftable(self) -> bool:
        """Whether it can be given as `none`."""
        return self.lifted is not NOT_LIFTED

    def value_of(self, given: Any) -> Any:  # noqa: ANN401  options have values of many types
        """Return the value of the setting.

        Args:
            given: The value of the option, which was given.

        Raises:
            MisuseError: It cannot be used; the message says what to write.

        """
        is_list = self.option.multiple and self.is_liftable
        if is_list and conversions.is_none(self.flag, given):
            given = LIFTED
        if given is LIFTED:
            return self.lifted
        return given if self.convert is None else self.convert(given)


def limit(
    kind: "click.ParamType[Any]", flag: str, metavar: str, setting: str, words: str
) -> CrawlOption:
    """Return the row of a limit of the crawl, which `none` removes."""
    return CrawlOption(
        section="Limits",
        option=click.Option([flag], type=OrNone(kind), metavar=f"{metavar}|none", help=words),
        setting=f"bounds.{setting}",
        convert=conversions.to_bytes if flag in MEGABYTES else None,
        lifted=None,
    )


MEGABYTES = {"--max-megabytes", "--max-disk"}
"""The options that are in million bytes."""


def shared(section: str, added: Decorator, **rows: dict[str, Any]) -> list[CrawlOption]:
    """Return the rows of options that several verbs share.

    Args:
        section: The heading.
        added: What adds them to a command.
        rows: The rest of the row of each, by the name of the option.

    """
    found = []
    for one in options.options_in(added):
        settings = rows.get(one.name or "", {})
        option = as_switch(one) if one.is_flag and "setting" in settings else one
        row = CrawlOption(section=section, option=option, **settings)
        if row.is_liftable and not (option.metavar or "").endswith(NONE):
            option.metavar = f"{option.metavar}|{NONE}"
            option.type = option.type if option.multiple else OrNone(option.type)
        found.append(row)
    return found


def as_switch(flag: click.Option) -> click.Option:
    """Return a flag as one that can be switched off, too."""
    name = flag.opts[0].removeprefix("--")
    return click.Option([f"--{name}/--no-{name}"], default=None, help=flag.help)
