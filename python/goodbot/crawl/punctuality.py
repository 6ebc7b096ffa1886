"""Was any request early? A plain check of what was done against what was asked.

What may live here: from the times of requests, and the robots.txt that was in force at each, to the
pauses that were left and those that were asked for. It does not ask `goodbot.pace`, by which the
robot went: each request is looked at by itself, and so the one is a check of the other.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time

from goodbot._core import RequestRate, Rules
from goodbot.crawl.database import Database
from goodbot.crawl.in_force import Histories, policy_of
from goodbot.http.instants import SECOND, duration, spoken, to_datetime
from goodbot.pace import Manners
from goodbot.store import Seen

__all__ = ["NOT_SENT", "Pause", "Wishes", "pauses"]

OF_ORIGIN = (
    "SELECT url, purpose, started, ended, failure, not_before FROM requests "
    "WHERE origin = ? ORDER BY started, id"
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
        wishes = [(duration(self.manners.floor), "the robot's own floor")]
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
    robots.txt asks: a site must be able to take back a mistake. Retry-After holds for both. Where a
    site has its robots.txt obeyed and not kept (no-store), nobody can tell later what it asked for:
    only the floor can be checked.

    Args:
        database: The file of the crawl.
        origin: The origin.
        robot: The robot: its product token, or its name with a version.
        manners: The robot's own settings.

    """

    def wishes_of(seen: Seen) -> Wishes:
        policy = policy_of(seen)
        return Wishes(None if policy is None else policy.rules_for(robot), manners)

    histories, own = Histories(database, wishes_of), Wishes(None, manners)
    ended: int | None = None
    took, not_before = 0, 0
    starts: deque[int] = deque(maxlen=MOST_STARTS)
    for url, purpose, start, end, failure, keep_off in database.connection.execute(
        OF_ORIGIN, (origin,)
    ):
        if failure in NOT_SENT:
            continue
        at = to_datetime(start)
        assert at is not None  # noqa: S101  it was written from a `datetime`
        wishes = histories.at(origin, at)
        asked, source = own.pause(at, took)
        early = "it came before the end of Retry-After" if start < not_before else ""
        if purpose == "page" and wishes is None:
            asked = duration(manners.floor)
            source = "the robot's own floor, as robots.txt may not be kept"
        elif purpose == "page" and wishes is not None:
            asked, source = wishes.pause(at, took)
            early = early or too_many(wishes, at, starts, start)
        left = None if ended is None else start - ended
        if left is not None and left < asked:
            lag = spoken(max(left, 0))
            early = f"{lag} behind the one before, and {source} asks for {spoken(asked)}"
        yield Pause(url, purpose, start, left, asked, source, early)
        starts.append(start)
        if ended is None or end > ended:
            ended = end
        took = end - start
        not_before = max(not_before, keep_off or 0)


def too_many(wishes: Wishes, at: datetime, starts: deque[int], start: int) -> str:
    """Say in what a visit comes too early, whatever the pause was; nothing if it does not."""
    if not wishes.welcomes(at.time()):
        return "it was not within Visit-time"
    rate = wishes.rate(at.time())
    if rate is None or len(starts) < rate.documents:
        return ""
    if start - starts[-rate.documents] >= rate.seconds * SECOND:
        return ""
    return f"Request-rate asks for no more than {rate.documents} in {rate.seconds} seconds"
