"""From the sums of the core to the summary of logs.

Scope: decides nothing and reads nothing: sums are put together by robot.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from goodbot._core import LogScan
from goodbot.http.instants import to_datetime
from goodbot.site.logs.log_counts import LogCounts, LogSummary, SenderSums, UnreadLine

__all__ = ["counts_of", "summary_of"]

UNKNOWN, PERSON = -1, -2
"""Where the core says that a User-Agent names no known robot."""


def sums_of_agents(scan: LogScan, robots: Sequence[str]) -> list[SenderSums]:
    """Return the sums of each User-Agent, and of those that are not remembered together."""
    found = []
    for user_agent, place, sums in scan.agents():
        requests, size, statuses, robots_txt, times = sums
        first, last = map(to_datetime, times) if times else (None, None)
        found.append(
            SenderSums(
                robots[place] if place >= 0 else None,
                place == PERSON,
                user_agent,
                requests,
                size,
                statuses,
                robots_txt,
                first,
                last,
            )
        )
    return found


def together(parts: Iterable[SenderSums], empty: SenderSums) -> SenderSums:
    """Return the sum of parts."""
    total = empty
    for part in parts:
        firsts = [one for one in (total.first, part.first) if one is not None]
        lasts = [one for one in (total.last, part.last) if one is not None]
        a, b = total.statuses, part.statuses
        total = replace(
            total,
            requests=total.requests + part.requests,
            bytes=total.bytes + part.bytes,
            statuses=(a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]),
            robots_txt=total.robots_txt + part.robots_txt,
            first=min(firsts, default=None),
            last=max(lasts, default=None),
        )
    return total


class FileNotes(NamedTuple):
    """What is known of the files beside their lines."""

    formats: dict[str, str | None]
    damaged: dict[str, str]
    begun: list[tuple[int, str]]
    """How many lines that cannot be read were known when each file began."""
    beginnings: dict[str, bytes]
    """A hash of the first lines of each file."""
    unusable: dict[str, str]
    """What a file is that is no access log in a form that is read, and what to do."""
    is_alone: bool = False
    """Whether there is only one file."""

    def source_of(self, place: int) -> str:
        """Return the file of one of the lines that could not be read."""
        return next(path for known, path in reversed(self.begun) if known <= place)

    def repeated(self) -> tuple[tuple[str, ...], ...]:
        """Return the files that begin with the same lines."""
        same: dict[bytes, list[str]] = {}
        for path, beginning in self.beginnings.items():
            same.setdefault(beginning, []).append(path)
        return tuple(tuple(paths) for paths in same.values() if len(paths) > 1)


def counts_of(
    scan: LogScan, notes: FileNotes, sums: Sequence[SenderSums], robots: Sequence[str]
) -> LogCounts:
    """Return what was counted so far; `robots` are those of the names that the core finds."""
    lines, size = scan.read()
    silent, refused, shown, (forwarded, without_zone, without_address) = scan.counts()
    total = together(sums, SenderSums(None, is_person=False, user_agent=None))
    too_long: Counter[str] = Counter()
    for place, number in scan.too_long():
        too_long[robots[place]] += number
    return LogCounts(
        lines=lines,
        bytes=size,
        robots=sum(one.requests for one in sums if one.robot),
        unknown_robots=sum(one.requests for one in sums if not one.robot and not one.is_person),
        people=sum(one.requests for one in sums if one.is_person),
        without_request=silent,
        forwarded=forwarded,
        without_zone=without_zone,
        without_address=without_address,
        without_user_agent=sum(one.requests for one in sums if one.user_agent == ""),
        readings={name: count for name, count in scan.readings() if count},
        too_long=dict(too_long),
        refused=dict(refused),
        shown=tuple(UnreadLine(*one, notes.source_of(place)) for place, one in enumerate(shown)),
        first=total.first,
        last=total.last,
        days={day: (requests, first, last) for day, requests, first, last in scan.days()},
        formats=dict(notes.formats),
        damaged=dict(notes.damaged),
        repeated=notes.repeated(),
        unusable=dict(notes.unusable),
    )


def summary_of(counts: LogCounts, sums: Sequence[SenderSums]) -> LogSummary:
    """Return the summary of what was read."""
    by_robot: dict[str, list[SenderSums]] = {}
    for one in sums:
        if one.robot is not None:
            by_robot.setdefault(one.robot, []).append(one)
    robots = [
        together(parts, SenderSums(robot, is_person=False, user_agent=None))
        for robot, parts in by_robot.items()
    ]
    unknown = [one for one in sums if one.robot is None and not one.is_person]
    people = [one for one in sums if one.is_person]
    named = [one for one in sums if one.user_agent is not None and not one.is_person]
    return LogSummary(
        tuple(sorted(robots, key=lambda one: (-one.requests, one.robot or ""))),
        together(unknown, SenderSums(None, is_person=False, user_agent=None)),
        together(people, SenderSums(None, is_person=True, user_agent=None)),
        tuple(sorted(named, key=lambda one: (-one.requests, one.user_agent or ""))),
        counts,
    )
