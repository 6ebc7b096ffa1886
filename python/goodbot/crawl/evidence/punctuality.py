"""Was any request early? A plain check of what was done against what was asked.

What may live here: from the times of requests, and the robots.txt that was in force at each, to the
pauses that were left and those that were asked for. It does not ask `goodbot.pace`, by which the
robot went: each request is looked at by itself, and so the one is a check of the other.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, time

from goodbot._core import RequestRate, Rules
from goodbot.crawl.evidence.policy_at import PoliciesByTime, policy_of
from goodbot.crawl.evidence.reading import RequestRow, requests_at
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.times import stored_time
from goodbot.http.instants import SECOND, duration, spoken
from goodbot.pace import Manners
from goodbot.policy.inquiry import NOT_ASKED
from goodbot.store import Seen

__all__ = ["PlainPace", "RequestPause", "pauses"]

MOST_STARTS = 1000


@dataclass(frozen=True, slots=True)
class RequestPause:
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


class PlainPace:
    """What a site asks of the pace of one robot, read in the plainest way.

    Args:
        rules: What the robot must obey; `None` if there is no robots.txt.
        manners: The robot's own settings.

    Source: Conner 1996, Request-rate and Visit-time; Crawl-delay as in use.

    """

    def __init__(self, rules: Rules | None, manners: Manners) -> None:
        """Read what is asked."""
        self.manners = manners
        self.delay = None if rules is None else rules.crawl_delay
        self.rates: list[RequestRate] = [] if rules is None else rules.request_rates
        self.hours = [] if rules is None else rules.visit_times
        self.floor = "the robot's own floor"

    @classmethod
    def least(cls, manners: Manners) -> "PlainPace":
        """Return what holds for every request: the robot's own floor."""
        return cls(None, replace(manners, default=0.0, factor=0.0))

    @classmethod
    def unknown(cls, manners: Manners) -> "PlainPace":
        """Return what can be checked where nobody can tell what the site asked for."""
        constraints = cls.least(manners)
        constraints.floor += ", as robots.txt may not be kept"
        return constraints

    def rates_at(self, at: time) -> list[RequestRate]:
        """Return the rates to go by at a time of day, each the strictest of its kind.

        Between its times a rate is used in place of those without times (Conner 1996). One that may
        hold, or may not, is used beside the others.
        """
        there = [one for one in self.rates if one.window is None or one.window.contains(at)]
        sure = [one for one in there if not one.doubtful]
        timed = [one for one in sure if one.window is not None]
        kinds = (timed or sure, [one for one in there if one.doubtful])
        return [max(kind, key=seconds_each) for kind in kinds if kind]

    def pause(self, at: datetime, took: int) -> tuple[int, str]:
        """Return the least pause before a request at a time, and who asks for it.

        Args:
            at: When the request begins.
            took: Microseconds that the one before took.

        """
        constraints = [(duration(self.manners.floor), self.floor)]
        stated = []
        if self.delay is not None:
            constraints.append((duration(self.delay), "Crawl-delay"))
            stated.append(constraints[-1][0])
        for rate in self.rates_at(at.time()):
            each = -(-rate.seconds * SECOND // rate.documents)
            constraints.append((each, f"Request-rate {rate.documents}/{rate.seconds}"))
            stated += [] if rate.doubtful else [each]
        if all(pause < SECOND // 10 for pause in stated):
            constraints.append((duration(self.manners.between(took / SECOND)), "manners"))
        return max(constraints, key=lambda wish: wish[0])

    def welcomes(self, at: time) -> bool:
        """Whether visits are welcome at a time of day."""
        return not self.hours or any(hours.contains(at) for hours in self.hours)


def seconds_each(rate: RequestRate) -> float:
    """Return the seconds for each document."""
    return rate.seconds / rate.documents


def pauses(database: Database, origin: str, robot: str, manners: Manners) -> Iterator[RequestPause]:
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
    check = Check(database, origin, robot, manners)
    for row in requests_at(database, origin):
        if row.failure not in NOT_ASKED:
            yield check.pause(row)


class Check:
    """Looks at the requests of an origin, one behind the other.

    Args:
        database: The file of the crawl.
        origin: The origin.
        robot: The robot.
        manners: The robot's own settings.

    """

    def __init__(self, database: Database, origin: str, robot: str, manners: Manners) -> None:
        """Begin before the first request."""
        self._origin = origin
        self._robot = robot
        self._manners = manners
        self._policies = PoliciesByTime(database, self._constraints_of)
        self._line = Line()
        self._starts: deque[int] = deque(maxlen=MOST_STARTS)
        self._took = 0
        """How long the last request took, in microseconds."""
        self._not_before = 0
        """Until when the last Retry-After wants nobody."""
        self._latest = 0
        """When the latest request ended, by the time of day."""

    def pause(self, row: RequestRow) -> RequestPause:
        """Return the pause before the next request."""
        begin, left = self._line.place(row)
        if left is None:
            self._starts.clear()
            self._not_before = 0
        at, constraints = stored_time(row.started), self._constraints(row)
        asked, source = constraints.pause(at, self._took)
        early = too_soon(left, asked, source)
        if not early and begin < self._not_before:
            early = "it came before the end of Retry-After"
        early = early or too_many(constraints, at, self._starts, begin)
        self._starts.append(begin)
        self._took = row.ended - row.started
        self._latest = max(self._latest, row.ended)
        until = begin + (row.not_before or row.started) - row.started
        self._not_before = max(self._not_before, until)
        return RequestPause(row.url, row.purpose, row.started, left, asked, source, early)

    def _constraints(self, row: RequestRow) -> PlainPace:
        """Return what was to be heeded before a request."""
        if row.purpose != "page":
            if row.steady is None:  # written by 0.1.0
                return PlainPace.least(self._manners)
            return PlainPace(None, self._manners)
        # Where the clock was set back, the last robots.txt lies ahead of the request.
        known = row.started if row.started >= self._latest else self._latest + SECOND
        found = self._policies.at(self._origin, stored_time(known))
        return found or PlainPace.unknown(self._manners)

    def _constraints_of(self, seen: Seen) -> PlainPace:
        """Return what a robots.txt asks for."""
        policy = policy_of(seen)
        rules = None if policy is None else policy.rules_for(self._robot)
        return PlainPace(rules, self._manners)


class Line:
    """The requests of an origin on one line of time, which does not bend when the clock is set."""

    def __init__(self) -> None:
        """Begin with none."""
        self._before: RequestRow | None = None
        self._begin = 0
        self._end = 0

    def place(self, request: RequestRow) -> tuple[int, int | None]:
        """Place the next request.

        Returns:
            Where it begins, and the time since the end of the one before; `None` for the first one,
            and where nobody can tell, because the time of day went back between two timelines.

        """
        before, self._before = self._before, request
        if before is None:
            return self._begin_at(request.started, request), None
        since = since_start(before, request)
        if since is None:
            return self._begin_at(self._end, request), None
        end, begin = self._end, self._begin + since
        return self._begin_at(begin, request), begin - end

    def _begin_at(self, begin: int, request: RequestRow) -> int:
        self._begin = begin
        self._end = max(self._end, begin + request.ended - request.started)
        return begin


def since_start(before: RequestRow, request: RequestRow) -> int | None:
    """Return the time from the start of one request to the start of the next."""
    is_same = before.timeline == request.timeline != 0
    if is_same and before.steady is not None and request.steady is not None:
        return request.steady - before.steady
    since = request.started - before.started
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


def too_many(constraints: PlainPace, at: datetime, starts: deque[int], start: int) -> str:
    """Return in what a visit comes too early, whatever the pause was; nothing if it does not."""
    if not constraints.welcomes(at.time()):
        return "it was not within Visit-time"
    for rate in constraints.rates_at(at.time()):
        if len(starts) < rate.documents:
            continue
        if start - starts[-rate.documents] < rate.seconds * SECOND:
            unit = "second" if rate.seconds == 1 else "seconds"
            return f"Request-rate asks for no more than {rate.documents} in {rate.seconds} {unit}"
    return ""
