"""The database, lent to a thread while something large is written down.

What may live here: who has the database. One at a time works with it: the loop, which does so
between two awaits and needs no leave, or one thread. Whoever is on the loop and wants it meanwhile
waits without holding the loop; a store's calls wait in `goodbot.robot.store_executor`, which asks
`lent`.
"""

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from typing import TypeVar

from goodbot.crawl.folder.database import Database
from goodbot.net import Clock
from goodbot.robot.beside import beside
from goodbot.robot.store_executor import waited

__all__ = ["Lending"]

Answer = TypeVar("Answer")


class Lending:
    """Lends the database.

    Args:
        database: The file of the crawl.
        clock: A clock of tests is held while a thread works.
        returned: Is called whenever it is back, before anybody else has it.

    """

    def __init__(self, database: Database, clock: Clock, returned: Callable[[], None]) -> None:
        """Have nobody have it yet."""
        self._database = database
        self._held = getattr(clock, "held", nullcontext)
        self._on_return = returned

    @property
    def is_out(self) -> bool:
        """Whether a thread has it: nothing on the loop may touch database or queue."""
        return self._database.lent is not None

    async def returned(self) -> None:
        """Wait until nobody has it; it is the caller's until the next await.

        A cancellation comes with the next await: what must be written down can still be.
        """
        while (lent := self._database.lent) is not None:
            postpone(await waited(lent))

    async def lend(self, work: Callable[[], Answer]) -> Answer:
        """Do some work with the database in a thread, to its end; see `returned`."""
        await self.returned()
        lent = self._database.lent = asyncio.get_running_loop().create_future()
        try:
            with self._held():
                answer = beside(work)
                cancelled = await waited(answer)
        finally:
            self._database.lent = None
            lent.set_result(None)
            self._on_return()
        postpone(cancelled)
        return answer.result()

    async def read(self, work: Callable[[], Answer]) -> Answer:
        """Do some work without the database in a thread; it is left alone if one is cancelled."""
        with self._held():
            return await beside(work)


def postpone(cancelled: asyncio.CancelledError | None) -> None:
    """Have a cancellation come with the next await."""
    task = asyncio.current_task()
    if cancelled is not None and task is not None:
        task.cancel()
