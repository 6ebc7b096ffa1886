"""The crawl of one process, in its part of the folder.

Scope: what differs from a crawl in one process: the settings come from the face of the crawl, and
the queue hands over the URLs of other processes.
"""

import asyncio
import logging
import pickle
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.lock import FolderLock
from goodbot.crawl.folder.shares import part_folder
from goodbot.crawl.frontier.handover import PartFrontier
from goodbot.crawl.processes.companion import Companion
from goodbot.crawl.processes.messages import Begin, Command, Finished, Message
from goodbot.crawl.processes.part_database import PartDatabase
from goodbot.crawl.processes.suspension import HeldClock
from goodbot.crawl.run.crawl import Crawl
from goodbot.crawl.run.crawl_parts import Parts, parts_in
from goodbot.crawl.run.crawl_run import CrawlRun, Opened
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.errors import StoreBusyError
from goodbot.net import Clock, Fetcher, SystemClock
from goodbot.robot.timeline import Timeline

__all__ = ["PartCrawl"]

LOG = logging.getLogger("goodbot.crawl")

WAIT = 40.0
"""Seconds to wait for the process of an earlier run, which finishes its requests."""
LOOK_AGAIN = 0.1


class PartCrawl(Crawl):
    """The crawl of one process.

    Args:
        begin: What to crawl.
        send: Sends a message to the face of the crawl.
        fetcher: The HTTP client; see `Crawl`.
        clock: The clock; see `Crawl`.

    """

    def __init__(
        self,
        begin: Begin,
        send: Callable[[Message], object],
        *,
        fetcher: Fetcher | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Check the arguments; nothing is opened before `run`."""
        settings = begin.settings
        private, networks = begin.permissions
        self._companion = companion = Companion(begin, send)
        super().__init__(
            part_folder(Path(begin.folder), begin.part),
            settings.robot,
            info_url=settings.info_url,
            contact=settings.contact,
            start=begin.start,
            bounds=settings.bounds,
            workers=begin.workers,
            patience=begin.patience,
            fetcher=fetcher,
            clock=HeldClock(clock or SystemClock(), companion.may_go_on),
            on_event=companion.hear if begin.sends_events else None,
            on_comment=companion.hear if begin.sends_events else None,
            allow_private=private,
            allow_networks=networks,
            timeout=begin.timeout,
            identity=begin.identity,
            store=begin.store,
        )
        self._company = companion
        self._begin_with, self._send = begin, send
        self._stops: Counter[str] = Counter()

    async def work(self) -> None:
        """Crawl to the end, and report it."""
        begin, before = self._begin_with, time.process_time()
        summary, error = None, None
        try:
            summary = await self.run(again=begin.again, early=begin.early, remove=begin.remove)
        except Exception as reason:  # noqa: BLE001  the face raises it
            error = portable(reason)
        self._companion.send_news()
        self._send(Finished(summary, error, time.process_time() - before))

    def obey(self, message: Message) -> None:
        """Do what a message from the face says."""
        if isinstance(message, Command) and message.do in {"stop", "end"}:
            self.stop_once(message.about, "face")
        else:
            self._companion.obey(message)

    def stop_once(self, reason: str, source: str) -> None:
        """End the run. The first calls of several sources count as one, because they mean the same.

        Args:
            reason: The reason, a slug.
            source: Who stops it: the face, or the system by a signal.

        """
        before = max(self._stops.values(), default=0)
        self._stops[source] += 1
        if max(self._stops.values()) > before:
            self.stop(reason)

    async def _lock(self) -> FolderLock:
        """Lock the part; a process of an earlier run that was killed may be about to end."""
        until = time.monotonic() + WAIT
        while True:
            try:
                return FolderLock(self.folder)
            except StoreBusyError:
                if time.monotonic() > until:
                    raise
            await asyncio.sleep(LOOK_AGAIN)

    def _database(self) -> PartDatabase:
        """Open the part."""
        begin, companion = self._begin_with, self._companion
        database = PartDatabase(Path(begin.folder), begin.part, begin.shares, companion.want)
        companion.database = database
        return database

    def _opened(self, run: CrawlRun, opened: Opened) -> None:
        """Introduce the run to its company."""
        self._companion.begin(run, opened.waiting, opened.removed)

    def _settle(self, database: Database) -> CrawlSettings:  # noqa: ARG002  as for any crawl
        """Return the settings that the face of the crawl has merged."""
        return self._begin_with.settings

    def _parts(
        self, database: Database, started: datetime, user_agent: str, timeline: Timeline
    ) -> Parts:
        """Open the part, with a queue that hands over the URLs of other processes."""
        begin, companion = self._begin_with, self._companion
        frontier = PartFrontier(
            database, started, timeline, begin.shares, begin.part, companion.others_received
        )
        companion.frontier = frontier
        return parts_in(
            database, started, user_agent=user_agent, timeline=timeline, frontier=frontier
        )


def portable(error: Exception) -> Exception:
    """Return an error that another process can raise: itself, or one with its text."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  our own
    except Exception:
        LOG.exception("a process of the crawl failed", exc_info=error)
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
