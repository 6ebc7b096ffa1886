"""Policy dialects: records of what every outcome means, and of how long an answer lives.

What may live here: the form of those records. The records themselves are in `tables`.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from goodbot.display import short_repr
from goodbot.errors import DialectChoiceError
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
    "parse": "The rules in it hold.",
    "refresh": "The stored copy goes on to hold, with new lives.",
    "allow-all": "Everything may be fetched.",
    "disallow-all": "Nothing may be fetched.",
    "defer": "Nothing may be fetched until robots.txt could be.",
    "copy-or-defer": "The stored copy holds where it would if robots.txt were unreachable; else as "
    "`defer`.",
    "unreachable": "As the dialect's steps say, by the time since robots.txt was last in reach.",
    "as-the-class": "The class of the status alone says what follows.",
}
"""What can be made of an outcome."""

Fallback: TypeAlias = Literal["copy", "allow-all", "disallow-all", "as-the-site"]
FALLBACKS: dict[str, str] = {
    "copy": "The stored copy holds.",
    "allow-all": "Everything may be fetched.",
    "disallow-all": "Nothing may be fetched.",
    "as-the-site": "Everything, if the rest of the site is known to be in reach; else nothing.",
}
"""What can hold while robots.txt is out of reach."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one outcome is made into, and who says so.

    >>> Meaning("allow-all", "RFC 9309 section 2.3.1.3").treatment
    'allow-all'
    """

    treatment: Treatment
    """One of `TREATMENTS`."""
    source: str
    """The document and its section; or that it is goodbot's choice."""
    reason: str | None = None
    """The reason, where the dialect calls it by another outcome's name."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class LadderStep:
    """What holds while robots.txt is out of reach, up to some time.

    >>> LadderStep(12 * 3600, with_copy="disallow-all", without_copy="disallow-all").until
    43200
    """

    until: int | None
    """Seconds since robots.txt was last in reach, up to which it holds; `None` for ever."""
    with_copy: Fallback
    """What holds where an earlier robots.txt is stored; one of `FALLBACKS`."""
    without_copy: Fallback
    """What holds where none is; one of `FALLBACKS` other than `copy`."""

    __repr__ = short_repr


class MeaningTable(Mapping[str, Meaning]):
    """A mapping of outcomes to their meanings that does not change: it is hashed and pickled."""

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


@dataclass(frozen=True, slots=True)
class PolicyDialect:
    """What every outcome means, and how long an answer lives: a record of named choices.

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
    """What each of `OUTCOMES` is made into."""
    ladder: tuple[LadderStep, ...]
    """What holds while robots.txt is out of reach, step by step."""
    default_life: int
    """Seconds for which a file holds whose header says nothing of it."""
    life_rule: Literal["seconds", "utc-day"]
    """Whether an answer holds for its seconds, or no longer than the UTC day in which it came. What
    failed is asked for again at its time of retry in any case."""
    heeds: tuple[str, ...]
    """What of a header is heeded: any of `cache-control`, `expires`; `max-age` is that alone."""
    longest_life: int | None
    """Seconds beyond which no header keeps a file; `None` for no bound."""
    shortest_life: int
    """Seconds for which an answer holds in any case, so that no site is asked for each URL; a UTC
    day alone may be shorter."""
    negative_life: int
    """Seconds for which `allow-all` and `disallow-all` hold at most, so that a new file is seen."""
    first_retry: int
    """Seconds to the next attempt after the first that failed."""
    longest_retry: int
    """Seconds to the next attempt after many; it grows as the time of failing does."""
    longest_retry_after: int
    """The most seconds that a Retry-After puts off the next question for robots.txt. The pace keeps
    off the whole site, and heeds it up to `goodbot.http.retry_after.LONGEST_RETRY_AFTER`."""
    shared: bool
    """Whether the answers are kept for many robots, as a shared cache does."""
    revalidates: bool
    """Whether the site is asked with a condition, for a 304."""
    redirect_limit: int
    """How many redirects in a row are followed; one that leads back ends the way at once."""
    sources: tuple[tuple[str, str], ...]
    """Pairs of what is stated of the lives and where."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Keep the outcomes in a table that does not change."""
        object.__setattr__(self, "outcomes", MeaningTable(self.outcomes))

    def replace(self, **choices: Any) -> "PolicyDialect":  # noqa: ANN401  of several types
        """Give this record with some choices made otherwise.

        Args:
            choices: New values by name. `outcomes` is a mapping of the outcomes to change: to the
                name of a treatment, or to a `Meaning`; the others stay. `ladder` is a sequence of
                `LadderStep`s or of triples.

        Returns:
            A new `PolicyDialect`.

        Raises:
            DialectChoiceError: There is no such choice, outcome or treatment.

        """
        known = {one.name: one for one in dataclasses.fields(self)}
        for name, value in choices.items():
            if name not in known:
                message = f"a policy dialect has no choice {name!r}; it has {', '.join(known)}"
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
        """Give plain values, for JSON."""
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
    """Refuse what is no number of seconds or of redirects."""
    if not isinstance(value, int) or value < 0:
        message = f"{name} must be a number from 0, not {str(value)[:60]!r}"
        raise DialectChoiceError(message)


def meaning(outcome: str, value: object) -> Meaning:
    """Take what the caller wants an outcome to mean."""
    if outcome not in OUTCOMES:
        message = f"there is no outcome {outcome!r}; there are {', '.join(OUTCOMES)}"
        raise DialectChoiceError(message)
    if isinstance(value, str):
        value = Meaning(value, "the caller")  # type: ignore[arg-type]
    if not isinstance(value, Meaning):
        value = Meaning(*value)  # type: ignore[misc]
    if value.treatment not in TREATMENTS:
        message = f"there is no treatment {value.treatment!r}; there are {', '.join(TREATMENTS)}"
        raise DialectChoiceError(message)
    return value


def checked_ladder(steps: object) -> tuple[LadderStep, ...]:
    """Take the steps of a ladder: its last has no end, and nothing holds that is not there."""
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
