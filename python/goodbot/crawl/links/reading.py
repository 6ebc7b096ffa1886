"""Read the links of a crawl: of a page, to a URL, of one kind, and their counts.

Scope: reading the tables of links, for other rooms. URLs are numbers here; the queue knows them.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache

from goodbot.crawl.folder.database import Database
from goodbot.crawl.links.compact_rows import unpacked_ids
from goodbot.crawl.links.page_links import (
    EXTERNAL,
    FOLLOWED,
    LISTED,
    NOFOLLOW,
    RESOURCE,
    PageRow,
    StoredLink,
    stored_links,
)
from goodbot.http.instants import instant

__all__ = [
    "ANY",
    "A_LINK",
    "EXPIRED",
    "LinkReader",
    "inlink_counts",
    "inlink_counts_between",
    "link_and_sitemap_counts",
    "pages_to",
    "pages_to_themselves",
]

A_LINK = FOLLOWED | NOFOLLOW
"""The kinds of links that readers follow."""
ANY = A_LINK | LISTED | RESOURCE
"""All kinds, including the entries of sitemaps and what pages load."""

EXPIRED = "unavailable_after"
"""Why a text is not shown any more."""

PAGE = "SELECT targets, kinds, details, withheld, until FROM outlinks WHERE page = ?"
PAGES = "SELECT page FROM outlinks ORDER BY page"
TO = "SELECT page FROM inlinks WHERE target = ? AND kind & ? ORDER BY page LIMIT ?"
TO_ITSELF = "SELECT page FROM inlinks WHERE target = page AND kind & ?"
COUNTS = (
    "SELECT target, count(*) FROM inlinks "
    "WHERE target IN (SELECT value FROM json_each(?)) AND kind & ? GROUP BY target"
)
BOTH_COUNTS = (
    "SELECT target, sum((kind & ?2) <> 0), sum((kind & ?3) <> 0) FROM inlinks "
    "WHERE target IN (SELECT value FROM json_each(?1)) GROUP BY target"
)
EVERY_COUNT = "SELECT target, count(*) FROM inlinks WHERE kind & ? GROUP BY target"
COUNTS_BETWEEN = (
    "SELECT target, count(*) FROM inlinks WHERE target BETWEEN ? AND ? AND kind & ? GROUP BY target"
)
# With the term `kind > 1`, SQLite uses the index of links that are not ordinary.
OF_KIND = "SELECT DISTINCT page FROM inlinks WHERE kind > 1 AND kind & ? ORDER BY page"

KNOWN_PAGES = 16
"""How many pages a reader remembers: the links to one URL are often on the same pages as those to
the next, and a sitemap may have 50,000."""


class LinkReader:
    """Reads the links of a crawl.

    Args:
        database: The database of the crawl.
        now: The time, an aware `datetime`: texts of pages that have expired by then are not shown.

    """

    def __init__(self, database: Database, now: datetime) -> None:
        """Prepare to read."""
        self._database = database
        self._now = instant(now, "now")
        self._row = lru_cache(KNOWN_PAGES)(self._read)

    def _read(self, page: int) -> PageRow | None:
        """Return what is stored of a page; `None` if nothing is."""
        row = self._database.connection.execute(PAGE, (page,)).fetchone()
        if row is None:
            return None
        targets, kinds, details, withheld, until = row
        if until is not None and until <= self._now:
            withheld = withheld or EXPIRED
        numbers = self._database.numbers_of(page, unpacked_ids(targets))
        return PageRow(page, numbers, kinds, details, withheld)

    def of_page(self, page: int, target: int | None = None) -> Iterator[StoredLink]:
        """Yield the links of a page, in the order in which they are written.

        Args:
            page: The number of the page's URL.
            target: Only links to this URL, by its number; `None` for all.

        Raises:
            NotAStoreError: They are damaged.

        """
        row = self._row(page)
        if row is not None:
            yield from stored_links(row, target)

    def everything(self) -> Iterator[StoredLink]:
        """Yield every link, page by page in the order in which they were found."""
        for (page,) in self._database.connection.execute(PAGES):
            yield from self.of_page(page)

    def to(self, target: int, kind: int = ANY, most: int = -1) -> Iterator[StoredLink]:
        """Yield the links to a URL, page by page.

        Args:
            target: The number of the URL.
            kind: The kinds of links: a sum of those in `goodbot.crawl.links.page_links`.
            most: The most pages to read; -1 for no limit.

        """
        for page in pages_to(self._database, target, kind, most):
            yield from self.of_page(page, target)

    def of_kind(self, kind: int) -> Iterator[StoredLink]:
        """Yield the links that are external or must not be followed, page by page.

        Args:
            kind: `EXTERNAL`, `NOFOLLOW` or both.

        """
        for (page,) in self._database.connection.execute(OF_KIND, (kind,)):
            yield from (one for one in self.of_page(page) if kind_of(one) & kind)


OTHERS = {"sitemap": LISTED, "resource": RESOURCE}
"""The kinds that are no links which readers follow."""


def kind_of(link: StoredLink) -> int:
    """Return how a link leads to its target: a sum of `EXTERNAL`, `NOFOLLOW` and so on."""
    follow = NOFOLLOW if link.nofollow else FOLLOWED
    kind = OTHERS.get(link.kind, follow)
    return kind | (EXTERNAL if link.is_external else 0)


def pages_to(database: Database, target: int, kind: int = ANY, most: int = -1) -> list[int]:
    """Return the numbers of the pages and sitemaps that link to a URL.

    Args:
        database: The database of the crawl.
        target: The number of the URL.
        kind: The kinds of links; see `LinkReader.to`.
        most: The most pages to return; -1 for no limit.

    """
    return [page for (page,) in database.connection.execute(TO, (target, kind, most))]


def inlink_counts(
    database: Database, targets: Iterable[int] | None = None, kind: int = A_LINK
) -> dict[int, int]:
    """Count the pages that link to each URL; URLs to which none does are omitted.

    Args:
        database: The database of the crawl.
        targets: The numbers of the URLs; `None` for all.
        kind: The kinds of links; see `LinkReader.to`. `LISTED` counts the sitemaps that list it.

    """
    if targets is None:
        return dict(database.connection.execute(EVERY_COUNT, (kind,)))
    values = (json.dumps(list(targets)), kind)
    return dict(database.connection.execute(COUNTS, values))


def link_and_sitemap_counts(
    database: Database, targets: Iterable[int]
) -> dict[int, tuple[int, int]]:
    """Count the pages that link to each URL, and the sitemaps that list it, if any do.

    Args:
        database: The database of the crawl.
        targets: The numbers of the URLs.

    """
    values = (json.dumps(list(targets)), A_LINK | RESOURCE, LISTED)
    rows = database.connection.execute(BOTH_COUNTS, values)
    return {target: (pages, sitemaps) for target, pages, sitemaps in rows}


def inlink_counts_between(database: Database, first: int, last: int) -> dict[int, int]:
    """Count the pages that link to each of some URLs; URLs to which none does are omitted.

    Args:
        database: The database of the crawl.
        first: The number of the first URL.
        last: The number of the last URL.

    """
    return dict(database.connection.execute(COUNTS_BETWEEN, (first, last, A_LINK)))


def pages_to_themselves(database: Database, kind: int = A_LINK) -> set[int]:
    """Return the numbers of the pages that link to themselves.

    Args:
        database: The database of the crawl.
        kind: The kinds of links; see `LinkReader.to`.

    """
    return {page for (page,) in database.connection.execute(TO_ITSELF, (kind,))}
