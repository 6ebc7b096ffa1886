"""Who uses the database: the event loop, or one thread.

What may live here: one user at a time. The loop uses it between two awaits, and needs no leave. A
thread has it for what takes long; whoever is on the loop and wants it meanwhile waits without
holding the loop. The calls of a robot's store wait in `goodbot.robot.store_executor`, which looks
at `Database.lent`.
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
    """Keeps the loop and threads from using the database at the same time.

    Args:
        database: The file of the crawl.
        clock: A clock of tests is held while a thread works.

    """

    def __init__(self, database: Database, clock: Clock) -> None:
        """Begin with no thread."""
        self._database = database
        self._held = getattr(clock, "held", nullcontext)

    @property
    def is_taken(self) -> bool:
        """Whether a thread has it: nothing on the loop may touch database or queue."""
        return self._database.lent is not None

    async def free(self) -> None:
        """Wait until no thread has it; it is the caller's until the next await.

        If the task is cancelled meanwhile, it notices at the next await after this one: what must
        be recorded can still be.
        """
        while (lent := self._database.lent) is not None:
            postpone(await waited(lent))

    async def in_thread(self, work: Callable[[], Result]) -> Result:
        """Do some work with the database in a thread, to its end; see `free` on cancelling."""
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
        """Do some work in a thread that needs no database; if cancelled, leave it to itself."""
        with self._held():
            return await beside(work)


def postpone(cancelled: asyncio.CancelledError | None) -> None:
    """Have a cancellation come with the next await."""
    task = asyncio.current_task()
    if cancelled is not None and task is not None:
        task.cancel()
