"""The index of a crawl, as a protocol: documents go in, matching pages come out.

Scope: the protocol. `goodbot.crawl.index.indexable` decides what may be indexed of a page;
`goodbot.testing.IndexSuite` tests an index. For the order in which the parts of a visit are
written, and what a crash leaves, see `goodbot.crawl.frontier.protocol`.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from goodbot.crawl.folder.records import Anchor, Document
from goodbot.crawl.index.full_text import Matches

__all__ = ["Index"]


@runtime_checkable
class Index(Protocol):
    """The index of a crawl.

    `put`, `describe` and `remove` are atomic. What they remove can no longer be found at once; what
    they add can be found after the next `refresh` or search. Calling one again with the same
    arguments changes nothing. A call for an older visit is ignored if a newer one has put the page,
    so that a late call does no harm.
    """

    def put(self, url_id: int, document: Document, visit: int = 0) -> None:
        """Store the parts of a page that may be indexed, in place of those stored before.

        What the author says of it in its head can be found, and its abstract is part of a match.

        Args:
            url_id: The number of the page's URL.
            document: The parts that may be indexed.
            visit: The visit that fetched it (`QueuedUrl.visit`).

        """

    def remove(self, url_id: int, visit: int | None = None) -> None:
        """Remove a page from the index, together with the texts of its links.

        Args:
            url_id: The number of the page's URL.
            visit: The visit that decided it; `None`: remove the page whatever visit put it.

        """

    def describe(self, source: int, anchors: Sequence[Anchor]) -> None:
        """Store the texts of a page's links, in place of those stored before.

        Args:
            source: The number of the page's URL.
            anchors: The texts of its links.

        """

    def __contains__(self, url_id: int) -> bool:
        """Whether a page is in the index, or will be after the next `refresh`."""

    def among(self, url_ids: Iterable[int]) -> set[int]:
        """Return those of some pages that are in the index."""

    def refresh(self, most: int = 100) -> int:
        """Update outdated entries; return how many are left.

        Args:
            most: The maximum number of entries to update.

        """

    def search(self, query: str, *, now: datetime, limit: int = 10, offset: int = 0) -> Matches:
        """Find pages, best first, always in the same order.

        Args:
            query: See `goodbot.crawl.index.query`. Any `str` is a valid query.
            now: The current time; pages that must not be shown any more are not found.
            limit: How many pages to return.
            offset: How many pages to skip before them.

        """
