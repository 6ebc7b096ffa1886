"""Parts of a crawl in memory: the simplest that the protocols allow."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from goodbot.crawl.evidence.rows import EvidenceRow
from goodbot.crawl.inventory.page_record import PageRecord
from goodbot.crawl.links.page_links import PageLinks
from goodbot.robot.events import Failed, Fetched, Remark

__all__ = ["MemoryEvidence", "MemoryInventory", "MemoryLinks"]


@dataclass
class MemoryEvidence:
    """Evidence in lists; see `goodbot.crawl.evidence.protocol.EvidenceWriter`."""

    rows: list[tuple[int, int | None, EvidenceRow]] = field(default_factory=list)
    events: list[Fetched | Failed] = field(default_factory=list)
    remarks: dict[tuple[str, str, str], datetime] = field(default_factory=dict)

    def keep(self, url_id: int, row: EvidenceRow, visit: int | None = None) -> None:
        """Record the result of one visit."""
        if visit is None or (url_id, visit) not in {one[:2] for one in self.rows}:
            self.rows.append((url_id, visit, row))

    def requested(self, event: Fetched | Failed) -> None:
        """Record a request."""
        self.events.append(event)

    def remarked(self, remark: Remark, at: datetime) -> bool:
        """Record a message from a site; return whether it is new."""
        key = (remark.origin, remark.kind, remark.text)
        is_new = key not in self.remarks
        self.remarks[key] = at
        return is_new


@dataclass
class MemoryLinks:
    """Links in a dictionary; see `goodbot.crawl.links.protocol.LinkWriter`."""

    pages: dict[int, tuple[int, list[int]]] = field(default_factory=dict)
    """The visit and the targets of each page."""

    def record(self, page: int, links: PageLinks, targets: Sequence[int], visit: int = 0) -> None:
        """Store the links of a page."""
        assert len(links.kinds) == len(targets)
        if self.pages.get(page, (0, []))[0] > visit:
            return
        self.pages.pop(page, None)
        if targets:
            self.pages[page] = visit, [target for target in targets if target]

    def remove(self, page: int, visit: int | None = None) -> None:
        """Remove the links of a page."""
        if visit is None or self.pages.get(page, (0, []))[0] <= visit:
            self.pages.pop(page, None)


@dataclass
class MemoryInventory:
    """Facts in a dictionary; see `goodbot.crawl.inventory.protocol.InventoryWriter`."""

    pages: dict[int, tuple[int, PageRecord]] = field(default_factory=dict)
    """The visit and the facts of each page."""

    def record(self, url_id: int, record: PageRecord, visit: int = 0) -> None:
        """Store the facts of a page."""
        if url_id not in self.pages or self.pages[url_id][0] <= visit:
            self.pages[url_id] = visit, record

    def withdraw(self, url_id: int, reason: str, visit: int | None = None) -> None:
        """Remove the texts of a page."""
        if url_id not in self.pages or (visit is not None and self.pages[url_id][0] > visit):
            return
        before, record = self.pages[url_id]
        kept = record._replace(title=None, description=None, h1=None, language=None, simhash=None)
        self.pages[url_id] = before, kept._replace(withheld=reason)
