"""Read which records the archive keeps, for other rooms.

Scope: reading the tables of the archive. No file is opened, and nothing is changed.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Kept
from goodbot.crawl.folder.times import stored_time

__all__ = ["KeptAt", "copied", "kept_of"]

OF_URL = "SELECT at, until, kind, file, offset, length FROM kept WHERE url = ? ORDER BY id"
COPIED = (
    "SELECT DISTINCT url FROM kept WHERE kind IN ('response', 'conversion') "
    "AND url IN (SELECT value FROM json_each(?))"
)


class KeptAt(NamedTuple):
    """A record of the archive, with its times."""

    at: datetime
    """When it was requested, in UTC."""
    until: datetime | None
    """When to stop showing it (`unavailable_after`); `None`: never."""
    where: Kept
    """The record."""


def kept_of(database: Database, url_id: int) -> Iterator[KeptAt]:
    """Yield the kept records of a URL, in the order in which they were written.

    Args:
        database: The database of the crawl.
        url_id: The number of the URL.

    """
    for at, until, kind, *place in database.connection.execute(OF_URL, (url_id,)):
        end = None if until is None else stored_time(until)
        yield KeptAt(stored_time(at), end, Kept(kind, *place))


def copied(database: Database, url_ids: Iterable[int]) -> set[int]:
    """Return those of some URLs, by their numbers, that have a copy that may be shown."""
    rows = database.connection.execute(COPIED, (json.dumps(list(url_ids)),))
    return {url_id for (url_id,) in rows}
