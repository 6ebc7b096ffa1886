"""The parts of a crawl whose results leave the folder with each segment.

Scope: what differs from the parts in a folder: they note what a visit removed, because the copy
that it removed may be in an earlier segment, and the index is built where segments are gathered.
"""

from collections.abc import Sequence
from typing import Any

from goodbot.crawl.archive.copies import CopyToKeep
from goodbot.crawl.archive.protocol import WholeCopy
from goodbot.crawl.archive.warc_archive import WarcArchive
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Anchor, Document, Kept
from goodbot.crawl.folder.segment_rows import Removals
from goodbot.crawl.index.sqlite import SQLiteIndex
from goodbot.crawl.inventory.page_record import PageRecord
from goodbot.crawl.inventory.sqlite import SQLiteInventory
from goodbot.crawl.links.page_links import PageLinks
from goodbot.crawl.links.sqlite import SQLiteLinks
from goodbot.net.fetcher import Response

__all__ = ["SegmentArchive", "SegmentIndex", "SegmentInventory", "SegmentLinks"]


class SegmentArchive(WarcArchive):
    """An archive that notes which pages were forgotten; see `WarcArchive`."""

    def __init__(self, database: Database, removals: Removals, **named: Any) -> None:  # noqa: ANN401  those of `WarcArchive`
        """Open the archive."""
        super().__init__(database, **named)
        self.removals = removals
        self.added = 0
        """How many bytes were added to the present segment."""

    def keep(self, url_id: int, copy: CopyToKeep, visit: int = 0) -> list[Kept]:
        """Store a copy of a page."""
        self.removals.archive.discard(url_id)
        found = super().keep(url_id, copy, visit)
        self.added += sum(one.length for one in found)
        return found

    def keep_robots_txt(self, response: Response) -> Kept:
        """Store the response to a request for robots.txt."""
        kept = super().keep_robots_txt(response)
        self.added += kept.length
        return kept

    def forget(self, url_id: int, visit: int | None = None) -> None:
        """Delete the copies of a page, also those in earlier segments."""
        self.removals.archive.add(url_id)
        super().forget(url_id, visit)

    def whole_copy(self, url_id: int) -> WholeCopy | None:  # noqa: ARG002  see `Archive`
        """Return no copy: it may leave the folder while a conditional request is under way."""
        return None


class SegmentIndex(SQLiteIndex):
    """The texts for an index that is built elsewhere; see `SQLiteIndex`."""

    def __init__(self, database: Database, removals: Removals) -> None:
        """Use the database of a crawl."""
        super().__init__(database)
        self.removals = removals

    def put(self, url_id: int, document: Document, visit: int = 0) -> None:
        """Store the parts of a page that may be indexed."""
        self.removals.index.discard(url_id)
        super().put(url_id, document, visit)

    def remove(self, url_id: int, visit: int | None = None) -> None:
        """Remove a page, also from the texts in earlier segments."""
        self.removals.index.add(url_id)
        super().remove(url_id, visit)

    def describe(self, source: int, anchors: Sequence[Anchor]) -> None:
        """Store the texts of a page's links, in place of those in earlier segments."""
        self.removals.described.add(source)
        super().describe(source, anchors)

    def refresh(self, most: int = 100) -> int:  # noqa: ARG002  see `Index`
        """Make no entries: they are made where segments are gathered."""
        return 0


class SegmentLinks(SQLiteLinks):
    """The links of pages; see `SQLiteLinks`."""

    def __init__(self, database: Database, removals: Removals) -> None:
        """Use the database of a crawl."""
        super().__init__(database)
        self.removals = removals

    def record(self, page: int, links: PageLinks, targets: Sequence[int], visit: int = 0) -> None:
        """Store the links of a page; if it has none, those in earlier segments are gone."""
        (self.removals.links.discard if targets else self.removals.links.add)(page)
        super().record(page, links, targets, visit)

    def remove(self, page: int, visit: int | None = None) -> None:
        """Remove the links of a page, also those in earlier segments."""
        self.removals.links.add(page)
        super().remove(page, visit)


class SegmentInventory(SQLiteInventory):
    """The facts of pages; see `SQLiteInventory`."""

    def __init__(self, database: Database, removals: Removals) -> None:
        """Use the database of a crawl."""
        super().__init__(database)
        self.removals = removals

    def record(self, url_id: int, record: PageRecord, visit: int = 0) -> None:
        """Store the facts of a page."""
        self.removals.inventory.pop(url_id, None)
        super().record(url_id, record, visit)

    def withdraw(self, url_id: int, reason: str, visit: int | None = None) -> None:
        """Remove the texts of a page, also those in earlier segments."""
        self.removals.inventory[url_id] = reason
        super().withdraw(url_id, reason, visit)
