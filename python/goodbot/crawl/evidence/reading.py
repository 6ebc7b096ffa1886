"""Queries on the evidence of a crawl: the result of each visit, and the requests.

Scope: reading the tables of this folder. Nothing is changed. Rows are read one by one, so that
memory use does not grow with the crawl.
"""

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from goodbot.crawl.evidence.evidence_format import Said, unpack
from goodbot.crawl.evidence.page_findings import PageFindings, unpack_findings
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.times import stored_time
from goodbot.http.instants import SECOND, instant

__all__ = [
    "FindingsRow",
    "LatestPage",
    "LatestRequests",
    "OriginTotals",
    "RequestRow",
    "VisitRow",
    "first_request_after",
    "latest_findings",
    "latest_gaps",
    "latest_pages",
    "latest_requests",
    "latest_visit_of",
    "request_totals",
    "requests_at",
    "requests_for",
    "robots_txt_answers",
    "visits",
    "visits_of",
    "was_answered_before",
    "was_no_store",
]

VISIT = "SELECT url, at, status, verdicts, findings FROM evidence"
VISITS_OF = f"{VISIT} WHERE url = ? ORDER BY id"
LATEST_OF = f"{VISIT} WHERE url = ? ORDER BY id DESC LIMIT 1"
VISITS = f"{VISIT} ORDER BY url, id"
# In a crawl of several processes, `id` is computed and no index has it: rows are found by `url`.
LATEST_PAGES = (
    "SELECT evidence.url, json_extract(verdicts, '$.page'), json_extract(verdicts, '$.fetch.text') "
    "FROM (SELECT url, max(id) AS last FROM evidence WHERE url BETWEEN ? AND ? GROUP BY url) "
    "AS latest CROSS JOIN evidence ON evidence.url = latest.url AND evidence.id = latest.last"
)
LATEST_FINDINGS = (
    "SELECT url, at, findings FROM evidence AS one WHERE findings IS NOT NULL AND NOT EXISTS ("
    "SELECT 1 FROM evidence WHERE url = one.url AND id > one.id AND status IS NOT NULL) "
    "ORDER BY url"
)
"""The latest response of each URL; a later failure or deferral does not replace its findings."""
REQUEST = (
    "SELECT url, purpose, started, ended, status, failure, bytes, not_before, steady, timeline, "
    "id, sender, lease FROM requests WHERE origin = ?"
)
REQUESTS_FOR = f"{REQUEST} AND url = ? ORDER BY started, id"
REQUESTS_AT = f"{REQUEST} ORDER BY id"
FIRST_AFTER = "SELECT started FROM requests WHERE id > ? ORDER BY id LIMIT 1"
TOTALS = (
    "SELECT origin, count(*), sum(purpose = 'page'), sum(bytes), min(started), max(started) "
    "FROM requests GROUP BY origin"
)
LATEST_STARTS = "SELECT started FROM requests WHERE origin = ? ORDER BY started DESC LIMIT ?"
LATEST_REQUESTS = "SELECT started FROM requests ORDER BY id DESC LIMIT ?"
ANSWERS = (
    "SELECT ended, no_store FROM requests WHERE origin = ? AND purpose = 'robots-txt' "
    "ORDER BY started, id"
)
LAST_ANSWER = (
    "SELECT no_store FROM requests WHERE origin = ? AND purpose = 'robots-txt' AND started <= ? "
    "ORDER BY started DESC, id DESC LIMIT 1"
)


class VisitRow(NamedTuple):
    """One time that a URL was taken out of the queue, and the result."""

    url_id: int
    """The number of the URL in the crawl."""
    at: datetime
    """The time, in UTC."""
    status: int | None
    """The status of the response; `None` if none came."""
    said: Said
    """The verdicts on each act."""
    findings: PageFindings
    """The findings on the page."""


class FindingsRow(NamedTuple):
    """The findings on a page in its latest response."""

    url_id: int
    """The number of the URL in the crawl."""
    at: datetime
    """The time, in UTC."""
    findings: PageFindings


class LatestPage(NamedTuple):
    """The latest result for a URL, in the form in which it is stored: many pages have the same."""

    url_id: int
    """The number of the URL in the crawl."""
    packed: str | None
    """The verdicts on the page, for `unpack_page`; `None` if there was no page."""
    rule: str | None
    """The line of robots.txt that decided; `None` if none did."""


class RequestRow(NamedTuple):
    """One request. Times are in microseconds, since 1970 unless stated otherwise."""

    url: str
    purpose: str
    """`page` or `robots-txt`."""
    started: int
    ended: int
    status: int | None
    failure: str | None
    """What failed: one of `goodbot.net.FAILURES`."""
    bytes: int
    """The bytes of content received over the network."""
    not_before: int | None
    """The time until which its Retry-After asks robots to wait."""
    steady: int | None
    """When it began, in time that is unaffected by setting the clock; `None` if unknown."""
    timeline: int
    """The timeline of `steady`: only steady times of the same timeline can be compared."""
    number: int
    """Its number, in the order in which requests were recorded."""
    sender: int | None = None
    """The number of who sent it; see `goodbot.crawl.evidence.senders`."""
    lease: int | None = None
    """The number of the lease of its site; `None` for a crawl on one machine."""


class LatestRequests(NamedTuple):
    """The latest requests of a crawl. Times are in microseconds since 1970; 0 if there are none."""

    total: int
    first: int
    """When the first of them began."""
    last: int
    """When the latest of them began."""


class OriginTotals(NamedTuple):
    """The counts of the requests to one origin."""

    origin: str
    requests: int
    pages: int
    """The requests for pages; the others are for robots.txt."""
    bytes: int
    """The bytes of content received over the network."""
    first: int
    """When the first request began, in microseconds since 1970."""
    last: int
    """When the last request began."""


def visits_of(database: Database, url_id: int) -> Iterator[VisitRow]:
    """Yield the results for one URL, in the order in which they happened."""
    for row in database.connection.execute(VISITS_OF, (url_id,)):
        yield visit_row(*row)


def latest_visit_of(database: Database, url_id: int) -> VisitRow | None:
    """Return the latest result for a URL; `None` if it was never taken out of the queue."""
    row = database.connection.execute(LATEST_OF, (url_id,)).fetchone()
    return None if row is None else visit_row(*row)


def visits(database: Database) -> Iterator[VisitRow]:
    """Yield all results for all URLs, in the order of the URLs' numbers."""
    for row in database.connection.execute(VISITS):
        yield visit_row(*row)


def latest_pages(database: Database, first: int, last: int) -> dict[int, LatestPage]:
    """Return the latest result for each of some URLs.

    Args:
        database: The database of the crawl.
        first: The number of the first URL.
        last: The number of the last URL.

    """
    rows = database.connection.execute(LATEST_PAGES, (first, last))
    return {row[0]: LatestPage._make(row) for row in rows}


def latest_findings(database: Database) -> Iterator[FindingsRow]:
    """Yield the findings in the latest response of each page that has any."""
    for url_id, at, found in database.connection.execute(LATEST_FINDINGS):
        yield FindingsRow(url_id, stored_time(at), unpack_findings(found))


def visit_row(
    url_id: int, at: int, status: int | None, verdicts: str, found: str | None
) -> VisitRow:
    """Read a row of the evidence.

    Raises:
        NotAStoreError: The row is damaged.

    """
    said, findings = unpack(verdicts), unpack_findings(found)
    return VisitRow(url_id, stored_time(at), status, said, findings)


def requests_for(database: Database, origin: str, url: str) -> Iterator[RequestRow]:
    """Yield the requests for one URL, in the order in which they began."""
    for row in database.connection.execute(REQUESTS_FOR, (origin, url)):
        yield RequestRow._make(row)


def requests_at(database: Database, origin: str) -> Iterator[RequestRow]:
    """Yield the requests to an origin, in the order in which they were recorded."""
    return map(RequestRow._make, database.connection.execute(REQUESTS_AT, (origin,)))


def first_request_after(database: Database, number: int) -> int | None:
    """Return when the first request after one with a number began; `None` if there is none."""
    row = database.connection.execute(FIRST_AFTER, (number,)).fetchone()
    return None if row is None else int(row[0])


def request_totals(database: Database) -> list[OriginTotals]:
    """Count the requests to each origin."""
    return [OriginTotals._make(row) for row in database.connection.execute(TOTALS)]


def latest_gaps(database: Database, origin: str, most: int = 20) -> list[int]:
    """Return the times from one request to an origin to the next, in microseconds, latest first."""
    starts = [at for (at,) in database.connection.execute(LATEST_STARTS, (origin, most + 1))]
    return [later - earlier for later, earlier in pairwise(starts)]


def latest_requests(
    database: Database, span: int = 600 * SECOND, most: int = 5_000
) -> LatestRequests:
    """Return how many requests began in the time before the latest one.

    Args:
        database: The database of the crawl, or of one of its processes.
        span: How long before the latest one, in microseconds.
        most: How many are read at most; then the time is shorter.

    """
    first = last = count = 0
    for (at,) in database.connection.execute(LATEST_REQUESTS, (most,)):
        last = last or at
        if not last - span <= at <= last:  # or the clock was set
            break
        first, count = at, count + 1
    return LatestRequests(count, first, last)


def robots_txt_answers(database: Database, origin: str) -> list[tuple[int, bool]]:
    """Return when each request for robots.txt ended, and whether its response is no-store."""
    rows = database.connection.execute(ANSWERS, (origin,))
    return [(ended, bool(no_store)) for ended, no_store in rows]


def was_no_store(database: Database, origin: str, at: datetime) -> bool:
    """Return whether the latest robots.txt before a time must not be stored (no-store)."""
    row = database.connection.execute(LAST_ANSWER, (origin, instant(at, "at"))).fetchone()
    return row is not None and bool(row[0])


def was_answered_before(database: Database, time: datetime) -> bool:
    """Return whether a page was answered before a time: otherwise every page is a change."""
    query = "SELECT 1 FROM evidence WHERE at < ? AND status IS NOT NULL LIMIT 1"
    return database.connection.execute(query, [instant(time, "time")]).fetchone() is not None
