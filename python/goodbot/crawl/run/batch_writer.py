"""Answers on their way to the recorder: gathered, read, and recorded in batches.

What may live here: which answers wait for others, which are read in a thread, and what becomes of
those that are broken off. What is recorded of an answer is up to the recorder.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from goodbot.crawl.archive.protocol import WholeCopy
from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.protocol import Outcome
from goodbot.crawl.run.database_access import DatabaseAccess
from goodbot.crawl.run.page_batch import FetchResult, PageBatch, weight_of
from goodbot.crawl.run.progress import Progress
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.scheduler import Scheduler
from goodbot.errors import GoodbotError
from goodbot.robot import Visit

__all__ = ["BatchWriter"]

MOST_ANSWERS = 32
MOST_WEIGHT = 96 * 1024
"""Answers are recorded some at a time while visits follow one another at once: a third of the time
is saved, for what is needed for the one is at hand for the next. No more are gathered than may be
recorded on the loop: small pages in a thread cost a sixth more."""

MOST_AT_ONCE = 128 * 1024
"""What answers may weigh that are read and recorded on the loop; others are in a thread."""

LARGE = 1024 * 1024
"""What weighs as much is read by itself, one at a time, so that others are read meanwhile."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Answers that are read and recorded together."""

    answers: Sequence[FetchResult]
    weight: int

    @property
    def is_small(self) -> bool:
        """Whether it may be read and recorded on the loop."""
        return self.weight <= MOST_AT_ONCE

    @property
    def is_large(self) -> bool:
        """Whether it is one large answer."""
        return self.weight >= LARGE


class BatchWriter:
    """Gathers answers, and has them recorded.

    Args:
        recorder: Reads answers, and records them.
        access: Who uses the database.
        scheduler: Runs what is recorded in threads, beside the visits.
        progress: Is told what has become of each URL.

    """

    def __init__(
        self,
        recorder: Recorder,
        access: DatabaseAccess,
        scheduler: Scheduler,
        progress: Progress,
    ) -> None:
        """Begin with none."""
        self._recorder, self._access = recorder, access
        self._scheduler, self._progress = scheduler, progress
        self._answers: list[FetchResult] = []
        self._weight = 0
        self._readers = {False: asyncio.Lock(), True: asyncio.Lock()}
        """One thread reads what is large, another the rest."""

    # Gathering.

    def gather(self, url: QueuedUrl, visit: Visit, kept: WholeCopy | None = None) -> None:
        """Keep an answer until it is recorded with others; a large one is recorded by itself.

        Args:
            url: The URL that was visited.
            visit: What was answered.
            kept: The copy about which the request asked, if it had a condition.

        """
        self._progress.fetched(url.origin)
        one = FetchResult(url, visit, self._progress.now(), kept)
        weight = weight_of(one)
        if weight >= LARGE:
            self._scheduler.spawn(self._record_beside(Batch([one], weight)))
            return
        self._answers.append(one)
        self._weight += weight

    def may_gather_more(self) -> bool:
        """Whether answers may wait for others: another visit is next, and they are few."""
        is_full = self._is_full() or self._access.is_taken
        return not is_full and self._scheduler.is_another_next()

    def _is_full(self) -> bool:
        """Whether so many answers wait that they are to be recorded."""
        # What a sitemap lists may be a hundred times as large on the disk as the sitemap.
        if self._answers and self._answers[-1].taken.how == "sitemap-file":
            return True
        return len(self._answers) >= MOST_ANSWERS or self._weight > MOST_WEIGHT

    def _gathered(self) -> Batch | None:
        """Return what was gathered, and begin anew; `None` if that is nothing."""
        batch = Batch(self._answers, self._weight)
        self._answers, self._weight = [], 0
        return batch if batch.answers else None

    # Recording.

    async def record_gathered(self) -> None:
        """Read and record what was gathered, and queue where it leads."""
        await self._access.free()
        recording = self.start_recording()
        if recording is not None:
            # Whoever is broken off here leaves it to its end.
            await asyncio.wait({recording})

    def start_recording(self) -> "asyncio.Task[None] | None":
        """Record what was gathered: here if it is small, else begin to, in threads."""
        batch = self._gathered()
        if batch is None:
            return None
        if self._access.is_taken or not batch.is_small:
            return self._scheduler.spawn(self._record_beside(batch))
        self._record_here(batch.answers)
        self._scheduler.wake_one()
        return None

    def _record_here(self, answers: Sequence[FetchResult]) -> None:
        """Read and record answers on the loop, together; if that goes wrong, each by itself."""
        try:
            read = self._recorder.read(answers)
            outcomes = self._recorder.visited(answers, read)
        except GoodbotError:
            raise
        except Exception as error:  # noqa: BLE001  nobody foresaw it
            if len(answers) > 1:
                for one in answers:
                    self._record_here([one])
                return
            read, outcomes = [], [self._broke(answers[0], error)]
        self._settled(answers, outcomes, read)

    async def _record_beside(self, batch: Batch) -> None:
        """Read a batch in a thread, and record it in one that has the database meanwhile.

        If it is broken off while it is read, its URLs go back into the queue.
        """
        left = [batch.answers]
        try:
            while left:
                some = left[0]
                try:
                    outcomes, read = await self._read_and_recorded(some, is_large=batch.is_large)
                except GoodbotError:
                    raise
                except Exception as error:  # noqa: BLE001  nobody foresaw it
                    if len(some) > 1:
                        left[:1] = [[one] for one in some]
                        continue
                    await self._access.free()
                    read, outcomes = [], [self._broke(some[0], error)]
                del left[0]
                self._settled(some, outcomes, read)
        except asyncio.CancelledError:
            await self._access.free()
            for one in (one for some in left for one in some):
                self._recorder.give_back(one.taken)
            raise

    async def _read_and_recorded(
        self, answers: Sequence[FetchResult], *, is_large: bool
    ) -> tuple[Sequence[Outcome], PageBatch]:
        """Read answers in a thread without the database, then record them in one with it."""
        access, recorder = self._access, self._recorder
        async with self._readers[is_large]:
            read = await access.without_database(partial(recorder.read, answers))
        return await access.in_thread(partial(recorder.visited, answers, read)), read

    def _broke(self, one: FetchResult, error: Exception) -> Outcome:
        return self._recorder.broke(one.taken, error, self._progress.now())

    def _settled(
        self, answers: Sequence[FetchResult], outcomes: Sequence[Outcome], read: PageBatch
    ) -> None:
        for page in read:
            self._progress.odd(page.taken, page.evidence.findings)
        for one, outcome in zip(answers, outcomes, strict=True):
            self._progress.settled(one.taken, outcome, one.visit.response.wire_bytes)
