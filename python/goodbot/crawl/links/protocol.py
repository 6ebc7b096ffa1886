"""The links of a crawl, as a protocol: the links of each page go in, in place of earlier ones.

Scope: the protocol, and a part that stores nothing. `goodbot.crawl.links.page_links` decides what
is stored of a page, and `goodbot.testing.LinkSuite` tests what stores it. For the order in which
the parts of a visit are written, see `goodbot.crawl.frontier.protocol`.
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from goodbot.crawl.links.page_links import PageLinks

__all__ = ["LinkWriter", "NoLinks"]


@runtime_checkable
class LinkWriter(Protocol):
    """The links of a crawl.

    Both methods are atomic, and calling one again with the same arguments changes nothing. A call
    for an older visit is ignored if a newer one has stored the links of the page.
    """

    def record(self, page: int, links: PageLinks, targets: Sequence[int], visit: int = 0) -> None:
        """Store the links of a page, in place of those stored before.

        Args:
            page: The number of the page's URL.
            links: The links, from `goodbot.crawl.links.page_links`.
            targets: The number of the URL of each target, in the order of `PageLinks.kinds`; 0 for
                a URL that is not stored.
            visit: The visit that fetched the page (`QueuedUrl.visit`).

        """

    def remove(self, page: int, visit: int | None = None) -> None:
        """Remove the links of a page, with their texts. Links to the page stay.

        Args:
            page: The number of the page's URL.
            visit: The visit that decided it; `None`: remove them whatever visit stored them.

        """


class NoLinks:
    """Stores no links; for crawls whose parts are stored elsewhere. See `LinkWriter`."""

    def record(self, page: int, links: PageLinks, targets: Sequence[int], visit: int = 0) -> None:
        """Store nothing."""

    def remove(self, page: int, visit: int | None = None) -> None:
        """Remove nothing."""
