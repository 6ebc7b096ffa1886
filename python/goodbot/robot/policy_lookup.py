"""The policy of an origin: from memory, from the store or from the site, fetched only once.

Scope: from an origin to a policy that may be used now, including each hop of a fetch.
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import nullcontext
from datetime import datetime
from functools import partial
from typing import Protocol, TypeAlias, TypeVar

from goodbot.errors import FetchError, MisuseError, WrongValueError
from goodbot.grounds import NEVER_ASKED
from goodbot.http.address import address_of
from goodbot.http.instants import instant
from goodbot.pace import Turn
from goodbot.policy import Policy
from goodbot.policy.holds import BLOCKED
from goodbot.policy.inquiry import Question, inquire
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer
from goodbot.robot.beside import WORTH_A_THREAD, beside
from goodbot.robot.context import RobotContext
from goodbot.robot.events import Asked
from goodbot.robot.fetching import fetch
from goodbot.robot.leases import due_of
from goodbot.robot.origin_state import OriginState
from goodbot.robot.store_executor import StoreExecutor, waited
from goodbot.robot.timeline import Now
from goodbot.robot.visit_log import Learned, VisitLog
from goodbot.store import Lease

__all__ = ["Blocked", "PolicyLookup", "PolicySupply"]

Result = TypeVar("Result")

POLL = 1.0
"""The most seconds between checks whether another robot's visit is over."""
SHORTEST_POLL = 0.05
OWN = ("manners", "own-floor", "bandwidth", "slow-server", "server-group")
"""Reasons to wait that come from the robot's own settings."""


class Blocked(Exception):  # noqa: N818  between modules of this package
    """The time to fetch robots.txt comes later than the caller can wait."""

    def __init__(self, turn: Turn, now: Now) -> None:
        """Store the time and the reason."""
        super().__init__(turn)
        self.turn = turn
        self.until = due_of(turn, now)
        """The instant of the turn in steady time; `None` if there is none."""


class PolicySupply(Protocol):
    """Where visits get the policies of origins from: a `PolicyLookup`, or one of another robot."""

    async def policy(
        self, state: OriginState, longest_wait: float | None = None, log: VisitLog | None = None
    ) -> Policy:
        """Return a policy of the origin that may be used now."""

    async def recall(self, state: OriginState) -> None:
        """Apply the stored policy of an origin, fresh or not."""


class PolicyLookup:
    """A lookup of the policies of origins, which fetches those that are not known.

    Args:
        context: The context of the robot.
        patience: The most seconds to wait for the turn of a robots.txt.

    """

    def __init__(self, context: RobotContext, patience: float) -> None:
        """Store the parts."""
        self._context = context
        self._patience = patience
        self._executor = StoreExecutor(context.store)
        self._tasks: set[asyncio.Task[Policy]] = set()
        self._is_closed = False

    async def policy(
        self, state: OriginState, longest_wait: float | None = None, log: VisitLog | None = None
    ) -> Policy:
        """Return a policy of the origin that may be used now.

        If many tasks call this at once, one request is made and all of them wait for it. Cancelling
        one task does not disturb the others; when none waits any more, the request is cancelled.

        Args:
            state: The state of the origin.
            longest_wait: The most seconds to wait for the turn of a robots.txt, if that is less
                than `patience`.
            log: The record of the visit that makes the request. The owner of the log stores the
                policy; it is not stored here.

        Raises:
            Blocked: The time to fetch robots.txt comes later than that.

        """
        patience = self._patience if longest_wait is None else min(longest_wait, self._patience)
        while True:
            try:
                return await self._shared(state, patience, log)
            except Blocked as blocked:  # noqa: PERF203  the first caller may have less patience
                if blocked.until is None or blocked.turn.wait > patience:
                    raise
                await self._context.sleep_until(blocked.until)

    async def _shared(self, state: OriginState, patience: float, log: VisitLog | None) -> Policy:
        """Return a fresh policy, or the result of the one request that is under way."""
        fresh = state.fresh(self._context.now())
        if fresh is not None:
            return fresh
        if state.robots_txt_request is None:
            self._refuse_closed()
            state.robots_txt_request = asyncio.ensure_future(self._learn(state, patience, log))
            state.robots_txt_request.add_done_callback(lambda task: forget(state, task))
            self._tasks.add(state.robots_txt_request)
            state.robots_txt_request.add_done_callback(self._tasks.discard)
        task = state.robots_txt_request
        state.waiters += 1
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            self._refuse_closed()
            raise
        finally:
            state.waiters -= 1
            if not state.waiters and not task.done():
                forget(state, task)  # later callers make a new request
                task.cancel()
                await waited(task)

    async def close(self) -> None:
        """Cancel every request; tasks that wait for one get an exception."""
        self._is_closed = True
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        for task in tasks:
            await waited(task)

    def _refuse_closed(self) -> None:
        if self._is_closed:
            message = "the robot is closed; use it within its `async with` block"
            raise MisuseError(message)

    async def _learn(self, state: OriginState, patience: float, log: VisitLog | None) -> Policy:
        """Return a policy: from the store if another robot put a fresh one there, or the site's."""
        kept = await self._kept(state)
        if kept is not None and (state.policy is None or kept.fetched_at > state.policy.fetched_at):
            await self.apply(state, kept)
        policy = state.fresh(self._context.now()) or await self._asked(state, patience, log)
        self._remark(state)
        return policy

    async def recall(self, state: OriginState) -> None:
        """Apply the stored policy of an origin, fresh or not; the visit decides whether to use it.

        A policy may be used for longer only if no page was fetched since it was learned. The store
        knows when other processes' visits began.
        """
        kept = await self._kept(state)
        if kept is None or state.policy is not None:
            return
        await self.apply(state, kept)
        history = await self._context.leases.visits(state.origin)
        starts = history.shifted(self._context.read().microseconds_ahead).starts
        learned = instant(kept.fetched_at, "fetched_at")
        state.pages_since = sum(start > learned for start in starts)
        self._remark(state)

    async def known(self, state: OriginState) -> Policy | None:
        """Return a fresh policy from memory or the store, without a request; `None` if none is."""
        fresh = state.fresh(self._context.now())
        if fresh is not None:
            return fresh
        kept = await self._kept(state)
        if kept is None or self._context.now() >= kept.fresh_until:
            return None
        await self.apply(state, kept)
        return kept

    async def _kept(self, state: OriginState) -> Policy | None:
        """Return the stored policy; `None` if there is none, or if its dialect is another one."""
        record = await self._executor.call(lambda: self._context.store.get(state.origin))
        try:
            policy = None
            if record is not None:
                size = len((record.get("copy") or {}).get("body", b""))
                policy = await self._at(size, partial(Policy.from_record, record))
        except WrongValueError:  # written by an older goodbot: fetch it again
            return None
        if policy is None or policy.url != state.robots_txt_url:
            return None
        dialect = self._context.dialect
        name = dialect if isinstance(dialect, str) else dialect.name
        return policy if policy.dialect.name == name else None

    async def _asked(self, state: OriginState, patience: float, log: VisitLog | None) -> Policy:
        """Fetch robots.txt and return its policy; store it unless there is a log."""
        context, previous = self._context, state.policy
        since = context.read()
        lease = await self._lease(state, patience)
        newer = await self._newer(state, lease, since)
        if newer is not None:
            return newer
        policy = await self._inquired(state, previous, lease, log)
        await self.apply(state, policy)
        # If nothing was requested there is nothing to store: the next robot can find out at once.
        is_stored = policy.storable and policy.reason not in NEVER_ASKED
        record = await self._at(file_size(policy), policy.as_record) if is_stored else None
        if log is not None:
            log.learned.append(Learned(policy, record, state.please_visit))
        elif record is not None:
            now, kept = context.now(), record
            await self._executor.call(lambda: context.store.put(state.origin, kept, now))
        context.tell(
            Asked(
                policy.url,
                policy.fetched_at,
                policy.access,
                policy.reason,
                policy.status,
                len(policy.hops),
                policy,
            )
        )
        return policy

    async def _newer(self, state: OriginState, lease: Lease, since: Now) -> Policy | None:
        """Return a usable policy that another robot stored during the wait for the lease."""
        now = self._context.read()
        if lease.granted == since.steady:
            return None  # there was no wait
        try:
            kept = await self._kept(state)
            at = now.wall
            is_newer = kept is not None and since.wall <= kept.fetched_at and at < kept.fresh_until
            if kept is not None and is_newer:
                await self.apply(state, kept)
        except BaseException:
            await self._context.leases.give_back(lease, now)
            raise
        if kept is None or not is_newer:
            return None
        await self._context.leases.give_back(lease, now, state.next_turn(lease.history, now))
        return kept

    async def _inquired(
        self, state: OriginState, previous: Policy | None, lease: Lease, log: VisitLog | None
    ) -> Policy:
        """Carry out the inquiry: send each question, and pass on its reply, until the policy."""
        context = self._context
        inquiry = inquire(state.robots_txt_url, previous=previous, dialect=context.dialect)
        question, spare = next(inquiry), [lease]
        while True:
            reply = await self._reply(question, spare, log)
            size = len(reply.body)
            following = await self._at(size, partial(led_on, inquiry, reply, context.now()))
            if isinstance(following, Policy):
                return following
            question = following

    async def _reply(
        self, question: Question, spare: list[Lease], log: VisitLog | None
    ) -> RobotsTxtAnswer:
        """Send a question as a visit to its origin; the first one has its lease already."""
        context = self._context
        origin, address = address_of(question.url)
        state = context.origins.of(origin)
        if spare:
            lease = spare.pop()
        elif await context.holds.find(origin, address):
            return RobotsTxtAnswer(failure=BLOCKED)
        else:
            lease = await self._lease(state, self._patience, waits_for_manners=True)
        demand = None
        while True:
            requested = context.now()
            try:
                response = await fetch(
                    context,
                    state,
                    lease,
                    address,
                    begun=context.read(),
                    headers=question.conditions,
                    limits=context.robots_txt_limits,
                    next_turn=state.least_turn,
                    purpose="robots-txt",
                    log=log,
                    demand=demand,
                )
            except FetchError as error:
                return RobotsTxtAnswer(failure=error.kind)
            if demand is not None:
                break
            # Once: the file of a site that wants another signature is not one that is missing.
            demand = context.demanded_signature(address, response)
            if demand is None:
                break
            lease = await self._lease(state, self._patience, waits_for_manners=True)
        return RobotsTxtAnswer(
            status=response.status,
            headers=response.headers,
            body=response.body,
            truncated=response.truncated,
            requested=requested,
        )

    async def _lease(
        self, state: OriginState, patience: float, *, waits_for_manners: bool = False
    ) -> Lease:
        """Wait until robots.txt may be fetched, without regard to the pace that it states.

        Args:
            state: The state of the origin.
            patience: The most seconds to wait.
            waits_for_manners: Whether to wait for the robot's own manners without a limit. If it
                gave up at a redirect, it would give up there again each time.

        Raises:
            Blocked: The turn comes later than `patience` allows.

        """
        context, leases = self._context, self._context.leases
        while True:
            if context.groups.are_some:
                await context.find_group(state)
            now = context.read()
            answer = await leases.acquire(state, now, for_robots_txt=True)
            if isinstance(answer, Lease):
                turn = state.robots_txt_turn(answer.history, now)
                if turn:
                    return answer
                await leases.give_back(answer, now, state.least_turn(answer.history, now))
            else:
                wait = (answer.not_before - now.steady).total_seconds()
                if answer.reason == "leased":
                    await context.clock.sleep(min(max(wait, SHORTEST_POLL), POLL))
                    continue
                turn = Turn(
                    now.wall_of(answer.not_before),
                    answer.reason,
                    "",
                    0,
                    wait,
                    answer.because
                    if answer.reason == "server-group"
                    else f"the store grants no earlier turn ({answer.reason})",
                )
            if waits_for_manners and turn.reason in OWN:
                await context.sleep_until(now.steady_of(turn.not_before or now.wall))
                continue
            if turn.not_before is None or turn.wait > patience:
                raise Blocked(turn, now)
            await context.sleep_until(now.steady_of(turn.not_before))

    async def apply(self, state: OriginState, policy: Policy) -> None:
        """Apply a policy to an origin."""
        state.know(policy, await self._at(file_size(policy), partial(state.applied, policy)))

    async def _at(self, size: int, work: Callable[[], Result]) -> Result:
        """Run some work on `size` bytes: at once if they are few, otherwise in a thread."""
        if size < WORTH_A_THREAD:
            return work()
        # The clock of tests must not advance meanwhile.
        with getattr(self._context.clock, "held", nullcontext)():
            return await beside(work)

    def _remark(self, state: OriginState) -> None:
        """Report the site's comments to the operator (Conner 1996, Comment)."""
        for comment in state.comments:
            self._context.remark(state, "comment", comment, ("comment", hash(comment)))
        for finding in state.pace.findings:
            if finding.code == "unreadable-visit-time":
                text = f"robots.txt line {finding.line}: {finding.message}"
                self._context.remark(state, "visit-time", text, ("hours", hash(text)))


def file_size(policy: Policy) -> int:
    """Return the number of bytes of the robots.txt of a policy."""
    return 0 if policy.robots_txt is None else len(policy.robots_txt.content)


def forget(state: OriginState, task: "asyncio.Task[Policy]") -> None:
    """Forget a request that is over."""
    if state.robots_txt_request is task:
        state.robots_txt_request = None
    if task.done() and not task.cancelled():
        task.exception()  # marks it as retrieved, since the callers that waited have it


Inquiry: TypeAlias = Generator[Question, tuple[RobotsTxtAnswer, datetime], Policy]


def led_on(inquiry: Inquiry, reply: RobotsTxtAnswer, now: datetime) -> Question | Policy:
    """Pass on a reply; return the next question, or the policy at the end."""
    try:
        return inquiry.send((reply, now))
    except StopIteration as end:
        policy: Policy = end.value
        return policy
