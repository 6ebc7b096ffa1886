"""A check whether any request was early.

Scope: computing, from the times of the requests and the robots.txt in force at each, the pause
before every request and the pause that was required. It does not use the decisions of
`goodbot.pace`, which made the robot wait, so that each checks the other.
"""

import json
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, time
from http import HTTPStatus
from math import inf
from typing import NamedTuple

from goodbot._core import RequestRate, Rules
from goodbot.crawl.evidence.policy_at import policy_of, stored_timeline
from goodbot.crawl.evidence.reading import RequestRow, first_request_after, requests_at
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import StoredManners
from goodbot.crawl.folder.times import stored_time
from goodbot.errors import MisuseError, NotAStoreError
from goodbot.history.values_by_time import ValuesByTime
from goodbot.http.amounts import counted
from goodbot.http.instants import EPOCH, SECOND, duration, instant, spoken
from goodbot.pace import Manners
from goodbot.policy.inquiry import NOT_ASKED
from goodbot.store import StoredPolicy

__all__ = [
    "MannersSince",
    "PlainPace",
    "RequestPause",
    "manners_by_time",
    "pauses",
    "read_manners",
]

MOST_STARTS = 1000
LEAST_STATED = SECOND // 10
"""A site that asks for a shorter pause states none."""
FIRST_SUCCESS, FIRST_ERROR = int(HTTPStatus.OK), int(HTTPStatus.BAD_REQUEST)


class RequestPause(NamedTuple):
    """One request and the pause before it, in microseconds."""

    url: str
    purpose: str
    """`page` or `robots-txt`."""
    started: int
    """When it began, since 1970."""
    left: int | None
    """The pause since the end of the previous request; `None` for the first one."""
    asked: int
    """The pause that was required."""
    source: str
    """What required it."""
    early: str
    """Why the request was early, in words; empty if it was not."""
    is_of_its_time: bool = True
    """Whether the robot's own settings are those of the time of the request; if not, they are the
    newest ones of an older version of goodbot, which kept no others."""


class PlainPace:
    """The pace that a site asks of one robot, read in the plainest way.

    Args:
        rules: The rules for the robot; `None` if there is no robots.txt.
        manners: The robot's own settings.

    Source: Conner 1996, Request-rate and Visit-time; Crawl-delay as in use.

    """

    def __init__(
        self, rules: Rules | None, manners: Manners, floor: str = "the robot's minimum pause"
    ) -> None:
        """Read the constraints from the rules."""
        self.manners = manners
        self.rates: list[RequestRate] = [] if rules is None else rules.request_rates
        self.hours = [] if rules is None else rules.visit_times
        self.is_timed = bool(self.rates or self.hours)
        """Whether it depends on the time of day."""
        self._least = duration(manners.floor), floor
        """The longest pause that is always required, and what requires it."""
        delay = None if rules is None else rules.crawl_delay
        self._is_stated = delay is not None and duration(delay) >= LEAST_STATED
        """Whether its Crawl-delay is a pace, in place of the robot's own."""
        if delay is not None:
            self._least = longer(self._least, duration(delay), "Crawl-delay")

    @classmethod
    def least(cls, manners: Manners) -> "PlainPace":
        """Return what holds for every request: the robot's minimum pause."""
        return cls(None, replace(manners, default=0.0, factor=0.0))

    @classmethod
    def unknown(cls, manners: Manners) -> "PlainPace":
        """Return what can be checked if the site's robots.txt was not stored (no-store)."""
        floor = "the robot's minimum pause (robots.txt is not stored)"
        return cls(None, replace(manners, default=0.0, factor=0.0), floor)

    def rates_at(self, at: time) -> list[RequestRate]:
        """Return the rates that hold at a time of day, each the strictest of its kind.

        A rate with times replaces those without during its times (Conner 1996). A rate that is
        doubtful is used in addition to the others.
        """
        if not self.rates:
            return []
        there = [one for one in self.rates if one.window is None or one.window.contains(at)]
        sure = [one for one in there if not one.doubtful]
        timed = [one for one in sure if one.window is not None]
        kinds = (timed or sure, [one for one in there if one.doubtful])
        return [max(kind, key=seconds_each) for kind in kinds if kind]

    def pause(self, at: datetime, took: int, slow: int = 0) -> tuple[int, str]:
        """Return the pause required before a request, and what requires it.

        Args:
            at: When the request begins.
            took: How long the previous request took, in microseconds.
            slow: How long the server lately took to answer, in microseconds.

        """
        asked, is_stated = self._least, self._is_stated
        if self.rates:
            for one in self.rates_at(at.time()):
                each = -(-one.seconds * SECOND // one.documents)
                asked = longer(asked, each, f"Request-rate {one.documents}/{one.seconds}")
                is_stated = is_stated or (each >= LEAST_STATED and not one.doubtful)
        if not is_stated:
            own = duration(self.manners.between(took / SECOND))
            asked = longer(asked, own, "the robot's own pace")
        if self.manners.adaptive:
            own = duration(self.manners.factor * slow / SECOND)
            asked = longer(asked, own, "the adaptive pace, since the server was slow")
        return asked

    def welcomes(self, at: time) -> bool:
        """Return whether Visit-time allows visits at a time of day."""
        return not self.hours or any(hours.contains(at) for hours in self.hours)


def longer(asked: tuple[int, str], pause: int, source: str) -> tuple[int, str]:
    """Return the longer of two pauses with what requires it; the first if they are equal."""
    return asked if pause <= asked[0] else (pause, source)


def seconds_each(rate: RequestRate) -> float:
    """Return the seconds for each document."""
    return rate.seconds / rate.documents


def pauses(database: Database, origin: str, robot: str, manners: Manners) -> Iterator[RequestPause]:
    """Yield every request to an origin with the pause before it, in the order of time.

    A page must wait as long as the site asks, counted from the previous request, whether that was
    for a page or for robots.txt. A request for robots.txt must wait as long as the robot's own
    settings ask, whatever robots.txt says: a site must be able to correct a mistake. Up to version
    0.1.0 it waited for the minimum pause only. Retry-After holds for both.

    Pauses are measured by the steady clock, which nobody can set; across restarts of the machine
    they are measured by the time of day. If a site forbids storing its robots.txt (no-store), what
    it asked for is not known later, and only the minimum pause can be checked.

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


class OwnManners:
    """The robot's own settings at the time of each request to an origin.

    Args:
        stored: The stored settings, the earliest first.
        manners: The settings before those.

    Raises:
        NotAStoreError: The stored settings are damaged.

    """

    def __init__(self, stored: Sequence[StoredManners], manners: Manners) -> None:
        """Start before the first request."""
        self._changes = deque((one.after, read_manners(one.stated), one.is_known) for one in stored)
        self._current = manners
        self.are_known = False
        """Whether the settings are those of the time."""

    @property
    def until(self) -> float:
        """The number of the last request with the current settings."""
        return self._changes[0][0] if self._changes else inf

    def at(self, number: int) -> Manners:
        """Return the settings at a request. Numbers must only grow."""
        while self._changes and self._changes[0][0] < number:
            _, self._current, self.are_known = self._changes.popleft()
        return self._current


def read_manners(stated: str) -> Manners:
    """Read stored settings.

    Raises:
        NotAStoreError: They are damaged.

    """
    try:
        return Manners(**json.loads(stated))
    except (MisuseError, ValueError, TypeError, AttributeError, RecursionError) as error:
        message = (
            f"the stored settings of the pace are damaged ({error}); restore the crawl from a "
            "backup, or crawl again"
        )
        raise NotAStoreError(message) from error


class MannersSince(NamedTuple):
    """The robot's own settings from one time on."""

    since: int
    """When the first request under them began, in microseconds since 1970."""
    stated: str
    """The settings as JSON: fields of `goodbot.pace.Manners`."""
    is_known: bool
    """Whether they held at the time; see `StoredManners`."""


def manners_by_time(database: Database) -> list[MannersSince]:
    """Return the robot's own settings under which requests were made, the earliest first.

    Args:
        database: The file of the crawl.

    """
    found: list[MannersSince] = []
    stored = (
        MannersSince(since, one.stated, one.is_known)
        for part in database.parts
        for one in part.manners_at("")
        if (since := first_request_after(part, one.after)) is not None
    )
    for one in sorted(stored):
        if not found or found[-1].stated != one.stated:
            found.append(one)
    return found


class RulesAt:
    """The rules of one robots.txt, with the pace that they ask for under each of own settings."""

    def __init__(self, rules: Rules | None) -> None:
        """Start without any settings."""
        self._rules = rules
        self._paces: dict[int, tuple[Manners, PlainPace]] = {}

    def under(self, manners: Manners) -> PlainPace:
        """Return the pace under the robot's own settings."""
        known = self._paces.get(id(manners))
        if known is None:
            known = self._paces[id(manners)] = manners, PlainPace(self._rules, manners)
        return known[1]


class Check:
    """Checks the requests to an origin, one after the other.

    Args:
        database: The file of the crawl.
        origin: The origin.
        robot: The robot.
        manners: The robot's own settings where the file does not have those of the time.

    """

    def __init__(self, database: Database, origin: str, robot: str, manners: Manners) -> None:
        """Start before the first request."""
        self._robot = robot
        self._own = OwnManners(database.manners_at(origin), manners)
        stored = stored_timeline(database, origin, self._rules_of)
        times = tuple(instant(time, "time") for time in stored.times)
        self._rules = ValuesByTime(times, stored.values)
        """Which rules were in force, by microseconds since 1970."""
        self._current = PlainPace.unknown(manners)
        """The constraints on the last page."""
        self._known: tuple[float, float, float] = (-inf, inf, inf)
        """Up to which number, and between which times they hold."""
        self._line = Line()
        self._starts: deque[int] = deque(maxlen=MOST_STARTS)
        self._took = 0
        """How long the last request took, in microseconds."""
        self._slow = 0
        """How long the server lately took to answer (`Manners.adaptive`), in microseconds."""
        self._not_before = 0
        """The time until which the latest Retry-After asks robots to wait."""
        self._latest = 0
        """When the latest request ended, by the time of day."""

    def pause(self, row: RequestRow) -> RequestPause:
        """Return the pause before the next request."""
        url, purpose, started, ended, status, _, _, not_before, *_ = row
        begin, left = self._line.place(row)
        if left is None:
            self._starts.clear()
            self._not_before = 0
        constraints = self._constraints(row)
        at = stored_time(started) if constraints.is_timed else EPOCH
        asked, source = constraints.pause(at, self._took, self._slow)
        early = "" if left is None or left >= asked else too_soon(left, asked, source)
        if not early and begin < self._not_before:
            early = "before the time that Retry-After set"
        if not early and constraints.is_timed:
            early = too_many(constraints, at, self._starts, begin)
        self._starts.append(begin)
        self._took = took = ended - started
        if status is not None and FIRST_SUCCESS <= status < FIRST_ERROR:
            self._slow = (self._slow + took) // 2
        self._slow = max(self._slow, took)
        self._latest = max(self._latest, ended)
        if not_before is not None:
            self._not_before = max(self._not_before, begin + not_before - started)
        is_known = self._own.are_known
        return RequestPause(url, purpose, started, left, asked, source, early, is_known)

    def _constraints(self, row: RequestRow) -> PlainPace:
        """Return the constraints on a request."""
        number, begin, end = self._known
        if (
            row.purpose == "page"
            and row.number <= number
            and begin <= row.started < end
            and row.started >= self._latest
        ):
            return self._current
        manners = self._own.at(row.number)
        if row.purpose != "page":
            if row.steady is None:  # written by 0.1.0
                return PlainPace.least(manners)
            return PlainPace(None, manners)
        # If the clock was set back, the last robots.txt was fetched at a later time of day.
        known = row.started if row.started >= self._latest else self._latest + SECOND
        count, found = self._rules.count(known), self._rules.at(known)
        begin, end = [-inf, *self._rules.times, inf][count : count + 2]
        self._known = (self._own.until, begin, end)
        self._current = PlainPace.unknown(manners) if found is None else found.under(manners)
        return self._current

    def _rules_of(self, seen: StoredPolicy) -> RulesAt:
        """Return the rules of a robots.txt for the robot."""
        policy = policy_of(seen)
        return RulesAt(None if policy is None else policy.rules_for(self._robot))


class Line:
    """The requests to an origin on one timeline that is unaffected by changes of the clock."""

    def __init__(self) -> None:
        """Start without requests."""
        self._before: RequestRow | None = None
        self._begin = 0
        self._end = 0

    def place(self, request: RequestRow) -> tuple[int, int | None]:
        """Place the next request.

        Returns:
            Its start, and the time since the end of the previous request. The time is `None` for
            the first request, and if it is unknown because the time of day went back between two
            timelines.

        """
        before, self._before = self._before, request
        since = None if before is None else since_start(before, request)
        left = None
        if before is None:
            begin = request.started
        elif since is None:
            begin = self._end
        else:
            begin = self._begin + since
            left = begin - self._end
        self._begin = begin
        self._end = max(self._end, begin + request.ended - request.started)
        return begin, left


def since_start(before: RequestRow, request: RequestRow) -> int | None:
    """Return the time from the start of one request to the start of the next."""
    is_same = before.timeline == request.timeline != 0
    if is_same and before.steady is not None and request.steady is not None:
        return request.steady - before.steady
    since = request.started - before.started
    return since if since >= 0 else None


def too_soon(left: int, asked: int, source: str) -> str:
    """Return why a request was early if its pause was too short; an empty text if it was not.

    Args:
        left: The pause, in microseconds.
        asked: The required pause, in microseconds.
        source: What requires it.

    """
    if max(left, 0) >= asked:  # another crawler may make requests side by side
        return ""
    return f"{spoken(max(left, 0))} after the previous request; {source} requires {spoken(asked)}"


def too_many(constraints: PlainPace, at: datetime, starts: deque[int], start: int) -> str:
    """Return why a request was early in spite of its pause; an empty text if it was not."""
    if not constraints.welcomes(at.time()):
        return "outside Visit-time"
    for rate in constraints.rates_at(at.time()):
        if len(starts) < rate.documents:
            continue
        if start - starts[-rate.documents] < rate.seconds * SECOND:
            most, seconds = counted(rate.documents, "request"), counted(rate.seconds, "second")
            return f"Request-rate allows at most {most} in {seconds}"
    return ""
