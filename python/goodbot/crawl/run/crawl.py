"""`Crawl`: the public interface of a crawl.

Scope: checking the arguments, and opening the folder. `path` shows what a crawl does.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from goodbot._core import Dialect
from goodbot.crawl.archive.place import WarcPlace
from goodbot.crawl.archive.protocol import Archive
from goodbot.crawl.evidence.protocol import EvidenceWriter
from goodbot.crawl.folder import orders
from goodbot.crawl.folder.database import (
    FILE,
    GATHERED_FROM,
    MADE_WITH,
    NOT_BEGUN,
    SIGNED_BY,
    Database,
)
from goodbot.crawl.folder.lock import FolderLock
from goodbot.crawl.folder.orders import OrderKind
from goodbot.crawl.folder.shares import SHARES
from goodbot.crawl.frontier.bounds import Bounds
from goodbot.crawl.frontier.protocol import Frontier
from goodbot.crawl.frontier.trap_memory import TrapMemory
from goodbot.crawl.index.protocol import Index
from goodbot.crawl.inventory.protocol import InventoryWriter
from goodbot.crawl.links.protocol import LinkWriter
from goodbot.crawl.run.alerts import AlertWatch
from goodbot.crawl.run.crawl_parts import Parts, parts_in
from goodbot.crawl.run.crawl_run import CrawlRun, Opened
from goodbot.crawl.run.database_access import DatabaseAccess
from goodbot.crawl.run.events import Ended, Summary
from goodbot.crawl.run.given_parts import GivenParts
from goodbot.crawl.run.in_flight import InFlight
from goodbot.crawl.run.operator import Operator
from goodbot.crawl.run.ordering import compact
from goodbot.crawl.run.path import work
from goodbot.crawl.run.permissions import Permissions, refuse_lacking
from goodbot.crawl.run.progress import Company, CrawlEvent, Progress
from goodbot.crawl.run.publishing import Publisher
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.settings import CrawlSettings, GivenSettings, settings_for
from goodbot.crawl.run.shared_store import SharedStore
from goodbot.display import shown_value, table_html
from goodbot.errors import MisuseError, NoCrawlError, StoreUnavailableError
from goodbot.http.address import address_of, spelling_of
from goodbot.knowledge import with_stamp
from goodbot.net import Clock, Fetcher, SystemClock
from goodbot.pace import Manners
from goodbot.page import PageOptions
from goodbot.page.dialects import PageDialect
from goodbot.policy.holds import Hold
from goodbot.robot import Event as RobotEvent
from goodbot.robot import Remark, Robot
from goodbot.robot.events import tell
from goodbot.robot.robot import made_fetcher
from goodbot.robot.signing_identity import SigningIdentity, open_identity
from goodbot.robot.timeline import Timeline
from goodbot.store import Store

__all__ = ["Crawl", "CrawlEvent"]

LONGEST_WAIT = 100 * 365 * 86_400.0
"""Seconds from which on a wait is as good as endless."""


class Crawl:
    r"""A crawl in a folder.

    Args:
        folder: The folder of the crawl; it is created if it does not exist. If there is a crawl in
            it, that crawl continues with its stored settings, except for those passed here.
        name: The robot's name, with or without a version: `ExampleBot/1.0`. A folder belongs to
            one robot, whose version may change.
        info_url: The URL of the page that explains the robot.
        contact: The mail address at which someone reads what sites write.
        start: The URLs to start with; leave it empty to continue with the queue in the folder.
        resume: Whether to continue with the stored robot, so that `name`, `info_url` and `contact`
            are not needed; `start` may add URLs, which is refused otherwise. There must be a crawl
            in the folder.
        bounds: What belongs to the crawl, and its limits. `Bounds` replace the stored ones; a
            mapping such as `{"pages": 100}` changes only those that it names, and adds to
            `origins`.
        sitemaps: Whether to visit the sitemaps that robots.txt names; true by default.
        types: The types of responses to read: names such as `html`, `pdf` and `image`, media types
            such as `application/zip` or `image/*`, or `all` (`goodbot.page.media_types`). By
            default `html`, `xml` and `text`. Of any other type only the header is read, and nothing
            is kept.
        traps: The traps whose links are skipped, slugs of `goodbot.crawl.TRAPS`; by default only
            `repeated-path`. Every trap is recognised and counted, whether it is named or not.
        retries: How often a URL that failed is tried again in one run; 2 by default.
        short_lived: Whether a page is indexed and kept that has expired when it comes, by its
            Expires; true by default. Its links are followed in any case.
        workers: The most visits at the same time; there is never more than one for each origin. A
            quarter of them is kept for origins that answered within 5 seconds the last time, so
            that slow ones delay only each other.
        patience: The most seconds to wait for the next URL to become due when there is nothing else
            to do; URLs that are due later are left for another run. `None` for no limit.
        fetcher: The HTTP client; by default an `AiohttpFetcher`.
        clock: The clock; by default that of the system.
        manners: The robot's own pace; a mapping changes only the settings that it names. A `jitter`
            is not stored for the next run.
        dialect: The dialect in which robots.txt is read; `rfc9309` by default. A dialect of your
            own must be passed again in each run.
        page_dialect: The dialect in which pages are read; `google` by default. The same holds.
        page_options: Further options for reading pages: `goodbot.page.PageOptions` replace all
            stored ones, a mapping changes only those that it names.
        on_event: Called with each event: `goodbot.crawl.CrawlEvent`.
        on_comment: Called with each message from a site to the operator.
        allow_private: Whether loopback and private networks may be visited; see
            `goodbot.net.AddressGuard`. It must be passed again in each run.
        allow_networks: Further networks that may be visited, such as `100.64.0.0/10`. The same
            holds.
        timeout: The most seconds that one request may take.
        identity: The identity by which every request is signed, or its folder; see
            `goodbot.Robot`. It must be passed again in each run.
        store: The store of policies, visits and turns that this crawl shares with others: any
            `goodbot.store.Store`, or the text that `goodbot.store.open_store` takes. Crawls and
            robots with one store keep one pace for each site, and fetch robots.txt once. By default
            the crawl has a store of its own, in its folder. It must be passed again in each run.
        frontier: The queue of the crawl, by the protocol of this name in
            `goodbot.crawl.frontier.protocol`; by default it is in the folder, as are all parts. A
            crawl keeps the parts with which it began, so pass them again in each run. An error of a
            part ends the crawl with `goodbot.errors.CrawlPartError`.
        archive: The archive (`goodbot.crawl.archive.protocol.Archive`).
        index: The index (`goodbot.crawl.index.protocol.Index`).
        evidence: Where evidence is written (`goodbot.crawl.evidence.protocol.EvidenceWriter`).
        links: Where links are written (`goodbot.crawl.links.protocol.LinkWriter`).
        inventory: Where the facts of pages are written
            (`goodbot.crawl.inventory.protocol.InventoryWriter`).
        trap_memory: What is known about traps (`goodbot.crawl.frontier.trap_memory.TrapMemory`).
        warc_place: Where the WARC files of the archive are
            (`goodbot.crawl.archive.place.WarcPlace`); which records they have is in the folder.
        config: What a config file says, from which some of the other arguments come; it is only
            stored, so that the next run can compare it. `goodbot crawl` passes it.

    Raises:
        MisuseError: An argument is invalid; see `goodbot.Robot`. Or `name`, `info_url` or
            `contact` is missing, and `resume` is not set.
        WrongValueError: One of `allow_networks` is not a network.
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
    """The reason passed to `stop` before the run began; empty if it was not called."""

    _summary: Summary | None = None
    """What the last run came to."""

    _company: Company | None = None
    """The other processes of the crawl; `None` if it has only this one."""

    _robot_maker: Callable[..., Robot] = Robot
    """What makes the robot."""

    _publisher: Publisher | None = None
    """Publishes what is recorded; `None` if the folder has it for good."""

    def __init__(
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
        types: Collection[str] | None = None,
        traps: Collection[str] | None = None,
        retries: int | None = None,
        short_lived: bool | None = None,
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
        identity: SigningIdentity | str | os.PathLike[str] | None = None,
        store: Store | str | os.PathLike[str] | None = None,
        frontier: Frontier | None = None,
        archive: Archive | None = None,
        index: Index | None = None,
        evidence: EvidenceWriter | None = None,
        links: LinkWriter | None = None,
        inventory: InventoryWriter | None = None,
        trap_memory: TrapMemory | None = None,
        warc_place: WarcPlace | None = None,
        config: str | None = None,
    ) -> None:
        """Check the arguments; nothing is opened before `run`."""
        self.folder, self._clock = Path(folder), clock or SystemClock()
        self.permissions = Permissions(allow_private, tuple(allow_networks))
        self.given_parts = GivenParts(
            store,
            frontier,
            archive,
            index,
            evidence,
            links,
            inventory,
            trap_memory,
            warc_place,
        )
        self._given = checked_settings(
            **{"robot": name, "info_url": info_url, "contact": contact, "config": config},  # noqa: PIE804  four lines in one
            start=tuple((address_of(url)[0], spelling_of(url) or url) for url in start),
            bounds=bounds,
            manners=manners,
            sitemaps=sitemaps,
            types=types,
            traps=traps,
            retries=retries,
            short_lived=short_lived,
            dialect=dialect,
            page_dialect=page_dialect,
            page_options=page_options,
            resume=resume,
        )
        self._fetcher = in_flight(fetcher, self._clock, self.permissions)
        self._on_event, self._on_comment, self._workers = on_event, on_comment, workers
        self._timeout, self._patience = timeout, as_timedelta(patience)
        self._signing = open_identity(identity)

    async def run(
        self, *, again: bool = False, early: bool = False, remove: bool = False
    ) -> Summary:
        """Crawl until there is nothing left to do for now, a limit is reached, or `stop` is called.

        Args:
            again: Whether to visit pages again that are due.
            early: Whether to visit all pages again now, due or not.
            remove: Whether pages that earlier runs kept, but which are outside the bounds now, are
                removed from the index and the archive at once. Otherwise they are visited when they
                are due, and stay as long as their site allows; their links are not followed.

        Returns:
            The summary of the run.

        Raises:
            MisuseError: The crawl was started with `allow_private`, `allow_networks` or a dialect
                of your own, which are missing now; or the folder belongs to another robot; or its
                crawl started at other URLs and `resume` is not set.
            NoCrawlError: There is no crawl in the folder to resume.
            StoreError: The folder cannot be written, the disk is full, or another crawl is running
                in the folder.

        """
        self._run = None
        with self.given_parts.opened_store() as store:
            self._prepare_folder()
            summary = await self._run_with(store, again=again or early, early=early, remove=remove)
        self._summary = summary
        tell(self._on_event, Ended(summary.finished, summary))
        return summary

    async def _run_with(
        self, store: Store | None, *, again: bool, early: bool, remove: bool
    ) -> Summary:
        """Crawl with an open store that is shared; `None` for that in the folder."""
        with await self._lock(), self._database() as database:
            access = DatabaseAccess(database, self._clock)
            # Opening a queue of a million URLs takes a second.
            opened = await access.in_thread(
                partial(self._open, database, store, again=again, early=early, remove=remove)
            )
            run = self._run = CrawlRun(
                opened,
                access=access,
                fetcher=self._fetcher,
                clock=self._clock,
                progress=self._progress(opened),
                workers=self._workers,
                company=self._company,
                publisher=self._publisher,
            )
            self._opened(run, opened)
            return await run.to_end(work(run) for _ in range(self._workers))

    def __repr__(self) -> str:
        """Show the folder, and how the last run ended."""
        ended = "not run" if self._summary is None else self._summary.ended
        return f"<Crawl {shown_value(str(self.folder))}: {ended}>"

    def _repr_html_(self) -> str:
        """Return what the last run came to as a table, for notebooks."""
        rows = [("run", "not run")] if self._summary is None else self._summary.rows()
        return table_html(f"Crawl in {self.folder}", rows)

    def stop(self, reason: str = "stopped") -> None:
        """End the run. Requests under way are finished; a second call cancels them.

        A document that takes more than five seconds to read is abandoned, and its URL goes back
        into the queue. If called before `run`, the run ends at once.
        """
        if self._run is None:
            self._stopped = self._stopped or reason
        else:
            self._run.stop(reason)

    # Orders of the operator, during a run or before the next one.

    def block(self, place: str, why: str, *, by: str = "") -> None:
        """Block a site or a URL permanently, and remove it from the index and the archive.

        Like the other orders it is written to the folder. A running crawl carries it out within a
        second, otherwise the next run does. `goodbot robot block` writes the same order.

        Args:
            place: The site or the URL; see `goodbot.Robot.block`.
            why: The reason.
            by: The person who decides.

        Raises:
            NoOriginError: The place is not an absolute http or https URL.
            StoreError: The folder cannot be written.
            WrongValueError: The reason is empty.

        """
        Hold.of(place, "block", why=why, by=by, at=self._clock.now())
        self._order("block", place, why, by)

    def unblock(self, place: str) -> None:
        """Remove a block, and queue its URLs again. See `block`."""
        self._order("unblock", address_of(place)[1])

    def pause(self, site: str, why: str = "", *, by: str = "") -> None:
        """Pause visits to a site until `resume` is called. See `block`."""
        Hold.of(site, "pause", why=why, by=by, at=self._clock.now())
        self._order("pause", site, why, by)

    def resume(self, site: str) -> None:
        """Resume visits to a paused site. See `block`."""
        self._order("resume", address_of(site)[1])

    def forget(self, url: str) -> None:
        """Remove a URL from the index and the archive; it may be visited again. See `block`."""
        self._order("forget", address_of(url)[1])

    def _order(self, do: OrderKind, place: str, why: str = "", by: str = "") -> None:
        orders.leave(self.folder, orders.Order(do, place, self._clock.now(), why, by))
        if self._run is not None:
            self._run.look_for_orders()

    def waiting(self, origin: str = "") -> int:
        """Return how many URLs wait in the queue now, for one origin or for all. This is cheap.

        Args:
            origin: The origin; empty for all.

        """
        return 0 if self._run is None else self._run.recorder.frontier.waiting(origin)

    def _prepare_folder(self) -> None:
        """Create the folder; to resume, it must exist and contain a crawl."""
        if self._given.resume and not (self.folder / FILE).exists():
            message = (
                f"there is no crawl in {self.folder}; name another folder, or start a new crawl"
            )
            raise NoCrawlError(message)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"{self.folder} cannot be created ({error.strerror}); name another folder"
            raise StoreUnavailableError(message) from error

    def _settle(self, database: Database) -> CrawlSettings:
        """Return the settings of this run: those passed now, and the stored ones for the rest."""
        before = CrawlSettings.read(database)
        if before is None and self._given.resume:
            raise NoCrawlError(NOT_BEGUN.format(path=database.path))
        if SHARES in database.settings():
            message = (
                f"the crawl in {self.folder} has several processes; continue it with "
                "goodbot.crawl.ProcessCrawl or with goodbot crawl --resume"
            )
            raise MisuseError(message)
        fleet = database.setting(GATHERED_FROM)
        if fleet:
            message = (
                f"the crawl in {self.folder} was gathered from the fleet in {fleet}, whose workers "
                "know what may be visited when; add URLs there (goodbot fleet add), or crawl into "
                "another folder"
            )
            raise MisuseError(message)
        self.given_parts.refuse_others(database.settings(), self.folder, is_new=before is None)
        return settings_for(before, self._given, self.folder)

    def _open(
        self, database: Database, store: Store | None, *, again: bool, early: bool, remove: bool
    ) -> Opened:
        """Open the crawl where it was left; runs in a thread."""
        settings = self._settle(database)
        if self._fetcher.is_ours:
            refuse_lacking(database.settings(), self.permissions)
        timeline = Timeline(self._clock)
        shared = None if store is None else SharedStore(store, database.store, self._clock)
        timeline.tell(shared or database.store)
        if shared is not None:
            shared.tell_folder()
        now = timeline.read()
        started = now.wall
        database.gather(now.steady)
        if shared is not None:
            shared.begin(now.steady)
        agent = settings.identity.user_agent
        recorder = Recorder(
            database,
            settings.bounds,
            started,
            parts=self._parts(database, started, agent, timeline),
            traps=settings.traps,
            retries=settings.retries,
            short_lived=settings.short_lived,
            types=settings.types,
            shared=shared,
        )
        operator = Operator(database, recorder, settings)
        try:
            robot = self._robot(settings, shared or database.store, recorder)
            self._begin(database, recorder, settings, started)
            operator.obey(started)
            if shared is not None:
                shared.read_holds()
            removed = recorder.remove_outside(started) if remove else 0
            if remove:
                database.commit()
                compact(str(self.folder), self.given_parts.warc_place)
            if again:
                recorder.frontier.again(started, early=early)
            if early:  # the site may have changed its robots.txt as well
                (shared or database.store).make_all_stale(started)
        except BaseException:
            recorder.close()
            raise
        waiting = recorder.frontier.how_many().get("queued", 0)
        folder = str(self.folder)
        return Opened(
            folder, database, settings, robot, recorder, operator, started, waiting, removed, shared
        )

    def _progress(self, opened: Opened) -> Progress:
        """Return the counts of a run that begins."""
        stopped, self._stopped = self._stopped, ""
        return Progress(
            opened.settings.bounds,
            opened.recorder,
            sites=len(opened.settings.bounds.origins or {one for one, _ in self._given.start}),
            patience=self._patience,
            clock=self._clock,
            on_event=self._on_event,
            stopped=stopped,
            company=self._company,
        )

    async def _lock(self) -> FolderLock:
        """Lock the folder."""
        return FolderLock(self.folder)

    def _database(self) -> Database:
        """Open the database of the folder, or create it."""
        return Database(self.folder, create=True)

    def _opened(self, run: CrawlRun, opened: Opened) -> None:
        """Prepare for a run that begins."""

    def _parts(
        self, database: Database, started: datetime, user_agent: str, timeline: Timeline
    ) -> Parts:
        """Open the parts of the crawl in its folder."""
        given = self.given_parts
        return parts_in(database, started, user_agent=user_agent, timeline=timeline, given=given)

    def _robot(self, settings: CrawlSettings, store: Store, recorder: Recorder) -> Robot:
        """Create the robot, with its events going to listeners and its remarks to the folder."""
        identity = settings.identity
        watch = AlertWatch(identity.product)

        def hear(event: RobotEvent) -> None:
            if self._on_event is not None:
                tell(self._on_event, event)
            alert = watch.hear(event)
            if alert is not None:
                tell(self._on_event, alert)

        def remarked(remark: Remark) -> None:
            recorder.remarked(remark, self._clock.now())
            tell(self._on_comment, remark)

        return self._robot_maker(
            identity.name,
            info_url=identity.info_url,
            contact=identity.contact,
            store=store,
            fetcher=self._fetcher,
            clock=self._clock,
            manners=settings.manners,
            dialect=settings.dialect,
            page_dialect=settings.page_dialect,
            page_options=settings.page_options,
            on_event=hear,
            on_comment=remarked,
            timeout=self._timeout,
            types=settings.types,
            identity=self._signing,
        )

    def _begin(
        self, database: Database, recorder: Recorder, settings: CrawlSettings, started: datetime
    ) -> None:
        """Store the settings of this run, and queue its start URLs."""
        if any(self.permissions):
            recorder.ask_private(started)
        with database.changing():
            before = CrawlSettings.read(database)
            lifted = set() if before is None else before.traps - settings.traps
            if before is not None and (before.bounds != settings.bounds or lifted):
                recorder.admit(started, lifted)
            if before is not None and before.types != settings.types:
                recorder.reread(settings.types, started)
            settings.write(database)
            database.write_settings(self.permissions.settings() if self._fetcher.is_ours else {})
            database.write_settings(self.given_parts.settings)
            self._note_maker(database)
            database.write_settings({"started": started.isoformat()}, replace=False)
            database.write_settings({"latest_run": started.isoformat()})
            recorder.start([url for _, url in self._given.start], started)
        # The settings must be stored before the archive creates files that belong to them.
        database.commit()

    def _note_maker(self, database: Database) -> None:
        """Note which goodbot works on the crawl, and by which key it signs."""
        database.write_settings({MADE_WITH: with_stamp(database.setting(MADE_WITH))})
        if self._signing is not None:
            signed = self._signing.with_note(database.setting(SIGNED_BY))
            database.write_settings({SIGNED_BY: signed})


def in_flight(fetcher: Fetcher | None, clock: Clock, permissions: Permissions) -> InFlight:
    """Return the fetcher of a caller, or else one with these permissions, with its requests."""
    if fetcher is not None:
        return InFlight(fetcher, is_ours=False)
    private, networks = permissions
    return InFlight(made_fetcher(clock, private=private, networks=networks), is_ours=True)


def as_timedelta(seconds: float | None) -> timedelta | None:
    """Return seconds as a `timedelta`; `None` for `None`, and for longer than a crawl can run."""
    return None if seconds is None or seconds >= LONGEST_WAIT else timedelta(seconds=seconds)


def checked_settings(**named: Any) -> GivenSettings:  # noqa: ANN401  as `Crawl` has them
    """Return the settings that a caller passed, after checking all that needs no folder.

    Raises:
        MisuseError: A setting is invalid.

    """
    given = GivenSettings(**named)
    alone = CrawlSettings().merged(given)
    if not given.resume:
        _ = alone.identity
    return given
