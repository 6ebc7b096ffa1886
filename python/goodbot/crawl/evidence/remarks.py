"""What sites want the operator of the robot to know, as a crawl keeps it.

What may live here: the table of remarks, written and read. What a remark is, is decided by the
robot (`goodbot.robot.Remark`).
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
"""Remarks of a crawl that are kept; others are counted. A robot passes 100 of a site on."""
NOT_KEPT = "remarks_not_kept"
"""The setting that has how many remarks were not kept."""

SEEN_AGAIN = "UPDATE remarks SET last = max(last, ?) WHERE origin = ? AND kind = ? AND text = ?"
HOW_MANY = "SELECT count(*) FROM remarks"
KEEP = "INSERT INTO remarks(origin, kind, text, first, last) VALUES(?, ?, ?, ?, ?)"
EVERY = "SELECT origin, kind, text, first, last FROM remarks ORDER BY origin, first, kind, text"


class SiteRemark(NamedTuple):
    """Something that a site wants the operator to know."""

    origin: str
    kind: str
    """`comment` or `visit-time`; see `goodbot.robot.Remark`."""
    text: str
    first: datetime
    """When it was said first, in UTC."""
    last: datetime
    """When it was said last."""


def keep_remark(database: Database, remark: Remark, at: datetime) -> bool:
    """Keep a remark, or note that it was made again; return whether it is new to the crawl."""
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
    """Whether another remark is kept."""
    count: int = connection.execute(HOW_MANY).fetchone()[0]
    return count < MOST_REMARKS


def remarks(database: Database) -> Iterator[SiteRemark]:
    """Yield what sites want the operator to know, origin by origin, the oldest first.

    Raises:
        NotAStoreError: A row is damaged.

    """
    for origin, kind, text, first, last in database.connection.execute(EVERY):
        yield SiteRemark(str(origin), str(kind), str(text), stored_time(first), stored_time(last))


def count_remarks(database: Database) -> int:
    """Return how many remarks were made, kept or not."""
    count: int = database.connection.execute(HOW_MANY).fetchone()[0]
    return count + remarks_not_kept(database)


def remarks_not_kept(database: Database) -> int:
    """Return how many remarks were not kept, as there were too many of them."""
    written = database.setting(NOT_KEPT, "0")
    return int(written) if written.isdecimal() and len(written) < len(str(2**63)) else 0
