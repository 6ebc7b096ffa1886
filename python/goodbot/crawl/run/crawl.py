"""The public face of a crawl: what its caller gives, checked; and its folder, opened.

What may live here: the arguments, and how a crawl is opened. What it does is told by `path`.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from goodbot._core import Dialect
from goodbot.crawl.folder import orders
from goodbot.crawl.folder.database import FILE, NOT_BEGUN, Database
from goodbot.crawl.folder.lock import FolderLock
from goodbot.crawl.folder.orders import OrderKind
from goodbot.crawl.frontier.bounds import Bounds
from goodbot.crawl.run.alerts import AlertWatch
from goodbot.crawl.run.crawl_run import CrawlRun, Opened
from goodbot.crawl.run.database_access import DatabaseAccess
from goodbot.crawl.run.events import Ended, Summary
from goodbot.crawl.run.in_flight import InFlight
from goodbot.crawl.run.operator import Operator
from goodbot.crawl.run.ordering import compact
from goodbot.crawl.run.path import work
from goodbot.crawl.run.permissions import Permissions, refuse_lacking
from goodbot.crawl.run.progress import CrawlEvent, Progress
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.settings import CrawlSettings, GivenSettings, settings_for
from goodbot.errors import NoCrawlError, StoreUnavailableError
from goodbot.http.address import address_of, spelling_of
from goodbot.net import Clock, Fetcher, SystemClock
from goodbot.pace import Manners
from goodbot.page import PageOptions
from goodbot.page.dialects import PageDialect
from goodbot.policy.holds import Hold
from goodbot.robot import Event as RobotEvent
from goodbot.robot import Remark, Robot
from goodbot.robot.events import tell
from goodbot.robot.robot import made_fetcher
from goodbot.robot.timeline import Timeline

__all__ = ["Crawl", "CrawlEvent"]


class Crawl:
    r"""A crawl in a folder.

    Args:
        folder: Where everything is kept; it is made if there is none. A crawl that is there already
            goes on, with all that is not named here as it was.
        name: The robot's name and perhaps its version: `ExampleBot/1.0`. A folder has one robot,
            whose version may change.
        info_url: The page that explains the robot.
        contact: The address of mail at which somebody reads what sites write.
        start: The URLs with which it begins; none to go on with what is in the folder.
        resume: Whether to go on as the robot of before, with whatever `start` may add: `name`,
            `info_url` and `contact` are then not needed. There must be a crawl in the folder.
        bounds: What belongs to it, and when it is enough. `Bounds` replace those of before; a
            mapping such as `{"pages": 100}` changes what it names, and its `origins` are added.
        sitemaps: Whether to visit the sitemaps that a robots.txt names; by default it does.
        all_types: Whether to read answers of any type and to keep those that may be kept, images
            for example. By default only documents are read; of others no more than the header.
        traps: The traps whose links are not queued, slugs of `goodbot.crawl.TRAPS`; by default
            `repeated-path` alone. Every trap is recognised and counted, whether it is named or not.
        workers: How many visits may be under way at once; to one origin there is never more than
            one.
        patience: Seconds for which it waits at most for the next turn, when nothing else is left to
            do; what waits longer is left for another run. `None`: for as long as it takes.
        fetcher: What fetches; by default an `AiohttpFetcher`.
        clock: Where time comes from.
        manners: The robot's own settings of its pace; a mapping changes what it names. A `jitter`
            is not kept for the next run.
        dialect: How robots.txt is read; `rfc9309` by default. One of your own is to be passed
            again each time.
        page_dialect: How pages are read; `google` by default. Likewise.
        page_options: How else they are read: `goodbot.page.PageOptions` are all options, a mapping
            changes what it names.
        on_event: Is given what happens: `goodbot.crawl.CrawlEvent`.
        on_comment: Is given what sites want the operator to know.
        allow_private: Whether loopback and private networks may be visited; see
            `goodbot.net.AddressGuard`. A crawl that goes on needs it again.
        allow_networks: Other networks that may be, such as `100.64.0.0/10`; likewise.
        timeout: Seconds that one request may take.

    Raises:
        MisuseError: An argument is not what is taken; see `goodbot.Robot`. Or `name`, `info_url`
            or `contact` is missing, and `resume` is not set.
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

    _run: CrawlRun | None = None
    _stopped = ""
    """Why it was to end before it began."""

    def __init__(  # noqa: PLR0913  each is documented above
        self,
        folder: str | os.PathLike[str],
        name: str | None = None,
        *,
        info_url: str | None = None,
        contact: str | None = None,
        start: Sequence[str] = (),
        resume: bool = False,
        bounds: Bounds | Mapping[str, Any] | None = None,
        sitemaps: bool | None = None,
        all_types: bool | None = None,
        traps: Collection[str] | None = None,
        workers: int = 16,
        patience: float | None = 600.0,
        fetcher: Fetcher | None = None,
        clock: Clock | None = None,
        manners: Manners | Mapping[str, Any] | None = None,
        dialect: str | Dialect | None = None,
        page_dialect: str | PageDialect | None = None,
        page_options: PageOptions | Mapping[str, Any] | None = None,
        on_event: Callable[[CrawlEvent], object] | None = None,
        on_comment: Callable[[Remark], object] | None = None,
        allow_private: bool = False,
        allow_networks: Sequence[str] = (),
        timeout: float = 30.0,
    ) -> None:
        """Check what is given; nothing is opened before `run`."""
        self.folder = Path(folder)
        self.permissions = Permissions(allow_private, tuple(allow_networks))
        self._given = checked_settings(
            robot=name,
            info_url=info_url,
            contact=contact,
            start=tuple((address_of(url)[0], spelling_of(url) or url) for url in start),
            bounds=bounds,
            manners=manners,
            sitemaps=sitemaps,
            all_types=all_types,
            traps=traps,
            dialect=dialect,
            page_dialect=page_dialect,
            page_options=page_options,
            resume=resume,
        )
        self._clock = clock or SystemClock()
        own = partial(made_fetcher, private=allow_private, networks=allow_networks)
        self._fetcher = InFlight(fetcher or own(self._clock), is_ours=fetcher is None)
        self._on_event, self._on_comment, self._workers = on_event, on_comment, workers
        self._timeout, self._patience = timeout, as_timedelta(patience)

    async def run(self, *, again: bool = False, remove: bool = False) -> Summary:
        """Crawl until nothing is left to do now, a bound is reached, or `stop` is called.

        Args:
            again: Whether to visit again what is due.
            remove: Whether what earlier runs kept and the bounds now leave out is taken out of the
                index and the archive at once. Otherwise such a page is visited when it is due, and
                stays as long as its site lets it be kept; its links are not taken.

        Returns:
            What it came to.

        Raises:
            MisuseError: The crawl was begun with `allow_private`, `allow_networks` or a dialect of
                its caller's own, and goes on without; or the folder is of another robot, or of
                other sites and `resume` is not set.
            NoCrawlError: There is no crawl in the folder to resume.
            StoreError: The folder cannot be written, the disk is full, or another crawl is running
                in the folder.

        """
        self._run = None
        self._prepare_folder()
        with FolderLock(self.folder), Database(self.folder, create=True) as database:
            access = DatabaseAccess(database, self._clock)
            # A queue of a million URLs takes a second to be taken up.
            opened = await access.in_thread(
                partial(self._open, database, again=again, remove=remove)
            )
            stopped, self._stopped = self._stopped, ""
            progress = Progress(
                opened.settings.bounds,
                opened.recorder,
                sites=len(opened.settings.bounds.origins or {one for one, _ in self._given.start}),
                patience=self._patience,
                clock=self._clock,
                on_event=self._on_event,
                stopped=stopped,
            )
            run = self._run = CrawlRun(
                opened, access=access, fetcher=self._fetcher, clock=self._clock, progress=progress
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

    # What the operator orders, while it runs or before the next run.

    def block(self, place: str, why: str, *, by: str = "") -> None:
        """Leave a site or a URL alone for good, and take down what index and archive have of it.

        Like the other orders it is left in the folder; a run that is under way carries it out
        within a second, otherwise the next one does. `goodbot block` leaves the same order.

        Args:
            place: See `goodbot.Robot.block`.
            why: The reason.
            by: Who decides.

        Raises:
            NoOriginError: The place is no absolute URL of http or https.
            StoreError: The folder cannot be written.
            WrongValueError: There is no reason.

        """
        Hold.of(place, "block", why=why, by=by, at=self._clock.now())
        self._order("block", place, why, by)

    def unblock(self, place: str) -> None:
        """Take a block back: what was known there is visited again. See `block`."""
        self._order("unblock", address_of(place)[1])

    def pause(self, site: str, why: str = "", *, by: str = "") -> None:
        """Make no more visits to a site until `resume`. See `block`."""
        Hold.of(site, "pause", why=why, by=by, at=self._clock.now())
        self._order("pause", site, why, by)

    def resume(self, site: str) -> None:
        """Visit a site again that was paused. See `block`."""
        self._order("resume", address_of(site)[1])

    def forget(self, url: str) -> None:
        """Take down what index and archive have of a URL; it may be visited again. See `block`."""
        self._order("forget", address_of(url)[1])

    def _order(self, do: OrderKind, place: str, why: str = "", by: str = "") -> None:
        orders.leave(self.folder, orders.Order(do, place, self._clock.now(), why, by))
        if self._run is not None:
            self._run.look_for_orders()

    def waiting(self, origin: str = "") -> int:
        """Return how many URLs wait now, of one origin or of all; it costs next to nothing.

        Args:
            origin: The origin; empty for all.

        """
        return 0 if self._run is None else self._run.recorder.frontier.waiting(origin)

    def _prepare_folder(self) -> None:
        """Make the folder; to resume, there must be one with a crawl in it."""
        if self._given.resume and not (self.folder / FILE).exists():
            message = f"there is no crawl in {self.folder}; name another folder, or begin one"
            raise NoCrawlError(message)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"{self.folder} cannot be made ({error.strerror}); name another folder"
            raise StoreUnavailableError(message) from error

    def _settle(self, database: Database) -> CrawlSettings:
        """Return the settings of this run: what is named, and for the rest what was before."""
        before = CrawlSettings.read(database)
        if before is None and self._given.resume:
            raise NoCrawlError(NOT_BEGUN.format(path=database.path))
        return settings_for(before, self._given, self.folder)

    def _open(self, database: Database, *, again: bool, remove: bool) -> Opened:
        """Open the crawl where it was left; a thread does it."""
        settings = self._settle(database)
        if self._fetcher.is_ours:
            refuse_lacking(database.settings(), self.permissions)
        timeline = Timeline(self._clock)
        timeline.tell(database)
        now = timeline.read()
        started = now.wall
        database.gather(now.steady)
        agent = settings.identity.user_agent
        recorder = Recorder(
            database,
            settings.bounds,
            started,
            user_agent=agent,
            timeline=timeline,
            traps=settings.traps,
        )
        operator = Operator(database, recorder, settings)
        try:
            robot = self._robot(settings, database, recorder)
            self._begin(database, recorder, settings, started)
            operator.obey(started)
            removed = recorder.remove_outside(started) if remove else 0
            if remove:
                database.commit()
                compact(str(self.folder))
            if again:
                recorder.frontier.again(started)
        except BaseException:
            recorder.close()
            raise
        waiting = recorder.frontier.how_many().get("queued", 0)
        folder = str(self.folder)
        return Opened(
            folder, database, settings, robot, recorder, operator, started, waiting, removed
        )

    def _robot(self, settings: CrawlSettings, database: Database, recorder: Recorder) -> Robot:
        """Make the robot; what it tells goes to who listens, and what sites say to the folder."""
        identity = settings.identity
        watch = AlertWatch(identity.product)

        def hear(event: RobotEvent) -> None:
            tell(self._on_event, event)
            alert = watch.hear(event)
            if alert is not None:
                tell(self._on_event, alert)

        def remarked(remark: Remark) -> None:
            recorder.remarked(remark, self._clock.now())
            tell(self._on_comment, remark)

        return Robot(
            identity.name,
            info_url=identity.info_url,
            contact=identity.contact,
            store=database,
            fetcher=self._fetcher,
            clock=self._clock,
            manners=settings.manners,
            dialect=settings.dialect,
            page_dialect=settings.page_dialect,
            page_options=settings.page_options,
            on_event=hear,
            on_comment=remarked,
            timeout=self._timeout,
            documents_only=not settings.all_types,
        )

    def _begin(
        self, database: Database, recorder: Recorder, settings: CrawlSettings, started: datetime
    ) -> None:
        """Write down what this run goes by, and queue where it starts."""
        if any(self.permissions):
            recorder.ask_private(started)
        with database.changing():
            before = CrawlSettings.read(database)
            lifted = set() if before is None else before.traps - settings.traps
            if before is not None and (before.bounds != settings.bounds or lifted):
                recorder.admit(started, lifted)
            settings.write(database)
            database.write_settings(self.permissions.settings() if self._fetcher.is_ours else {})
            database.write_settings({"started": started.isoformat()}, replace=False)
            recorder.start([url for _, url in self._given.start], started)
        # So that a file of the archive is never older than what tells whose it is.
        database.commit()


def as_timedelta(seconds: float | None) -> timedelta | None:
    """Return so many seconds; `None` for `None`."""
    return None if seconds is None else timedelta(seconds=seconds)


def checked_settings(**named: Any) -> GivenSettings:  # noqa: ANN401  as `Crawl` has them
    """Return what a caller named, unless some of it is wrong by itself, whatever a folder has.

    Raises:
        MisuseError: Something is.

    """
    given = GivenSettings(**named)
    alone = CrawlSettings().merged(given)
    if not given.resume:
        _ = alone.identity
    return given
