"""Publishing: a run whose results go elsewhere in batches, and whose URLs are settled with them.

Scope: the protocol, and when a run publishes. A worker of a fleet publishes to object storage
(`goodbot.crawl.fleet`).

The outcome of a visit is recorded in the folder at once, and its site goes on. Its URL stays leased
until the batch that has the outcome is where others can read it. So a URL that is settled has its
results there, and what is lost before that is visited again.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.protocol import Outcome
from goodbot.crawl.run.database_access import DatabaseAccess
from goodbot.crawl.run.scheduler import Scheduler

__all__ = ["Publisher", "Publishing"]


class Publisher(Protocol):
    """Puts results where others can read them, in batches."""

    def gather(self, settled: Sequence[tuple[QueuedUrl, Outcome, datetime]]) -> None:
        """Note outcomes that the folder has, for the next batch."""

    def is_due(self) -> bool:
        """Return whether the next batch is large or old enough."""

    def is_resting(self) -> bool:
        """Return whether outcomes wait for a batch, and nothing else is left to do or wait for."""

    def cut(self) -> Any | None:  # noqa: ANN401  the publisher's own
        """Cut a batch out of the folder; `None` if there is nothing. Nothing else uses it now."""

    def put(self, batch: Any) -> None:  # noqa: ANN401  as above
        """Put a batch where others can read it; may take long, and uses neither folder nor queue.

        Raises:
            StoreError: It cannot be put there.

        """

    def settle(self, batch: Any) -> None:  # noqa: ANN401  as above
        """Settle the URLs of a batch, and name it, in one transaction.

        Raises:
            StoreError: The queue cannot be reached.

        """


class Publishing:
    """Publishes what a run records, one batch at a time.

    Args:
        publisher: Cuts, puts and settles.
        access: Controls who uses the database.
        scheduler: Has the workers, which a batch that is cut may have kept waiting.

    """

    def __init__(self, publisher: Publisher, access: DatabaseAccess, scheduler: Scheduler) -> None:
        """Start without a batch."""
        self._publisher, self._access, self._scheduler = publisher, access, scheduler
        self._task: asyncio.Task[bool] | None = None
        self._is_broken_off = False
        scheduler.before_end.append(self._begin_rest)

    def look(self) -> None:
        """Begin to publish if a batch is due and none is under way."""
        if self._task is None and self._publisher.is_due():
            self._begin()

    def _begin_rest(self) -> bool:
        """Begin to publish if nothing else is left to do; return whether a batch is under way."""
        if self._task is None and self._publisher.is_resting():
            self._begin()
        return self._task is not None

    def _begin(self) -> None:
        self._task = asyncio.ensure_future(self._publish())
        self._task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[bool]") -> None:
        self._task = None
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._scheduler.fail(error)
        self._scheduler.wake_all()

    async def _publish(self) -> bool:
        """Publish what is recorded; return whether there was anything."""
        batch = await self._access.in_thread(self._publisher.cut)
        self._scheduler.wake_all()
        if batch is None:
            return False
        await self._access.without_database(lambda: self._publisher.put(batch))
        await self._access.in_thread(lambda: self._publisher.settle(batch))
        return True

    async def end(self) -> None:
        """Publish everything, at the end of a run; an error is that of the scheduler."""
        is_left = True
        while is_left and self._scheduler.error is None and not self._is_broken_off:
            if self._task is None:
                self._begin()
            task = self._task
            await self.abandon()
            is_left = task is not None and not task.cancelled() and not task.exception()
            is_left = is_left and task is not None and task.result()

    async def abandon(self) -> None:
        """Wait for the batch that is under way, if there is one."""
        if self._task is not None:
            await asyncio.wait({self._task})

    def break_off(self) -> None:
        """End at once; what is not settled is on this machine, and its URLs are visited again."""
        self._is_broken_off = True
        if self._task is not None:
            self._task.cancel()
