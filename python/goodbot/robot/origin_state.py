"""The state of one origin in memory: its policy, its pace, and the tasks that wait for it.

Scope: this state, and the answers that need nothing else; so a verdict on a known origin takes
microseconds.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from goodbot._core import RobotsTxt, Verdict
from goodbot.bots.asking import ObeyedRules, rules_for
from goodbot.http.instants import instant
from goodbot.pace import History, Manners, Pace, PastVisit, Turn
from goodbot.policy import Policy
from goodbot.policy.size import BESIDE, MOST_BYTES, size_of
from goodbot.robot.timeline import Now

__all__ = ["OriginCache", "OriginState", "OwnerPermission", "history_after", "or_later"]

OwnerPermission: TypeAlias = Callable[[str, datetime], str]
"""Returns the permission of the owner of a site to fetch a URL at a time although a line of its
robots.txt disallows it, in words; empty if there is none."""

BY_A_LINE = "rule-disallows"
"""The reason of a verdict that a line of robots.txt decided. An owner may overrule that line; what
follows from a robots.txt that cannot be read is nobody's statement, and stays."""


@lru_cache(maxsize=16)
def own_paces(manners: Manners) -> tuple[Pace, Pace]:
    """Return the pace of a robot's manners alone, and that without pauses of its own.

    They are the same for every origin, and costly to build.
    """
    least = replace(manners, default=0.0, factor=0.0)
    return Pace(None, manners=manners), Pace(None, manners=least)


SMALL = 8 * 1024
"""The most bytes of a robots.txt whose pace is remembered."""


@lru_cache(maxsize=256)
def pace_of(file: RobotsTxt, product: str, manners: Manners) -> Pace:
    """Return the pace of a robot by a file: many sites have the same one, and states come back."""
    return Pace(file.rules_for(product), manners=manners, robots_txt=file)


class AppliedPolicy(NamedTuple):
    """A policy, applied to one robot."""

    rules: ObeyedRules
    pace: Pace


class OriginState:
    """The state of one origin, and its tasks.

    Args:
        origin: The origin.
        product: The robot's product token.
        manners: The robot's own settings.
        grown: A function that is called with the number of bytes by which the state grows.
        beside: How many bytes the state takes without the robots.txt.

    """

    __slots__ = (
        "_beside",
        "_grown",
        "_least",
        "_own",
        "_product",
        "_rules",
        "group",
        "manners",
        "origin",
        "pace",
        "pages_since",
        "permission",
        "policy",
        "queue",
        "robots_txt_request",
        "robots_txt_url",
        "size",
        "told",
        "waiters",
    )

    def __init__(
        self,
        origin: str,
        product: str,
        manners: Manners,
        grown: Callable[[int], None],
        beside: int = BESIDE,
    ) -> None:
        """Start without a policy."""
        self._grown = grown
        self._beside = beside
        self.origin = origin
        self.group = ""
        """The server group; empty if there is none, or it was not looked up yet."""
        self.robots_txt_url = f"{origin}/robots.txt"
        self.policy: Policy | None = None
        self.size = size_of(None, beside)
        """The approximate size of the state in bytes."""
        self._own, self._least = own_paces(manners)
        self.pace = self._own.for_one_site()
        self.robots_txt_request: asyncio.Task[Policy] | None = None
        """The one request for robots.txt that is under way."""
        self.pages_since = 0
        """The number of pages that were fetched since the policy was learned."""
        self.waiters = 0
        """The number of tasks that wait for that request."""
        self.queue = asyncio.Lock()
        """Lets one visit of this robot proceed at a time, in order; only the first asks the
        store."""
        self.told: set[object] = set()
        """The remarks that were reported to the operator already."""
        self._product = product
        self.manners = manners
        """The robot's own settings."""
        self._rules: ObeyedRules | None = None
        self.permission: OwnerPermission | None = None
        """The permission of the owner of the site, proven by this policy; usually there is none."""

    @property
    def is_idle(self) -> bool:
        """Whether no task uses the state, so that it can be dropped and loaded again."""
        return not (self.queue.locked() or self.robots_txt_request is not None or self.waiters)

    def applied(self, policy: Policy) -> "AppliedPolicy":
        """Return a policy, applied to this robot; it changes nothing, so a thread may call it."""
        file = policy.robots_txt
        known = None if self.policy is None else self.policy.robots_txt
        # A pace is costly to build, and usually it has not changed.
        if file is None:
            pace = self._own.for_one_site()
        elif known is not None and known.content == file.content:
            pace = self.pace
        elif len(file.content) <= SMALL:
            pace = pace_of(file, self._product, self.manners).for_one_site()
        else:
            pace = pace_of.__wrapped__(file, self._product, self.manners)
        return AppliedPolicy(rules_for(policy, self._product, fetching=True), pace)

    def know(
        self, policy: Policy, applied: "AppliedPolicy", permission: OwnerPermission | None = None
    ) -> None:
        """Use a policy from now on, and the permission that it proves; an earlier one ends."""
        self.permission = permission
        self._rules, self.pace = applied
        self.policy = policy
        self.pages_since = 0
        before, self.size = self.size, size_of(policy, self._beside)
        self._grown(self.size - before)

    @property
    def comments(self) -> list[str]:
        """The comments of the rules for this robot."""
        rules = None if self._rules is None else self._rules.rules
        return [] if rules is None else rules.comments

    @property
    def please_visit(self) -> list[str]:
        """The URLs that the rules for this robot ask it to visit, as written."""
        rules = None if self._rules is None else self._rules.rules
        return [] if rules is None else rules.please_visit

    def fresh(self, now: datetime) -> Policy | None:
        """Return the policy if it is fresh; else `None`."""
        policy = self.policy
        return policy if policy is not None and now < policy.fresh_until else None

    def verdict(self, url: str, spelling: str = "") -> Verdict:
        """Return the verdict of the policy on a URL of this origin.

        Args:
            url: The URL as it is sent.
            spelling: The URL as it was written, if its percent-encoding differs. The URL is
                forbidden if either one is.

        """
        rules = self._rules
        assert rules is not None  # noqa: S101  `know` came before
        verdict = rules.verdict(url)
        return rules.verdict(spelling) if verdict and spelling else verdict

    def permitted(self, url: str, verdict: Verdict, now: datetime) -> str:
        """Return the permission of the owner to fetch a URL that robots.txt disallows, in words.

        It holds for no longer than the robots.txt that proved it.

        Args:
            url: The URL as it is sent.
            verdict: The verdict on it.
            now: The time.

        Returns:
            The permission; empty if there is none, as for every robot that does not ask for one.

        """
        if self.permission is None or verdict.reason != BY_A_LINE:
            return ""
        return "" if self.fresh(now) is None else self.permission(url, now)

    def turn(self, history: History, now: Now) -> Turn:
        """Return the turn of the next visit, in the time of day as the clock is set now.

        Args:
            history: The history, in steady time.
            now: The present in both times.

        """
        return turn_of(self.pace, history, now)

    def later_turn(self, history: History, now: Now) -> Turn | None:
        """Return the turn of the next visit if it is later; `None` if the visit may be made now."""
        if self.pace.is_due(history.shifted(now.microseconds_ahead), instant(now.wall, "now")):
            return None
        turn = self.turn(history, now)
        return None if turn else turn

    def robots_txt_turn(self, history: History, now: Now) -> Turn:
        """Return the turn of a request for robots.txt.

        It waits for the robot's own manners, and for a block by Retry-After or back-off. It never
        waits for Crawl-delay, Request-rate or Visit-time: otherwise a site could not correct a
        mistake, and a delay longer than the lifetime of its robots.txt would keep the robot away
        for ever.
        """
        return turn_of(self._own, history, now)

    def least_turn(self, history: History, now: Now) -> Turn:
        """Return the earliest turn of any next visit, whatever robots.txt may state by then.

        Only blocks and the robot's own floor count, because a site may state a shorter pause than
        the robot's manners.
        """
        return turn_of(self._least, history, now)

    def pause_after_question(self, now: datetime) -> float:
        """Return the seconds until the next page may be visited if robots.txt is fetched now."""
        at = instant(now, "now")
        return self.pace.turn(History(end=at, starts=(at,)), now=now).wait

    def after(
        self, history: History, visit: PastVisit, now: Now, *, interrupted: bool = False
    ) -> History:
        """Return the history, in steady time, with one more visit, given in the time of day."""
        ahead = now.microseconds_ahead
        if not ahead:  # as long as nobody sets the clock
            return history_after(history, visit, self.manners, interrupted=interrupted)
        known = history.shifted(ahead)
        after = history_after(known, visit, self.manners, interrupted=interrupted)
        return after.shifted(-ahead)

    def next_turn(self, history: History, now: Now) -> Turn:
        """Return the turn at which a lease may be granted next.

        If the site's pace exceeds the robot's patience, there is no turn for a page. The robot must
        still fetch robots.txt again, so then only the limits apart from robots.txt count.
        """
        return self.or_least(self.turn(history, now), history, now)

    def or_least(self, turn: Turn, history: History, now: Now) -> Turn:
        """Return the turn of a page if there is one; else see `next_turn`."""
        return turn if turn.not_before is not None else self.least_turn(history, now)


def turn_of(pace: Pace, history: History, now: Now) -> Turn:
    """Return the turn of a pace after a history in steady time; the turn is in the time of day."""
    return pace.turn(history.shifted(now.microseconds_ahead), now=now.wall)


def history_after(
    history: History, visit: PastVisit, manners: Manners, *, interrupted: bool
) -> History:
    """Return a history with one more visit.

    A visit that the robot cancelled says nothing about the server: it counts as a visit, but
    neither as a failure nor as a success.
    """
    return history.visited(visit) if interrupted else history.after(visit, manners)


def or_later(turn: Turn, verdict: Verdict, now: datetime) -> Turn:
    """Return a turn, or the time until which the policy defers visits if that is later.

    Args:
        turn: The turn of the pace.
        verdict: The verdict of the policy on any page of the site.
        now: The time.

    """
    until = verdict.retry_at if verdict.access == "defer" else None
    if until is None or (turn.not_before is not None and until <= turn.not_before):
        return turn
    wait = (until - now).total_seconds()
    return Turn(until, "back-off", verdict.source, 0, wait, verdict.said)


class OriginCache:
    """The states of origins in memory, with a bound on their total size.

    The state of any other origin is loaded from the store when it is visited again.

    Args:
        product: The robot's product token.
        manners: The robot's own settings.
        most: The most bytes.
        beside: How many bytes a state takes without the robots.txt.

    """

    def __init__(
        self, product: str, manners: Manners, most: int = MOST_BYTES, *, beside: int = BESIDE
    ) -> None:
        """Start without any state."""
        self._beside = beside
        self._product = product
        self._manners = manners
        self._most = most
        self._left = most
        """The bytes until the total is counted again, because states grow while they are kept."""
        self._states: dict[str, OriginState] = {}
        self.get = self._states.get
        """Return the state of an origin; `None` if none is kept."""

    def of(self, origin: str) -> OriginState:
        """Return the state of an origin; a new one if none is kept."""
        state = self._states.get(origin)
        if state is None:
            state = OriginState(origin, self._product, self._manners, self.has_grown, self._beside)
            self.has_grown(state.size)
            self._states[origin] = state
        return state

    def has_grown(self, size: int) -> None:
        """Record that a state has grown; drop some states if the total is too large."""
        self._left -= size
        if self._left < 0:
            self._forget()

    def limit(self, most: int) -> None:
        """Change the most bytes; drop some states if they are too large now."""
        self._most, self._left = most, self._left + most - self._most
        self.has_grown(0)

    def _forget(self) -> None:
        """Drop the oldest idle states until a tenth of the room is free."""
        size = sum(state.size for state in self._states.values())
        wanted = self._most - self._most // 10
        for origin, state in list(self._states.items()):
            if size <= wanted:
                break
            if state.is_idle:
                size -= state.size
                del self._states[origin]
        self._left = max(self._most - size, self._most // 10)

    def __iter__(self) -> Iterator[OriginState]:
        """Yield every state."""
        return iter(list(self._states.values()))
