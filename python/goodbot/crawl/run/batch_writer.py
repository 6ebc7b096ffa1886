"""Answers on their way to the recorder: gathered, read, and recorded in batches.

What may live here: which answers wait for others, which are read in a thread, and what becomes of
those that are broken off. What is recorded of an answer is up to the recorder.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from goodbot.crawl.frontier.protocol import Outcome
from goodbot.crawl.run.database_access import DatabaseAccess
from goodbot.crawl.run.page_batch import FetchResult, weight_of
from goodbot.crawl.run.recorder import Recorder
from goodbot.errors import GoodbotError

__all__ = ["Batch", "BatchWriter", "Recorded"]

MOST_ANSWERS = 32
MOST_WEIGHT = 96 * 1024
"""Answers are recorded some at a time while visits follow one another at once: a third of the time
is saved, for what is needed for the one is at hand for the next. No more are gathered than may be
recorded on the loop: small pages in a thread cost a sixth more."""

MOST_AT_ONCE = 128 * 1024
"""What answers may weigh that are read and recorded on the loop; others are in a thread."""

LARGE = 1024 * 1024
"""What weighs as much is read by itself, one at a time, so that others are read meanwhile."""

Recorded: TypeAlias = tuple[Sequence[FetchResult], Sequence[Outcome]]
"""Answers, and what has become of the URL of each."""


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

    """

    def __init__(self, recorder: Recorder, access: DatabaseAccess) -> None:
        """Begin with none."""
        self._recorder, self._access = recorder, access
        self._answers: list[FetchResult] = []
        self._weight = 0
        self._readers = {False: asyncio.Lock(), True: asyncio.Lock()}
        """One thread reads what is large, another the rest."""

    @property
    def is_full(self) -> bool:
        """Whether so many answers wait that they are to be recorded."""
        # What a sitemap lists may be a hundred times as large on the disk as the sitemap.
        if self._answers and self._answers[-1].taken.how == "sitemap-file":
            return True
        return len(self._answers) >= MOST_ANSWERS or self._weight > MOST_WEIGHT

    def add(self, one: FetchResult) -> Batch | None:
        """Gather an answer; return a large one as a batch, which is to be recorded by itself."""
        weight = weight_of(one)
        if weight >= LARGE:
            return Batch([one], weight)
        self._answers.append(one)
        self._weight += weight
        return None

    def gathered(self) -> Batch | None:
        """Return what was gathered, and begin anew; `None` if that is nothing."""
        batch = Batch(self._answers, self._weight)
        self._answers, self._weight = [], 0
        return batch if batch.answers else None

    def record(self, answers: Sequence[FetchResult]) -> Iterator[Recorded]:
        """Read and record answers on the loop, together; if that goes wrong, each by itself."""
        try:
            outcomes = self._recorder.visited(answers, self._recorder.read(answers))
        except GoodbotError:
            raise
        except Exception as error:  # noqa: BLE001  nobody foresaw it
            if len(answers) > 1:
                for one in answers:
                    yield from self.record([one])
                return
            outcomes = [self._recorder.broke(answers[0].taken, error, answers[0].at)]
        yield answers, outcomes

    async def record_beside(self, batch: Batch) -> AsyncIterator[Recorded]:
        """Read a batch in a thread, and record it in one that has the database meanwhile.

        If it is broken off while it is read, its URLs go back into the queue.
        """
        left = [batch.answers]
        try:
            while left:
                some = left[0]
                try:
                    async with self._readers[batch.is_large]:
                        read = await self._access.without_database(
                            partial(self._recorder.read, some)
                        )
                    outcomes = await self._access.in_thread(
                        partial(self._recorder.visited, some, read)
                    )
                except GoodbotError:
                    raise
                except Exception as error:  # noqa: BLE001  nobody foresaw it
                    if len(some) > 1:
                        left[:1] = [[one] for one in some]
                        continue
                    await self._access.free()
                    outcomes = [self._recorder.broke(some[0].taken, error, some[0].at)]
                del left[0]
                yield some, outcomes
        except asyncio.CancelledError:
            await self._access.free()
            for one in (one for some in left for one in some):
                self._recorder.give_back(one.taken)
            raise
