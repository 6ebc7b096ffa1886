"""Giving an operator's order to a crawl, whether the crawl is running or not.

Scope: deciding which process carries out an order. `operator` implements the orders.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

from goodbot.crawl.archive.place import WarcPlace
from goodbot.crawl.archive.warc_archive import WarcArchive
from goodbot.crawl.folder import orders
from goodbot.crawl.folder.database import FILE, NOT_BEGUN, Database
from goodbot.crawl.folder.elsewhere import OF_ARCHIVE, parts_elsewhere
from goodbot.crawl.folder.lock import FolderLock
from goodbot.crawl.folder.open_readonly import folders_of, open_readonly, reading_rows
from goodbot.crawl.folder.orders import Order
from goodbot.crawl.run.operator import Operator
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.errors import NoCrawlError, StoreBusyError

__all__ = ["carry_out", "compact"]

WAIT = 10.0
"""Seconds to wait for a running crawl to carry out an order."""
LOOK = 0.05
"""Seconds between checks whether it has."""


def carry_out(folder: str, order: Order) -> int | None:
    """Carry out an order, or leave it to the running crawl; return how many URLs it concerns.

    A running crawl carries out the order itself within a second, because it holds part of its data
    in memory.

    Args:
        folder: The folder of the crawl.
        order: The order.

    Returns:
        The number of URLs; `None` if a running crawl carries out the order, or the next run of one
        with parts outside its folder.

    Raises:
        MisuseError: The order names no valid site or URL, or a block has no reason.
        NoCrawlError: There is no crawl in the folder.
        StoreError: The folder cannot be read or written.

    """
    with open_readonly(folder) as database:  # fails unless there is a crawl in the folder
        elsewhere = parts_elsewhere(database.settings()).keys() - {"store"}
    if elsewhere:  # only who passed these parts can remove pages from them: the next run
        orders.leave(Path(folder), order)
        return None
    parts = folders_of(folder)
    try:
        if len(parts) > 1:
            orders.pass_on(Path(folder), parts)
        # A site is in one part; the others only need to know of the decision.
        return max(carry_out_in(part, order) for part in parts)
    except StoreBusyError:
        name = orders.leave(Path(folder), order)
        until = time.monotonic() + WAIT
        while name in orders.waiting(Path(folder)) and time.monotonic() < until:
            time.sleep(LOOK)
        return None


def carry_out_in(folder: Path, order: Order) -> int:
    """Carry out an order in one folder; return how many URLs it concerns.

    Raises:
        StoreBusyError: The crawl is running.

    """
    if not (folder / FILE).exists():  # a process was killed before it created its part
        folder.mkdir(exist_ok=True)
        orders.leave(folder, order)
        return 0
    with lone_operator(folder) as operator:
        return operator.carry_out(order, order.at)


@contextmanager
def lone_operator(folder: Path) -> Iterator[Operator]:
    """Open a crawl that is not running, to carry out orders.

    Raises:
        StoreBusyError: The crawl is running.

    """
    with FolderLock(folder), Database(folder) as database, reading_rows(database.path):
        settings = CrawlSettings.read(database)
        if settings is None:
            raise NoCrawlError(NOT_BEGUN.format(path=database.path))
        now = datetime.now(timezone.utc)
        agent = settings.identity.user_agent
        recorder = Recorder(database, settings.bounds, now, user_agent=agent)
        try:
            operator = Operator(database, recorder, settings)
            operator.obey(now)  # earlier orders come first
            yield operator
        finally:
            recorder.close()


def compact(folder: str, place: WarcPlace | None = None) -> None:
    """Remove the bytes that must no longer be kept from the files of the archive.

    Args:
        folder: The folder of the crawl.
        place: Where its WARC files are; `None` for the folder. If they are elsewhere, nothing is
            done without it: the next run of the crawl can.

    """
    with open_readonly(folder) as crawl:
        if place is None and parts_elsewhere(crawl.settings()).keys() & OF_ARCHIVE:
            return
    for part in folders_of(folder):
        if not (part / FILE).exists():
            continue
        with (
            Database(part) as database,
            reading_rows(database.path),
            WarcArchive(database, place=place) as kept,
        ):
            kept.compact(datetime.now(timezone.utc))
