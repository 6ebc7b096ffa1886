"""One worker of a fleet: it crawls the sites that it leases, in a folder of its own.

Scope: from the orders of the fleet to a crawl, and to another one when they change.
"""

import asyncio
import os
import socket
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from goodbot.crawl.fleet.fleet import Fleet, FleetOrders
from goodbot.crawl.fleet.fleet_crawl import FleetCrawl
from goodbot.crawl.fleet.fleet_store import FleetStore
from goodbot.crawl.fleet.sent_requests import SentRequests
from goodbot.crawl.fleet.server_clock import ServerClock
from goodbot.crawl.folder.parquet import check_parquet
from goodbot.crawl.frontier.postgres import PostgresFrontier
from goodbot.crawl.run.crawl import Crawl
from goodbot.crawl.run.events import Summary
from goodbot.crawl.run.progress import CrawlEvent
from goodbot.errors import StoreError
from goodbot.net import AiohttpFetcher
from goodbot.robot import Remark
from goodbot.robot.signing_identity import SigningIdentity
from goodbot.store import PostgresStore

if TYPE_CHECKING:
    from goodbot.crawl.fleet.segment_publisher import SegmentLimits

__all__ = ["DRAINED", "FleetWorker"]

DRAINED = "drained"
"""Why a worker ends when the fleet is drained, a slug."""
NEW_SETTINGS = "new-settings"
"""Why the crawl of a worker ends when another one begins with new settings, a slug."""
LOOK_AFTER = 5.0
"""Seconds between looks at the orders."""


class FleetWorker:
    """A worker of a fleet.

    Args:
        url: The URL of the database of the fleet.
        folder: The folder of this worker, which no other one uses.
        name: A name for people; by default that of the machine, and the number of the process.
        workers: The most visits at the same time; see `Crawl`.
        patience: The most seconds to wait for the next URL; see `Crawl`. A worker also waits for
            what others may find, as long as they have any site.
        lease_seconds: See `PostgresFrontier`.
        margin: See `PostgresFrontier`.
        allow_private: See `Crawl`.
        allow_networks: See `Crawl`.
        timeout: See `Crawl`.
        identity: See `Crawl`; the private keys stay on the machine.
        limits: When a segment ends, if the results of the fleet go to object storage; by default
            after a minute.
        on_event: See `Crawl`.
        on_comment: See `Crawl`.

    """

    def __init__(
        self,
        url: str,
        folder: str | os.PathLike[str],
        *,
        name: str = "",
        workers: int = 16,
        patience: float | None = 600.0,
        lease_seconds: float = 120.0,
        margin: float = 30.0,
        allow_private: bool = False,
        allow_networks: Sequence[str] = (),
        timeout: float = 30.0,
        identity: SigningIdentity | str | os.PathLike[str] | None = None,
        limits: "SegmentLimits | None" = None,
        on_event: Callable[[CrawlEvent], object] | None = None,
        on_comment: Callable[[Remark], object] | None = None,
    ) -> None:
        """Open nothing yet."""
        self.url, self.folder = url, Path(folder)
        self.name = name or f"{socket.gethostname()} {os.getpid()}"
        self._workers, self._patience = workers, patience
        self._lease = (lease_seconds, margin)
        self._private, self._networks, self._timeout = allow_private, allow_networks, timeout
        self._limits, self._identity = limits, identity
        self._on_event, self._on_comment = on_event, on_comment
        self.crawl: Crawl | None = None
        """The crawl that is running."""
        self._stopped = ""

    def stop(self, reason: str = "stopped") -> None:
        """End the worker in order; a second call cancels running requests."""
        self._stopped = self._stopped or reason
        if self.crawl is not None:
            self.crawl.stop(reason)

    async def run(self) -> Summary:
        """Crawl until nothing is left for any worker, the fleet is drained, or `stop` is called.

        Raises:
            NoCrawlError: There is no fleet in the database.
            StoreError: The database or the folder fails, or the leases of this worker have ended
                before it could renew them.

        """
        loop = asyncio.get_running_loop()
        fleet = await loop.run_in_executor(None, Fleet, self.url)
        shared = await loop.run_in_executor(None, PostgresStore, self.url)
        try:
            clock = ServerClock(shared)
            length, margin = self._lease
            store = FleetStore(
                shared,
                clock,
                lease_seconds=length,
                request_seconds=self._timeout,
                margin=margin,
            )
            while True:
                orders = await loop.run_in_executor(None, fleet.orders)
                summary = await self._crawl(fleet, store, clock, orders)
                if summary.ended != NEW_SETTINGS or self._stopped:
                    return summary
        finally:
            shared.close()
            fleet.close()

    async def _crawl(
        self, fleet: Fleet, store: FleetStore, clock: ServerClock, orders: FleetOrders
    ) -> Summary:
        """Crawl with the settings of the fleet, until they change."""
        settings, (length, margin) = orders.settings, self._lease
        frontier = PostgresFrontier(
            self.url,
            name=self.name,
            lease_seconds=length,
            margin=margin,
            group_of=orders.group_of,
            carrier=store,
        )
        sent = SentRequests(frontier, clock, worker=self.name)
        fetcher = AiohttpFetcher(
            allow_private=self._private,
            allow_networks=self._networks,
            clock=clock,
            before_sending=sent.check,
        )
        try:
            make = await self._crawl_maker(fleet, orders, frontier, clock)
            self.crawl = crawl = make(
                sent,
                self.folder,
                settings.robot,
                info_url=settings.info_url,
                contact=settings.contact,
                bounds=settings.bounds,
                manners=settings.manners,
                sitemaps=settings.sitemaps,
                types=settings.types,
                traps=settings.traps,
                retries=settings.retries,
                short_lived=settings.short_lived,
                dialect=settings.dialect,
                page_dialect=settings.page_dialect,
                page_options=settings.page_options,
                workers=self._workers,
                patience=self._patience,
                fetcher=fetcher,
                clock=clock,
                timeout=self._timeout,
                identity=self._identity,
                store=store,
                frontier=frontier,
                on_event=self._on_event,
                on_comment=self._on_comment,
            )
            if orders.is_draining or self._stopped:
                crawl.stop(self._stopped or DRAINED)
            watching = asyncio.ensure_future(self._watch(fleet, orders))
            try:
                return await crawl.run()
            finally:
                watching.cancel()
        finally:
            self.crawl = None
            frontier.close()
            await fetcher.close()

    async def _crawl_maker(
        self, fleet: Fleet, orders: FleetOrders, frontier: PostgresFrontier, clock: ServerClock
    ) -> Callable[..., Crawl]:
        """Return what makes a crawl: one whose results go to where the fleet wants them."""
        if not orders.objects:
            return FleetCrawl
        from goodbot.crawl.fleet.object_storage import ObjectStorage  # noqa: PLC0415  an extra
        from goodbot.crawl.fleet.segment_crawl import SegmentCrawl  # noqa: PLC0415  as above
        from goodbot.crawl.fleet.segment_publisher import SegmentLimits, SegmentPublisher  # noqa: PLC0415  as above

        check_parquet()
        loop = asyncio.get_running_loop()
        storage = await loop.run_in_executor(None, ObjectStorage, orders.objects)
        publisher = SegmentPublisher(
            fleet.manifest,
            storage,
            frontier,
            worker=self.name,
            now=clock.now,
            limits=self._limits or SegmentLimits(),
        )
        return partial(SegmentCrawl, publisher)

    async def _watch(self, fleet: Fleet, orders: FleetOrders) -> None:
        """End the crawl when the orders change."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(LOOK_AFTER)
            try:
                now = await loop.run_in_executor(None, fleet.orders)
            except StoreError:  # the crawl itself waits for the server, or ends
                continue
            if self.crawl is None:
                return
            if now.is_draining:
                self.crawl.stop(DRAINED)
                return
            if now.revision != orders.revision:
                self.crawl.stop(NEW_SETTINGS)
                return
