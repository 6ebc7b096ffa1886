"""The index of a crawl as everybody else sees it: what may be indexed goes in, pages come out.

What may live here: the protocol. What may be indexed of a page is decided in
`goodbot.crawl.index.indexable`; `goodbot.testing.IndexSuite` tests an index. For the order in which
the parts of a visit are written, and what a crash leaves, see `goodbot.crawl.frontier.protocol`.
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

    `put`, `describe` and `remove` are each whole or not at all. What may not be found any more is
    gone at once; what is new is found from the next `refresh` or search on. Written twice, each
    leaves what it leaves once. What an older visit says of a page is ignored where a newer one has
    put the page, so that a part that arrives late does no harm.
    """

    def put(self, url_id: int, document: Document, visit: int = 0) -> None:
        """Keep what may be indexed of a page, in place of what was kept before.

        Args:
            url_id: The number of the page's URL.
            document: What may be indexed of it.
            visit: The visit that it comes of (`QueuedUrl.visit`).

        """

    def remove(self, url_id: int, visit: int | None = None) -> None:
        """Take a page out of the index, and what its links say of others.

        Args:
            url_id: The number of the page's URL.
            visit: The visit that says so; `None`: whatever visit the page comes of.

        """

    def describe(self, source: int, anchors: Sequence[Anchor]) -> None:
        """Keep what the links of a page say of others, in place of all that they said.

        Args:
            source: The number of the page's URL.
            anchors: The texts of its links.

        """

    def __contains__(self, url_id: int) -> bool:
        """Whether something of a page is in the index, or will be after the next `refresh`."""

    def among(self, url_ids: Iterable[int]) -> set[int]:
        """Return those of some pages of which the index has something."""

    def refresh(self, most: int = 100) -> int:
        """Make entries that are not up to date, so many at most; return how many are left."""

    def search(self, query: str, *, now: datetime, limit: int = 10, offset: int = 0) -> Matches:
        """Find pages, best first, in an order that is the same each time.

        Args:
            query: See `goodbot.crawl.index.query`. Any `str` has an answer.
            now: The time: what was to be shown until before is not found.
            limit: How many to return.
            offset: How many to leave out before them.

        """
