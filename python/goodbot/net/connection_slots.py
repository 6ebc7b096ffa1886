"""Whose turn it is to have a connection: so many at once, and so many to one origin."""

import asyncio
from types import TracebackType

__all__ = ["ConnectionSlots"]


class ConnectionSlots:
    """Lets so many in at once, and so many to one origin.

    Waiting here is not the site's fault, and so it is apart from the deadline of a fetch. A task
    waits for its origin first: then one slow site takes no turns from the others.
    """

    def __init__(self, total: int, per_origin: int) -> None:
        """Take how many."""
        self.per_origin = per_origin
        self.all = asyncio.Semaphore(total)
        self.origins: dict[str, OriginSlots] = {}

    def turn(self, origin: str) -> "ConnectionSlot":
        """Return what waits for a turn at an origin, and has it within `async with`."""
        return ConnectionSlot(self, origin)


class OriginSlots:
    """The turns of one origin, and how many have or want one."""

    __slots__ = ("semaphore", "users")

    def __init__(self, per_origin: int) -> None:
        """Begin with nobody."""
        self.semaphore = asyncio.Semaphore(per_origin)
        self.users = 0


class ConnectionSlot:
    """One turn."""

    __slots__ = ("_origin", "_seats", "_turns")

    def __init__(self, turns: ConnectionSlots, origin: str) -> None:
        """Take of which turns, and where."""
        self._turns = turns
        self._origin = origin
        self._seats = turns.origins.get(origin) or OriginSlots(turns.per_origin)

    async def __aenter__(self) -> None:
        """Wait; nothing is kept by anyone who is cancelled meanwhile."""
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
        """Return the turn back."""
        self._turns.all.release()
        self._seats.semaphore.release()
        self._leave()

    def _leave(self) -> None:
        """Forget an origin that nobody uses; else each ever asked would stay in memory."""
        self._seats.users -= 1
        if not self._seats.users:
            del self._turns.origins[self._origin]
