"""The archive of a crawl as everybody else sees it.

What may live here: the protocol. What may be kept of an answer is decided in
`goodbot.crawl.archive.copies`. For the order in which the parts of a visit are written, and what
a crash leaves, see `goodbot.crawl.frontier.protocol`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from goodbot.crawl.archive.copies import CopyToKeep
from goodbot.crawl.archive.kept_copy import KeptCopy
from goodbot.crawl.folder.records import Kept
from goodbot.http.validators import Validators
from goodbot.net.fetcher import Response

__all__ = ["Archive", "WholeCopy"]


@dataclass(frozen=True, slots=True)
class WholeCopy:
    """An answer that is kept whole, so that a conditional request can be sent for its page."""

    validators: Validators
    """With what to ask."""
    length: int
    """How many bytes it takes where it is kept."""
    read: Callable[[], Response]
    """Reads the answer, with the fields of the latest visit. It touches no database, so that a
    thread may call it. It raises `NotAStoreError` if the copy is broken."""


@runtime_checkable
class Archive(Protocol):
    """The archive of a crawl: what may be kept of pages, and each robots.txt as it was received.

    Every method is whole or not at all: after a crash a record is there with all that is known of
    it, or nothing of it can be seen. What is written for the same visit again changes nothing.
    """

    def keep(self, url_id: int, copy: CopyToKeep, visit: int = 0) -> list[Kept]:
        """Keep a copy of a page, in place of what was kept of it before.

        Args:
            url_id: The number of the page's URL.
            copy: What to keep.
            visit: The visit that it comes of (`QueuedUrl.visit`); 0: of none, so that it is kept
                each time.

        Returns:
            The records that are kept of this visit, also if they were kept before; none if a newer
            visit has kept something.

        """

    def forget(self, url_id: int, visit: int | None = None) -> None:
        """Keep nothing of a page any more.

        Args:
            url_id: The number of the page's URL.
            visit: The visit that says so: what a newer one kept stays. `None`: all goes.

        """

    def keep_robots_txt(self, response: Response) -> Kept:
        """Keep the answer to a request for a robots.txt, or one hop on the way to it.

        An answer that is kept already, by its URL and when it was asked for, is not kept again.
        """

    def __contains__(self, url_id: int) -> bool:
        """Whether a copy of a page is kept."""

    def whole_copy(self, url_id: int) -> WholeCopy | None:
        """Return what is kept of a page, if a 304 may confirm it.

        It is what was kept with validators (`CopyToKeep.validators`) by the latest visit.

        Args:
            url_id: The number of the page's URL.

        """

    def show(self, url: str) -> KeptCopy | None:
        """Return what is kept of a page or a robots.txt, by its URL; `None` if nothing is."""

    def disk_bytes(self) -> int:
        """Return how many bytes it takes where it is kept."""

    def close(self) -> None:
        """Close it. Closing again does nothing."""
