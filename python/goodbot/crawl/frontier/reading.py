"""Read the queue of a crawl: one URL, many of them, and their counts.

Scope: reading the tables of the queue for other rooms. Nothing is changed.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import How
from goodbot.crawl.folder.states import State
from goodbot.crawl.frontier.quota import counts_of, kept_form
from goodbot.errors import NotAStoreError
from goodbot.http.instants import to_datetime
from goodbot.http.status import NOT_MODIFIED, STATUSES, status_of

__all__ = [
    "NOT_REACHED",
    "BriefUrl",
    "OriginAnswers",
    "OriginCount",
    "UnfetchedGroup",
    "UnfetchedURL",
    "UrlRecord",
    "answer_of",
    "answers_by_origin",
    "brief_urls",
    "count_by_origin",
    "count_by_reason",
    "count_queued",
    "entries",
    "entry_of",
    "is_trouble",
    "neighbours",
    "next_revisit",
    "not_kept_by_reason",
    "requested_entries",
    "start_urls",
    "unfetched",
    "unfetched_groups",
    "unfetched_reasons",
    "urls_of",
    "visits_of",
]

NOT_REACHED = "not-reached"
"""The reason of a queued URL that was not visited."""

STATE = "CASE before WHEN '' THEN state ELSE before END"
COLUMNS = (
    f"urls.id, urls.url, origins.origin, depth, hops, how, {STATE}, due, attempts, status, reason, "
    "source, visited, target, spelling, before <> '' "
    "FROM urls JOIN origins ON origins.id = urls.origin"
)
OF_URL = f"SELECT {COLUMNS} WHERE urls.url = ?"
EVERY = f"SELECT {COLUMNS} ORDER BY urls.id"
BRIEFLY = (
    f"SELECT urls.id, urls.url, origins.origin, depth, how, {STATE}, status, reason, source, "  # noqa: S608  our own words
    "visited FROM urls JOIN origins ON origins.id = urls.origin ORDER BY urls.id"
)
VISITS = "SELECT id, url, visited FROM urls WHERE id IN (SELECT value FROM json_each(?))"
URLS = "SELECT id, url FROM urls WHERE id IN (SELECT value FROM json_each(?))"
NEXT_REVISIT = "SELECT min(due) FROM urls WHERE state <> 'queued' AND due IS NOT NULL"
STARTS = "SELECT url FROM urls WHERE how = 'start'"
BEFORE = "SELECT url FROM urls WHERE url < ? ORDER BY url DESC LIMIT ?"
AFTER = "SELECT url FROM urls WHERE url > ? ORDER BY url LIMIT ?"
REQUESTED = (
    f"SELECT {COLUMNS} WHERE (status IS NOT NULL OR attempts > 0 OR "
    "state IN ('disallowed', 'failed') OR before <> '') AND (how <> 'sitemap-file' OR "
    "status >= 400 OR attempts > 0 OR 'failed' IN (state, before)) ORDER BY urls.id"
)
AGAIN = "SELECT count(*) FROM urls WHERE before <> '' AND how <> 'sitemap-file'"
QUEUED = "SELECT count(*) FROM urls WHERE state = 'queued' AND before = ''"
BY_REASON = "SELECT state, reason, count(*) FROM urls GROUP BY state, reason ORDER BY 3 DESC, 1, 2"
BY_ORIGIN = (
    "SELECT origins.origin, state, count(*), min(urls.due) "
    "FROM urls JOIN origins ON origins.id = urls.origin GROUP BY origins.origin, state"
)

WHY = (
    f"CASE WHEN reason <> '' THEN reason WHEN state = 'queued' THEN '{NOT_REACHED}' ELSE state END"
)
RETRIED = json.dumps(sorted({row.due for row in STATUSES.values() if row.is_transient}))
# A URL that was fetched and is queued for a revisit counts as fetched; one whose last response was
# a failure that is retried does not.
UNFETCHED = (
    "FROM urls JOIN origins ON origins.id = urls.origin "
    "WHERE state IN (SELECT value FROM json_each(:states)) "
    "AND NOT (state IN ('queued', 'leased') AND status IS NOT NULL "
    "AND reason NOT IN (SELECT value FROM json_each(:retried)))"
)
GROUPS = (
    f"SELECT origins.origin, state, {WHY} AS why, source, count(*), min(urls.id), min(due) "
    f"{UNFETCHED} GROUP BY origins.origin, state, why, source ORDER BY 1, 2, 3, 5 DESC, 6"
)
LISTED = (
    f"SELECT urls.url, origins.origin, state, {WHY} AS why, source {UNFETCHED} "
    "AND (:reason IS NULL OR why = :reason) ORDER BY urls.id"
)
REASONS = f"SELECT DISTINCT {WHY} AS why {UNFETCHED} ORDER BY why"


ANSWERS = (
    "SELECT origins.origin, status, CASE WHEN status IS NULL THEN reason ELSE '' END, count(*) "
    "FROM urls JOIN origins ON origins.id = urls.origin "
    "WHERE status IS NOT NULL OR state = 'failed' OR attempts > 0 GROUP BY 1, 2, 3 ORDER BY 1"
)


class OriginAnswers(NamedTuple):
    """The latest answers of an origin to requests for its URLs, counted; not for robots.txt."""

    origin: str
    """The origin."""
    counts: dict[str, int]
    """The number of URLs for each answer (`answer_of`), most frequent first."""

    @property
    def total(self) -> int:
        """The number of URLs that were requested."""
        return sum(self.counts.values())

    def __str__(self) -> str:
        """Return the answers with their counts, for example `200: 31, 404: 19`."""
        return ", ".join(f"{answer}: {count:,}" for answer, count in self.counts.items())


class OriginCount(NamedTuple):
    """The URLs of an origin in one state."""

    origin: str
    state: State
    total: int
    due: int | None
    """When the first of them may be visited, in microseconds since 1970; `None`: never."""


class UrlRecord(NamedTuple):
    """A URL of the crawl, with its state."""

    url_id: int
    """The number of the URL in the crawl."""
    url: str
    """The URL as stored: a long one that was never queued is cut, and a digest added."""
    origin: str
    """The origin of the URL."""
    depth: int
    """The number of links between a start URL and this one."""
    hops: int
    """The number of consecutive redirects that led to it."""
    how: How
    """How it was found."""
    state: State
    """The state of the URL; if it is queued for another visit, as the last one left it."""
    due: datetime | None
    """When it may be visited or revisited; `None`: never."""
    attempts: int
    """The number of failed attempts in a row."""
    status: int | None
    """The status of the latest response."""
    reason: str
    """The slug of the reason for its state; empty if there is none."""
    source: str
    """The statement that decided."""
    visited: datetime | None
    """When it was last settled; `None` if it never was."""
    target: int | None
    """The number of the URL that it leads to."""
    spelling: str
    """The URL as first found, if its escapes differ; otherwise empty."""
    is_queued_again: bool = False
    """Whether it is queued for another visit; the rest is what the last one found."""


class BriefUrl(NamedTuple):
    """What the queue stores of a URL, as far as a list of all URLs needs it; quick to read."""

    url_id: int
    """The number of the URL in the crawl."""
    url: str
    """The URL as stored."""
    origin: str
    """The origin of the URL."""
    depth: int
    """The number of links from the start; -1 for the URL of a sitemap."""
    how: How
    """How it was found."""
    state: State
    """The state of the URL."""
    status: int | None
    """The status of its latest response; `None` if there was none."""
    reason: str
    """The reason for its state, a slug."""
    source: str
    """The statement that decided its state."""
    visited: int | None
    """When it was last visited, refused or failed, in microseconds since 1970."""


class UnfetchedGroup(NamedTuple):
    """URLs that were not fetched, of one origin, for one reason, with one source."""

    origin: str
    """The origin of the URLs."""
    state: State
    """The state of the URLs."""
    reason: str
    """The slug of the reason; never empty."""
    source: str
    """The statement that decided."""
    total: int
    """The number of URLs."""
    first_id: int
    """The number of the URL that was found first."""
    due: datetime | None
    """When the first of them may be visited; `None`: never."""


class UnfetchedURL(NamedTuple):
    """A URL that was not fetched."""

    url: str
    """The URL as stored."""
    origin: str
    """The origin of the URL."""
    state: State
    """The state of the URL."""
    reason: str
    """The slug of the reason; never empty."""
    source: str
    """The statement that decided."""


def entry_of(database: Database, url: str) -> UrlRecord | None:
    """Return the record of a URL in the queue; `None` if the URL is unknown.

    Args:
        database: The database of the crawl.
        url: The URL in its normal form (`goodbot.http.address.address_of`).

    """
    connection = database.connection
    row = connection.execute(OF_URL, (url,)).fetchone()
    row = row or connection.execute(OF_URL, (kept_form(url),)).fetchone()
    return None if row is None else entry(row)


def visits_of(database: Database, url_ids: Iterable[int]) -> dict[int, tuple[str, datetime | None]]:
    """Return some URLs and when they were last settled, by their numbers.

    Raises:
        NotAStoreError: One of the URLs is not text.

    """
    found = database.connection.execute(VISITS, (json.dumps(list(url_ids)),)).fetchall()
    if not all(isinstance(url, str) for _, url, _ in found):
        message = "the queue has a URL that is not text; restore the folder from a backup"
        raise NotAStoreError(message)
    return {url_id: (url, time_of(visited)) for url_id, url, visited in found}


def entries(database: Database) -> Iterator[UrlRecord]:
    """Yield every URL, in the order in which it was found."""
    for row in database.connection.execute(EVERY):
        yield entry(row)


def brief_urls(database: Database) -> Iterator[BriefUrl]:
    """Yield every URL, in the order in which it was found; four times as quick as `entries`."""
    return map(BriefUrl._make, database.connection.execute(BRIEFLY))


def requested_entries(database: Database) -> Iterator[UrlRecord]:
    """Yield every URL that was answered, failed, or must not be requested, as it was found.

    URLs of sitemaps themselves are not among them, unless they failed.
    """
    for row in database.connection.execute(REQUESTED):
        yield entry(row)


def entry(row: tuple[object, ...]) -> UrlRecord:
    """Return a row of the queue as a record."""
    *before, due, attempts, status, reason, source, visited, target, spelling, is_again = row
    after = (attempts, status, reason, source, time_of(visited), target, spelling, bool(is_again))
    return UrlRecord._make((*before, time_of(due), *after))


def time_of(microseconds: Any) -> datetime | None:  # noqa: ANN401  any stored value
    """Return a stored time as a datetime in UTC."""
    return None if microseconds is None else to_datetime(microseconds)


def urls_of(database: Database, url_ids: Iterable[int]) -> dict[int, str]:
    """Return URLs by their numbers."""
    return dict(database.connection.execute(URLS, (json.dumps(list(url_ids)),)))


def next_revisit(database: Database) -> datetime | None:
    """Return when the next URL is due to be visited again; `None` if none is."""
    ((due,),) = database.connection.execute(NEXT_REVISIT)
    return None if due is None else to_datetime(due)


def start_urls(database: Database) -> list[str]:
    """List the URLs with which the crawl started."""
    return [url for (url,) in database.connection.execute(STARTS)]


def neighbours(database: Database, url: str, most: int) -> list[str]:
    """List the URLs before and after a URL in alphabetical order, nearest first."""
    found: list[str] = []
    for statement in (BEFORE, AFTER):
        found += [one for (one,) in database.connection.execute(statement, (url, most))]
    return found


def answer_of(status: int | None, reason: str) -> str:
    """Return the name of an answer: its status or, if there was no response, the reason.

    >>> answer_of(404, "no-success"), answer_of(None, "timeout")
    ('404', 'timeout')
    """
    return reason if status is None else str(status)


def is_trouble(answer: str) -> bool:
    """Whether an answer, as `answer_of` names it, is none of: a success, a redirect, unchanged.

    >>> [is_trouble(answer) for answer in ("200", "301", "304", "404", "timeout")]
    [False, False, False, True, True]
    """
    if not answer.isdecimal():
        return True
    row = status_of(int(answer))
    return not (row.is_success or row.is_redirect or int(answer) == NOT_MODIFIED)


def answers_by_origin(database: Database) -> Iterator[OriginAnswers]:
    """Yield the answers of each origin, in alphabetical order."""
    rows = database.connection.execute(ANSWERS)
    for origin, found in groupby(rows, key=itemgetter(0)):
        counts = Counter({answer_of(status, why): count for _, status, why, count in found})
        yield OriginAnswers(origin, dict(counts.most_common()))


def count_queued(database: Database) -> tuple[int, int]:
    """Count the URLs that are queued for another visit, and those without a result so far.

    Sitemaps are not among the first.
    """
    ((again,),) = database.connection.execute(AGAIN)
    ((first,),) = database.connection.execute(QUEUED)
    return int(again), int(first)


def count_by_origin(database: Database) -> Iterator[OriginCount]:
    """Yield how many URLs each origin has in each state."""
    return map(OriginCount._make, database.connection.execute(BY_ORIGIN))


def count_by_reason(database: Database) -> list[tuple[State, str, int]]:
    """Count the URLs by state and reason, most frequent first."""
    return database.connection.execute(BY_REASON).fetchall()


def unfetched_groups(database: Database, states: Collection[State]) -> Iterator[UnfetchedGroup]:
    """Yield groups of URLs that were not fetched, sorted by origin, state and reason.

    Within one origin, state and reason, the largest group comes first.

    Args:
        database: The database of the crawl.
        states: The states to include. Queued or leased URLs that were fetched before are omitted.

    """
    for *group, due in database.connection.execute(GROUPS, unfetched_values(states)):
        yield UnfetchedGroup._make((*group, time_of(due)))


def unfetched(
    database: Database, states: Collection[State], reason: str | None = None
) -> Iterator[UnfetchedURL]:
    """Yield every URL that was not fetched, in the order in which it was found.

    Args:
        database: The database of the crawl.
        states: The states to include; see `unfetched_groups`.
        reason: Yield only URLs with this reason; `None` for all.

    """
    values = {**unfetched_values(states), "reason": reason}
    for row in database.connection.execute(LISTED, values):
        yield UnfetchedURL._make(row)


def unfetched_reasons(database: Database, states: Collection[State]) -> list[str]:
    """List the reasons why URLs were not fetched; see `unfetched_groups`."""
    return [why for (why,) in database.connection.execute(REASONS, unfetched_values(states))]


def unfetched_values(states: Collection[State]) -> dict[str, str]:
    """Return the parameters of the SQL statements on unfetched URLs."""
    return {"states": json.dumps(sorted(states)), "retried": RETRIED}


def not_kept_by_reason(database: Database) -> Counter[str]:
    """Count by reason the links whose URLs were not stored because there were too many."""
    return counts_of(database.setting("not-kept"))
