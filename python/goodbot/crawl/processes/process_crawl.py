"""`ProcessCrawl`: a crawl in several processes of this machine, with the interface of `Crawl`.

Scope: the folder, the settings, and the beginning and the end of a run. `face` hears the processes.
"""

import asyncio
import json
import logging
import os
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from goodbot.crawl.folder import orders
from goodbot.crawl.folder.database import NOT_BEGUN, Database
from goodbot.crawl.folder.lock import FolderLock
from goodbot.crawl.folder.missing_parts import CREATED, refuse_missing_parts
from goodbot.crawl.folder.shares import SHARES, Shares, part_folder
from goodbot.crawl.processes.face import CrawlProcess, Face
from goodbot.crawl.processes.messages import Begin
from goodbot.crawl.processes.pipes import PartPipe, ProcessPipe
from goodbot.crawl.processes.portions import RESOURCES
from goodbot.crawl.processes.suspension import suspending
from goodbot.crawl.run.crawl import Crawl
from goodbot.crawl.run.events import Ended, Started, Summary
from goodbot.crawl.run.permissions import refuse_lacking
from goodbot.crawl.run.settings import CrawlSettings, settings_for
from goodbot.errors import (
    MisuseError,
    NoCrawlError,
    NotAStoreError,
    StoreError,
    StoreUnavailableError,
)
from goodbot.http.address import Address, address_of
from goodbot.robot import Remark
from goodbot.robot.events import tell
from goodbot.robot.signing_identity import SigningIdentity

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ProcessCrawl"]

LOG = logging.getLogger("goodbot.crawl")

START = "start"
"""The setting with all start URLs of the crawl. They are stored with the other settings, because a
process may be killed before it has created its part; a URL that it knows already stays as it is."""

LOOK_AFTER = 0.5
"""Seconds between checks for orders of the operator."""


class ProcessCrawl(Crawl):
    """A crawl in several processes of this machine.

    The sites are shared out: each process visits some of them, and has a part of the folder. What
    it finds for another process is handed over. All other classes and commands read the folder as
    that of one crawl.

    Args:
        folder: The folder of the crawl; see `Crawl`.
        name: The robot's name; see `Crawl`.
        processes: The number of processes, 2 to 8; it stays the same for the life of the crawl.
            `None` for the number with which the crawl in the folder was started.
        **options: As for `Crawl`, except `fetcher`, `clock` and the parts of a crawl, which other
            processes cannot use; `store` must be the path or the URL of a store.

    Raises:
        MisuseError: See `Crawl`.
        WrongValueError: There are too few or too many processes; see also `Crawl`.

    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        name: str | None = None,
        *,
        processes: int | None = None,
        **options: Any,  # noqa: ANN401  those of `Crawl`
    ) -> None:
        """Check the arguments; nothing is opened before `run`."""
        for option in ("fetcher", "clock"):
            if options.get(option) is not None:
                message = f"{option}= cannot be used by other processes; omit it, or use Crawl"
                raise MisuseError(message)
        if processes is not None:
            Shares.of(processes)
        super().__init__(folder, name, **options)
        self._store = self.given_parts.for_processes()
        self._processes = processes
        self._face: Face | None = None
        self._start: list[str] = []
        """The start URLs of all runs."""
        patience = options.get("patience", 600.0)
        signing = options.get("identity")
        if isinstance(signing, SigningIdentity):
            message = "an identity is read by each process; pass its folder as identity="
            raise MisuseError(message)
        self._identity_folder = None if signing is None else os.fspath(signing)
        self._of_each = {"patience": patience, "timeout": options.get("timeout", 30.0)}

    async def run(
        self, *, again: bool = False, early: bool = False, remove: bool = False
    ) -> Summary:
        """Crawl until there is nothing left to do; see `Crawl.run`.

        Raises:
            MisuseError: The crawl in the folder has another number of processes; see also `Crawl`.
            StoreError: A process was killed; see also `Crawl`.

        """
        self._face = None
        with self.given_parts.opened_store():
            pass  # fails here, not in each process
        self._prepare_folder()
        with FolderLock(self.folder):
            with Database(self.folder, create=True) as database:
                shares, settings = self._shared(database)
                disk = database.disk_bytes()
            members = [
                CrawlProcess(
                    pipe,
                    self._begin_of(part, shares, settings, again=again, early=early, remove=remove),
                )
                for part, pipe in enumerate(await self._pipes(shares.count))
            ]
            started = self._clock.now()
            face = self._face = Face(
                members, settings.bounds, self._hear, self._begun(started), disk
            )
            face.stopped, self._stopped = self._stopped, ""
            orders_task = asyncio.ensure_future(self._pass_on_orders(shares))
            try:
                with suspending(face.hold, face.go_on):
                    summary = await face.to_end(started)
            finally:
                orders_task.cancel()
        self._summary = summary
        tell(self._on_event, Ended(summary.finished, summary))
        return summary

    def stop(self, reason: str = "stopped") -> None:
        """End the run; see `Crawl.stop`."""
        if self._face is None:
            self._stopped = self._stopped or reason
        else:
            self._face.stop(reason)

    def waiting(self, origin: str = "") -> int:
        """Return how many URLs wait in the queue; see `Crawl.waiting`."""
        return 0 if self._face is None else self._face.waiting(origin)

    @property
    def cpu_seconds(self) -> float:
        """The processor time that the last run took in all its processes, in seconds."""
        return 0.0 if self._face is None else self._face.cpu

    async def _pipes(self, count: int) -> list[PartPipe]:
        """Start the processes.

        Raises:
            StoreUnavailableError: No process can be started.

        """
        pipes: list[PartPipe] = []
        try:
            for _ in range(count):
                pipes.append(await ProcessPipe.start())  # noqa: PERF401  those that started are closed
        except OSError as error:
            for pipe in pipes:
                await pipe.close()
            message = f"no further process can be started ({error.strerror}); use fewer"
            raise StoreUnavailableError(message) from error
        return pipes

    def _shared(self, database: Database) -> tuple[Shares, CrawlSettings]:
        """Merge the settings, and share out the sites of a new crawl; store both.

        Raises:
            MisuseError: The crawl in the folder has another number of processes.
            NotAStoreError: A part is missing.

        """
        stored, before = database.setting(SHARES), CrawlSettings.read(database)
        if before is None and self._given.resume:
            raise NoCrawlError(NOT_BEGUN.format(path=database.path))
        refuse_other_number(self._processes, stored, self.folder, is_new=before is None)
        settings = settings_for(before, self._given, self.folder)
        refuse_lacking(database.settings(), self.permissions)
        self.given_parts.refuse_others(database.settings(), self.folder, is_new=before is None)
        first = [origin for origin, _ in self._given.start]
        first += sorted(settings.bounds.origins or ())
        shares = Shares.from_json(stored) if stored else Shares.of(self._processes or 0, first)
        refuse_missing_parts(database, shares)
        self._start = merged_start(database.setting(START), self._given.start)
        with database.changing():
            database.write_settings({START: json.dumps(self._start)})
            settings.write(database)
            database.write_settings(self.permissions.settings())
            database.write_settings(self.given_parts.settings)
            self._note_maker(database)
            database.write_settings({SHARES: shares.as_json()})
            started = self._clock.now().isoformat()
            database.write_settings({"started": started}, replace=False)
            database.write_settings({"latest_run": started})
        return shares, settings

    def _begin_of(
        self,
        part: int,
        shares: Shares,
        settings: CrawlSettings,
        *,
        again: bool,
        early: bool,
        remove: bool,
    ) -> Begin:
        """Return what one of the processes is to do."""
        owned = [url for url in self._start if shares.owner(address_of(url)[0]) == part]
        return Begin(
            str(self.folder),
            part,
            shares,
            settings,
            self.permissions,
            tuple(owned),
            -(-self._workers // shares.count),
            self._of_each["patience"],
            self._of_each["timeout"],
            again,
            early,
            remove,
            self._on_event is not None or self._on_comment is not None,
            {name: getattr(settings.bounds, name) is not None for name in RESOURCES},
            self._store,
            identity=self._identity_folder,
        )

    def _begun(self, started: datetime) -> Any:  # noqa: ANN401  a function
        def opened(waiting: int, removed: int) -> None:
            with Database(self.folder) as database:
                database.write_settings({CREATED: "yes"}, replace=False)
            tell(self._on_event, Started(started, str(self.folder), waiting, removed))

        return opened

    def _hear(self, event: Any) -> None:  # noqa: ANN401  any event
        tell(self._on_comment if isinstance(event, Remark) else self._on_event, event)

    # Orders of the operator.

    async def _pass_on_orders(self, shares: Shares) -> None:
        """Pass each order on to every process; they look for it once a second."""
        parts = [part_folder(self.folder, number) for number in range(shares.count)]
        reported = ""
        passed: set[tuple[str, Path]] = set()  # which part has which order
        while True:
            try:
                orders.pass_on(self.folder, parts, passed)
                reported = ""
            except (OSError, StoreError) as error:
                if str(error) != reported:  # once, not at each try
                    reported = str(error)
                    LOG.warning("an order waits, because it cannot be passed on: %s", error)
            await asyncio.sleep(LOOK_AFTER)


def merged_start(stored: str, given: Iterable[Address]) -> list[str]:
    """Return the start URLs of earlier runs and those of this one.

    Raises:
        NotAStoreError: The stored ones are damaged.

    """
    try:
        before = [one for one in json.loads(stored or "[]") if address_of(one)]
    except (ValueError, TypeError) as error:
        message = "the start URLs of the crawl are damaged; restore its folder from a backup"
        raise NotAStoreError(message) from error
    return list(dict.fromkeys([*before, *(url for _, url in given)]))


def refuse_other_number(
    processes: int | None, stored: str, folder: object, *, is_new: bool
) -> None:
    """Refuse another number of processes than that of the crawl in a folder.

    Raises:
        MisuseError: It is another one, or unknown.

    """
    if is_new:
        if processes is None:
            message = "a new crawl needs the number of its processes; pass {processes} 2 or more"
            raise MisuseError(message, {"processes": "processes="})
        return
    count = Shares.from_json(stored).count if stored else 1
    if processes in {None, count} and stored:
        return
    if count == 1:
        message = (
            f"the crawl in {folder} has one process, and its sites cannot be shared out later; "
            "continue it without {processes}, or crawl into another folder"
        )
        raise MisuseError(message, {"processes": "processes="})
    message = (
        f"the sites of the crawl in {folder} are shared out over {count} processes; continue it "
        f"with {{processes}} {count}, or omit the number"
    )
    raise MisuseError(message, {"processes": "processes"})
