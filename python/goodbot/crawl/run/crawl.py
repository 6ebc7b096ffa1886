"""The public face of a crawl: what its caller gives, checked; and its folder, opened.

What may live here: the arguments, and how a crawl is opened. What it does is told by `path`.
"""

import json
import os
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path

from goodbot._core import Dialect
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.lock import FolderLock
from goodbot.crawl.frontier.bounds import Bounds
from goodbot.crawl.run.crawl_run import CrawlRun, Event, Opened
from goodbot.crawl.run.database_access import DatabaseAccess
from goodbot.crawl.run.events import Ended, Summary
from goodbot.crawl.run.in_flight import InFlight
from goodbot.crawl.run.path import work
from goodbot.crawl.run.progress import Progress
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.settings import (
    Permissions,
    lacking,
    named,
    settled_bounds,
    write_settings,
)
from goodbot.errors import MisuseError, StoreUnavailableError
from goodbot.http.address import address_of
from goodbot.net import Clock, Fetcher, SystemClock
from goodbot.pace import Manners
from goodbot.page.dialects import PageDialect
from goodbot.robot import Remark, Robot
from goodbot.robot.events import tell
from goodbot.robot.identity import identity_of
from goodbot.robot.robot import made_fetcher
from goodbot.robot.timeline import Timeline

__all__ = ["Crawl", "Event"]

KEPT_MANNERS = (
    "floor",
    "factor",
    "default",
    "back_off_after",
    "back_off_first",
    "back_off_longest",
)
"""The manners with which a crawl goes on."""


class Crawl:
    r"""A crawl in a folder.

    Args:
        folder: Where everything is kept; it is made if there is none. A crawl that is there already
            goes on.
        name: The robot's name and perhaps its version: `ExampleBot/1.0`.
        info_url: The page that explains the robot.
        contact: The address of mail at which somebody reads what sites write.
        start: The URLs with which it begins; none to go on with what is in the folder.
        bounds: What belongs to it, and when it is enough; `None` for those with which a crawl that
            goes on was begun.
        sitemaps: Whether to visit the sitemaps that a robots.txt names.
        workers: How many visits may be under way at once; to one origin there is never more than
            one.
        patience: Seconds for which it waits at most for the next turn, when nothing else is left to
            do; what waits longer is left for another run. `None`: for as long as it takes.
        fetcher: What fetches; by default an `AiohttpFetcher`.
        clock: Where time comes from.
        manners: The robot's own settings of its pace.
        dialect: How robots.txt is read.
        page_dialect: How pages are read.
        on_event: Is given what happens: `goodbot.crawl.Event`.
        on_comment: Is given what sites want the operator to know.
        allow_private: Whether loopback and private networks may be visited; see
            `goodbot.net.AddressGuard`. A crawl that goes on needs it again.
        allow_networks: Other networks that may be, such as `100.64.0.0/10`; likewise.
        timeout: Seconds that one request may take.

    Raises:
        MisuseError: An argument is not what is taken; see `goodbot.Robot`.
        WrongValueError: One of `allow_networks` is no network.
        MissingExtraError: aiohttp or warcio is not installed.

    >>> import asyncio, tempfile
    >>> from goodbot.testing import FakeClock, FakeSite
    >>> site = FakeSite({
    ...     "/robots.txt": "User-agent: *\nDisallow: /till",
    ...     "/": "<a href=/lamps>Lamps</a> <a href=/till>Till</a>",
    ...     "/lamps": "<title>Lamps</title><p>A brass lamp.",
    ... })
    >>> me = {"info_url": "https://example.com/bot", "contact": "bot@example.com"}
    >>> async def main() -> None:
    ...     with tempfile.TemporaryDirectory() as folder:
    ...         crawl = Crawl(
    ...             folder,
    ...             "ExampleBot/1.0",
    ...             **me,
    ...             start=["https://a.example/"],
    ...             fetcher=site,
    ...             clock=site.clock,
    ...         )
    ...         summary = await crawl.run()
    ...         print(summary.ended, summary.pages, summary.urls)
    >>> asyncio.run(main())
    nothing-left 2 {'done': 2, 'disallowed': 1}

    """

    def __init__(  # noqa: PLR0913  each is documented above
        self,
        folder: str | os.PathLike[str],
        name: str,
        *,
        info_url: str,
        contact: str,
        start: Sequence[str] = (),
        bounds: Bounds | None = None,
        sitemaps: bool = True,
        workers: int = 16,
        patience: float | None = 600.0,
        fetcher: Fetcher | None = None,
        clock: Clock | None = None,
        manners: Manners | None = None,
        dialect: str | Dialect = "rfc9309",
        page_dialect: str | PageDialect = "google",
        on_event: Callable[[Event], object] | None = None,
        on_comment: Callable[[Remark], object] | None = None,
        allow_private: bool = False,
        allow_networks: Sequence[str] = (),
        timeout: float = 30.0,
    ) -> None:
        """Check what is given; nothing is opened before `run`."""
        self.folder, self.identity = Path(folder), identity_of(name, info_url, contact)
        self.permissions = Permissions(allow_private, tuple(allow_networks))
        self._clock = clock or SystemClock()
        own = partial(made_fetcher, private=allow_private, networks=allow_networks)
        self._fetcher = InFlight(fetcher or own(self._clock), is_ours=fetcher is None)
        self._manners = manners or Manners()
        self._start = [address_of(url) for url in start]
        self._bounds, self._has_sitemaps = bounds, sitemaps
        self._dialects = {"dialect": named(dialect), "page_dialect": named(page_dialect)}
        self._new_robot = partial(
            Robot,
            name,
            info_url=info_url,
            contact=contact,
            fetcher=self._fetcher,
            clock=self._clock,
            manners=self._manners,
            dialect=dialect,
            page_dialect=page_dialect,
            on_event=on_event,
            on_comment=on_comment,
            timeout=timeout,
        )
        self._patience = None if patience is None else timedelta(seconds=patience)
        self._on_event, self._workers = on_event, workers
        self._stopped = ""
        self._run: CrawlRun | None = None

    async def run(self, *, again: bool = False) -> Summary:
        """Crawl until nothing is left to do now, a bound is reached, or `stop` is called.

        Args:
            again: Whether to visit again what is due.

        Returns:
            What it came to.

        Raises:
            MisuseError: The crawl was begun with `allow_private` or `allow_networks`, and goes on
                without.
            StoreError: The folder cannot be written, is full, or another crawl is at work in it.

        """
        self._make_folder()
        with FolderLock(self.folder), Database(self.folder, create=True) as database:
            access = DatabaseAccess(database, self._clock)
            # A queue of a million URLs takes a second to be taken up.
            opened = await access.in_thread(partial(self._opened, database, again=again))
            run = self._run = CrawlRun(
                opened,
                access=access,
                robot=self._new_robot(store=database),
                fetcher=self._fetcher,
                clock=self._clock,
                progress=Progress(opened.bounds, opened.recorder, self._patience, self._stopped),
                on_event=self._on_event,
            )
            summary = await run.to_end(work(run) for _ in range(self._workers))
        tell(self._on_event, Ended(summary.finished, summary))
        return summary

    def stop(self, reason: str = "stopped") -> None:
        """End the crawl: what is under way comes to its end; called again, it is broken off.

        A document that takes more than five seconds to read is not waited for: its URL goes back
        into the queue. Before `run`, it has that end at once.
        """
        if self._run is None:
            self._stopped = self._stopped or reason
        else:
            self._run.stop(reason)

    def waiting(self, origin: str = "") -> int:
        """Return how many URLs wait now, of one origin or of all; it costs next to nothing.

        Args:
            origin: The origin; empty for all.

        """
        return 0 if self._run is None else self._run.recorder.frontier.waiting(origin)

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"{self.folder} cannot be made ({error.strerror}); name another folder"
            raise StoreUnavailableError(message) from error

    def _opened(self, database: Database, *, again: bool) -> Opened:
        """Open the crawl where it was left."""
        timeline = Timeline(self._clock)
        timeline.tell(database)
        now = timeline.read()
        started = now.wall
        self._refuse_lacking(database)
        database.gather(now.steady)
        bounds = settled_bounds(database, self._bounds, self._start)
        agent = self.identity.user_agent
        recorder = Recorder(database, bounds, started, user_agent=agent, timeline=timeline)
        if any(self.permissions):
            recorder.ask_private(started)
        with database.changing():
            write_settings(database, self.identity, self._settings(bounds), started)
            recorder.start([url for _, url in self._start], started)
        # So that a file of the archive is never older than what tells whose it is.
        database.commit()
        if again:
            recorder.frontier.again(started)
        waiting = recorder.frontier.how_many().get("queued", 0)
        folder = str(self.folder)
        return Opened(folder, database, recorder, bounds, self._has_sitemaps, started, waiting)

    def _refuse_lacking(self, database: Database) -> None:
        """Refuse to go on without what the crawl was allowed before: every visit would fail.

        Raises:
            MisuseError: A permission is lacking.

        """
        found = database.connection.execute("SELECT name, value FROM settings").fetchall()
        is_ours = self._fetcher.is_ours
        lacks = lacking(dict(found), self.permissions) if is_ours else Permissions()
        words = ["allow_private=True"] if lacks.private else []
        words += [f"allow_networks={list(lacks.networks)}"] if lacks.networks else []
        if words:
            message = f"this crawl was begun with {' and '.join(words)}; pass it again to go on"
            raise MisuseError(message)

    def _settings(self, bounds: Bounds) -> dict[str, str]:
        """Return what a crawl that goes on takes up again."""
        manners = self._manners
        pace = {name: getattr(manners, name) for name in KEPT_MANNERS}
        sitemaps = "yes" if self._has_sitemaps else "no"
        return (
            {
                "manners": json.dumps(pace),
                "bounds": json.dumps(bounds.as_dict()),
                "sitemaps": sitemaps,
            }
            | self._dialects
            | (self.permissions.settings() if self._fetcher.is_ours else {})
        )
