"""Visiting a URL: ask, wait for the turn, fetch, and the same at each hop.

What may live here: the order of these, and what happens when something changes meanwhile.
"""

import asyncio
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from goodbot.errors import Deferred, Disallowed, FetchError
from goodbot.http.address import Address, address_of, spelling_of
from goodbot.net.fetcher import HeaderFields, Response
from goodbot.pace import Turn
from goodbot.page import PageOptions
from goodbot.page.dialects import PageDialect
from goodbot.policy import PolicyVerdict
from goodbot.policy.redirects import leads_to
from goodbot.robot.context import RobotContext
from goodbot.robot.events import Refused, VisitDeferred, Waited
from goodbot.robot.fetching import fetch
from goodbot.robot.leases import due_of
from goodbot.robot.names_pages import NamesPages, may_name, names_address
from goodbot.robot.origin_state import OriginState
from goodbot.robot.policy_lookup import POLL, SHORTEST_POLL, Blocked, PolicyLookup
from goodbot.robot.revisit import conditions_of, revisit_validators
from goodbot.robot.timeline import Now
from goodbot.robot.visit import Hop, Visit
from goodbot.robot.visit_log import VisitLog
from goodbot.store import Lease

__all__ = ["MOST_REDIRECTS", "Visiting", "deferred"]

MOST_REDIRECTS = 10
"""Of a page. For robots.txt RFC 9309 has five; pages go through shorteners and log-in pages."""

SLACK = 1.0
"""Seconds that may go by between the moment that is waited for and the next look at the clock."""

LATE = 60.0
"""Seconds that a robot may come back behind the turn it was told, at the least: as long as the
policy lives, if that is longer. A crawl that a timer starts once a day comes hours later."""

MOST_QUESTIONS = 3
"""How often a visit asks for robots.txt where each question costs a turn and no answer lives until
the next one; others ask as well, and so the last answer counts."""

OUT_OF_REACH = "stale-copy"
MOST_OUT_OF_REACH = 10
"""How often in a row a waiting visit asks for robots.txt in vain, while an earlier copy serves. Who
waits for an hour of visit at which the robot is still to keep off would else wait for ever."""


@dataclass
class Waiting:
    """One hop that waits for its turn."""

    state: OriginState
    url: str
    since: datetime
    """From when on, in steady time."""
    longest: float | None
    """Seconds that it may wait at most; `None` for as long as it takes."""
    reason: str = ""
    """Why it waited last."""
    questions: int = 0
    """How often robots.txt was asked for meanwhile."""
    in_vain: int = 0
    """How often of late it was out of reach."""
    spelling: str = ""
    """The URL as it was written, if that is another spelling."""
    log: VisitLog | None = None
    """Where it is noted what was done."""
    reads_all: bool = False
    """Whether an answer of any type is read."""


class Visiting:
    """Makes visits.

    Args:
        context: What to work with.
        policies: Where policies are looked up.
        page_dialect: The dialect in which pages are read.
        page_options: How else they are read.

    """

    def __init__(
        self,
        context: RobotContext,
        policies: PolicyLookup,
        page_dialect: str | PageDialect,
        page_options: PageOptions | Mapping[str, Any] | None,
    ) -> None:
        """Take what to work with."""
        self._context = context
        self._policies = policies
        self._page_dialect = page_dialect
        self._page_options = PageOptions.of(page_options)
        self._names = NamesPages()
        self._names_locks: dict[str, asyncio.Lock] = {}

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
        """Return a visit with the page of names of robots to which its page points.

        That page is fetched unless it is known, once however many pages point to it. Without it
        (`goodbot.robot.names_pages`) classes for single robots forbid.

        Args:
            visit: The visit of the page.
            longest_wait: Seconds to wait at most for the turn.
            log: Where it is noted what was done.
            is_wanted: Whether a page may be asked for, as far as the caller is concerned.

        """
        if not may_name(visit):
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
            self._names_locks.pop(address[1], None)  # whoever comes now finds it in memory
        return visit if content is None else replace(visit, names_page=content)

    async def _names_at(
        self, address: Address, longest_wait: float | None, log: VisitLog | None
    ) -> bytes | None:
        """Return the content of a page of names; `None` if it cannot be had."""
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
        """Fetch one URL; with a condition, if an earlier answer of it is at hand."""
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
        """Begin one hop."""
        origin, url = address
        state, since = self._context.origins.of(origin), self._context.read().steady
        return Waiting(state, url, since, longest, spelling=spelling, log=log)

    def came_to(self, hop: Hop) -> Visit:
        """Return the visit that came to one answer, and follows no redirect."""
        return self._visit_of([hop], self._following([hop], 0)[1])

    def _visit_of(self, hops: list[Hop], outcome: str) -> Visit:
        product = self._context.identity.product
        dialect, options = self._page_dialect, self._page_options
        return Visit(tuple(hops), outcome, product, dialect, page_options=options)

    @staticmethod
    def _following(hops: list[Hop], redirects: int) -> tuple[Address | None, str]:
        """Return where the last answer leads, or `None` and why it leads no further."""
        here, chain = hops[-1], [hop.url for hop in hops]
        answer = here.response
        return leads_to(here.url, answer.status, answer.headers, chain, limit=redirects)

    async def fetch(
        self, waiting: Waiting, before: tuple[Hop, ...] = (), conditions: HeaderFields = ()
    ) -> Hop:
        """Check that one URL may be visited, wait for its turn, and fetch it."""
        context, state, url = self._context, waiting.state, waiting.url
        self._checked(waiting, before)
        if waiting.longest is not None and state.queue.locked():
            raise self._defer(waiting, behind_others(state, context.now()))
        async with state.queue:
            lease, verdict = await self._lease(waiting, before)
            response = await fetch(
                context,
                state,
                lease,
                url,
                headers=conditions,
                limits=replace(context.limits, reads=None) if waiting.reads_all else context.limits,
                next_turn=state.next_turn,
                purpose="page",
                log=waiting.log,
            )
        state.pages_since += 1
        return Hop(url, verdict, response)

    def _checked(self, waiting: Waiting, before: tuple[Hop, ...]) -> PolicyVerdict:
        """Give the verdict, if it allows.

        Raises:
            Disallowed: It does not.
            Deferred: The policy puts every visit off.

        """
        context, state = self._context, waiting.state
        verdict = state.verdict(waiting.url, waiting.spelling)
        if verdict:
            return verdict
        now = context.now()
        if verdict.access == "defer":
            until = verdict.retry_at
            context.tell(VisitDeferred(waiting.url, now, until, verdict.reason))
            raise Deferred(waiting.url, until, verdict.reason, verdict.said)
        context.tell(Refused(waiting.url, now, verdict))
        raise Disallowed(verdict, before)

    async def _lease(
        self, waiting: Waiting, before: tuple[Hop, ...]
    ) -> tuple[Lease, PolicyVerdict]:
        """Wait for the turn: what is asked about, the pace and the lease must all hold at once."""
        context, state = self._context, waiting.state
        while True:
            await self.ask(waiting, before)
            verdict = self._checked(waiting, before)
            policy, now = state.policy, context.read()
            answer = await context.leases.acquire(state, now)
            if not isinstance(answer, Lease):
                shown = replace(answer, not_before=now.wall_of(answer.not_before))
                await self._wait_until(waiting, answer.not_before, answer.reason, str(shown))
                continue
            turn = await self._turn(state, answer, now)
            # While a lease was asked for, another task may have asked for robots.txt.
            if turn and state.policy is policy and self._is_usable(waiting, now.wall):
                self._tell_wait(waiting, now)
                return answer, verdict
            await context.leases.give_back(answer, now, state.next_turn(answer.history, now))
            if not turn:
                await self._wait(waiting, turn, due_of(turn, now))

    async def _turn(self, state: OriginState, lease: Lease, now: Now) -> Turn:
        """Tell whether it is the turn; a lease is not lost, whatever goes wrong."""
        try:
            return state.turn(lease.history, now)
        except BaseException:
            await self._context.leases.give_back(lease, now)
            raise

    async def ask(self, waiting: Waiting, before: tuple[Hop, ...] = ()) -> None:
        """Have a policy that may be used: from memory, from the store, or from the site.

        Raises:
            Disallowed: The operator has blocked the URL or its site: nobody is asked.
            Deferred: The operator has paused the site, or it was out of reach too often.

        """
        await self._heed_operator(waiting, before)
        if waiting.state.policy is None:
            await self._policies.recall(waiting.state)
        while not self._is_usable(waiting, self._context.now()):
            try:
                left = self._left_to_wait(waiting)
                await self._policies.policy(waiting.state, left, waiting.log)
            except Blocked as blocked:  # noqa: PERF203  each may be
                await self._wait(waiting, blocked.turn, blocked.until)
            else:
                waiting.questions += 1
                self._heed_outage(waiting)
                return

    async def _heed_operator(self, waiting: Waiting, before: tuple[Hop, ...] = ()) -> None:
        """Leave alone what the operator keeps the robot away from; see `ask`."""
        context, state = self._context, waiting.state
        try:
            await context.holds.heed(state.origin, waiting.url)
        except Disallowed as error:
            context.tell(Refused(waiting.url, context.now(), error.verdict))
            raise Disallowed(error.verdict, before) from None

    def _left_to_wait(self, waiting: Waiting) -> float | None:
        """Return the seconds that a visit may still wait; `None` for as long as it takes."""
        if waiting.longest is None:
            return None
        waited = (self._context.read().steady - waiting.since).total_seconds()
        return max(waiting.longest - waited, 0.0)

    def _heed_outage(self, waiting: Waiting) -> None:
        """Give up on a site that stays out of reach.

        Raises:
            Deferred: It was too often in a row.

        """
        policy = waiting.state.policy
        if policy is None or policy.reason != OUT_OF_REACH:
            waiting.in_vain = 0
            return
        waiting.in_vain += 1
        if waiting.in_vain > MOST_OUT_OF_REACH:
            because = f"robots.txt was out of reach {waiting.in_vain} times in a row"
            context = self._context
            context.tell(
                VisitDeferred(waiting.url, context.now(), policy.fresh_until, policy.reason)
            )
            raise Deferred(waiting.url, policy.fresh_until, policy.reason, because)

    def _is_usable(self, waiting: Waiting, now: datetime) -> bool:
        """Whether the policy that is known may be used for this visit.

        A fresh one may. Where a site wants more time between visits than its robots.txt lives, one
        that was fetched since the last page may, too, while it is no older than that time: to ask
        for it is a visit itself, and after the next pause it would be as old again. One may have
        asked for it and come back when the turn has come.
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
            return False  # there is no turn to come back for
        age = (now - policy.fetched_at).total_seconds()
        slack = SLACK if waiting.questions else max(LATE, life)
        return age <= again + slack or waiting.questions >= MOST_QUESTIONS

    async def _wait(self, waiting: Waiting, turn: Turn, then: datetime | None) -> None:
        """Wait for a turn; `then` is its instant in steady time.

        Raises:
            Deferred: There is none, or it is later than the visit may wait.

        """
        if then is None:
            raise self._defer(waiting, turn)
        await self._wait_until(waiting, then, turn.reason, str(turn))

    async def _wait_until(
        self, waiting: Waiting, then: datetime, reason: str, because: str
    ) -> None:
        """Wait until an instant of steady time, unless that is later than the visit may wait."""
        context = self._context
        now = context.read()
        waiting.reason = reason
        if reason == "visit-time":
            context.remark(waiting.state, "visit-time", because, "visit-time")
        longest = waiting.longest
        if longest is not None and then - waiting.since > timedelta(seconds=longest):
            until = now.wall_of(then)
            context.tell(VisitDeferred(waiting.url, now.wall, until, reason))
            raise Deferred(waiting.url, until, reason, because)
        soonest = now.steady + timedelta(seconds=SHORTEST_POLL)
        await context.sleep_until(max(then, soonest) if reason == "leased" else then)

    def _defer(self, waiting: Waiting, turn: Turn) -> Deferred:
        """Make the exception that says when to come again."""
        self._context.tell(
            VisitDeferred(waiting.url, self._context.now(), turn.not_before, turn.reason)
        )
        return deferred(waiting.url, turn)

    def _tell_wait(self, waiting: Waiting, now: Now) -> None:
        seconds = (now.steady - waiting.since).total_seconds()
        if waiting.reason:
            self._context.tell(Waited(waiting.url, now.wall, seconds, waiting.reason))


def deferred(url: str, turn: Turn) -> Deferred:
    """Make the exception that says when to come again."""
    return Deferred(url, turn.not_before, turn.reason, turn.because)


def behind_others(state: OriginState, now: datetime) -> Turn:
    """Tell when to come again, where others wait already."""
    wait = max(state.pace.interval(now), POLL)
    because = "other visits of this robot come first"
    return Turn(now + timedelta(seconds=wait), "leased", "", 0, wait, because)
