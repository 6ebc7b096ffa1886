"""The messages from sites to the operator of the robot, as a crawl stores them.

Scope: writing and reading the table of remarks. The robot decides what a remark is
(`goodbot.robot.Remark`).
"""

import sqlite3
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.times import stored_time
from goodbot.http.instants import instant
from goodbot.robot.events import Remark

__all__ = ["MOST_REMARKS", "SiteRemark", "count_remarks", "keep_remark", "remarks"]

MOST_REMARKS = 10_000
"""The most remarks stored in a crawl; others are counted. A robot reports at most 100 of a site."""
NOT_KEPT = "remarks_not_kept"
"""The setting that counts the remarks that were not stored."""

SEEN_AGAIN = "UPDATE remarks SET last = max(last, ?) WHERE origin = ? AND kind = ? AND text = ?"
HOW_MANY = "SELECT count(*) FROM remarks"
KEEP = "INSERT INTO remarks(origin, kind, text, first, last) VALUES(?, ?, ?, ?, ?)"
EVERY = "SELECT origin, kind, text, first, last FROM remarks ORDER BY origin, first, kind, text"


class SiteRemark(NamedTuple):
    """A message from a site to the operator."""

    origin: str
    kind: str
    """`comment` or `visit-time`; see `goodbot.robot.Remark`."""
    text: str
    first: datetime
    """When it was first seen, in UTC."""
    last: datetime
    """When it was last seen."""


def keep_remark(database: Database, remark: Remark, at: datetime) -> bool:
    """Store a remark, or update when it was last seen; return whether it is new to the crawl."""
    moment = instant(at, "at")
    text = remark.text.encode("utf-8", "replace").decode()
    named = (remark.origin, remark.kind, text)
    with database.changing() as connection:
        if connection.execute(SEEN_AGAIN, (moment, *named)).rowcount:
            return False
        if not has_room(connection):
            database.write_settings({NOT_KEPT: str(remarks_not_kept(database) + 1)})
            return False
        connection.execute(KEEP, (*named, moment, moment))
        return True


def has_room(connection: sqlite3.Connection) -> bool:
    """Return whether another remark can be stored."""
    count: int = connection.execute(HOW_MANY).fetchone()[0]
    return count < MOST_REMARKS


def remarks(database: Database) -> Iterator[SiteRemark]:
    """Yield the messages from sites, origin by origin, the oldest first.

    Raises:
        NotAStoreError: A row is damaged.

    """
    for origin, kind, text, first, last in database.connection.execute(EVERY):
        yield SiteRemark(str(origin), str(kind), str(text), stored_time(first), stored_time(last))


def count_remarks(database: Database) -> int:
    """Return the number of remarks, whether stored or only counted."""
    count: int = database.connection.execute(HOW_MANY).fetchone()[0]
    return count + remarks_not_kept(database)


def remarks_not_kept(database: Database) -> int:
    """Return the number of remarks that were not stored because there were too many."""
    written = database.setting(NOT_KEPT, "0")
    return int(written) if written.isdecimal() and len(written) < len(str(2**63)) else 0
