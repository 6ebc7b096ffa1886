"""Answers, read and written down: on the loop if they are small, else beside it.

What may live here: which of them wait for others, which of them threads read, and what becomes of
those that are broken off. What is written down is known by the recorder.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from goodbot.crawl.frontier.sqlite import Outcome
from goodbot.crawl.run.lending import Lending
from goodbot.crawl.run.page_batch import FetchResult, weight_of
from goodbot.crawl.run.recorder import Recorder
from goodbot.errors import GoodbotError

__all__ = ["Writings"]

MOST_ANSWERS = 32
MOST_WEIGHT = 96 * 1024
"""Answers are written down some at a time while visits follow one another at once: a third of the
time is saved, for what is needed for the one is at hand for the next. No more are gathered than may
be written on the loop: small pages in a thread cost a sixth more."""

MOST_AT_ONCE = 128 * 1024
"""What answers may weigh that are read and written down on the loop; others are in a thread."""

LARGE = 1024 * 1024
"""What weighs as much is read by itself, one at a time, so that others are read meanwhile."""


class Writings:
    """What was answered and is to be written down.

    Args:
        recorder: Reads answers, and writes them down.
        lending: Who has the database.
        now: Tells the time.
        tell: Is given answers with what has become of them.
        resume: Has somebody look at the queue again.
        end_by: Ends the crawl by an error.

    """

    def __init__(  # noqa: PLR0913  each is documented above
        self,
        recorder: Recorder,
        lending: Lending,
        *,
        now: Callable[[], datetime],
        tell: Callable[[Sequence[FetchResult], Sequence[Outcome]], None],
        resume: Callable[[], None],
        end_by: Callable[[Exception], None],
    ) -> None:
        """Begin with none."""
        self._recorder, self._lending = recorder, lending
        self._now, self._tell, self._resume, self._end_by = now, tell, resume, end_by
        self._answers: list[FetchResult] = []
        self._weight = 0
        self._tasks: set[asyncio.Task[None]] = set()
        """What is being read and written down beside the loop."""
        self._readers = {False: asyncio.Lock(), True: asyncio.Lock()}
        """One thread reads what is large, another the rest."""

    @property
    def is_busy(self) -> bool:
        """Whether something is under way that may lead on."""
        return bool(self._tasks)

    @property
    def is_full(self) -> bool:
        """Whether so many answers wait that they are to be written down."""
        # What a sitemap lists may be a hundred times as large on the disk as the sitemap.
        if self._answers and self._answers[-1].taken.how == "sitemap-file":
            return True
        return len(self._answers) >= MOST_ANSWERS or self._weight > MOST_WEIGHT

    def add(self, one: FetchResult) -> None:
        """Accept an answer; it is written down with others, unless it is large."""
        weight = weight_of(one)
        if weight >= LARGE:
            self._beside([one], is_large=True)
            return
        self._answers.append(one)
        self._weight += weight

    async def write(self) -> None:
        """Write down what came of the visits that were answered, and tell it."""
        await self._lending.returned()
        writing = self.begin()
        if writing is not None:
            # Who is broken off here leaves it to its end.
            await asyncio.wait({writing})

    def begin(self) -> "asyncio.Task[None] | None":
        """Write down answers if they are few; else begin to, beside the loop."""
        answers, weight = self._answers, self._weight
        self._answers, self._weight = [], 0
        if not answers:
            return None
        if weight > MOST_AT_ONCE or self._lending.is_out:
            return self._beside(answers, is_large=False)
        for some, settled in self._written(answers):
            self._tell(some, settled)
        self._resume()
        return None

    def _written(
        self, answers: Sequence[FetchResult]
    ) -> Iterator[tuple[Sequence[FetchResult], list[Outcome]]]:
        """Write answers down together; if that goes wrong, each by itself."""
        try:
            settled = self._recorder.visited(answers, self._recorder.read(answers))
        except GoodbotError:
            raise
        except Exception as error:  # noqa: BLE001  nobody foresaw it
            if len(answers) > 1:
                for one in answers:
                    yield from self._written([one])
                return
            settled = [self._recorder.broke(answers[0].taken, error, self._now())]
        yield answers, settled

    def _beside(self, answers: Sequence[FetchResult], *, is_large: bool) -> "asyncio.Task[None]":
        """Begin to read and write down answers beside the loop."""
        return self.begun(self._written_beside(answers, is_large=is_large))

    def begun(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Begin some work beside the loop, without which the crawl does not end."""
        writing = asyncio.ensure_future(work)
        self._tasks.add(writing)
        writing.add_done_callback(self._writing_is_over)
        return writing

    async def _written_beside(self, answers: Sequence[FetchResult], *, is_large: bool) -> None:
        """Read answers in a thread, and write them down in one that the database is lent to.

        If it is broken off while they are read, the URLs go back into the queue.
        """
        left = [answers]
        try:
            while left:
                some = left[0]
                try:
                    async with self._readers[is_large]:
                        read = await self._lending.read(partial(self._recorder.read, some))
                    settled = await self._lending.lend(partial(self._recorder.visited, some, read))
                except GoodbotError:
                    raise
                except Exception as error:  # noqa: BLE001  nobody foresaw it
                    if len(some) > 1:
                        left[:1] = [[one] for one in some]
                        continue
                    await self._lending.returned()
                    settled = [self._recorder.broke(some[0].taken, error, self._now())]
                del left[0]
                self._tell(some, settled)
        except asyncio.CancelledError:
            await self._lending.returned()
            for some in left:
                for one in some:
                    self._recorder.give_back(one.taken)
            raise

    def _writing_is_over(self, writing: "asyncio.Task[None]") -> None:
        self._tasks.discard(writing)
        if not writing.cancelled() and writing.exception() is not None:
            error = writing.exception()
            assert isinstance(error, Exception)  # noqa: S101  nothing else is raised
            self._end_by(error)
        self._resume()

    def break_off(self) -> None:
        """Break off what is read; what is being written down comes to its end."""
        for writing in self._tasks:
            writing.cancel()

    async def over(self, seconds: float | None = None) -> None:
        """Wait until everything is written down, no longer than so many seconds."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
