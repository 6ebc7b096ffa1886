"""The crawl: the loop that ties queue, robot and recorder together.

What may live here: in which order a URL goes through them, and how a crawl begins and ends.
"""

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import TypeAlias

from goodbot._core import Dialect
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.lock import FolderLock
from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.bounds import Bounds
from goodbot.crawl.frontier.sqlite import Outcome
from goodbot.crawl.run.counts import Count
from goodbot.crawl.run.events import Ended, Started, Summary, UrlSettled
from goodbot.crawl.run.in_flight import InFlight
from goodbot.crawl.run.lending import Lending
from goodbot.crawl.run.page_batch import FetchResult
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.settings import (
    Permissions,
    lacking,
    named,
    settled_bounds,
    write_settings,
)
from goodbot.crawl.run.workers import Workers
from goodbot.crawl.run.writings import Writings
from goodbot.errors import (
    Deferred,
    Disallowed,
    FetchError,
    GoodbotError,
    MisuseError,
    StoreError,
    StoreUnavailableError,
)
from goodbot.http.address import address_of
from goodbot.net import Clock, Fetcher, SystemClock
from goodbot.pace import REASONS as PACE_REASONS
from goodbot.pace import Manners
from goodbot.page.dialects import PageDialect
from goodbot.policy.inquiry import NOT_ASKED
from goodbot.robot import Asked, Failed, Fetched, Remark, Robot, Visit
from goodbot.robot import Event as RobotEvent
from goodbot.robot.events import tell
from goodbot.robot.identity import identity_of
from goodbot.robot.robot import made_fetcher
from goodbot.robot.timeline import Timeline
from goodbot.robot.visit_log import Learned
from goodbot.store import LATER_REASONS

__all__ = ["Crawl", "Event"]

Event: TypeAlias = RobotEvent | Started | UrlSettled | Ended
"""What `on_event` is given."""

OF_THE_PACE = {*PACE_REASONS, *LATER_REASONS} - {"visit-time"}
"""Reasons for which a URL keeps its place: only its turn has not come. That a site is closed at
this time of day is written down: nobody is to wonder why it was not visited."""

NO_TURN = timedelta(days=1)
"""Until an origin is looked at again that wants more time than the robot bears."""

GRACE = 5.0
"""Seconds for which a crawl that is stopped waits for what is being read; then the URL goes back
into the queue."""

KEPT_MANNERS = (
    "floor",
    "factor",
    "default",
    "back_off_after",
    "back_off_first",
    "back_off_longest",
)
"""The manners with which a crawl goes on."""

COMMIT_AFTER = 0.2
"""Seconds after which at the latest what was written lasts."""


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

    _stopped: str = ""
    _error: Exception | None = None
    _commits: asyncio.TimerHandle | None = None
    _robot: Robot
    _recorder: Recorder
    _database: Database
    _workers: Workers
    _lending: Lending
    _writings: Writings
    _unlearned: list[Asked]
    """What robots.txt files said while a thread had the database."""

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
        self._clock, self._is_ours = clock or SystemClock(), fetcher is None
        self.permissions = Permissions(allow_private, tuple(allow_networks))
        own = partial(made_fetcher, private=allow_private, networks=allow_networks)
        self._fetcher = InFlight(fetcher or own(self._clock))
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
            on_event=self._heard,
            on_comment=on_comment,
            timeout=timeout,
        )
        self._patience = None if patience is None else timedelta(seconds=patience)
        self._on_event, self._workers_count, self._count = on_event, workers, Count()
        self._unlearned = []

    # From its beginning to its end.

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
        self.folder_made()
        with FolderLock(self.folder), Database(self.folder, create=True) as database:
            self._database = database
            self._lending = Lending(database, self._clock, self._database_is_back)
            try:
                # A queue of a million URLs takes a second to be taken up.
                started, waiting = await self._lending.lend(partial(self._opened, again=again))
                await self._crawl(started, waiting)
            finally:
                recorder: Recorder | None = getattr(self, "_recorder", None)
                if recorder is not None:
                    await self._lending.lend(recorder.close)
            summary = await self._lending.lend(partial(self._summary, started))
            await self._lending.lend(database.close)
        self._tell(Ended(summary.finished, summary))
        return summary

    def _opened(self, *, again: bool) -> tuple[datetime, int]:
        """Resume the crawl where it was left; return the time, and how many URLs wait."""
        database, timeline = self._database, Timeline(self._clock)
        timeline.tell(database)
        now = timeline.read()
        started = now.wall
        self._refuse_lacking(database)
        database.gather(now.steady)
        self._bounds = settled_bounds(database, self._bounds, self._start)
        agent = self.identity.user_agent
        self._recorder = Recorder(
            database, self._bounds, started, user_agent=agent, timeline=timeline
        )
        if any(self.permissions):
            self._recorder.ask_private(started)
        with database.changing():
            write_settings(database, self.identity, self._settings(), started)
            self._recorder.start([url for _, url in self._start], started)
        # So that a file of the archive is never older than what tells whose it is.
        database.commit()
        if again:
            self._recorder.frontier.again(started)
        return started, self._recorder.frontier.how_many().get("queued", 0)

    def _refuse_lacking(self, database: Database) -> None:
        """Refuse to go on without what the crawl was allowed before: every visit would fail.

        Raises:
            MisuseError: A permission is lacking.

        """
        lacks = lacking(database.settings(), self.permissions) if self._is_ours else Permissions()
        words = ["allow_private=True"] if lacks.private else []
        words += [f"allow_networks={list(lacks.networks)}"] if lacks.networks else []
        if words:
            message = f"this crawl was begun with {' and '.join(words)}; pass it again to go on"
            raise MisuseError(message)

    def folder_made(self) -> None:
        """Make the folder."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"{self.folder} cannot be made ({error.strerror}); name another folder"
            raise StoreUnavailableError(message) from error

    async def _crawl(self, started: datetime, waiting: int) -> None:
        self._tell(Started(started, str(self.folder), waiting))
        try:
            robot = self._new_robot(store=self._database)
            async with robot as self._robot:
                await self._work()
        finally:
            if self._is_ours:
                await self._fetcher.close()

    def _settings(self) -> dict[str, str]:
        """Give what a crawl that goes on takes up again."""
        assert self._bounds is not None  # noqa: S101  `run` sets them
        manners = self._manners
        pace = {name: getattr(manners, name) for name in KEPT_MANNERS}
        bounds = json.dumps(self._bounds.as_dict())
        sitemaps = "yes" if self._has_sitemaps else "no"
        return (
            {
                "manners": json.dumps(pace),
                "bounds": bounds,
                "sitemaps": sitemaps,
            }
            | self._dialects
            | (self.permissions.settings() if self._is_ours else {})
        )

    async def _work(self) -> None:
        """Have the workers work, no longer than the bounds say."""
        self._writings = Writings(
            self._recorder,
            self._lending,
            now=self._now,
            tell=self._tell_written,
            resume=self._resume,
            end_by=self._end_by,
        )
        self._workers = Workers(
            self._recorder.frontier,
            self._clock,
            self._visit,
            self._wants_more,
            self._last_wait,
            is_lent=lambda: self._lending.is_out,
            is_busy=lambda: self._writings.is_busy,
        )
        limit = None
        assert self._bounds is not None  # noqa: S101  `run` sets them
        if self._bounds.seconds is not None:
            limit = asyncio.ensure_future(self._end_in_time(self._bounds.seconds))
        try:
            if not self._stopped:
                await self._workers.run(self._workers_count)
                self._writings.begin()
                await self._writings.over(GRACE if self._stopped or self._error else None)
        finally:
            for timer in (limit, self._commits):
                if timer is not None:
                    timer.cancel()
            self._writings.break_off()
            await self._writings.over()
        if self._error is not None:
            raise self._error

    async def _end_in_time(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
        self.stop("time-limit")

    def stop(self, reason: str = "stopped") -> None:
        """End the crawl: what is under way comes to its end; called again, it is broken off.

        A document that takes more than five seconds to read is not waited for: its URL goes back
        into the queue.
        """
        is_second, self._stopped = bool(self._stopped), self._stopped or reason
        workers: Workers | None = getattr(self, "_workers", None)
        if workers is not None:
            workers.stop(set() if is_second else self._fetcher.tasks)
        if is_second and workers is not None:
            self._writings.break_off()

    def waiting(self, origin: str = "") -> int:
        """Tell how many URLs wait now, of one origin or of all; it costs next to nothing.

        Args:
            origin: The origin; empty for all.

        """
        recorder: Recorder | None = getattr(self, "_recorder", None)
        return 0 if recorder is None else recorder.frontier.waiting(origin)

    def _wants_more(self, under_way: int) -> bool:
        """Whether the bounds leave room for another visit."""
        assert self._bounds is not None  # noqa: S101  `run` sets them
        count = self._count
        disk = self._recorder.disk
        reached = self._bounds.reached(count.pages + under_way, count.octets, 0.0, disk)
        return reached is None and not self._stopped

    def _last_wait(self, now: datetime) -> datetime | None:
        return None if self._patience is None else now + self._patience

    # The way of a URL.

    async def _visit(self, taken: QueuedUrl) -> None:
        """Ask, wait, fetch; write down what came of it; and free the origin."""
        settled = self._left_out(taken)
        ready: datetime | None = None
        try:
            if settled is None:
                settled, ready = await self._asked(taken)
        finally:
            await self._lending.returned()
            self._recorder.frontier.free(taken, ready)
        self._commit_soon()
        if settled is not None:
            self._tell_settled(taken, settled, 0)
        if not self._may_gather():
            await self._writings.write()

    async def _asked(self, taken: QueuedUrl) -> tuple[Outcome | None, datetime | None]:
        """Ask and fetch; no worker waits for a turn, as it has other visits to make.

        Gives what has become of the URL, if that is known now, and when its origin may be visited
        again, if that is not at once.
        """
        try:
            visit = await self._robot.visit(taken.url, longest_wait=0.0, redirects=0)
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001  see `_unanswered`
            await self._lending.returned()
            return self._unanswered(taken, error)
        await self._lending.returned()
        self._answered(taken, visit)
        return None, None

    def _unanswered(
        self, taken: QueuedUrl, error: BaseException
    ) -> tuple[Outcome | None, datetime | None]:
        """Write down that there was no answer; what is nobody's fault but ours is raised."""
        now = self._now()
        if isinstance(error, Disallowed):
            return self._recorder.refused(taken, error, now), None
        if isinstance(error, Deferred):
            return self._put_off(taken, error), error.until or now + NO_TURN
        if isinstance(error, FetchError):
            return self._recorder.failed(taken, error, now), None
        if isinstance(error, asyncio.CancelledError):
            self._recorder.give_back(taken)
            raise error
        if isinstance(error, GoodbotError):  # of the store, or the caller's mistake
            raise error
        assert isinstance(error, Exception)  # noqa: S101  such as of a user's own fetcher
        return self._recorder.broke(taken, error, now), None

    def _answered(self, taken: QueuedUrl, visit: Visit) -> None:
        """Take note of an answer; it is written down with others, if others are next."""
        count, frontier = self._count, self._recorder.frontier
        named_by = frontier.source_of(taken.id) if taken.how == "sitemap-file" else ""
        one = FetchResult(taken, visit, self._now(), named_by)
        count.pages += 1
        self._writings.add(one)

    def _may_gather(self) -> bool:
        """Whether answers may wait for others: another visit is next, and they are few."""
        if self._writings.is_full or self._lending.is_out:
            return False
        earliest = self._recorder.frontier.earliest
        return earliest is not None and earliest <= self._now() and not self._stopped

    # What was answered, written down.

    def _tell_written(self, answers: Sequence[FetchResult], settled: Sequence[Outcome]) -> None:
        for one, outcome in zip(answers, settled, strict=True):
            self._tell_settled(one.taken, outcome, one.visit.response.wire_octets)

    def _database_is_back(self) -> None:
        """Go on with what waited for the database."""
        asked, self._unlearned = self._unlearned, []
        for event in asked:
            self._learn(event)
        self._resume()

    def _resume(self) -> None:
        workers: Workers | None = getattr(self, "_workers", None)
        if workers is not None:
            workers.resume()

    def _left_out(self, taken: QueuedUrl) -> Outcome | None:
        """Leave out what the bounds of this run leave out, though it was queued in another."""
        assert self._bounds is not None  # noqa: S101  `run` sets them
        depth = 0 if taken.how == "sitemap-file" else taken.depth
        reason = self._bounds.refuses(taken.url, taken.origin, depth)
        if reason is None:
            return None
        settled = Outcome("skipped", reason)
        self._recorder.frontier.settle(taken, settled, self._now())
        return settled

    def _commit_soon(self) -> None:
        """Have what was written last, also when no visit is next."""
        if self._commits is None:
            loop = asyncio.get_running_loop()
            self._commits = loop.call_later(COMMIT_AFTER, self._commit)

    def _commit(self) -> None:
        self._commits = None
        self._writings.begun(self._committed())

    async def _committed(self) -> None:
        await self._lending.returned()
        self._writings.begin()
        # In a thread, as it may wait for the disk, and have pages indexed.
        await self._lending.lend(self._recorder.last)

    def _end_by(self, error: Exception) -> None:
        """Break everything off, and raise an error when that is done."""
        self._error = self._error or error
        self._workers.stop(set())

    def _put_off(self, taken: QueuedUrl, later: Deferred) -> Outcome | None:
        """Put a visit off; if only its turn has not come, the URL keeps its place."""
        if later.reason not in OF_THE_PACE or later.until is None:
            return self._recorder.deferred(taken, later, self._now())
        self._recorder.give_back(taken)
        return None

    # Telling.

    def _heard(self, event: RobotEvent) -> None:
        """Take note of what the robot tells."""
        if isinstance(event, Fetched) or (
            isinstance(event, Failed) and event.kind not in NOT_ASKED
        ):
            self._count.requests += 1
            self._count.octets += event.octets if isinstance(event, Fetched) else 0
            self._recorder.requested(event)
        if isinstance(event, Asked):
            # Not after a commit: who is killed meanwhile has a fresh policy, and asks for none.
            if self._lending.is_out:
                self._unlearned.append(event)
            else:
                self._learn(event)
        self._tell(event)

    def _learn(self, event: Asked) -> None:
        """Write down what a robots.txt says that is no rule."""
        try:
            learned = Learned(event.policy, None)
            self._recorder.learned(learned, self._now(), sitemaps=self._has_sitemaps)
        except StoreError as error:  # the robot takes no exceptions of who listens
            self._end_by(error)

    def _tell_settled(self, taken: QueuedUrl, settled: Outcome, octets: int) -> None:
        self._count.reasons[settled.reason] += 1
        self._tell(
            UrlSettled(
                taken.url,
                self._now(),
                taken.origin,
                settled.state,
                settled.reason,
                settled.source,
                settled.status,
                octets,
            )
        )

    def _tell(self, event: Event) -> None:
        tell(self._on_event, event)

    def _summary(self, started: datetime) -> Summary:
        frontier, count = self._recorder.frontier, self._count
        assert self._bounds is not None  # noqa: S101  `run` sets them
        reached = self._bounds.reached(count.pages, count.octets, 0.0, self._recorder.disk)
        workers: Workers | None = getattr(self, "_workers", None)
        waits = "waiting" if workers is not None and workers.is_waiting else "nothing-left"
        return Summary(
            self._stopped or reached or waits,
            started,
            self._now(),
            count.pages,
            count.requests,
            count.octets,
            frontier.how_many(),
            dict(count.reasons.most_common()),
            frontier.earliest,
            frontier.not_kept,
        )

    def _now(self) -> datetime:
        return self._clock.now().astimezone(timezone.utc)
