"""The inventory of a crawl, as a protocol: the facts of each page go in, in place of earlier ones.

Scope: the protocol, and a part that stores nothing. `goodbot.crawl.inventory.page_record` decides
what is stored of a page, and `goodbot.testing.InventorySuite` tests what stores it. For the order
in which the parts of a visit are written, see `goodbot.crawl.frontier.protocol`.
"""

from typing import Protocol, runtime_checkable

from goodbot.crawl.inventory.page_record import PageRecord

__all__ = ["InventoryWriter", "NoInventory"]


@runtime_checkable
class InventoryWriter(Protocol):
    """The inventory of a crawl.

    Both methods are atomic, and calling one again with the same arguments changes nothing. A call
    for an older visit is ignored if a newer one has stored facts of the page.
    """

    def record(self, url_id: int, record: PageRecord, visit: int = 0) -> None:
        """Store the facts of a page, in place of those stored before.

        Args:
            url_id: The number of its URL.
            record: The facts, from `goodbot.crawl.inventory.page_record`.
            visit: The visit that fetched the page (`QueuedUrl.visit`).

        """

    def withdraw(self, url_id: int, reason: str, visit: int | None = None) -> None:
        """Remove the texts of a page. Numbers, hashes, statuses and URLs stay.

        Args:
            url_id: The number of its URL.
            reason: Why there are none: a slug.
            visit: The visit that decided it; `None`: remove them whatever visit stored them.

        """


class NoInventory:
    """Stores no facts; for crawls whose parts are stored elsewhere. See `InventoryWriter`."""

    def record(self, url_id: int, record: PageRecord, visit: int = 0) -> None:
        """Store nothing."""

    def withdraw(self, url_id: int, reason: str, visit: int | None = None) -> None:
        """Remove nothing."""
