"""Leases: the right to make one visit, asked for and given back.

What may live here: the calls of a `Budget`, each done to its end also if the task is cancelled.
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
    """Whether the robot itself broke it off."""


class Leases:
    """Asks a budget for leases, and gives them back. The budget counts in steady time.

    Args:
        budget: The budget.
        timeline: Where steady time comes from.
        name: Who asks; for people.
        seconds: How long a visit may take at most.

    """

    def __init__(self, budget: Budget, timeline: Timeline, name: str, seconds: float) -> None:
        """Take whom to ask."""
        self._budget = budget
        self._timeline = timeline
        self._executor = StoreExecutor(budget)
        self._holder = f"{name} (process {os.getpid()})"
        self._seconds = seconds

    async def keep_time(self) -> None:
        """Report to the budget what the clock shows."""
        await self._executor.call(lambda: self._timeline.tell(self._budget))

    async def visits(self, origin: str) -> History:
        """Return the history of visits."""
        return await self._executor.call(lambda: self._budget.visits(origin))

    async def acquire(
        self, state: OriginState, now: Now, *, for_robots_txt: bool = False
    ) -> Lease | Later:
        """Ask for a lease. If the task is cancelled meanwhile, it is given back."""
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
        """Give a lease back that was not used."""
        reason = "released" if turn is None else turn.reason
        due = now.steady if turn is None else due_of(turn, now)
        await self._executor.call(
            lambda: self._budget.release(lease, ended=now.steady, not_before=due, reason=reason)
        )

    async def used(self, lease: Lease, now: Now, history: History, turn: Turn) -> None:
        """Return a lease after a visit that ended now."""
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
