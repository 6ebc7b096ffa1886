"""The company of a process: its reports to the face of the crawl, and the URLs of the others.

Scope: when a process reads what others handed over, what it may use of the bounds, and what it
reports. `agreement` and `portions` decide what follows from that.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from goodbot.crawl.folder.shares import part_folder
from goodbot.crawl.frontier.handover import OtherPart, PartFrontier
from goodbot.crawl.processes.messages import (
    Begin,
    Command,
    Granted,
    Message,
    Moved,
    News,
    ProcessReport,
    Ready,
    Wanted,
    slim,
)
from goodbot.crawl.processes.portions import RESOURCES
from goodbot.crawl.run.events import Ended, Started
from goodbot.crawl.run.progress import Rest

if TYPE_CHECKING:
    from goodbot.crawl.processes.part_database import PartDatabase
    from goodbot.crawl.run.crawl_run import CrawlRun

__all__ = ["Companion"]

HELD = "held"
"""Why a process makes no further request while the face wants none, a slug."""
PULSE = 0.5
"""The most seconds between looks at what others handed over; usually a message says so sooner."""
NEWS_AFTER = 0.1
"""Seconds for which events are gathered before they are sent."""
AT_ONCE = 200
"""How many URLs are received in one turn of the event loop."""
MOST_ORIGINS = 1_000
"""For how many origins the length of the queue is reported."""
REPORT_QUEUE = 1.0
"""The least seconds between two reports on the length of the queue."""


class Companion:
    """The company of one process; see `goodbot.crawl.run.progress.Company`.

    Args:
        begin: What this process crawls.
        send: Sends a message to the face of the crawl.

    """

    def __init__(self, begin: Begin, send: Callable[[Message], object]) -> None:
        """Start without a run."""
        self._begin, self._send = begin, send
        root, own = Path(begin.folder), begin.part
        self._others = {
            number: OtherPart(part_folder(root, number), own)
            for number in range(begin.shares.count)
            if number != own
        }
        self.run: CrawlRun | None = None
        self.frontier: PartFrontier | None = None
        self.database: PartDatabase | None = None
        self.may_go_on = asyncio.Event()
        """Set unless the face wants no further requests for now."""
        self.may_go_on.set()
        self._early: dict[str, Command] = {}
        """By origin: the orders to move an account that came before the run was open."""
        self._levels = {name: 0 for name in RESOURCES if begin.limits[name]}
        """How much this process may use of each bound."""
        self._over: dict[str, int] = {}
        """What is used up, and how much was used beyond it."""
        self._asked: set[str] = set()
        """What was asked for and has not come yet."""
        self._returns: set[str] = set()
        """What the face asked back."""
        self._rest: Rest | None = None
        self._heard = 0
        self._sent: dict[int, int] = {}
        """The last `seq` for each other process that it can read."""
        self._wake = asyncio.Event()
        self._awaiting: set[int] = set()
        """The processes that have run out of work, and have got no URLs from this one since."""
        self._looks = set(self._others)
        """The processes that may have found URLs for this one."""
        self._last = ProcessReport()
        self._queue_at = 0.0
        self._news: list[object] = []

    # What the run asks and tells.

    def begin(self, run: "CrawlRun", waiting: int, removed: int) -> None:
        """Report that a run is ready to visit.

        Args:
            run: The run.
            waiting: The number of URLs in its queue.
            removed: The number of URLs that were removed.

        """
        self.run = run
        disk = run.recorder.disk
        if "disk" in self._levels:
            self._levels["disk"] = disk
        self._send(Ready(waiting, removed, disk))

    def others_received(self, other: int) -> int:
        """Return the last `seq` that another process has received from this one."""
        return self._others[other].received()

    def reached(self, pages: int, received: int, disk: int) -> str | None:
        """Return the bound whose share is used up; ask for more."""
        if not self.may_go_on.is_set():
            return HELD
        use = {"pages": pages, "bytes": received, "disk": disk}
        for name, level in self._levels.items():
            used = use[name]
            if used >= level:
                if name not in self._asked:
                    self._asked.add(name)
                    self._over[name] = used - level
                    self._levels[name] = used
                    self._wake.set()
                return RESOURCES[name]
        return None

    def rests(self, rest: Rest) -> None:
        """Report that nothing is left to do here."""
        if rest != self._rest:
            self._rest = rest
            self._wake.set()

    def works(self) -> None:
        """Report that there is something to do here again."""
        if self._rest is not None:
            self._rest = None
            self._wake.set()

    def is_awaited(self) -> bool:
        """Return whether a process with nothing to do could visit what is not committed yet."""
        return any(map(self._has_more_for, self._awaiting))

    def _has_more_for(self, other: int) -> bool:
        """Return whether URLs of another process are not committed yet."""
        return self.frontier is not None and self.frontier.sent[other] > self._sent.get(other, 0)

    def committed(self) -> None:
        """Report that all changes are committed."""
        # If they have nothing to do afterwards, the face says so again.
        self._awaiting -= {other for other in self._awaiting if self._has_more_for(other)}
        if self.frontier is not None:
            self._sent = dict(self.frontier.sent)
        self._wake.set()

    def hear(self, event: object) -> None:
        """Pass an event on later; the face itself reports when the crawl begins and ends."""
        if isinstance(event, Started | Ended):
            return
        if not self._news:
            asyncio.get_running_loop().call_later(NEWS_AFTER, self.send_news)
        self._news.append(slim(event))

    def send_news(self) -> None:
        """Send the events that were gathered."""
        if self._news:
            news, self._news = self._news, []
            self._send(News(news))

    def want(self, origin: str) -> None:
        """Request that the process of a site move its account where all processes can use it."""
        self._send(Wanted(origin))

    # What the face says.

    def obey(self, message: Message) -> None:
        """Do what a message says; `stop` is for the crawl."""
        if isinstance(message, Granted):
            self._levels[message.resource] += message.size
            self._asked.discard(message.resource)
            self._go_on()
        elif isinstance(message, Command):
            if message.do == "hold":
                self.may_go_on.clear()
            elif message.do == "go-on":
                self.may_go_on.set()
                self._go_on()
            elif message.do == "hand-over":
                self._awaiting.add(int(message.about))
                self._wake.set()
            elif self.run is not None:
                self._obey(message, self.run)
            elif message.do == "move":
                # The process that asked for the account waits for it, so this is done later.
                self._early[message.about] = message

    def _obey(self, message: Command, run: "CrawlRun") -> None:
        """Do what a message says that concerns an open run."""
        if message.do == "move" and self.database is not None:
            run.scheduler.spawn(self._move(message.about))
        elif message.do == "moved" and self.database is not None:
            self.database.store.has_moved(message.about)
        elif message.do == "look":
            self._looks.add(int(message.about))
        elif message.do == "return":
            self._returns.add(message.about)
        elif message.do == "share":
            self._heard += 1
            self._rest = None
            run.scheduler.end_shares()
        self._wake.set()

    def _go_on(self) -> None:
        """End the rest of this process after a message."""
        self._heard += 1
        self._resume()

    def _obey_early(self) -> None:
        """Do what came before the run was open."""
        early, self._early = self._early, {}
        for message in early.values():
            self.obey(message)

    async def _move(self, origin: str) -> None:
        """Move the account of a site, and report that."""
        assert self.run is not None  # noqa: S101  see `obey`
        assert self.database is not None  # noqa: S101  see `obey`
        await self.run.access.free()
        self.database.store.move(origin)
        self._send(Moved(origin))

    def _resume(self) -> None:
        """Wake the workers to check again whether there is something to do."""
        self._rest = None
        if self.run is not None:
            self.run.scheduler.wake_all()

    # Exchanging.

    async def attend(self) -> None:
        """Receive URLs and send reports until cancelled."""
        try:
            self._obey_early()
            while True:
                self._wake.clear()
                await self._receive()
                self._report()
                pulse = asyncio.get_running_loop().call_later(PULSE, self._look_at_all)
                await self._wake.wait()
                pulse.cancel()
        except Exception as error:
            if self.run is None:
                raise
            self.run.scheduler.fail(error)
        finally:
            for other in self._others.values():
                other.close()

    def _look_at_all(self) -> None:
        """Receive the URLs of all others, because no message has come for a while."""
        self._looks.update(self._others)
        self._wake.set()

    async def _receive(self) -> None:
        """Queue what the others handed over."""
        run, frontier = self.run, self.frontier
        if run is None or frontier is None:
            return
        while self._looks:
            number = self._looks.pop()
            handed = self._others[number].handed(frontier.received[number], AT_ONCE)
            if not handed:
                continue
            await run.access.free()
            frontier.receive(number, handed, run.progress.now())
            run.commit_soon()
            self._resume()
            if len(handed) == AT_ONCE:  # there may be more
                self._looks.add(number)
            await asyncio.sleep(0)

    def _report(self) -> None:
        """Send a report if it differs from the last one."""
        run, frontier = self.run, self.frontier
        if run is None or frontier is None:
            return
        is_committed = self._sent == dict(frontier.sent)
        if (self._rest is not None and not is_committed) or self.is_awaited():
            run.hand_over()
        report = ProcessReport(
            self._sent,
            {number: frontier.received[number] for number in self._others},
            self._rest if is_committed else None,
            self._heard,
            self._last.waiting if run.access.is_taken else self._waiting(frontier),
        )
        over, self._over = self._over, {}
        returned = self._returned(run)
        if self._is_news(report) or over or returned:
            self._last = report
            self._send(replace(report, over=over, returned=returned))

    def _is_news(self, report: ProcessReport) -> bool:
        """Return whether a report differs from the last one in anything that the face needs now.

        What a process has received is needed with the next report, or when it rests.
        """
        if report.rest is None and report.received != self._last.received:
            report = replace(report, received=self._last.received)
        return report != self._last

    def _waiting(self, frontier: PartFrontier) -> Mapping[str, int]:
        """Return the length of the queue of each origin; the former one if that is recent."""
        if not self._begin.sends_events:
            return {}
        now = time.monotonic()
        if self._last.waiting and now < self._queue_at + REPORT_QUEUE and self._rest is None:
            return self._last.waiting
        self._queue_at = now
        return {"": frontier.waiting(), **frontier.longest_queues(MOST_ORIGINS)}

    def _returned(self, run: "CrawlRun") -> dict[str, int]:
        """Return what this process does not need of the bounds, and take it off its share."""
        is_done = self._rest is not None and not self._rest.is_hungry
        names = set(self._levels) if is_done else self._returns & set(self._levels)
        self._returns.clear()
        used = {
            "pages": run.progress.pages + run.scheduler.under_way,
            "bytes": run.progress.bytes,
            "disk": run.recorder.disk,
        }
        found = {name: self._levels[name] - used[name] for name in names}
        found = {name: size for name, size in found.items() if size > 0}
        for name, size in found.items():
            self._levels[name] -= size
        return found
