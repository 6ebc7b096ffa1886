"""The counts of one period, and the definition of each figure.

Scope: records and their words. `counting` fills them in.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass
from goodbot.tables.counting.disallowing import HOW_MUCH

__all__ = ["COUNT_COLUMNS", "DEFINITIONS", "PolicyCounts", "RobotCounts", "SizeCounts"]

UNREACHABLE = "unknown"

DEFINITIONS: dict[str, str] = {
    "sites": "Origins (scheme, host and port) with a row in the period. Of several rows the last one counts, as of its time.",
    "access": "What follows from the answer, as in the table: rules, allow-all (there is no robots.txt), disallow-all, defer, or unknown.",
    "status": "The HTTP status of the answer; `none` if there was no answer.",
    "size": "Bytes of the robots.txt in force, for sites with the access rules.",
    "named": "Sites in whose robots.txt a User-agent line names the robot itself: equal product tokens, in any case of letters, without a version. For *, sites with a group for it.",
    "wholly": f"{HOW_MUCH['wholly']} By the group that the robot obeys, whether or not it is named.",
    "partly": HOW_MUCH["partly"],
    "not-at-all": f"{HOW_MUCH['not-at-all']} Sites without a robots.txt (the access allow-all) are among them.",
    "undecided": HOW_MUCH["undecided"],
    "unknown": "Sites whose rules are not known: the access is disallow-all, defer or unknown.",
    "name": "Sites in whose robots.txt a User-agent line has the product token; purposes, such as `__usage_ai-training`, count as signals.",
    "signal": "Sites whose robots.txt has the statement, for any robot and any path, or a User-agent line for the purpose.",
    "field": "Sites whose robots.txt has the field, as it is read in the dialect.",
    "unknown-field": "Sites whose robots.txt has the field, which no document known to goodbot defines.",
}  # fmt: skip
"""What each figure counts."""

COUNT_COLUMNS: dict[str, str] = {
    "period": "The year, or the file or folder that the rows are from; empty for the whole table.",
    "measure": "What is counted: sites, access, status, size, robot, name, signal, field or unknown-field.",
    "name": "The robot, name, status, statement or field; of sizes: files, least, median, mean, p90 or most.",
    "category": "For robots: named, wholly, partly, not-at-all, undecided or unknown; else empty.",
    "count": "The number of sites; of sizes, the number of files, or bytes.",
}  # fmt: skip
"""The columns of counts as rows, each with its meaning."""


@dataclass(frozen=True, slots=True, repr=False)
class SizeCounts:
    """The sizes of files, in bytes. Each is 0 without files."""

    files: int = 0
    """How many files there are."""
    least: int = 0
    """The smallest."""
    median: int = 0
    """At least half of the files are as small."""
    mean: int = 0
    """The mean, rounded down."""
    p90: int = 0
    """At least nine tenths of the files are as small."""
    most: int = 0
    """The largest."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, int]:
        """Return plain values, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, repr=False)
class RobotCounts:
    """What sites say to one robot. All but `named` add up to the sites."""

    robot: str
    """The robot; `*` is any robot that no group names."""
    named: int = 0
    """Sites that name it."""
    wholly: int = 0
    """Sites that disallow everything to it."""
    partly: int = 0
    """Sites that disallow a part to it."""
    not_at_all: int = 0
    """Sites that disallow nothing to it."""
    undecided: int = 0
    """Sites for which that was not decided within the bound."""
    unknown: int = 0
    """Sites whose rules are not known."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, repr=False)
class PolicyCounts:
    """The counts of one period; most frequent first."""

    period: str
    """The year or the source; empty for the whole table."""
    sites: int
    """How many sites there are."""
    access: Mapping[str, int]
    """Sites by access."""
    statuses: Mapping[str, int]
    """Sites by the HTTP status of the answer; `none` without an answer."""
    sizes: SizeCounts
    """The sizes of the files."""
    robots: tuple[RobotCounts, ...]
    """What sites say to each robot that was asked about, in that order."""
    names: Mapping[str, int]
    """Sites by the product tokens that they name, in lower case."""
    signals: Mapping[str, int]
    """Sites by their statements on use, such as `Content-Signal: ai-train=no`."""
    fields: Mapping[str, int]
    """Sites by the fields that they have."""
    unknown_fields: Mapping[str, int]
    """Sites by the fields that no document known to goodbot defines."""

    __repr__ = short_repr

    def __hash__(self) -> int:
        """Return a hash of the period and its sites."""
        return hash((self.period, self.sites, self.robots))

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "period": self.period,
            "sites": self.sites,
            "access": dict(self.access),
            "statuses": dict(self.statuses),
            "sizes": self.sizes.as_dict(),
            "robots": [one.as_dict() for one in self.robots],
            "names": dict(self.names),
            "signals": dict(self.signals),
            "fields": dict(self.fields),
            "unknown_fields": dict(self.unknown_fields),
        }

    def rows(self) -> Iterator[dict[str, str | int]]:
        """Yield each figure as a row with `COUNT_COLUMNS`."""
        yield self.row("sites", "", "", self.sites)
        for measure, counts in (("access", self.access), ("status", self.statuses)):
            yield from (self.row(measure, name, "", count) for name, count in counts.items())
        for name, size in self.sizes.as_dict().items():
            yield self.row("size", name, "", size)
        for robot in self.robots:
            for category, count in robot.as_dict().items():
                if category != "robot":
                    yield self.row("robot", robot.robot, category.replace("_", "-"), count)
        others = {
            "name": self.names, "signal": self.signals, "field": self.fields,
            "unknown-field": self.unknown_fields,
        }  # fmt: skip
        for measure, counts in others.items():
            yield from (self.row(measure, name, "", count) for name, count in counts.items())

    def row(self, measure: str, name: str, category: str, count: int) -> dict[str, str | int]:
        """Return a figure as a row."""
        values = (self.period, measure, name, category, count)
        return dict(zip(COUNT_COLUMNS, values, strict=True))
