"""How far the latest run of a crawl came: what it visited, and what it could not visit.

Scope: counting URLs of the queue, after the run.
"""

from datetime import datetime

from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.reading import UrlRecord, entries
from goodbot.display import short_repr
from goodbot.http.status import NOT_MODIFIED, status_of
from goodbot.lazy_dataclass import dataclass

__all__ = ["RunExtent", "extent_of"]

WAITING = {"queued", "leased"}


@dataclass(frozen=True, slots=True, repr=False)
class RunExtent:
    """How many URLs a run visited, without those that do not belong to the crawl."""

    visited: int
    """Those that were answered, or that robots.txt or the operator disallows."""
    failed: int
    """Those that had no answer, or one that says to come back later, after all attempts."""
    waiting: int
    """Those that are still queued."""

    __repr__ = short_repr

    @property
    def missed(self) -> int:
        """How many could not be visited."""
        return self.failed + self.waiting

    @property
    def is_whole(self) -> bool:
        """Whether the run came to an end: it visited something, and nothing is left to visit."""
        return bool(self.visited) and not self.waiting


def extent_of(database: Database, since: datetime | None = None) -> RunExtent:
    """Return how far a run came.

    Args:
        database: The file of the crawl, after the run.
        since: When the run began; `None`: all runs so far count as one.

    """
    visited = failed = waiting = 0
    for entry in entries(database):
        if entry.state == "skipped" or entry.how == "sitemap-file":
            continue
        if entry.state in WAITING or entry.is_queued_again:
            waiting += 1
        elif has_failed(entry):
            failed += 1
        elif since is None or (entry.visited is not None and entry.visited >= since):
            visited += 1
    return RunExtent(visited, failed, waiting)


def has_failed(entry: UrlRecord) -> bool:
    """Return whether a URL that is not queued had no answer that holds."""
    if entry.state == "disallowed":
        return False
    if entry.status is not None:  # a 304 says that the page is as before
        return entry.status != NOT_MODIFIED and status_of(entry.status).is_transient
    return entry.state == "failed"
