"""Turns that are lent to other programs, which make the requests themselves.

Scope: the same steps as a visit (policy, verdict, pace, lease, record), for any number of robots
that share one robot's policies and store. The request in between is not made here.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache

from goodbot._core import RobotsTxt, Verdict, robot_product
from goodbot.display import short_repr
from goodbot.http.address import address_of, spelling_of
from goodbot.http.status import status_of
from goodbot.lazy_dataclass import dataclass
from goodbot.pace import History, Manners, PastVisit, Turn
from goodbot.policy import Policy
from goodbot.robot.context import RobotContext
from goodbot.robot.fetching import CANCELLED, record
from goodbot.robot.leases import Leases, Made
from goodbot.robot.origin_state import OriginCache, OriginState, or_later
from goodbot.robot.robot import Robot
from goodbot.robot.timeline import Now
from goodbot.robot.visit_log import VisitLog
from goodbot.robot.visiting import Visiting
from goodbot.store import Lease

__all__ = ["LentTurn", "TurnLender"]

NO_FILE = RobotsTxt(b"")
MOST_ROBOTS = 16
"""How many robots are kept at once; the one that asked first is forgotten."""
MOST_OF_ROBOTS = 32 * 1024 * 1024
"""Roughly how many bytes the sites of all robots may take in memory together."""
BESIDE = 4 * 1024
"""How many bytes a site takes without its robots.txt, for a robot that shares its policy."""


@dataclass(frozen=True, slots=True, repr=False)
class LentTurn:
    """The right to make one request, lent to another program."""

    url: str
    """The URL as it is to be sent."""
    robot: str
    """The robot that asked."""
    verdict: Verdict
    """Why it may be fetched."""
    granted: datetime
    """When it was granted, in UTC."""
    expires: datetime
    """When the site counts as visited until now, if the turn was not ended by then; in UTC."""
    waited_for: str
    """The reason for which the turn came later than it was asked for; empty if it did not."""
    lease: Lease
    """The lease, which is given back when the turn ends."""
    state: OriginState
    """The site as the robot knows it."""
    context: RobotContext
    """The robot."""

    __repr__ = short_repr


class SharedPolicies:
    """The policies of one robot, applied to another one."""

    def __init__(self, robot: Robot) -> None:
        """Store the robot that fetches robots.txt."""
        self._lookup = robot._policies  # noqa: SLF001  of this package
        self._origins = robot._context.origins  # noqa: SLF001  as above

    async def policy(
        self, state: OriginState, longest_wait: float | None = None, log: VisitLog | None = None
    ) -> Policy:
        """Return a policy that may be used now, and apply it; see `PolicyLookup.policy`."""
        policy = await self._lookup.policy(self._origins.of(state.origin), longest_wait, log)
        await self._apply(state, policy)
        return policy

    async def recall(self, state: OriginState) -> None:
        """Apply the policy that is known, fresh or not; see `PolicyLookup.recall`."""
        shared = self._origins.of(state.origin)
        if shared.policy is None:
            await self._lookup.recall(shared)
        if shared.policy is not None:
            pages = shared.pages_since
            await self._apply(state, shared.policy)
            state.pages_since = pages

    async def _apply(self, state: OriginState, policy: Policy) -> None:
        if state.policy is not policy:
            await self._lookup.apply(state, policy)


class TurnLender:
    """Lends turns to robots that share the store and the policies of one robot.

    Args:
        robot: The robot, which is open.
        seconds: The most seconds that a request of another program may take.
        manners: The manners of all of them.

    """

    def __init__(self, robot: Robot, seconds: float, manners: Manners | None = None) -> None:
        """Start without any robot."""
        self._robot = robot
        self._context = robot._context  # noqa: SLF001  of this package
        self._seconds = seconds
        self._manners = Manners() if manners is None else manners
        self._visiting: dict[str, Visiting] = {}

    def now(self) -> datetime:
        """Return the time of day, in UTC."""
        return self._context.now()

    async def lend(self, url: str, robot: str, longest_wait: float) -> LentTurn:
        """Lend a turn for one URL, once robots.txt, pace and store permit it.

        Turns at one site are given one at a time, in the order of the calls.

        Args:
            url: An absolute http or https URL.
            robot: The robot that will fetch it: a product token, or a whole User-Agent.
            longest_wait: The most seconds to wait.

        Raises:
            Deferred: The turn comes later than that.
            Disallowed: The robot may not fetch it.
            NoOriginError: The URL has no origin.
            RobotNameError: The robot's name is none.
            StoreError: The store cannot be read or written.

        """
        visiting = self._visiting_of(robot)
        address = address_of(url)
        waiting = visiting.waiting(address, longest_wait, spelling=spelling_of(url))
        await visiting.ask(waiting)
        lease, verdict = await visiting.take(waiting)
        now = self._context.read()
        return LentTurn(
            waiting.url,
            robot,
            verdict,
            now.wall_of(lease.granted),
            now.wall_of(lease.expires),
            waiting.reason,
            lease,
            waiting.state,
            visiting.context,
        )

    async def end(
        self,
        lent: LentTurn,
        *,
        status: int | None,
        retry_after: str | None = None,
        seconds: float | None = None,
        size: int = 0,
        failure: str = "",
    ) -> Turn:
        """End a turn, with its result; return when the site may be visited next.

        Args:
            lent: The turn.
            status: The status of the response; `None` if there was none.
            retry_after: The value of its Retry-After field.
            seconds: How long the request took; by default all the time since the turn was granted.
            size: How many bytes the response had.
            failure: What failed: one of `goodbot.net.FAILURES`.

        Raises:
            StoreError: The store cannot be written.

        """
        if status is not None:
            status_of(status)
        now = self._context.read()
        began = min(lent.granted, now.wall)
        if seconds is not None:
            began = max(began, now.wall - timedelta(seconds=seconds))
        visit = PastVisit(
            began, now.wall, status, retry_after, lent.url, bytes=size, failure=failure
        )
        lent.state.pages_since += 1
        state = lent.state
        turns: list[Turn] = []

        def next_turn(history: History, now: Now) -> Turn:
            turns.append(state.turn(history, now))
            return state.or_least(turns[0], history, now)

        # What the worker itself cancelled says nothing about the server.
        made = Made(visit, interrupted=status is None and failure == CANCELLED)
        await record(lent.context, state, lent.lease, made, now, next_turn)
        return or_deferred(state, turns[0], now)

    async def give_back(self, lent: LentTurn) -> Turn:
        """Release a turn that was not used; return when the site may be visited next."""
        now = self._context.read()
        state, history = lent.state, lent.lease.history
        turn = state.turn(history, now)
        await lent.context.leases.give_back(lent.lease, now, state.or_least(turn, history, now))
        return or_deferred(state, turn, now)

    def _visiting_of(self, robot: str) -> Visiting:
        """Return the steps of visits of a robot.

        Raises:
            RobotNameError: Its name is none.

        """
        product = product_of(robot)
        known = self._visiting.pop(product, None)
        if known is not None:
            self._visiting[product] = known  # the last in order is the one that asked last
            return known
        if len(self._visiting) == MOST_ROBOTS:
            del self._visiting[next(iter(self._visiting))]
        made = self._visiting[product] = self._made(product)
        for one in self._visiting.values():
            one.context.origins.limit(MOST_OF_ROBOTS // len(self._visiting))
        return made

    def _made(self, product: str) -> Visiting:
        """Return the steps of visits of a robot that is new."""
        context = self._context
        own = replace(
            context,
            identity=replace(context.identity, product=product, version=None),
            leases=Leases(context.store, context.timeline, product, self._seconds, self._manners),
            origins=OriginCache(product, self._manners, MOST_OF_ROBOTS, beside=BESIDE),
        )
        return Visiting(own, SharedPolicies(self._robot), "google", None)


def or_deferred(state: OriginState, turn: Turn, now: Now) -> Turn:
    """Return when a site may be visited next, by its pace and by its policy."""
    return or_later(turn, state.verdict(f"{state.origin}/"), now.wall)


@lru_cache(maxsize=256)
def product_of(robot: str) -> str:
    """Return the product token of a robot.

    Raises:
        RobotNameError: Its name is none.

    """
    NO_FILE.rules_for(robot)
    return robot_product(robot)
