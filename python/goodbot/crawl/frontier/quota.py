"""What is kept of URLs that are not queued: few of a page, few of a crawl, and each of them short.

What may live here: how much of them is kept, and the count of the others. Nobody will ask for them,
so that a site could fill the disk with them for nothing: 52 KB on the wire made 462 MB.
"""

import hashlib
import json
import sqlite3
from collections import Counter

from goodbot.crawl.folder.records import Discovery
from goodbot.crawl.frontier.bounds import TOO_MANY_LINKS, TOO_MANY_SITEMAPS

__all__ = ["LONGEST_LEFT_OUT", "MOST_QUEUED", "LeftOut", "Room", "kept_form", "not_kept"]

LONGEST_LEFT_OUT = 256
"""Characters of a URL that is not queued; of what is longer the SHA-256 stands behind them."""

MOST_QUEUED = 10_000
"""New URLs that the links of one page may queue."""

MOST_LEFT_OUT = 1_000
"""New URLs of one page that are kept though they are not queued."""

MOST_LEFT_OUT_OF_CRAWL = 100_000
"""URLs of a crawl that are kept though they are not queued."""

MOST_SITEMAPS = 1_000
"""Sitemaps that one origin may bring to a crawl: its robots.txt names them, or an index does that
it names."""

SITEMAPS = "SELECT source, count(*) FROM urls WHERE how = 'sitemap-file' GROUP BY source"
COUNT = "SELECT count(*) FROM urls WHERE state = 'skipped'"
READ = "SELECT value FROM settings WHERE name = 'not-kept'"
WRITE = "INSERT OR REPLACE INTO settings VALUES('not-kept', ?)"


def kept_form(text: str) -> str:
    """Return a URL as it is kept while it is not queued.

    >>> kept_form("https://a.example/b")
    'https://a.example/b'
    >>> kept_form("https://a.example/" + "b" * 1_000)[250:290]
    'bbbbbb… sha256:822167e90f76faffee95fb6d0'
    """
    if len(text) <= LONGEST_LEFT_OUT:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[:LONGEST_LEFT_OUT]}… sha256:{digest}"


def not_kept(connection: sqlite3.Connection) -> Counter[str]:
    """Return how many URLs were found and not kept, by reason; each as often as it was found."""
    row = connection.execute(READ).fetchone()
    try:
        found = {} if row is None else json.loads(row[0])
        return Counter({str(reason): int(count) for reason, count in found.items()})
    except (ValueError, TypeError, AttributeError, OverflowError):
        return Counter()


class Room:
    """How many new URLs of one page may still be kept."""

    def __init__(self) -> None:
        """Begin with all of them."""
        self.queued = MOST_QUEUED
        self.left_out = MOST_LEFT_OUT
        self.not_kept: Counter[str] = Counter()


class LeftOut:
    """The count of what a crawl keeps of URLs that are not queued.

    Args:
        connection: That of the crawl.

    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Count what is there."""
        self._count: int = connection.execute(COUNT).fetchone()[0]
        self._not_kept = not_kept(connection)
        self._sitemaps: Counter[str] = Counter(dict(connection.execute(SITEMAPS)))

    def has_room(self, room: Room, found: Discovery, reason: str) -> bool:
        """Whether a new URL is kept; if it is not, it is counted.

        Args:
            room: What its page may still have kept.
            found: How it was found.
            reason: Why it is not queued; empty if it is.

        """
        if reason:
            if room.left_out > 0 and self._count < MOST_LEFT_OUT_OF_CRAWL:
                room.left_out -= 1
                self._count += 1
                return True
            room.not_kept[reason] += 1
            return False
        if found.how == "sitemap-file":
            return self._has_room_for_sitemap(room, found.source)
        if found.how != "link":  # a sitemap has bounds of its own, and a redirect leads to one URL
            return True
        if room.queued > 0:
            room.queued -= 1
            return True
        room.not_kept[TOO_MANY_LINKS] += 1
        return False

    def _has_room_for_sitemap(self, room: Room, named_by: str) -> bool:
        """Whether an origin may bring another sitemap."""
        if self._sitemaps[named_by] >= MOST_SITEMAPS:
            room.not_kept[TOO_MANY_SITEMAPS] += 1
            return False
        self._sitemaps[named_by] += 1
        return True

    def is_queued(self) -> None:
        """Note that a URL that was left out is queued."""
        self._count -= 1

    def write(self, connection: sqlite3.Connection, room: Room) -> None:
        """Write down how many URLs of a page were not kept."""
        if room.not_kept:
            self._not_kept += room.not_kept
            connection.execute(WRITE, (json.dumps(self._not_kept),))

    @property
    def not_kept(self) -> int:
        """How many URLs were found and not kept, each as often as it was found."""
        return self._not_kept.total()
