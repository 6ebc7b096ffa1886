"""Access to the database: it is used by the event loop or by one thread at a time.

Scope: mutual exclusion. Code on the event loop uses the database between two awaits and needs no
permission. A thread takes it for longer work; meanwhile tasks that need it wait without blocking
the loop. Calls of a robot's store wait in `goodbot.robot.store_executor`, which checks
`Database.lent`.
"""

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from typing import TypeVar

from goodbot.crawl.folder.database import Database
from goodbot.net import Clock
from goodbot.robot.beside import beside
from goodbot.robot.store_executor import waited

__all__ = ["DatabaseAccess"]

Result = TypeVar("Result")


class DatabaseAccess:
    """Prevents the event loop and threads from using the database at the same time.

    Args:
        database: The file of the crawl.
        clock: The clock; a test clock stands still while a thread works.

    """

    def __init__(self, database: Database, clock: Clock) -> None:
        """Start without a thread."""
        self._database = database
        self._held = getattr(clock, "held", nullcontext)

    @property
    def is_taken(self) -> bool:
        """Whether a thread uses the database, so that the loop must not touch it or the queue."""
        return self._database.lent is not None

    async def free(self) -> None:
        """Wait until no thread uses the database; the caller may use it until the next await.

        If the task is cancelled meanwhile, the cancellation takes effect at the next await after
        this one, so that the task can still record what it must.
        """
        while (lent := self._database.lent) is not None:
            postpone(await waited(lent))

    async def in_thread(self, work: Callable[[], Result]) -> Result:
        """Run work with the database in a thread to its end; see `free` about cancellation."""
        await self.free()
        lent = self._database.lent = asyncio.get_running_loop().create_future()
        try:
            with self._held():
                result = beside(work)
                cancelled = await waited(result)
        finally:
            self._database.lent = None
            lent.set_result(None)
        postpone(cancelled)
        return result.result()

    async def without_database(self, work: Callable[[], Result]) -> Result:
        """Run work without the database in a thread; if cancelled, abandon the thread."""
        with self._held():
            return await beside(work)


def postpone(cancelled: asyncio.CancelledError | None) -> None:
    """Make a cancellation take effect at the next await."""
    task = asyncio.current_task()
    if cancelled is not None and task is not None:
        task.cancel()
