"""Leases: the right to make one visit, acquired and given back.

Scope: the calls of a `Budget`, each completed even if the task is cancelled.
"""

import os
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from goodbot.http.instants import SECOND
from goodbot.pace import History, Manners, PastVisit, Turn
from goodbot.robot.origin_state import OriginState
from goodbot.robot.store_executor import StoreExecutor
from goodbot.robot.timeline import Now, Timeline
from goodbot.store import Budget, Later, Lease
from goodbot.store.backend import OF_A_GROUP

__all__ = ["Leases", "Made", "due_of"]


AT_ONCE = 16
"""How many origins of a group try again when its next turn comes; others try at a later one, so
that thousands of sites on one server do not all ask each time."""

MOST_ASKERS = 10_000
"""How many origins of a group are counted; all others try again as late as the last of these."""


class Made(NamedTuple):
    """A visit that was made."""

    visit: PastVisit
    interrupted: bool = False
    """Whether the robot cancelled it."""


class Leases:
    """The leases of a budget, which counts in steady time.

    Args:
        budget: The budget.
        timeline: The source of steady time.
        name: The name of the robot, shown to people.
        seconds: The most seconds that a visit may take.
        manners: The robot's own settings, for the pause between hosts of a group.

    """

    def __init__(
        self,
        budget: Budget,
        timeline: Timeline,
        name: str,
        seconds: float,
        manners: Manners | None = None,
    ) -> None:
        """Store the parts."""
        self._manners = Manners() if manners is None else manners
        self._of_groups: dict[tuple[str, int], Lease] = {}
        """The lease of the group by that of the origin."""
        self._askers: dict[str, dict[str, int]] = {}
        """The place in the line of each origin of a group that asked since its last lease."""
        self._budget = budget
        self._acquire_at_once = getattr(budget, "acquire_at_once", None)
        self._release_at_once = getattr(budget, "release_at_once", None)
        self._timeline = timeline
        self._executor = StoreExecutor(budget)
        self._holder = f"{name} (process {os.getpid()})"
        self._seconds = seconds

    async def keep_time(self) -> None:
        """Report the present time to the budget."""
        await self._executor.call(lambda: self._timeline.tell(self._budget))

    async def visits(self, origin: str) -> History:
        """Return the history of visits to an origin."""
        return await self._executor.call(lambda: self._budget.visits(origin))

    def acquire_at_once(
        self, state: OriginState, now: Now, *, for_robots_txt: bool = False
    ) -> Lease | Later | None:
        """Request a lease without waiting for anything; `None` if only `acquire` can."""
        if state.group or self._timeline.has_stepped(now):
            return None
        at_once = self._budget.acquire if self._executor.is_free else self._acquire_at_once
        if at_once is None:
            return None
        answer: Lease | Later | None = at_once(
            state.origin,
            now.steady,
            self._seconds,
            self._holder,
            pause=state.pace.interval(now.wall),
            for_robots_txt=for_robots_txt,
        )
        return answer

    async def acquire(
        self, state: OriginState, now: Now, *, for_robots_txt: bool = False
    ) -> Lease | Later:
        """Request a lease. If the task is cancelled meanwhile, the lease is given back.

        If the origin belongs to a server group, the lease is one of the group as well.
        """
        if self._timeline.has_stepped(now):
            await self.keep_time()
        answer = self.acquire_at_once(state, now, for_robots_txt=for_robots_txt)
        if answer is not None:
            return answer
        asked = state.origin, now.steady, self._seconds, self._holder
        group, pause = state.group, state.pace.interval(now.wall)

        def own() -> Lease | Later:
            return self._budget.acquire(*asked, pause=pause, for_robots_txt=for_robots_txt)

        return await self._executor.call(
            (lambda: self._both(state.origin, group, own, now)) if group else own,
            lambda answer: self._unused(answer, now) if isinstance(answer, Lease) else None,
        )

    def _both(
        self, origin: str, group: str, own: Callable[[], Lease | Later], now: Now
    ) -> Lease | Later:
        """Request the lease of a group, and then the origin's own."""
        pause = self._manners.between_hosts(0.0)
        shared = self._budget.acquire(
            OF_A_GROUP + group, now.steady, self._seconds, self._holder, pause=pause
        )
        if not isinstance(shared, Lease):
            return self._behind(origin, group, shared, timedelta(seconds=pause))
        self._askers.pop(group, None)
        try:
            answer = own()
        except BaseException:
            self._budget.release(shared, ended=now.steady, not_before=now.steady)
            raise
        if isinstance(answer, Lease):
            self._of_groups[answer.origin, answer.number] = shared
        else:
            self._budget.release(shared, ended=now.steady, not_before=now.steady)
        return answer

    def _behind(self, origin: str, group: str, later: Later, pause: timedelta) -> Later:
        """Return when an origin may ask again whose group is not due."""
        askers = self._askers.setdefault(group, {})
        place = askers.get(origin, len(askers))
        if place < MOST_ASKERS:
            askers[origin] = place
        return Later(later.not_before + place // AT_ONCE * pause, "server-group", group)

    def _unused(self, lease: Lease, now: Now) -> None:
        self._budget.release(lease, ended=now.steady, not_before=now.steady)
        self._release_group(lease, now)

    def _release_group(self, lease: Lease, now: Now, took: float | None = None) -> None:
        """Release the lease of the group, if there is one, after a visit that took some seconds."""
        shared = self._of_groups.pop((lease.origin, lease.number), None)
        if shared is not None:
            wait = 0.0 if took is None else self._manners.between_hosts(took)
            due = now.steady + timedelta(seconds=wait)
            self._budget.release(shared, ended=now.steady, not_before=due, reason="server-group")

    async def give_back(self, lease: Lease, now: Now, turn: Turn | None = None) -> None:
        """Release a lease that was not used."""
        reason = "released" if turn is None else turn.reason
        due = now.steady if turn is None else due_of(turn, now)
        if self.release_at_once(lease, now, due, reason):
            return

        def release() -> None:
            self._budget.release(lease, ended=now.steady, not_before=due, reason=reason)
            self._release_group(lease, now)

        await self._executor.call(release)

    def release_at_once(
        self,
        lease: Lease,
        now: Now,
        due: datetime | None,
        reason: str,
        history: History | None = None,
    ) -> bool:
        """Release a lease without waiting for anything; return whether it is released.

        Args:
            lease: The lease.
            now: The time; a visit that was made ended now.
            due: When the next lease may be granted, in steady time; `None` for never.
            reason: The reason for that.
            history: The history with the visit; `None` if none was made.

        """
        at_once = self._budget.release if self._executor.is_free else self._release_at_once
        if at_once is None or (lease.origin, lease.number) in self._of_groups:
            return False
        answer: bool | None = at_once(
            lease, ended=now.steady, not_before=due, reason=reason, history=history
        )
        return answer is not None

    async def release(
        self, lease: Lease, now: Now, due: datetime | None, reason: str, history: History
    ) -> None:
        """Release a lease after a visit that ended now; see `release_at_once`."""

        def release() -> None:
            self._budget.release(
                lease, ended=now.steady, not_before=due, reason=reason, history=history
            )
            self._release_group(lease, now, history.took / SECOND)

        await self._executor.call(release)


def due_of(turn: Turn, now: Now) -> datetime | None:
    """Return the instant of a turn in steady time; `None` if there is none."""
    return None if turn.not_before is None else now.steady_of(turn.not_before)
