"""The archive of a crawl, as a protocol.

Scope: the protocol. `goodbot.crawl.archive.copies` decides what may be kept of a response. For the
order in which the parts of a visit are written, and what a crash leaves, see
`goodbot.crawl.frontier.protocol`.
"""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from goodbot.crawl.archive.copies import CopyToKeep
from goodbot.crawl.archive.kept_copy import KeptCopy
from goodbot.crawl.folder.records import Kept
from goodbot.http.validators import Validators
from goodbot.lazy_dataclass import dataclass
from goodbot.net.fetcher import Response

__all__ = ["Archive", "WholeCopy"]


@dataclass(frozen=True, slots=True)
class WholeCopy:
    """A response that is kept whole, so that a conditional request can be sent for its page."""

    validators: Validators
    """The validators for the request."""
    length: int
    """The size of the stored copy in bytes."""
    read: Callable[[], Response]
    """Reads the response, with the header fields of the latest visit. It uses no database, so it
    can be called in a thread. It raises `NotAStoreError` if the copy is damaged."""


@runtime_checkable
class Archive(Protocol):
    """The archive of a crawl: copies of pages, as far as they may be kept, and of robots.txt files.

    Every method is atomic: after a crash, a record is either there with all its facts or not
    visible at all. Writing the copy of the same visit again changes nothing.
    """

    def keep(self, url_id: int, copy: CopyToKeep, visit: int = 0) -> list[Kept]:
        """Store a copy of a page, in place of the one stored before.

        Args:
            url_id: The number of the page's URL.
            copy: What to keep.
            visit: The visit that fetched it (`QueuedUrl.visit`); 0: no visit, so that it is stored
                each time.

        Returns:
            The records of this visit, even if they were stored before; none if a newer visit has
            stored something.

        """

    def forget(self, url_id: int, visit: int | None = None) -> None:
        """Delete the copies of a page.

        Args:
            url_id: The number of the page's URL.
            visit: The visit that decided it: copies of newer visits stay. `None`: delete all.

        """

    def keep_robots_txt(self, response: Response) -> Kept:
        """Store the response to a request for robots.txt, or one hop on the way to it.

        A response that is stored already, with the same URL and time, is not stored again.
        """

    def __contains__(self, url_id: int) -> bool:
        """Whether a copy of a page is kept."""

    def whole_copy(self, url_id: int) -> WholeCopy | None:
        """Return the copy of a page if a 304 may confirm it; otherwise `None`.

        It must have been stored whole by the latest visit, with validators
        (`CopyToKeep.validators`).

        Args:
            url_id: The number of the page's URL.

        """

    def show(self, url: str) -> KeptCopy | None:
        """Return the copy of a page or a robots.txt by its URL; `None` if there is none."""

    def disk_bytes(self) -> int:
        """Return the size of the archive in bytes."""

    def close(self) -> None:
        """Close the archive; closing it again does nothing."""
