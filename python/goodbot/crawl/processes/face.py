"""The face of a crawl in several processes: it hears all of them, and decides for all.

Scope: what follows from the messages of the processes. `agreement`, `portions` and `totals` decide
when the crawl is over, what each process may use, and what it came to.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from goodbot.crawl.frontier.bounds import Bounds
from goodbot.crawl.processes.agreement import behind, have_finished, reason_of
from goodbot.crawl.processes.messages import (
    Begin,
    Command,
    Finished,
    Granted,
    Lost,
    Message,
    Moved,
    News,
    ProcessReport,
    Ready,
    Wanted,
)
from goodbot.crawl.processes.pipes import PartPipe
from goodbot.crawl.processes.portions import LEAST, RESOURCES, Quota
from goodbot.crawl.processes.totals import total
from goodbot.crawl.run.events import Summary
from goodbot.errors import GoodbotError, StoreUnavailableError

__all__ = ["CrawlProcess", "Face"]

ENDING = 10.0
"""Seconds after a second call of `Face.stop` after which processes that still run are killed."""

KILLED = 9
"""The number of the signal that ends a process at once."""

PART_ENDED = "part-ended"
"""Why the other processes are stopped if one ends by an error."""


@dataclass
class CrawlProcess:
    """One process, as far as the face knows it."""

    pipe: PartPipe
    begin: Begin
    opened: Ready | None = None
    report: ProcessReport = field(default_factory=ProcessReport)
    told: int = 0
    """How many messages it was sent that may end its rest."""
    finished: Finished | None = None
    lost: Lost | None = None
    hangs: bool = False
    """Whether it was killed because it did not stop."""

    @property
    def is_over(self) -> bool:
        """Whether the process says nothing any more."""
        return self.finished is not None or self.lost is not None


class Face:
    """The face of one run.

    Args:
        members: The processes, in the order of their numbers.
        bounds: The bounds of the crawl.
        listener: Called with each event and remark.
        opened: Called when every process is ready, with the number of queued URLs and of those that
            were removed. If it raises a `GoodbotError`, the run ends with that.
        disk: The bytes in the folder that belong to no process.

    """

    def __init__(
        self,
        members: Sequence[CrawlProcess],
        bounds: Bounds,
        listener: Callable[[object], object],
        opened: Callable[[int, int], object],
        disk: int = 0,
    ) -> None:
        """Start without any message."""
        self._disk = disk
        self.members = members
        self._bounds = bounds
        self._listener, self._on_opened = listener, opened
        self._quotas: dict[str, Quota] = {}
        self._hungry: dict[str, dict[int, int]] = {name: {} for name in RESOURCES}
        """By bound: the processes that need more of it, and how much they used beyond it."""
        self.stopped = ""
        """Why the run is stopped, a slug."""
        self._ended = ""
        """Why the run ended by itself, a slug."""
        self._error: BaseException | None = None

    async def to_end(self, started: datetime) -> Summary:
        """Hear the processes until all of them have ended; return the summary of all.

        Raises:
            StoreError: A part cannot be written, the disk is full, or a process was killed.
            Exception: An unexpected error in a process.

        """
        for member in self.members:
            member.pipe.send(member.begin)
        if self.stopped:
            self._tell_all(Command("stop", self.stopped))
        hearing = [
            asyncio.ensure_future(self._hear_all(number)) for number in range(len(self.members))
        ]
        try:
            await asyncio.gather(*hearing)
        finally:
            for task in hearing:
                task.cancel()
            await asyncio.gather(*(member.pipe.close() for member in self.members))
        return self._summary(started)

    def stop(self, reason: str) -> None:
        """End the run: requests under way are finished; a second call cancels them.

        A process that hangs does not keep the run from ending after the second call.
        """
        if self.stopped:
            asyncio.get_running_loop().call_later(ENDING, self._kill_all)
        self.stopped = self.stopped or reason
        self._tell_all(Command("stop", reason))

    def _kill_all(self) -> None:
        for member in self.members:
            if not member.is_over:
                member.hangs = True
                member.pipe.kill()

    def hold(self) -> None:
        """Send the order to make no further request until `go_on`."""
        for member in self.members:
            member.told += 1  # so that none counts as finished meanwhile
        self._tell_all(Command("hold"))

    def go_on(self) -> None:
        """Send the order to make requests again."""
        self._tell_all(Command("go-on"))

    def waiting(self, origin: str) -> int:
        """Return how many URLs wait in the queues, for one origin or for all."""
        return sum(member.report.waiting.get(origin, 0) for member in self.members)

    @property
    def cpu(self) -> float:
        """The seconds of processor time that the processes took."""
        return sum(one.finished.cpu for one in self.members if one.finished is not None)

    # Hearing.

    async def _hear_all(self, number: int) -> None:
        member = self.members[number]
        while not member.is_over:
            self._hear(number, await member.pipe.receive())

    def _hear(self, number: int, message: Message) -> None:
        """Do what follows from a message of a process."""
        member = self.members[number]
        if isinstance(message, News):
            for event in message.events:
                self._listener(event)
        elif isinstance(message, ProcessReport):
            self._reported(number, message)
        elif isinstance(message, Wanted):
            owner = member.begin.shares.owner(message.origin)
            self.members[owner].pipe.send(Command("move", message.origin))
        elif isinstance(message, Moved):
            self._tell_all(Command("moved", message.origin))
        elif isinstance(message, Ready):
            member.opened = message
            self._opened()
        elif isinstance(message, Finished):
            member.finished = message
            self._has_finished(message)
        elif isinstance(message, Lost):
            member.lost = message
            self._has_vanished(number, message)

    def _opened(self) -> None:
        """Begin when every process is ready."""
        opened = [one.opened for one in self.members if one.opened is not None]
        if len(opened) < len(self.members):
            return
        none = [0] * len(opened)
        used = {"pages": none, "bytes": none, "disk": [one.disk for one in opened]}
        limits = {name: getattr(self._bounds, name) for name in RESOURCES}
        if limits["disk"] is not None:
            limits["disk"] -= self._disk
        self._quotas = {
            name: Quota(limits[name], used[name], LEAST[name])
            for name in RESOURCES
            if limits[name] is not None
        }
        try:
            self._on_opened(sum(one.waiting for one in opened), sum(one.removed for one in opened))
        except GoodbotError as error:  # the folder cannot be written: end all in order
            self._fail(error)
        self._serve()

    def _reported(self, number: int, report: ProcessReport) -> None:
        """Serve bounds, pass on that there are URLs, and end the crawl if all have finished."""
        self.members[number].report = report
        if report.rest is not None and not report.rest.is_hungry:
            self._ask_others(number)
        for name, size in report.returned.items():
            if name in self._quotas:
                self._quotas[name].returned(number, size)
        for name, over in report.over.items():
            self._hungry[name][number] = over
        if not self._quotas and len([1 for one in self.members if one.opened]) < len(self.members):
            return
        self._serve()
        reports = [one.report for one in self.members]
        for other, finder in behind(reports):
            if finder == number:
                self.members[other].pipe.send(Command("look", str(finder)))
        if have_finished(reports, [one.told for one in self.members]):
            self._all_rest(reports)

    def _ask_others(self, number: int) -> None:
        """Order all processes to hand over soon what they find for one with nothing to do."""
        for other, member in enumerate(self.members):
            if other != number and not member.is_over:
                member.pipe.send(Command("hand-over", str(number)))

    def _serve(self) -> None:
        """Send portions to those that need more of a bound; ask others to return what they have."""
        for name, quota in self._quotas.items():
            for number, over in list(self._hungry[name].items()):
                size = quota.portion(number, over)
                self._hungry[name][number] = 0
                if size:
                    del self._hungry[name][number]
                    member = self.members[number]
                    member.told += 1
                    member.pipe.send(Granted(name, size))
            if self._hungry[name]:
                for number, member in enumerate(self.members):
                    if number not in self._hungry[name] and not member.is_over:
                        member.pipe.send(Command("return", name))

    def _all_rest(self, reports: Sequence[ProcessReport]) -> None:
        """End the crawl, unless sites that had their share of the pages may go on."""
        if self._ended:
            return
        hungry = [slug for name, slug in RESOURCES.items() if self._hungry[name]]
        if not hungry and any(one.rest is not None and one.rest.holds for one in reports):
            for member in self.members:
                member.told += 1
            self._tell_all(Command("share"))
            return
        self._end(hungry[0] if hungry else reason_of(reports))

    def _end(self, reason: str) -> None:
        self._ended = reason
        self._tell_all(Command("end", reason))

    def _has_finished(self, message: Finished) -> None:
        """End the others with a process that ended by itself: by an error, or by its own bounds."""
        if message.error is not None:
            self._fail(message.error)
        elif message.summary is not None and not self._ended and not self.stopped:
            self.stopped = message.summary.ended
            self._tell_all(Command("stop", self.stopped))

    def _has_vanished(self, number: int, message: Lost) -> None:
        """End the others if a process is gone without a word."""
        how = f"with status {message.status}"
        if message.status is not None and message.status < 0:
            how = f"by signal {-message.status}"
        if self.members[number].hangs:
            how = "because it did not stop"
        elif message.status == -KILLED:
            how += ", as a system does when memory runs out"
        text = (
            f"process {number + 1} of {len(self.members)} of the crawl in "
            f"{self.members[number].begin.folder} was ended {how}; the others were stopped in "
            "order. Resume the crawl to continue"
        )
        self._fail(StoreUnavailableError(text))

    def _fail(self, error: BaseException) -> None:
        # Errors of goodbot say what to do, so they come before any other.
        if self._error is None or (
            isinstance(error, GoodbotError) and not isinstance(self._error, GoodbotError)
        ):
            self._error = error
        if not self.stopped and not self._ended:
            self.stopped = PART_ENDED
            self._tell_all(Command("stop", PART_ENDED))

    def _tell_all(self, message: Command) -> None:
        for member in self.members:
            if not member.is_over:
                member.pipe.send(message)

    def _summary(self, started: datetime) -> Summary:
        if self._error is not None:
            raise self._error
        summaries = [
            one.finished.summary
            for one in self.members
            if one.finished is not None and one.finished.summary is not None
        ]
        ended = self.stopped or self._ended
        found = total(summaries, ended, started)
        reached = self._bounds.reached(found.pages, found.bytes, 0.0)
        if not self.stopped and reached is not None:
            return replace(found, ended=reached)
        return found
