"""One run of `goodbot watch`: the figures of the site, and what changed since the run before.

Scope: values, and their form in JSON. `looking_back` makes them.
"""

from collections.abc import Mapping
from dataclasses import field, fields
from datetime import datetime
from typing import Any, Literal, TypeAlias, get_args

from goodbot.display import short_repr
from goodbot.errors import NotAStoreError
from goodbot.lazy_dataclass import dataclass

__all__ = [
    "FIGURES",
    "MOST_CHANGES",
    "WATCH_KINDS",
    "LogSeen",
    "WatchChange",
    "WatchKind",
    "WatchRun",
]

WatchKind: TypeAlias = Literal[
    "broken", "not-indexable", "disallowed", "robots.txt", "new-robot", "violation"
]
WATCH_KINDS: dict[WatchKind, str] = {
    "broken": "Newly broken",
    "not-indexable": "Newly not indexable",
    "disallowed": "Newly disallowed",
    "robots.txt": "robots.txt has changed",
    "new-robot": "Robots that the log did not have before",
    "violation": "Violations of robots.txt",
}
"""The changes that matter, with their headings, in the order of the message."""

FIGURES: dict[str, str] = {
    "urls": "URLs that were requested, or must not be",
    "indexable": "Pages that may be indexed",
    "not_indexable": "Pages that were fetched and may not be indexed",
    "broken": "Broken URLs",
    "disallowed": "URLs that robots.txt disallows",
    "words": "Words that may be indexed",
}
"""What is counted in each run, with its meaning, in the order of the history."""

MOST_CHANGES = 200
"""The most changes of a kind that a run lists; all are counted."""
DAMAGED = "a line of watch.jsonl is damaged; restore it from a backup, or remove that line"


@dataclass(frozen=True, slots=True, repr=False)
class WatchChange:
    """One change that matters."""

    kind: WatchKind
    subject: str
    """The URL; of a change in the log, the robot."""
    before: str = ""
    """What was: a status, a failure, or `indexable`; empty if it was not known."""
    after: str = ""
    """What is."""
    source: str = ""
    """Who says so: the statement with its line, or what an audit found."""
    robots: tuple[str, ...] = ()
    """For whom, with the number of URLs, or with the statement; empty: for that of the crawl."""
    removed: tuple[str, ...] = ()
    """The lines of robots.txt that are gone."""
    added: tuple[str, ...] = ()
    """The lines of robots.txt that are new."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}

    @classmethod
    def of_dict(cls, plain: Mapping[str, Any]) -> "WatchChange":
        """Read plain values.

        Raises:
            KeyError: A value is missing.
            TypeError: A value has the wrong type.
            ValueError: There is no such kind.

        """
        if plain["kind"] not in get_args(WatchKind):
            raise ValueError(plain["kind"])
        lists = {name: tuple(map(str, plain[name])) for name in ("robots", "removed", "added")}
        texts = (str(plain[name]) for name in ("subject", "before", "after", "source"))
        subject, before, after, source = texts
        return cls(plain["kind"], subject, before, after, source, **lists)


@dataclass(frozen=True, slots=True, repr=False)
class LogSeen:
    """What was seen of the logs so far."""

    until: datetime | None = None
    """The time of the last request of a robot that was judged; `None` if there was none."""
    robots: tuple[str, ...] = ()
    """Every robot that the logs had so far."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        until = None if self.until is None else self.until.isoformat()
        return {"until": until, "robots": list(self.robots)}


@dataclass(frozen=True, slots=True, repr=False)
class WatchRun:
    """One run: when, what there was, and what changed."""

    at: datetime
    """When it was looked at, in UTC."""
    site: str
    """The site, as an origin."""
    figures: Mapping[str, int]
    """How many there are, by the names of `FIGURES`."""
    disallowed_for: Mapping[str, int] = field(default_factory=dict)
    """How many URLs of the crawl robots.txt disallows to each robot that is watched."""
    changes: tuple[WatchChange, ...] = ()
    """What changed since the run before, at most `MOST_CHANGES` of a kind; none in the first."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """How many changes of each kind there are."""
    is_first: bool = False
    """Whether there was no run before, so that nothing can have changed."""
    log: LogSeen | None = None
    """What was seen of the logs; `None` if none was named."""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """Return whether anything changed that matters."""
        return bool(self.changes)

    @property
    def sentence(self) -> str:
        """What changed, in a sentence."""
        if self.is_first:
            return f"{self.site} is watched from now on; changes are reported by the next run."
        if not self.changes:
            return f"Nothing that matters has changed at {self.site}."
        kinds = [kind for kind in WATCH_KINDS if kind in self.counts]
        said = "; ".join(f"{WATCH_KINDS[kind]}: {self.counts[kind]:,}" for kind in kinds)
        return f"{self.site} has changed. {said}."

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "at": self.at.isoformat(),
            "site": self.site,
            "first": self.is_first,
            "sentence": self.sentence,
            "figures": dict(self.figures),
            "disallowed_for": dict(self.disallowed_for),
            "counts": dict(self.counts),
            "changes": [one.as_dict() for one in self.changes],
            "log": None if self.log is None else self.log.as_dict(),
        }

    @classmethod
    def of_dict(cls, plain: Mapping[str, Any]) -> "WatchRun":
        """Read plain values.

        Raises:
            NotAStoreError: They are damaged.

        """
        try:
            log = plain["log"]
            return cls(
                datetime.fromisoformat(plain["at"]),
                str(plain["site"]),
                {str(name): int(number) for name, number in plain["figures"].items()},
                {str(name): int(number) for name, number in plain["disallowed_for"].items()},
                tuple(WatchChange.of_dict(one) for one in plain["changes"]),
                {str(name): int(number) for name, number in plain["counts"].items()},
                bool(plain["first"]),
                None if log is None else seen_in(log),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise NotAStoreError(DAMAGED) from error


def seen_in(plain: Mapping[str, Any]) -> LogSeen:
    """Read what was seen of the logs."""
    until = plain["until"]
    time = None if until is None else datetime.fromisoformat(until)
    return LogSeen(time, tuple(map(str, plain["robots"])))
