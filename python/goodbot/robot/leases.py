"""Leases: the right to make one visit, acquired and given back.

Scope: the calls of a `Budget`, each completed even if the task is cancelled.
"""

import os
from dataclasses import dataclass
from datetime import datetime

from goodbot.pace import History, PastVisit, Turn
from goodbot.robot.origin_state import OriginState
from goodbot.robot.store_executor import StoreExecutor
from goodbot.robot.timeline import Now, Timeline
from goodbot.store import Budget, Later, Lease

__all__ = ["Leases", "Made", "due_of"]


@dataclass(frozen=True, slots=True)
class Made:
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

    """

    def __init__(self, budget: Budget, timeline: Timeline, name: str, seconds: float) -> None:
        """Store the parts."""
        self._budget = budget
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

    async def acquire(
        self, state: OriginState, now: Now, *, for_robots_txt: bool = False
    ) -> Lease | Later:
        """Request a lease. If the task is cancelled meanwhile, the lease is given back."""
        if self._timeline.has_stepped:
            await self.keep_time()
        pause = state.pace.interval(now.wall)
        return await self._executor.call(
            lambda: self._budget.acquire(
                state.origin,
                now.steady,
                self._seconds,
                self._holder,
                pause=pause,
                for_robots_txt=for_robots_txt,
            ),
            lambda answer: self._unused(answer, now) if isinstance(answer, Lease) else None,
        )

    def _unused(self, lease: Lease, now: Now) -> bool:
        return self._budget.release(lease, ended=now.steady, not_before=now.steady)

    async def give_back(self, lease: Lease, now: Now, turn: Turn | None = None) -> None:
        """Release a lease that was not used."""
        reason = "released" if turn is None else turn.reason
        due = now.steady if turn is None else due_of(turn, now)
        await self._executor.call(
            lambda: self._budget.release(lease, ended=now.steady, not_before=due, reason=reason)
        )

    async def used(self, lease: Lease, now: Now, history: History, turn: Turn) -> None:
        """Release a lease after a visit that ended now."""
        due = due_of(turn, now)
        await self._executor.call(
            lambda: self._budget.release(
                lease,
                ended=now.steady,
                not_before=due,
                reason=turn.reason,
                history=history,
            )
        )


def due_of(turn: Turn, now: Now) -> datetime | None:
    """Return the instant of a turn in steady time; `None` if there is none."""
    return None if turn.not_before is None else now.steady_of(turn.not_before)
