"""Policy dialects: records of what every outcome means, and how long a response may be used.

Scope: the form of these records. The records themselves are in `outcome_tables`.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias, get_args

from goodbot.display import short_repr, shown_value
from goodbot.errors import DialectChoiceError
from goodbot.http.quoting import shortened
from goodbot.lazy_dataclass import dataclass
from goodbot.policy.outcomes import OUTCOMES

__all__ = ["FALLBACKS", "TREATMENTS", "LadderStep", "Meaning", "PolicyDialect"]

DAY = 86_400

Treatment: TypeAlias = Literal[
    "parse",
    "refresh",
    "allow-all",
    "disallow-all",
    "defer",
    "copy-or-defer",
    "unreachable",
    "as-the-class",
]
TREATMENTS: dict[str, str] = {
    "parse": "The rules in it apply.",
    "refresh": "The stored copy still applies, with a new lifetime.",
    "allow-all": "Everything may be fetched.",
    "disallow-all": "Nothing may be fetched.",
    "defer": "Nothing may be fetched until robots.txt has been.",
    "copy-or-defer": "The stored copy applies if it would while robots.txt is unreachable; else as "
    "`defer`.",
    "unreachable": "The dialect's steps decide, by the time since robots.txt was last reachable.",
    "as-the-class": "The class of the status decides.",
}
"""How an outcome can be treated."""

Fallback: TypeAlias = Literal["copy", "allow-all", "disallow-all", "as-the-site"]
FALLBACKS: dict[str, str] = {
    "copy": "The stored copy applies.",
    "allow-all": "Everything may be fetched.",
    "disallow-all": "Nothing may be fetched.",
    "as-the-site": "Everything if the rest of the site is known to be reachable; else nothing.",
}
"""What can apply while robots.txt is unreachable."""


@dataclass(frozen=True, slots=True, repr=False)
class Meaning:
    """How one outcome is treated, and the document that says so.

    >>> Meaning("allow-all", "RFC 9309 section 2.3.1.3").treatment
    'allow-all'
    """

    treatment: Treatment
    """One of `TREATMENTS`."""
    source: str
    """The document and its section; or that it is goodbot's choice."""
    reason: str | None = None
    """The reason, if the dialect uses the name of another outcome."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class LadderStep:
    """What applies while robots.txt is unreachable, up to a certain time.

    >>> LadderStep(12 * 3600, with_copy="disallow-all", without_copy="disallow-all").until
    43200
    """

    until: int | None
    """Seconds since robots.txt was last reachable, up to which it applies; `None` for ever."""
    with_copy: Fallback
    """What applies if an earlier robots.txt is stored; one of `FALLBACKS`."""
    without_copy: Fallback
    """What applies if none is stored; one of `FALLBACKS` other than `copy`."""

    __repr__ = short_repr


class MeaningTable(Mapping[str, Meaning]):
    """An immutable mapping of outcomes to their meanings, which can be hashed and pickled."""

    def __init__(self, meanings: Mapping[str, Meaning]) -> None:
        """Copy the meanings."""
        self._meanings = dict(meanings)

    def __getitem__(self, outcome: str) -> Meaning:
        """Return the meaning of an outcome."""
        return self._meanings[outcome]

    def __iter__(self) -> Iterator[str]:
        """Yield each outcome."""
        return iter(self._meanings)

    def __len__(self) -> int:
        """Return how many outcomes have a meaning."""
        return len(self._meanings)

    def __hash__(self) -> int:
        """Return a hash of the content."""
        return hash(frozenset(self._meanings.items()))


@dataclass(frozen=True, slots=True, repr=False)
class PolicyDialect:
    """What every outcome means, and how long a response may be used: a record of named choices.

    >>> from goodbot.policy import policy_dialect
    >>> policy_dialect("rfc9309").outcomes["too-many-requests"].treatment
    'defer'
    >>> mine = policy_dialect("rfc9309").replace(outcomes={"too-many-requests": "allow-all"})
    >>> mine.outcomes["too-many-requests"].treatment
    'allow-all'
    """

    name: str
    """The name of the dialect that it belongs to."""
    outcomes: Mapping[str, Meaning]
    """How each of `OUTCOMES` is treated."""
    ladder: tuple[LadderStep, ...]
    """What applies while robots.txt is unreachable, step by step."""
    default_life: int
    """Seconds for which a file may be used if its header does not say."""
    life_rule: Literal["seconds", "utc-day"]
    """Whether a response may be used for its lifetime, or only until the end of the UTC day in
    which it came. After a failure, the time of the next attempt applies in any case."""
    heeds: tuple[str, ...]
    """What is obeyed in a header: any of `cache-control`, `expires`; `max-age` is that alone."""
    longest_life: int | None
    """The longest lifetime, in seconds, that a header can give a file; `None` for no limit."""
    shortest_life: int
    """The shortest lifetime of a response, in seconds, so that robots.txt is not requested for each
    URL; only the end of a UTC day may come sooner."""
    negative_life: int
    """The longest lifetime of `allow-all` and `disallow-all`, so that a new file is noticed."""
    first_retry: int
    """Seconds until the next attempt after the first failure."""
    longest_retry: int
    """The longest time until the next attempt; it grows with the time of failing."""
    longest_retry_after: int
    """The most seconds for which a Retry-After delays the next request for robots.txt. The pace,
    which is about the whole site, obeys up to `goodbot.http.retry_after.LONGEST_RETRY_AFTER`."""
    shared: bool
    """Whether responses are stored for many robots, as in a shared cache."""
    revalidates: bool
    """Whether requests are conditional, so that a 304 can confirm the copy."""
    redirect_limit: int
    """How many redirects in a row are followed; a loop ends the request."""
    sources: tuple[tuple[str, str], ...]
    """Pairs of what is stated about lifetimes, and where."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Put the outcomes into an immutable table."""
        object.__setattr__(self, "outcomes", MeaningTable(self.outcomes))

    def replace(self, **choices: Any) -> "PolicyDialect":  # noqa: ANN401  of several types
        """Return this record with some choices changed.

        Args:
            choices: New values by name. `outcomes` is a mapping of the outcomes to change, to the
                name of a treatment or to a `Meaning`; the others stay. `ladder` is a sequence of
                `LadderStep`s or of triples.

        Returns:
            A new `PolicyDialect`.

        Raises:
            DialectChoiceError: There is no such choice, outcome or treatment.

        """
        known = {one.name: one for one in dataclasses.fields(self)}
        for name, value in choices.items():
            if name not in known:
                message = (
                    f"there is no choice {shortened(name, 60)!r}; choose one of {', '.join(known)}"
                )
                raise DialectChoiceError(message)
            if known[name].type is int:
                checked_number(name, value)
        if "outcomes" in choices:
            changed = {key: meaning(key, value) for key, value in choices["outcomes"].items()}
            choices["outcomes"] = {**self.outcomes, **changed}
        if "ladder" in choices:
            choices["ladder"] = checked_ladder(choices["ladder"])
        if "heeds" in choices:
            choices["heeds"] = tuple(choices["heeds"])
        return dataclasses.replace(self, **choices)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        told = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        return told | {
            "outcomes": {
                name: dataclasses.astuple(one) for name, one in sorted(self.outcomes.items())
            },
            "ladder": [dataclasses.astuple(step) for step in self.ladder],
            "heeds": list(self.heeds),
            "sources": [list(pair) for pair in self.sources],
        }


def checked_number(name: str, value: object) -> None:
    """Raise if a value is not a number of seconds or of redirects."""
    if not isinstance(value, int) or value < 0:
        message = f"{name} must be a number, 0 or more, not {str(value)[:60]!r}"
        raise DialectChoiceError(message)


def meaning(outcome: str, value: object) -> Meaning:
    """Return the meaning that the caller wants for an outcome, checked."""
    if outcome not in OUTCOMES:
        message = f"there is no outcome {shown_value(outcome)}; use one of {', '.join(OUTCOMES)}"
        raise DialectChoiceError(message)
    if isinstance(value, str):
        value = Meaning(value, "the caller")  # type: ignore[arg-type]
    if not isinstance(value, Meaning):
        value = Meaning(*value)  # type: ignore[misc]
    if value.treatment not in TREATMENTS:
        given, known = shown_value(value.treatment), ", ".join(TREATMENTS)
        message = f"there is no treatment {given}; use one of {known}"
        raise DialectChoiceError(message)
    return value


def checked_ladder(steps: object) -> tuple[LadderStep, ...]:
    """Return the steps of a ladder, checked: the last has no end, and a copy needs a copy."""
    ladder = tuple(step if isinstance(step, LadderStep) else LadderStep(*step) for step in steps)  # type: ignore[attr-defined]
    given = {one for step in ladder for one in (step.with_copy, step.without_copy)}
    is_whole = bool(ladder) and ladder[-1].until is None
    is_wrong = given - set(get_args(Fallback)) or any(
        step.without_copy == "copy" for step in ladder
    )
    if not is_whole or is_wrong:
        message = (
            "ladder must be a sequence of LadderStep(until, with_copy, without_copy), the last of "
            f"them with until=None; the fallbacks are {', '.join(FALLBACKS)}, and copy needs a copy"
        )
        raise DialectChoiceError(message)
    return ladder
