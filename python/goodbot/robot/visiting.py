"""Visiting a URL: check robots.txt, wait for the turn, fetch, and the same for each redirect.

Scope: the order of these steps, and what happens if something changes in between.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias

from goodbot._core import Verdict
from goodbot.errors import Deferred, Disallowed, FetchError
from goodbot.http.address import Address, address_of, spelling_of
from goodbot.http.status import status_of
from goodbot.net.fetcher import HeaderFields, Limits, Response
from goodbot.pace import Turn
from goodbot.page import PageOptions
from goodbot.page.dialects import PageDialect
from goodbot.policy import Policy
from goodbot.policy.redirects import leads_to
from goodbot.robot.context import RobotContext
from goodbot.robot.events import Refused, VisitDeferred, Waited
from goodbot.robot.fetching import fetch
from goodbot.robot.leases import due_of
from goodbot.robot.names_pages import (
    PIECE,
    NamesPages,
    may_name,
    may_name_later,
    names_address,
)
from goodbot.robot.origin_state import OriginState
from goodbot.robot.policy_lookup import POLL, SHORTEST_POLL, Blocked, PolicySupply
from goodbot.robot.revisit import conditions_of, revisit_validators
from goodbot.robot.timeline import Now
from goodbot.robot.visit import Hop, Visit
from goodbot.robot.visit_log import VisitLog
from goodbot.signatures.signing import SignatureDemand
from goodbot.store import Lease

__all__ = ["MOST_REDIRECTS", "Reads", "Visiting", "deferred"]

MOST_REDIRECTS = 10
"""The most redirects of a page. RFC 9309 has five for robots.txt, but pages are behind shorteners
and log-in pages."""

SLACK = 1.0
"""The seconds that may pass between the end of a wait and the next reading of the clock."""

LATE = 60.0
"""The seconds that a robot may return after its turn, at least; as long as the policy lives, if
that is longer. A crawl that a timer starts once a day comes hours later."""

MOST_QUESTIONS = 3
"""How often one visit fetches robots.txt if each fetch takes a turn and no policy lives until the
next turn. Other visits fetch it, too; after that the last policy is used."""

OUT_OF_REACH = "stale-copy"
MOST_OUT_OF_REACH = 10
"""How often in a row a waiting visit fetches robots.txt without success while an earlier copy is
used. Without this bound, a visit that waits for its hours of visit could wait for ever."""


Reads: TypeAlias = Literal["types", "all", "header"]


@dataclass(slots=True)
class Waiting:
    """One hop that waits for its turn."""

    state: OriginState
    url: str
    longest: float | None
    """The most seconds that it may wait; `None` for no limit."""
    since: datetime | None = None
    """The time since which it waits, in steady time; `None` before its first step."""
    reason: str = ""
    """The reason of the last wait."""
    questions: int = 0
    """How often robots.txt was fetched meanwhile."""
    in_vain: int = 0
    """How often in a row robots.txt was unreachable."""
    spelling: str = ""
    """The URL as it was written, if its percent-encoding differs."""
    log: VisitLog | None = None
    """The record of the visit; `None` if there is none."""
    reads: Reads = "types"
    """What to read: responses of the wanted types, all responses, or only the header."""
    decided: tuple[Policy, Verdict] | None = None
    """The last policy that was asked, and its verdict."""
    permission: str = ""
    """The permission of the owner to fetch it although robots.txt disallows it."""

    def limits(self, usual: Limits) -> Limits:
        """Return the limits of the request, given the usual ones."""
        if self.reads == "types":
            return usual
        return replace(usual, reads=None, header_only=self.reads == "header")

    def began_by(self, now: datetime) -> datetime:
        """Return the time since which it waits; it begins to wait if it has not yet."""
        if self.since is None:
            self.since = now
        return self.since


class Visiting:
    """The steps of visits, and their order.

    Args:
        context: The context of the robot.
        policies: The lookup of policies.
        page_dialect: The dialect in which pages are read.
        page_options: Further options for reading pages.

    """

    def __init__(
        self,
        context: RobotContext,
        policies: PolicySupply,
        page_dialect: str | PageDialect,
        page_options: PageOptions | Mapping[str, Any] | None,
    ) -> None:
        """Store the parts."""
        self._context = context
        self._policies = policies
        self._page_dialect = page_dialect
        self._page_options = PageOptions.of(page_options)
        self._names = NamesPages()
        self._names_locks: dict[str, asyncio.Lock] = {}

    @property
    def context(self) -> RobotContext:
        """The context of the robot."""
        return self._context

    async def visit(
        self,
        url: str,
        longest_wait: float | None,
        *,
        redirects: int,
        stored: Response | None = None,
    ) -> Visit:
        """Make a visit; see `Robot.visit`."""
        hops: list[Hop] = []
        address, spelling = address_of(url), spelling_of(url)
        while True:
            waiting = self.waiting(address, longest_wait, spelling=spelling)
            await self.ask(waiting, tuple(hops))
            hops.append(await self._fetch_again(waiting, tuple(hops), stored))
            following, outcome = self._following(hops, redirects)
            if following is None:
                visit = self._visit_of(hops, outcome)
                return await self.with_names(visit, longest_wait, None)
            address, spelling = following, self.came_to(hops[-1]).location_spelling

    async def with_names(
        self,
        visit: Visit,
        longest_wait: float | None,
        log: VisitLog | None,
        is_wanted: Callable[[Address], bool] = lambda _: True,
    ) -> Visit:
        """Return a visit with the page of robots' names to which its page points.

        That page is fetched only once, even if many pages point to it. Without it, classes for
        single robots forbid (see `goodbot.robot.names_pages`).

        Args:
            visit: The visit to the page.
            longest_wait: The most seconds to wait for the turn.
            log: The record of the visit.
            is_wanted: Returns whether the caller permits fetching a page of names.

        """
        if not may_name(visit):
            is_small = len(visit.response.body) <= PIECE
            if is_small or not await may_name_later(visit):
                return visit
        await visit.read()
        address = names_address(visit)
        if address is None:
            return visit
        if not is_wanted(address):
            return visit
        lock = self._names_locks.setdefault(address[1], asyncio.Lock())
        try:
            async with lock:
                content = await self._names_at(address, longest_wait, log)
        finally:
            self._names_locks.pop(address[1], None)  # later visits find it in memory
        return visit if content is None else replace(visit, names_page=content)

    async def _names_at(
        self, address: Address, longest_wait: float | None, log: VisitLog | None
    ) -> bytes | None:
        """Return the content of a page of names; `None` if it cannot be fetched."""
        origin, url = address
        names, now = self._names, self._context.now()
        is_known, content = names.known(url, now)
        if is_known or not names.may_ask(origin, now):
            return content if is_known else None
        try:
            waiting = self.waiting(address, longest_wait, log=log)
            await self.ask(waiting)
            visit = self.came_to(await self.fetch(waiting))
        except (Disallowed, Deferred, FetchError):
            return names.learn(url, None, self._context.now())
        return names.learn(url, visit, self._context.now())

    async def _fetch_again(
        self, waiting: Waiting, before: tuple[Hop, ...], stored: Response | None
    ) -> Hop:
        """Fetch one URL, with a conditional request if an earlier response is available."""
        if stored is None or stored.url != waiting.url:
            return await self.fetch(waiting, before)
        conditions = conditions_of(revisit_validators(stored))
        hop = await self.fetch(waiting, before, conditions)
        return self.came_to(hop).confirming(stored).hops[0] if conditions else hop

    def waiting(
        self,
        address: Address,
        longest: float | None,
        *,
        spelling: str = "",
        log: VisitLog | None = None,
    ) -> Waiting:
        """Return the state of one hop, which begins to wait with its first step."""
        origin, url = address
        return Waiting(self._context.origins.of(origin), url, longest, spelling=spelling, log=log)

    def came_to(self, hop: Hop) -> Visit:
        """Return the visit of a single hop, without following a redirect."""
        return self._visit_of([hop], self._following([hop], 0)[1])

    def _visit_of(self, hops: list[Hop], outcome: str) -> Visit:
        product = self._context.identity.product
        dialect, options = self._page_dialect, self._page_options
        return Visit(tuple(hops), outcome, product, dialect, page_options=options)

    @staticmethod
    def _following(hops: list[Hop], redirects: int) -> tuple[Address | None, str]:
        """Return the target of the last redirect, or `None` and the outcome of the visit."""
        here = hops[-1]
        answer = here.response
        if not status_of(answer.status).is_redirect:
            return None, "answered"
        chain = [hop.url for hop in hops]
        return leads_to(here.url, answer.status, answer.headers, chain, limit=redirects)

    async def fetch(
        self, waiting: Waiting, before: tuple[Hop, ...] = (), conditions: HeaderFields = ()
    ) -> Hop:
        """Check that one URL may be visited, wait for its turn, and fetch it."""
        context, state, url = self._context, waiting.state, waiting.url
        self._checked(waiting, before)
        if waiting.longest is not None and state.queue.locked():
            raise self._defer(waiting, behind_others(state, context.now()))
        await state.queue.acquire()
        try:
            lease, verdict, now = await self._lease(waiting, before)
            response = await self._request(waiting, lease, now, conditions)
            demand = context.demanded_signature(url, response)
            if demand is not None:
                # Once, and like every request at its turn: a site that asks again gets no more.
                try:
                    lease, verdict, now = await self._lease(waiting, before)
                except (Deferred, Disallowed):
                    return Hop(url, verdict, response, permission=waiting.permission)
                response = await self._request(waiting, lease, now, conditions, demand)
        finally:
            state.queue.release()
        state.pages_since += 1
        return Hop(url, verdict, response, permission=waiting.permission)

    async def take(self, waiting: Waiting) -> tuple[Lease, Verdict]:
        """Wait for the turn of one URL; the caller makes the request, and gives the lease back.

        Raises:
            Deferred: The turn comes later than the visit may wait.
            Disallowed: The policy forbids it, or the operator has blocked it.

        """
        self._checked(waiting, ())
        queue = waiting.state.queue
        if queue.locked():
            try:
                await asyncio.wait_for(queue.acquire(), self._left_to_wait(waiting))
            except asyncio.TimeoutError:
                now = self._context.now()
                raise self._defer(waiting, behind_others(waiting.state, now)) from None
        else:
            await queue.acquire()
        try:
            lease, verdict, _ = await self._lease(waiting, ())
        finally:
            queue.release()
        return lease, verdict

    def _request(
        self,
        waiting: Waiting,
        lease: Lease,
        now: Now,
        conditions: HeaderFields,
        demand: SignatureDemand | None = None,
    ) -> Awaitable[Response]:
        """Make one request for a page."""
        context, state = self._context, waiting.state
        return fetch(
            context,
            state,
            lease,
            waiting.url,
            begun=now,
            headers=conditions,
            limits=waiting.limits(context.limits),
            next_turn=state.next_turn,
            purpose="page",
            log=waiting.log,
            demand=demand,
        )

    def _checked(self, waiting: Waiting, before: tuple[Hop, ...]) -> Verdict:
        """Return the verdict on a URL that may be visited.

        Raises:
            Disallowed: The policy forbids it.
            Deferred: The policy defers every visit.

        """
        context, state = self._context, waiting.state
        if waiting.decided is not None and waiting.decided[0] is state.policy:
            return waiting.decided[1]
        verdict = state.verdict(waiting.url, waiting.spelling)
        waiting.permission = ""
        if verdict and state.policy is not None:
            waiting.decided = state.policy, verdict
        if verdict:
            return verdict
        now = context.now()
        waiting.permission = state.permitted(waiting.url, verdict, now)
        if waiting.permission:
            return verdict
        if verdict.access == "defer":
            until = verdict.retry_at
            context.tell(VisitDeferred(waiting.url, now, until, verdict.reason))
            raise Deferred(waiting.url, until, verdict.reason, verdict.said)
        context.tell(Refused(waiting.url, now, verdict))
        raise Disallowed(verdict, before)

    async def _lease(self, waiting: Waiting, before: tuple[Hop, ...]) -> tuple[Lease, Verdict, Now]:
        """Wait until verdict, pace and lease permit the visit at the same time.

        Returns:
            The lease, the verdict, and the time at which the request may begin.

        """
        context, state = self._context, waiting.state
        while True:
            if not context.holds.is_empty:
                await self._heed_operator(waiting, before)
            if context.groups.are_some:
                await context.find_group(state)
            now = context.read()
            if not self._is_usable(waiting, now.wall):
                await self.ask(waiting, before)
                now = context.read()
            verdict = self._checked(waiting, before)
            policy = state.policy
            answer = context.leases.acquire_at_once(state, now)
            is_at_once = answer is not None
            if answer is None:
                answer = await context.leases.acquire(state, now)
            if not isinstance(answer, Lease):
                shown = replace(answer, not_before=now.wall_of(answer.not_before))
                await self._wait_until(waiting, answer.not_before, answer.reason, str(shown))
                continue
            try:
                later = state.later_turn(answer.history, now)
            except BaseException:
                await context.leases.give_back(answer, now)
                raise
            # Another task may have fetched robots.txt while this one waited for the lease.
            if later is None and state.policy is policy and self._is_usable(waiting, now.wall):
                self._tell_wait(waiting, now)
                return answer, verdict, now if is_at_once else context.read()
            await context.leases.give_back(answer, now, state.next_turn(answer.history, now))
            if later is not None:
                await self._wait(waiting, later, due_of(later, now))

    async def ask(self, waiting: Waiting, before: tuple[Hop, ...] = ()) -> None:
        """Get a policy that may be used, from memory, from the store or from the site.

        Raises:
            Disallowed: The operator has blocked the URL or its site; nothing is requested.
            Deferred: The operator has paused the site, or it was unreachable too often.

        """
        now = self._context.read()
        waiting.began_by(now.steady)
        if not self._context.holds.is_empty:
            await self._heed_operator(waiting, before)
        elif self._is_usable(waiting, now.wall):
            return
        if waiting.state.policy is None:
            await self._policies.recall(waiting.state)
        while not self._is_usable(waiting, self._context.now()):
            try:
                left = self._left_to_wait(waiting)
                await self._policies.policy(waiting.state, left, waiting.log)
            except Blocked as blocked:  # noqa: PERF203  each try may be blocked
                await self._wait(waiting, blocked.turn, blocked.until)
            else:
                waiting.questions += 1
                self._heed_outage(waiting)
                return

    async def _heed_operator(self, waiting: Waiting, before: tuple[Hop, ...] = ()) -> None:
        """Raise if the operator has blocked or paused the URL or its site; see `ask`."""
        context, state = self._context, waiting.state
        try:
            await context.holds.heed(state.origin, waiting.url)
        except Disallowed as error:
            context.tell(Refused(waiting.url, context.now(), error.verdict))
            raise Disallowed(error.verdict, before) from None

    def _left_to_wait(self, waiting: Waiting) -> float | None:
        """Return the seconds that a visit may still wait; `None` for no limit."""
        if waiting.longest is None:
            return None
        now = self._context.read().steady
        waited = (now - waiting.began_by(now)).total_seconds()
        return max(waiting.longest - waited, 0.0)

    def _heed_outage(self, waiting: Waiting) -> None:
        """Stop waiting for a site whose robots.txt stays unreachable.

        Raises:
            Deferred: It was unreachable too often in a row.

        """
        policy = waiting.state.policy
        if policy is None or policy.reason != OUT_OF_REACH:
            waiting.in_vain = 0
            return
        waiting.in_vain += 1
        if waiting.in_vain > MOST_OUT_OF_REACH:
            because = f"robots.txt could not be fetched {waiting.in_vain} times in a row"
            context = self._context
            context.tell(
                VisitDeferred(waiting.url, context.now(), policy.fresh_until, policy.reason)
            )
            raise Deferred(waiting.url, policy.fresh_until, policy.reason, because)

    def _is_usable(self, waiting: Waiting, now: datetime) -> bool:
        """Return whether the known policy may be used for this visit.

        A fresh one may be used. A site may also want a longer pause between visits than its
        robots.txt lives. Then a policy may be used that was fetched since the last page and is not
        older than that pause: fetching it again is a visit, too, so after the next pause it would
        be just as old. The robot may have stopped in between and come back for its turn.
        """
        state, policy = waiting.state, waiting.state.policy
        if policy is None:
            return False
        if now < policy.fresh_until:
            return True
        if state.pages_since and not waiting.questions:
            return False
        life = (policy.fresh_until - policy.fetched_at).total_seconds()
        again = state.pause_after_question(now)
        if again + SLACK < life:
            return False
        if again == math.inf and not waiting.questions:
            return False  # there is no turn to wait for
        age = (now - policy.fetched_at).total_seconds()
        slack = SLACK if waiting.questions else max(LATE, life)
        return age <= again + slack or waiting.questions >= MOST_QUESTIONS

    async def _wait(self, waiting: Waiting, turn: Turn, then: datetime | None) -> None:
        """Wait for a turn; `then` is its instant in steady time.

        Raises:
            Deferred: There is no turn, or it is later than the visit may wait.

        """
        if then is None:
            raise self._defer(waiting, turn)
        await self._wait_until(waiting, then, turn.reason, str(turn))

    async def _wait_until(
        self, waiting: Waiting, then: datetime, reason: str, because: str
    ) -> None:
        """Wait until an instant of steady time; raise if that is later than the visit may wait."""
        context = self._context
        now = context.read()
        waiting.reason = reason
        if reason == "visit-time":
            context.remark(waiting.state, "visit-time", because, "visit-time")
        longest = waiting.longest
        since = waiting.began_by(now.steady)
        if longest is not None and then - since > timedelta(seconds=longest):
            until = now.wall_of(then)
            context.tell(VisitDeferred(waiting.url, now.wall, until, reason))
            raise Deferred(waiting.url, until, reason, because)
        soonest = now.steady + timedelta(seconds=SHORTEST_POLL)
        await context.sleep_until(max(then, soonest) if reason == "leased" else then)

    def _defer(self, waiting: Waiting, turn: Turn) -> Deferred:
        """Report that a visit is deferred, and return the exception with the time to try again."""
        self._context.tell(
            VisitDeferred(waiting.url, self._context.now(), turn.not_before, turn.reason)
        )
        return deferred(waiting.url, turn)

    def _tell_wait(self, waiting: Waiting, now: Now) -> None:
        if waiting.reason:
            seconds = (now.steady - waiting.began_by(now.steady)).total_seconds()
            self._context.tell(Waited(waiting.url, now.wall, seconds, waiting.reason))


def deferred(url: str, turn: Turn) -> Deferred:
    """Return the exception with the time to try again."""
    return Deferred(url, turn.not_before, turn.reason, turn.because)


def behind_others(state: OriginState, now: datetime) -> Turn:
    """Return the time to try again if other visits to the origin are waiting."""
    wait = max(state.pace.interval(now), POLL)
    because = "other visits of this robot come first"
    return Turn(now + timedelta(seconds=wait), "leased", "", 0, wait, because)
