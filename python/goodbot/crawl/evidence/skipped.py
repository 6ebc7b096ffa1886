"""What was not fetched, and why: grouped, and URL by URL.

What may live here: reading the queue. Why a URL was skipped was decided when it was.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.states import STATES
from goodbot.crawl.frontier.quota import not_kept
from goodbot.http.instants import to_datetime, written
from goodbot.http.status import STATUSES

__all__ = [
    "NOT_REACHED",
    "SKIPPED",
    "SkippedGroup",
    "SkippedURL",
    "not_kept_by_reason",
    "reasons_of",
    "skipped_groups",
    "skipped_urls",
]

SKIPPED = tuple(row.name for row in STATES.values() if not row.is_fetched)
"""The states of a URL that was not fetched."""

NOT_REACHED = "not-reached"
"""The reason of a URL that is queued and was not visited."""

WHY = (
    f"CASE WHEN reason <> '' THEN reason WHEN state = 'queued' THEN '{NOT_REACHED}' ELSE state END"
)
IN_STATES = ", ".join(f"'{state}'" for state in SKIPPED)
RETRIED = ", ".join(sorted({f"'{row.due}'" for row in STATUSES.values() if row.is_transient}))
# A URL that has been fetched and waits to be fetched again was not skipped; one whose last answer
# was a failure has not been fetched.
SKIPPED_URLS = (
    f"FROM urls JOIN origins ON origins.id = urls.origin WHERE state IN ({IN_STATES}) "
    "AND NOT (state IN ('queued', 'leased') AND status IS NOT NULL "
    f"AND reason NOT IN ({RETRIED}))"
)
GROUPS = (
    f"SELECT origins.origin, state, {WHY} AS why, source, count(*), min(urls.id), min(due) "
    f"{SKIPPED_URLS} "
    "GROUP BY origins.origin, state, why, source ORDER BY 1, 2, 3, 5 DESC, 6"
)
LISTED = f"SELECT urls.url, origins.origin, state, {WHY} AS why, source {SKIPPED_URLS} "
URL_OF = "SELECT url FROM urls WHERE id = ?"


@dataclass(frozen=True, slots=True)
class SkippedGroup:
    """URLs of one origin that were skipped for one reason."""

    origin: str
    state: str
    """One of `SKIPPED`."""
    reason: str
    """Why, a slug."""
    count: int
    """How many URLs."""
    example: str
    """The first of them."""
    source: str
    """Who says so, of most of them; empty if nobody else does."""
    sources: int
    """How many say so, each of some of them."""
    due: datetime | None = None
    """When the first of them may be tried, in UTC; `None` unless they are queued."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__} | {"due": written(self.due)}


@dataclass(frozen=True, slots=True)
class SkippedURL:
    """A URL that was skipped."""

    url: str
    origin: str
    state: str
    """One of `SKIPPED`."""
    reason: str
    """Why, a slug."""
    source: str
    """Who says so."""

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def skipped_groups(database: Database, reason: str | None = None) -> Iterator[SkippedGroup]:
    """Yield what was not fetched, by origin and reason.

    Args:
        database: The file of the crawl.
        reason: Only those with this reason; `None` for all.

    """
    found = database.connection.execute(GROUPS)
    for (origin, state, why), rows in groupby(found, key=itemgetter(0, 1, 2)):
        if reason not in {None, why}:
            continue
        count, sources, source, first = 0, 0, "", None
        times: list[int] = []
        for _, _, _, who, many, number, due in rows:
            source = source if sources else who
            first = number if first is None else min(first, number)
            count, sources = count + many, sources + 1
            times += [due] if state == "queued" and due is not None else []
        (example,) = database.connection.execute(URL_OF, (first,)).fetchone()
        earliest = to_datetime(min(times)) if times else None
        yield SkippedGroup(origin, state, why, count, example, source, sources, earliest)


def not_kept_by_reason(database: Database, reason: str | None = None) -> dict[str, int]:
    """Return how many links led to URLs that were not kept, as there were too many of the kind.

    Args:
        database: The file of the crawl.
        reason: Only for this reason; `None` for all.

    """
    counts = not_kept(database.connection)
    return {why: count for why, count in counts.items() if reason in {None, why}}


def skipped_urls(database: Database, reason: str | None = None) -> Iterator[SkippedURL]:
    """Yield every URL that was not fetched, in the order in which they were found.

    Args:
        database: The file of the crawl.
        reason: Only those with this reason; `None` for all.

    """
    only = "" if reason is None else "AND why = ? "
    values = () if reason is None else (reason,)
    for row in database.connection.execute(f"{LISTED}{only}ORDER BY urls.id", values):
        yield SkippedURL(*row)


def reasons_of(database: Database) -> list[str]:
    """List the reasons for which something was skipped."""
    found = database.connection.execute(f"SELECT DISTINCT {WHY} AS why {SKIPPED_URLS} ORDER BY why")
    known = [why for (why,) in found]
    return known + [why for why in not_kept(database.connection) if why not in known]
