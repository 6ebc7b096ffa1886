"""What a robot knows of one origin: what may be fetched, how fast, and who is waiting.

What may live here: what is kept in memory of an origin, and the answers that need nothing else. So
a question about an origin that is known takes microseconds.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from goodbot._core import RobotsTxt, Rules
from goodbot.http.instants import instant
from goodbot.pace import History, Manners, Pace, PastVisit, Turn
from goodbot.policy import Policy, PolicyVerdict
from goodbot.policy.size import MOST_BYTES, size_of
from goodbot.robot.timeline import Now

__all__ = ["OriginCache", "OriginState", "history_after", "or_later"]

NO_FILE = RobotsTxt(b"")
ITSELF = "robots-txt-itself"


class AppliedPolicy(NamedTuple):
    """What a policy has for one robot."""

    rules: Rules
    verdict: PolicyVerdict
    pace: Pace


class OriginState:
    """What is known of one origin, and its tasks.

    Args:
        origin: The origin.
        product: The robot's product token.
        manners: The robot's own settings.
        grown: Is given by how many bytes it has grown when it learns a policy.

    """

    __slots__ = (
        "_grown",
        "_least",
        "_manners",
        "_own",
        "_product",
        "_rules",
        "_verdict",
        "origin",
        "pace",
        "pages_since",
        "policy",
        "queue",
        "robots_txt_request",
        "robots_txt_url",
        "size",
        "told",
        "waiters",
    )

    def __init__(
        self, origin: str, product: str, manners: Manners, grown: Callable[[int], None]
    ) -> None:
        """Know nothing yet."""
        self._grown = grown
        self.origin = origin
        self.robots_txt_url = f"{origin}/robots.txt"
        self.policy: Policy | None = None
        self.size = size_of(None)
        """About how many bytes are kept of it."""
        self.pace = Pace(None, manners=manners)
        self.robots_txt_request: asyncio.Task[Policy] | None = None
        """The one request for robots.txt that is under way."""
        self.pages_since = 0
        """How many pages were fetched since the policy was learned."""
        self.waiters = 0
        """How many wait for that."""
        self.queue = asyncio.Lock()
        """Visits of one robot come one after the other, in the order in which they were asked
        for; who is first asks the store."""
        self.told: set[object] = set()
        """The remarks that the operator was told already."""
        self._product = product
        self._manners = manners
        self._own = Pace(None, manners=manners)
        self._least = Pace(None, manners=replace(manners, default=0.0, factor=0.0))
        self._rules: Rules = NO_FILE.rules_for(product)
        self._verdict: PolicyVerdict | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nobody needs it. What is not in the store (no-store) is asked for anew."""
        return not (self.queue.locked() or self.robots_txt_request is not None or self.waiters)

    def applied(self, policy: Policy) -> "AppliedPolicy":
        """Read what a policy has for this robot; nothing changes, and a thread may do it."""
        rules = policy.rules_for(self._product)
        # The pace is costly to make, and mostly it is what it was.
        known = self.policy and self.policy.robots_txt
        same = (
            policy.robots_txt is not None and known and known.content == policy.robots_txt.content
        )
        pace = self.pace
        if not same:
            pace = Pace(rules, manners=self._manners, robots_txt=policy.robots_txt)
        verdict = policy.verdict(self.origin + "/", self._product)
        return AppliedPolicy(
            NO_FILE.rules_for(self._product) if rules is None else rules, verdict, pace
        )

    def know(self, policy: Policy, applied: "AppliedPolicy") -> None:
        """Go by a policy from now on."""
        self._rules, self._verdict, self.pace = applied
        self.policy = policy
        self.pages_since = 0
        before, self.size = self.size, size_of(policy)
        self._grown(self.size - before)

    @property
    def comments(self) -> list[str]:
        """The comments of the rules for this robot."""
        return self._rules.comments

    @property
    def please_visit(self) -> list[str]:
        """The URLs that the rules for this robot ask it to visit, as written."""
        return self._rules.please_visit

    def fresh(self, now: datetime) -> Policy | None:
        """Give the policy, if it may be used without asking the site."""
        policy = self.policy
        return policy if policy is not None and now < policy.fresh_until else None

    def verdict(self, url: str, spelling: str = "") -> PolicyVerdict:
        """Decide whether the robot may fetch a URL of this origin, by the policy that was learned.

        Args:
            url: The URL as it is sent.
            spelling: The URL as it was written, if that is another spelling; either forbids.

        """
        verdict = self._verdict_on(url)
        return self._verdict_on(spelling) if verdict and spelling else verdict

    def _verdict_on(self, url: str) -> PolicyVerdict:
        """Decide on one spelling of a URL."""
        known = self._verdict
        assert known is not None  # noqa: S101  `know` came before
        by_rules = self._rules.verdict(url)
        reason: str
        if known.rules is not None:
            allowed, reason, rules = by_rules.allowed, by_rules.reason, by_rules
        elif by_rules.reason == ITSELF:  # always allowed (RFC 9309 section 2.2.2)
            allowed, reason, rules = True, ITSELF, None
        else:
            allowed, reason, rules = known.access == "allow-all", known.policy_reason, None
        return PolicyVerdict(
            url,
            known.robot,
            allowed,
            reason,
            known.access,
            known.policy_reason,
            known.said,
            rules,
            known.dialect,
            known.retry_at,
        )

    def turn(self, history: History, now: Now) -> Turn:
        """Return when the next visit may be, by the time of day as it is now.

        Args:
            history: The history, in steady time.
            now: Both times.

        """
        return turn_of(self.pace, history, now)

    def robots_txt_turn(self, history: History, now: Now) -> Turn:
        """Return when robots.txt may be fetched.

        A request for robots.txt waits for the robot's own manners, and for a block by Retry-After
        or back-off. It never waits for Crawl-delay, Request-rate or Visit-time: otherwise a site
        could not take back a mistake, and a delay longer than the lifetime of its robots.txt would
        keep the robot away for good.
        """
        return turn_of(self._own, history, now)

    def least_turn(self, history: History, now: Now) -> Turn:
        """Return the earliest time of any next visit, whatever robots.txt will say by then.

        Only blocks and the robot's own floor count: a site may ask for a shorter pause than the
        robot's manners.
        """
        return turn_of(self._least, history, now)

    def pause_after_question(self, now: datetime) -> float:
        """Give the seconds until the next page may be visited, if robots.txt is asked for now."""
        at = instant(now, "now")
        return self.pace.turn(History(end=at, starts=(at,)), now=now).wait

    def after(
        self, history: History, visit: PastVisit, now: Now, *, interrupted: bool = False
    ) -> History:
        """Return the history, in steady time, with one visit more, in the time of day."""
        ahead = now.microseconds_ahead
        known = history.shifted(ahead)
        after = history_after(known, visit, self._manners, interrupted=interrupted)
        return after.shifted(-ahead)

    def next_turn(self, history: History, now: Now) -> Turn:
        """Tell when a lease may be granted next.

        Where the pace is more than the robot bears, that is no reason to never ask for robots.txt
        again: then only what binds without robots.txt is left.
        """
        turn = self.turn(history, now)
        return turn if turn.not_before is not None else self.least_turn(history, now)


def turn_of(pace: Pace, history: History, now: Now) -> Turn:
    """Return the turn that a pace gives after a history in steady time, by the time of day."""
    return pace.turn(history.shifted(now.microseconds_ahead), now=now.wall)


def history_after(
    history: History, visit: PastVisit, manners: Manners, *, interrupted: bool
) -> History:
    """Return a history with one more visit.

    One that the robot itself broke off tells nothing of how the server is: it counts as a visit,
    neither as a failure nor as a success.
    """
    return history.visited(visit) if interrupted else history.after(visit, manners)


def or_later(turn: Turn, verdict: PolicyVerdict, now: datetime) -> Turn:
    """Give a turn, or the time to which the policy puts visits off, if that is later.

    Args:
        turn: When the pace lets the next visit be.
        verdict: The verdict of the policy on any page of the site.
        now: The time.

    """
    until = verdict.retry_at if verdict.access == "defer" else None
    if until is None or (turn.not_before is not None and until <= turn.not_before):
        return turn
    wait = (until - now).total_seconds()
    return Turn(until, "back-off", verdict.source, 0, wait, verdict.said)


class OriginCache:
    """The states of origins that are kept in memory, within a bound of their bytes.

    What is known of the others is in the store, and read from there when they are visited again.

    Args:
        product: The robot's product token.
        manners: The robot's own settings.
        most: The most bytes.

    """

    def __init__(self, product: str, manners: Manners, most: int = MOST_BYTES) -> None:
        """Begin with none."""
        self._product = product
        self._manners = manners
        self._most = most
        self._left = most
        """Bytes until it is counted again what all take: a state grows while it is kept."""
        self._states: dict[str, OriginState] = {}
        self.get = self._states.get
        """Return the state of an origin; `None` if none is kept."""

    def of(self, origin: str) -> OriginState:
        """Return the state of an origin; a new one if none is kept."""
        state = self._states.get(origin)
        if state is None:
            state = OriginState(origin, self._product, self._manners, self.has_grown)
            self.has_grown(state.size)
            self._states[origin] = state
        return state

    def has_grown(self, size: int) -> None:
        """Note that a state has grown; forget some if all take too much."""
        self._left -= size
        if self._left < 0:
            self._forget()

    def _forget(self) -> None:
        """Forget the oldest of those that nobody needs, until a tenth of the room is free."""
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
