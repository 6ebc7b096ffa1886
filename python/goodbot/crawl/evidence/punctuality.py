"""Was any request early? A plain check of what was done against what was asked.

What may live here: from the times of requests, and the robots.txt that was in force at each, to the
pauses that were left and those that were asked for. It does not ask `goodbot.pace`, by which the
robot went: each request is looked at by itself, and so the one is a check of the other.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, time
from typing import NamedTuple

from goodbot._core import RequestRate, Rules
from goodbot.crawl.evidence.policy_at import Histories, policy_of
from goodbot.crawl.folder.database import Database
from goodbot.http.instants import SECOND, duration, spoken, to_datetime
from goodbot.pace import Manners
from goodbot.store import Seen

__all__ = ["NOT_SENT", "Pause", "Wishes", "pauses"]

OF_ORIGIN = (
    "SELECT url, purpose, started, ended, failure, not_before, steady, timeline FROM requests "
    "WHERE origin = ? ORDER BY id"
)
NOT_SENT = ("malformed-url", "private-address", "unsupported-scheme")
"""Failures that are told before anybody is asked: there was no request."""

MOST_STARTS = 1000


@dataclass(frozen=True, slots=True)
class Pause:
    """One request, and the pause before it. Times are microseconds, since 1970 where they stand
    for an instant."""  # noqa: D205, D209  one sentence more

    url: str
    purpose: str
    """`page` or `robots-txt`."""
    started: int
    left: int | None
    """From the end of the request before; `None` for the first one."""
    asked: int
    """What was asked for at least."""
    source: str
    """Who asks for that."""
    early: str
    """Why it was early, in words; empty if it was not."""


class Wishes:
    """What a site asks of the pace of one robot, read in the plainest way.

    Args:
        rules: What the robot must obey; `None` if there is no robots.txt.
        manners: The robot's own settings.

    Source: Conner 1996, Request-rate and Visit-time; Crawl-delay as in use.

    """

    def __init__(self, rules: Rules | None, manners: Manners) -> None:
        """Take what is asked."""
        self.manners = manners
        self.delay = None if rules is None else rules.crawl_delay
        self.rates: list[RequestRate] = [] if rules is None else rules.request_rates
        self.hours = [] if rules is None else rules.visit_times
        self.floor = "the robot's own floor"

    @classmethod
    def least(cls, manners: Manners) -> "Wishes":
        """Return what holds for every request: the robot's own floor."""
        return cls(None, replace(manners, default=0.0, factor=0.0))

    @classmethod
    def unknown(cls, manners: Manners) -> "Wishes":
        """Return what can be checked where nobody can tell what the site asked for."""
        wishes = cls.least(manners)
        wishes.floor += ", as robots.txt may not be kept"
        return wishes

    def rate(self, at: time) -> RequestRate | None:
        """Give the strictest of the rates that are in force at a time of day."""
        there = [one for one in self.rates if one.window is None or one.window.contains(at)]
        return max(there, key=seconds_each, default=None)

    def pause(self, at: datetime, took: int) -> tuple[int, str]:
        """Give the least pause before a request at a time, and who asks for it.

        Args:
            at: When the request begins.
            took: Microseconds that the one before took.

        """
        wishes = [(duration(self.manners.floor), self.floor)]
        rate = self.rate(at.time())
        if self.delay is not None:
            wishes.append((duration(self.delay), "Crawl-delay"))
        if rate is not None:
            each = -(-rate.seconds * SECOND // rate.documents)
            wishes.append((each, f"Request-rate {rate.documents}/{rate.seconds}"))
        if all(wish < SECOND // 10 for wish, _ in wishes[1:]):
            wishes.append((duration(self.manners.between(took / SECOND)), "manners"))
        return max(wishes, key=lambda wish: wish[0])

    def welcomes(self, at: time) -> bool:
        """Whether visits are welcome at a time of day."""
        return not self.hours or any(hours.contains(at) for hours in self.hours)


def seconds_each(rate: RequestRate) -> float:
    """Give the seconds for each document."""
    return rate.seconds / rate.documents


def pauses(database: Database, origin: str, robot: str, manners: Manners) -> Iterator[Pause]:
    """Yield every request at an origin with the pause before it, in the order of time.

    A page waits for what the site asks, counted from the request before it, whether that was for a
    page or for robots.txt. A request for robots.txt waits for the robot's own manners, whatever
    robots.txt asks: a site must be able to take back a mistake; up to version 0.1.0 it waited for
    the floor alone. Retry-After holds for both. Pauses are counted by the clock that held: by the
    one that nobody sets, and across restarts of the machine by the time of day. Where a site has
    its robots.txt obeyed and not kept (no-store), nobody can tell later what it asked for: only the
    floor can be checked.

    Args:
        database: The file of the crawl.
        origin: The origin.
        robot: The robot: its product token, or its name with a version.
        manners: The robot's own settings.

    """

    def wishes_of(seen: Seen) -> Wishes:
        policy = policy_of(seen)
        return Wishes(None if policy is None else policy.rules_for(robot), manners)

    histories, line = Histories(database, wishes_of), Line()
    took, not_before, latest = 0, 0, 0
    starts: deque[int] = deque(maxlen=MOST_STARTS)
    rows = database.connection.execute(OF_ORIGIN, (origin,))
    for url, purpose, start, end, failure, keep_off, steady, timeline in rows:
        if failure in NOT_SENT:
            continue
        # Where the clock was set back, the last robots.txt lies ahead of the request.
        known = start if start >= latest else latest + SECOND
        begin, left = line.place(Times(start, end, steady, timeline))
        if left is None:
            starts.clear()
            not_before = 0
        if purpose == "page":
            wishes = histories.at(origin, time_of(known)) or Wishes.unknown(manners)
        else:
            wishes = Wishes.least(manners) if steady is None else Wishes(None, manners)
        asked, source = wishes.pause(time_of(start), took)
        early = too_soon(left, asked, source)
        if not early and begin < not_before:
            early = "it came before the end of Retry-After"
        early = early or too_many(wishes, time_of(start), starts, begin)
        yield Pause(url, purpose, start, left, asked, source, early)
        starts.append(begin)
        took, latest = end - start, max(latest, end)
        not_before = max(not_before, begin + (keep_off or start) - start)


def time_of(instant: int) -> datetime:
    """Return an instant that was written from a `datetime`."""
    at = to_datetime(instant)
    assert at is not None  # noqa: S101  see above
    return at


class Times(NamedTuple):
    """When a request began and ended, in microseconds."""

    start: int
    end: int
    steady: int | None
    """When it began in time that does not change when the clock is set; `None` if unknown."""
    timeline: int
    """The timeline of that: two requests can be compared by it only if they have the same."""


class Line:
    """The requests of an origin on one line of time, which does not bend when the clock is set."""

    def __init__(self) -> None:
        """Begin with none."""
        self._before: Times | None = None
        self._begin = 0
        self._end = 0

    def place(self, times: Times) -> tuple[int, int | None]:
        """Place the next request.

        Returns:
            Where it begins, and the time since the end of the one before; `None` for the first one,
            and where nobody can tell, because the time of day went back between two timelines.

        """
        before, self._before = self._before, times
        if before is None:
            return self._begin_at(times.start, times), None
        since = since_start(before, times)
        if since is None:
            return self._begin_at(self._end, times), None
        end, begin = self._end, self._begin + since
        return self._begin_at(begin, times), begin - end

    def _begin_at(self, begin: int, times: Times) -> int:
        self._begin = begin
        self._end = max(self._end, begin + times.end - times.start)
        return begin


def since_start(before: Times, times: Times) -> int | None:
    """Return the time from the start of one request to the start of the next."""
    is_same = before.timeline == times.timeline != 0
    if is_same and before.steady is not None and times.steady is not None:
        return times.steady - before.steady
    since = times.start - before.start
    return since if since >= 0 else None


def too_soon(left: int | None, asked: int, source: str) -> str:
    """Report in what a pause is shorter than was asked for; nothing if it is not.

    Args:
        left: The microseconds of the pause; `None` if nobody can tell.
        asked: The microseconds that were asked for.
        source: Who asks for them.

    """
    if left is None or left >= asked:
        return ""
    return f"{spoken(max(left, 0))} behind the one before, and {source} asks for {spoken(asked)}"


def too_many(wishes: Wishes, at: datetime, starts: deque[int], start: int) -> str:
    """Say in what a visit comes too early, whatever the pause was; nothing if it does not."""
    if not wishes.welcomes(at.time()):
        return "it was not within Visit-time"
    rate = wishes.rate(at.time())
    if rate is None or len(starts) < rate.documents:
        return ""
    if start - starts[-rate.documents] >= rate.seconds * SECOND:
        return ""
    unit = "second" if rate.seconds == 1 else "seconds"
    return f"Request-rate asks for no more than {rate.documents} in {rate.seconds} {unit}"
