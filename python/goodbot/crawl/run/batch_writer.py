"""Responses on their way to the recorder: gathered, read, and recorded in batches.

Scope: deciding which responses wait for others, which are read in a thread, and what happens to
those that are cancelled. The recorder decides what is recorded.
"""

import asyncio
from collections.abc import Sequence
from functools import partial

from goodbot.crawl.archive.protocol import WholeCopy
from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.protocol import Outcome
from goodbot.crawl.run.database_access import DatabaseAccess
from goodbot.crawl.run.page_batch import LARGE, FetchResult, PageBatch, weight_of
from goodbot.crawl.run.progress import Progress
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.scheduler import Scheduler
from goodbot.errors import GoodbotError
from goodbot.lazy_dataclass import dataclass
from goodbot.robot import Visit

__all__ = ["BatchWriter"]

MOST_ANSWERS = 64
MOST_WEIGHT = 256 * 1024
"""Limits of a batch. While visits follow one another without pause, responses are recorded in
batches, which saves a third of the time because code and data stay in the processor's caches:
small pages cost a tenth more in batches of 13 than of 36. A batch is kept small enough to be
recorded on the event loop: small pages in a thread cost a sixth more."""

MOST_AT_ONCE = 384 * 1024
MOST_ALONE = 128 * 1024
"""The most weight that is read and recorded on the event loop: of a batch, and of one response in
it. What is heavier goes to a thread."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Responses that are read and recorded together."""

    answers: Sequence[FetchResult]
    weight: int
    heaviest: int
    """The weight of the heaviest response."""

    @property
    def is_small(self) -> bool:
        """Whether it may be read and recorded on the event loop."""
        return self.weight <= MOST_AT_ONCE and self.heaviest <= MOST_ALONE

    @property
    def is_large(self) -> bool:
        """Whether it is a single large response."""
        return self.weight >= LARGE


class BatchWriter:
    """Gathers responses and passes them to the recorder.

    Args:
        recorder: Reads responses and records them.
        access: Controls who uses the database.
        scheduler: Runs threads that record during visits.
        progress: Counts the result for each URL.

    """

    def __init__(
        self,
        recorder: Recorder,
        access: DatabaseAccess,
        scheduler: Scheduler,
        progress: Progress,
    ) -> None:
        """Start with an empty batch."""
        self._recorder, self._access = recorder, access
        self._scheduler, self._progress = scheduler, progress
        self._answers: list[FetchResult] = []
        self._weight = self._heaviest = 0
        self._readers = {False: asyncio.Lock(), True: asyncio.Lock()}
        """One thread reads large responses, another one all others."""
        scheduler.before_end.append(self._begin_rest)

    # Gathering.

    def gather(
        self,
        url: QueuedUrl,
        visit: Visit,
        kept: WholeCopy | None = None,
        *,
        is_check: bool = False,
    ) -> None:
        """Hold a response until it is recorded with others; a large one is recorded alone.

        Args:
            url: The URL that was visited.
            visit: The visit with the response.
            kept: The copy that a conditional request may confirm.
            is_check: Whether a link to another site was only checked.

        """
        one = FetchResult(url, visit, self._progress.now(), kept, is_check)
        self._progress.answered(url.origin, is_page=one.is_fetched_page)
        weight = weight_of(one)
        if weight >= LARGE:
            self._scheduler.spawn(self._record_beside(Batch([one], weight, weight)))
            return
        self._answers.append(one)
        self._weight += weight
        self._heaviest = max(self._heaviest, weight)

    def is_full(self) -> bool:
        """Return whether the batch must be recorded now, even if another visit follows at once."""
        # The URLs of a sitemap may take a hundred times as much disk space as the sitemap.
        if self._answers and self._answers[-1].taken.how == "sitemap-file":
            return True
        is_heavy = self._weight > MOST_WEIGHT or self._heaviest > MOST_ALONE
        return is_heavy or len(self._answers) >= MOST_ANSWERS

    def _gathered(self) -> Batch | None:
        """Return the batch and start a new one; `None` if it is empty."""
        batch = Batch(self._answers, self._weight, self._heaviest)
        self._answers, self._weight, self._heaviest = [], 0, 0
        return batch if batch.answers else None

    # Recording.

    async def record_before_pause(self) -> None:
        """Read and record the batch, unless another visit follows at once."""
        if self._answers:
            await self._access.free()
            if not self._scheduler.is_another_next():
                await self.record_gathered()

    async def record_gathered(self) -> None:
        """Read and record the batch, and queue its links."""
        await self._access.free()
        recording = self.start_recording()
        if recording is not None:
            # If the caller is cancelled here, recording still runs to its end.
            await asyncio.wait({recording})

    def start_recording(self) -> "asyncio.Task[None] | None":
        """Record the batch at once if it is small; otherwise start recording it in threads."""
        batch = self._gathered()
        if batch is None:
            return None
        if self._access.is_taken or not batch.is_small:
            return self._scheduler.spawn(self._record_beside(batch))
        self._record_here(batch.answers)
        self._scheduler.wake_one()
        return None

    def _begin_rest(self) -> bool:
        """Begin to record what is gathered, if nothing else is left to do; return whether it has.

        Visits of two sites may both have left it to the other's next URL, which was held back.
        """
        if self._answers:
            self._scheduler.spawn(self.record_gathered())
        return bool(self._answers)

    def _record_here(self, answers: Sequence[FetchResult]) -> None:
        """Read and record responses on the event loop; after an error, one by one."""
        try:
            read = self._recorder.read(answers)
            outcomes = self._recorder.visited(answers, read)
        except GoodbotError:
            raise
        except Exception as error:  # noqa: BLE001  unexpected
            if len(answers) > 1:
                for one in answers:
                    self._record_here([one])
                return
            read, outcomes = [], [self._broke(answers[0], error)]
        self._settled(answers, outcomes, read)

    async def _record_beside(self, batch: Batch) -> None:
        """Read a batch in a thread, and record it in a thread with access to the database.

        If reading is cancelled, the URLs go back into the queue.
        """
        left = [batch.answers]
        try:
            while left:
                some = left[0]
                try:
                    outcomes, read = await self._read_and_recorded(some, is_large=batch.is_large)
                except GoodbotError:
                    raise
                except Exception as error:  # noqa: BLE001  unexpected
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
        """Read responses in a thread without the database, then record them in one with it."""
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
