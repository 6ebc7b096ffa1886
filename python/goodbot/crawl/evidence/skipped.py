"""The URLs that were not fetched, and why: in groups, and one by one.

Scope: combining what the queue stores. The reason for skipping a URL was decided when it was
skipped.
"""

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.states import STATES
from goodbot.crawl.frontier.reading import (
    NOT_REACHED,
    UnfetchedGroup,
    UnfetchedURL,
    not_kept_by_reason,
    unfetched,
    unfetched_groups,
    unfetched_reasons,
    urls_of,
)
from goodbot.crawl.frontier.sqlite_traps import SQLiteTrapMemory
from goodbot.crawl.frontier.trap_memory import TrapMet
from goodbot.display import short_repr
from goodbot.http.instants import written
from goodbot.lazy_dataclass import dataclass

__all__ = [
    "NOT_REACHED",
    "SKIPPED",
    "SkippedGroup",
    "not_kept_links",
    "reasons_of",
    "skipped_groups",
    "skipped_urls",
    "traps_met",
]

SKIPPED = tuple(row.name for row in STATES.values() if not row.is_fetched)
"""The states of URLs that were not fetched."""


@dataclass(frozen=True, slots=True, repr=False)
class SkippedGroup:
    """The URLs of one origin that were not fetched for one reason."""

    origin: str
    state: str
    """One of `SKIPPED`."""
    reason: str
    """The reason, a slug."""
    count: int
    """The number of URLs."""
    example: str
    """The first of the URLs."""
    source: str
    """What decided, in words, for most of the URLs; empty if goodbot itself did."""
    sources: int
    """How many different sources decided."""
    due: datetime | None = None
    """When the first of the URLs is due, in UTC; `None` unless they are queued."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__} | {"due": written(self.due)}


def skipped_groups(database: Database, reason: str | None = None) -> Iterator[SkippedGroup]:
    """Yield the URLs that were not fetched, grouped by origin and reason.

    Args:
        database: The file of the crawl.
        reason: Only URLs with this reason; `None` for all.

    """
    groups = unfetched_groups(database, SKIPPED)
    for (_, _, why), found in groupby(groups, key=attrgetter("origin", "state", "reason")):
        if reason in {None, why}:
            yield skipped_group(database, found)


def skipped_group(database: Database, groups: Iterator[UnfetchedGroup]) -> SkippedGroup:
    """Merge groups that differ in the source only; the one with the most URLs comes first."""
    most = next(groups)
    count, sources, first_id, due = most.total, 1, most.first_id, most.due
    for one in groups:
        count, sources, first_id = count + one.total, sources + 1, min(first_id, one.first_id)
        due = min(filter(None, (due, one.due)), default=None)
    return SkippedGroup(
        origin=most.origin,
        state=most.state,
        reason=most.reason,
        count=count,
        example=urls_of(database, [first_id])[first_id],
        source=most.source,
        sources=sources,
        due=due if most.state == "queued" else None,
    )


def not_kept_links(database: Database, reason: str | None = None) -> dict[str, int]:
    """Count the links to URLs that were not recorded because there were too many of the kind.

    Args:
        database: The file of the crawl.
        reason: Only this reason; `None` for all.

    """
    counts = not_kept_by_reason(database)
    return {why: count for why, count in counts.items() if reason in {None, why}}


def traps_met(database: Database) -> list[TrapMet]:
    """Return the traps that were recognised, by origin, whether their links were skipped or not.

    Args:
        database: The file of the crawl.

    """
    return SQLiteTrapMemory(database).met()


def skipped_urls(database: Database, reason: str | None = None) -> Iterator[UnfetchedURL]:
    """Yield every URL that was not fetched, in the order in which they were found.

    Args:
        database: The file of the crawl.
        reason: Only URLs with this reason; `None` for all.

    """
    return unfetched(database, SKIPPED, reason)


def reasons_of(database: Database) -> list[str]:
    """Return the reasons for which URLs were not fetched."""
    known = unfetched_reasons(database, SKIPPED)
    return known + [why for why in not_kept_by_reason(database) if why not in known]
