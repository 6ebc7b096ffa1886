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
        self.all = SlotQueue(total)
        self.origins: dict[str, SlotQueue] = {}
        """The slots of each origin that some task has or wants to have a connection to."""

    def turn(self, origin: str) -> "ConnectionSlot":
        """Return a context manager that waits for a slot and holds it."""
        return ConnectionSlot(self, origin)


class SlotQueue:
    """A number of slots; if more tasks want one, they wait in order.

    Usually there are enough slots, so the semaphore is made when a task must wait.
    """

    __slots__ = ("_free", "_most", "users")

    def __init__(self, most: int) -> None:
        """Begin without tasks."""
        self._most = most
        self._free: asyncio.Semaphore | None = None
        """The slots that are free, once there were too few; `None` while there are enough."""
        self.users = 0
        """How many tasks have a slot or wait for one."""

    async def acquire(self) -> None:
        """Wait for a slot; a task that is cancelled while it waits holds nothing."""
        self.users += 1
        if self._free is None and self.users > self._most:
            self._free = asyncio.Semaphore(0)
        if self._free is not None:
            try:
                await self._free.acquire()
            except BaseException:
                self.users -= 1
                raise

    def release(self) -> None:
        """Release a slot."""
        self.users -= 1
        if not self.users:
            self._free = None
        elif self._free is not None:
            self._free.release()


class ConnectionSlot:
    """One slot."""

    __slots__ = ("_of_origin", "_origin", "_turns")

    def __init__(self, turns: ConnectionSlots, origin: str) -> None:
        """Store the limits and the origin."""
        self._turns = turns
        self._origin = origin

    async def __aenter__(self) -> None:
        """Wait for the slot; a task that is cancelled while it waits holds nothing."""
        turns = self._turns
        slots = self._of_origin = turns.origins.get(self._origin) or SlotQueue(turns.per_origin)
        turns.origins[self._origin] = slots
        try:
            await slots.acquire()
            try:
                await turns.all.acquire()
            except BaseException:
                slots.release()
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
        self._of_origin.release()
        self._leave()

    def _leave(self) -> None:
        """Forget an unused origin, so that memory does not grow with every origin ever visited."""
        if not self._of_origin.users:
            self._turns.origins.pop(self._origin, None)
