"""Leases: the right to make one visit, asked for and given back.

What may live here: the calls of a `Budget`, each done to its end also if the task is cancelled.
"""

import os
from dataclasses import dataclass
from datetime import datetime

from goodbot.pace import History, Turn, Visit
from goodbot.robot.calls import Calls
from goodbot.robot.door import Door
from goodbot.store import Budget, Later, Lease

__all__ = ["Leases", "Made"]


@dataclass(frozen=True, slots=True)
class Made:
    """A visit that was made."""

    visit: Visit
    interrupted: bool = False
    """Whether the robot itself broke it off."""


class Leases:
    """Asks a budget for leases, and gives them back.

    Args:
        budget: The budget.
        name: Who asks; for people.
        seconds: How long a visit may take at most.

    """

    def __init__(self, budget: Budget, name: str, seconds: float) -> None:
        """Take whom to ask."""
        self._budget = budget
        self._calls = Calls(budget)
        self._holder = f"{name} (process {os.getpid()})"
        self._seconds = seconds

    async def visits(self, origin: str) -> History:
        """Give the history of visits."""
        return await self._calls.call(lambda: self._budget.visits(origin))

    async def acquire(
        self, door: Door, now: datetime, *, for_robots_txt: bool = False
    ) -> Lease | Later:
        """Ask for a lease. If the task is cancelled meanwhile, it is given back."""
        pause = door.pace.interval(now)
        return await self._calls.call(
            lambda: self._budget.acquire(
                door.origin,
                now,
                self._seconds,
                self._holder,
                pause=pause,
                for_robots_txt=for_robots_txt,
            ),
            lambda answer: self._unused(answer, now) if isinstance(answer, Lease) else None,
        )

    def _unused(self, lease: Lease, now: datetime) -> bool:
        return self._budget.release(lease, ended=now, not_before=now)

    async def give_back(self, lease: Lease, now: datetime, turn: Turn | None = None) -> None:
        """Give a lease back that was not used."""
        reason = "released" if turn is None else turn.reason
        due = now if turn is None else turn.not_before
        await self._calls.call(
            lambda: self._budget.release(lease, ended=now, not_before=due, reason=reason)
        )

    async def used(self, lease: Lease, made: Made, history: History, turn: Turn) -> None:
        """Give a lease back after a visit."""
        await self._calls.call(
            lambda: self._budget.release(
                lease,
                ended=made.visit.ended,
                not_before=turn.not_before,
                reason=turn.reason,
                history=history,
            )
        )
