"""Limits on connections: how many at once, and how many to one origin."""

import asyncio
from types import TracebackType

__all__ = ["ConnectionSlots"]


class ConnectionSlots:
    """Limits how many tasks have a connection at once, and how many to one origin.

    Waiting here is not the site's fault, so it does not count toward the deadline of a fetch. A
    task waits for its origin first, so that one slow site does not use up the slots of the others.
    """

    def __init__(self, total: int, per_origin: int) -> None:
        """Set the limits."""
        self.per_origin = per_origin
        self.all = asyncio.Semaphore(total)
        self.origins: dict[str, OriginSlots] = {}

    def turn(self, origin: str) -> "ConnectionSlot":
        """Return a context manager that waits for a slot and holds it."""
        return ConnectionSlot(self, origin)


class OriginSlots:
    """The slots of one origin, and how many tasks have or want one."""

    __slots__ = ("semaphore", "users")

    def __init__(self, per_origin: int) -> None:
        """Begin without tasks."""
        self.semaphore = asyncio.Semaphore(per_origin)
        self.users = 0


class ConnectionSlot:
    """One slot."""

    __slots__ = ("_origin", "_seats", "_turns")

    def __init__(self, turns: ConnectionSlots, origin: str) -> None:
        """Store the limits and the origin."""
        self._turns = turns
        self._origin = origin
        self._seats = turns.origins.get(origin) or OriginSlots(turns.per_origin)

    async def __aenter__(self) -> None:
        """Wait for the slot; a task that is cancelled while it waits holds nothing."""
        seats = self._seats = self._turns.origins.setdefault(self._origin, self._seats)
        seats.users += 1
        try:
            await seats.semaphore.acquire()
            try:
                await self._turns.all.acquire()
            except BaseException:
                seats.semaphore.release()
                raise
        except BaseException:
            self._leave()
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release the slot."""
        self._turns.all.release()
        self._seats.semaphore.release()
        self._leave()

    def _leave(self) -> None:
        """Forget an unused origin, so that memory does not grow with every origin ever visited."""
        self._seats.users -= 1
        if not self._seats.users:
            del self._turns.origins[self._origin]
