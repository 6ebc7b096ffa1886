"""Orders of an operator to a crawl in a folder, whether it is at work or not.

What may live here: who carries an order out. What an order changes is in `operator`.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

from goodbot.crawl.archive.warc_archive import WarcArchive
from goodbot.crawl.folder import orders
from goodbot.crawl.folder.database import NOT_BEGUN, Database
from goodbot.crawl.folder.lock import FolderLock
from goodbot.crawl.folder.open_readonly import open_readonly, reading_rows
from goodbot.crawl.folder.orders import Order
from goodbot.crawl.run.operator import Operator
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.errors import NoCrawlError, StoreBusyError

__all__ = ["carry_out", "compact"]

WAIT = 10.0
"""Seconds to wait for a running crawl to carry an order out."""
LOOK = 0.05


def carry_out(folder: str, order: Order) -> int | None:
    """Have a crawl carry an order out; return how many URLs it concerns.

    A crawl that is at work does it itself, within a second: it goes by what it has in memory.

    Args:
        folder: The folder of the crawl.
        order: The order.

    Returns:
        The number; `None` if a crawl that is at work does it, or will soon.

    Raises:
        MisuseError: The order names no place, or a block has no reason.
        NoCrawlError: There is no crawl in the folder.
        StoreError: The folder cannot be read or written.

    """
    with open_readonly(folder):
        pass  # it is the folder of a crawl, and not one to be made
    try:
        with lone_operator(folder) as operator:
            return operator.carry_out(order, order.at)
    except StoreBusyError:
        name = orders.leave(Path(folder), order)
        until = time.monotonic() + WAIT
        while name in orders.waiting(Path(folder)) and time.monotonic() < until:
            time.sleep(LOOK)
        return None


@contextmanager
def lone_operator(folder: str) -> Iterator[Operator]:
    """Open a crawl that is not at work, to carry orders out.

    Raises:
        StoreBusyError: It is at work.

    """
    with FolderLock(Path(folder)), Database(folder) as database, reading_rows(database.path):
        settings = CrawlSettings.read(database)
        if settings is None:
            raise NoCrawlError(NOT_BEGUN.format(path=database.path))
        now = datetime.now(timezone.utc)
        agent = settings.identity.user_agent
        recorder = Recorder(database, settings.bounds, now, user_agent=agent)
        try:
            operator = Operator(database, recorder, settings)
            operator.obey(now)  # what was ordered before comes first
            yield operator
        finally:
            recorder.close()


def compact(folder: str) -> None:
    """Take the bytes of what may not be kept any more out of the files of the archive."""
    with Database(folder) as database, reading_rows(database.path), WarcArchive(database) as kept:
        kept.compact(datetime.now(timezone.utc))
