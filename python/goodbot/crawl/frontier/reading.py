"""The queue of a crawl, read: one URL, many of them, and how many there are.

What may live here: reading the tables of the queue for other rooms. Nothing is changed.
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
from goodbot.http.status import STATUSES, status_of

__all__ = [
    "NOT_REACHED",
    "OriginAnswers",
    "UnfetchedGroup",
    "UnfetchedURL",
    "UrlRecord",
    "answer_of",
    "answers_by_origin",
    "count_by_reason",
    "entries",
    "entry_of",
    "is_trouble",
    "neighbours",
    "not_kept_by_reason",
    "unfetched",
    "unfetched_groups",
    "unfetched_reasons",
    "urls_of",
    "visits_of",
]

NOT_REACHED = "not-reached"
"""The reason of a URL that is queued and was not visited."""

COLUMNS = (
    "urls.id, urls.url, origins.origin, depth, hops, how, state, due, attempts, status, reason, "
    "source, visited, target, spelling FROM urls JOIN origins ON origins.id = urls.origin"
)
OF_URL = f"SELECT {COLUMNS} WHERE urls.url = ?"
EVERY = f"SELECT {COLUMNS} ORDER BY urls.id"
VISITS = "SELECT id, url, visited FROM urls WHERE id IN (SELECT value FROM json_each(?))"
URLS = "SELECT id, url FROM urls WHERE id IN (SELECT value FROM json_each(?))"
BEFORE = "SELECT url FROM urls WHERE url < ? ORDER BY url DESC LIMIT ?"
BEHIND = "SELECT url FROM urls WHERE url > ? ORDER BY url LIMIT ?"
BY_REASON = "SELECT state, reason, count(*) FROM urls GROUP BY state, reason ORDER BY 3 DESC, 1, 2"

WHY = (
    f"CASE WHEN reason <> '' THEN reason WHEN state = 'queued' THEN '{NOT_REACHED}' ELSE state END"
)
RETRIED = json.dumps(sorted({row.due for row in STATUSES.values() if row.is_transient}))
# A URL that has been fetched and waits to be fetched again was not skipped; one whose last answer
# was a failure has not been fetched.
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
    """What an origin answered the last time that each of its URLs was asked for."""

    origin: str
    counts: dict[str, int]
    """How many URLs had each answer (`answer_of`), the most frequent first."""

    @property
    def total(self) -> int:
        """How many URLs were asked for."""
        return sum(self.counts.values())

    def __str__(self) -> str:
        """Return the answers with their counts, such as `200: 31, 404: 19`."""
        return ", ".join(f"{answer}: {count:,}" for answer, count in self.counts.items())


class UrlRecord(NamedTuple):
    """A URL of the crawl, with what has become of it."""

    url_id: int
    """Its number in the crawl."""
    url: str
    """The URL as it is kept: of a long one that was never queued, its beginning and a digest."""
    origin: str
    depth: int
    """How many links lie between it and where the crawl began."""
    hops: int
    """How many redirects led to it in a row."""
    how: How
    """How it was found."""
    state: State
    due: datetime | None
    """When it may be visited, or visited again; `None`: never."""
    attempts: int
    """How often in a row it was visited in vain."""
    status: int | None
    """The status of the last answer."""
    reason: str
    """Why it is in its state, a slug; empty if there is nothing to say."""
    source: str
    """Who says so."""
    visited: datetime | None
    """When it was settled last; `None` if it never was."""
    target: int | None
    """The number of the URL to which it leads."""
    spelling: str
    """The URL as it was found first, where its escapes are other ones; else empty."""


class UnfetchedGroup(NamedTuple):
    """URLs that were not fetched, of one origin, for one reason, by one source."""

    origin: str
    state: State
    reason: str
    """Why, a slug: never empty."""
    source: str
    total: int
    """How many URLs."""
    first_id: int
    """The number of the URL that was found first."""
    due: datetime | None
    """When the first of them may be visited; `None`: never."""


class UnfetchedURL(NamedTuple):
    """A URL that was not fetched."""

    url: str
    origin: str
    state: State
    reason: str
    """Why, a slug: never empty."""
    source: str


def entry_of(database: Database, url: str) -> UrlRecord | None:
    """Return what the queue has of a URL; `None` if it does not know it.

    Args:
        database: The file of the crawl.
        url: The URL in its normal form (`goodbot.http.address.address_of`).

    """
    connection = database.connection
    row = connection.execute(OF_URL, (url,)).fetchone()
    row = row or connection.execute(OF_URL, (kept_form(url),)).fetchone()
    return None if row is None else entry(row)


def visits_of(database: Database, url_ids: Iterable[int]) -> dict[int, tuple[str, datetime | None]]:
    """Return some URLs and when they were settled last, by their numbers.

    Raises:
        NotAStoreError: One of the URLs is no text.

    """
    found = database.connection.execute(VISITS, (json.dumps(list(url_ids)),)).fetchall()
    if not all(isinstance(url, str) for _, url, _ in found):
        message = "the queue holds a URL that is no text; restore the crawl from a copy"
        raise NotAStoreError(message)
    return {url_id: (url, time_of(visited)) for url_id, url, visited in found}


def entries(database: Database) -> Iterator[UrlRecord]:
    """Yield every URL, in the order in which they were found."""
    for row in database.connection.execute(EVERY):
        yield entry(row)


def entry(row: tuple[object, ...]) -> UrlRecord:
    """Read a row of the queue."""
    found = UrlRecord._make(row)
    return found._replace(due=time_of(found.due), visited=time_of(found.visited))


def time_of(microseconds: Any) -> datetime | None:  # noqa: ANN401  of a row, whatever is there
    """Return a time of the file in UTC."""
    return None if microseconds is None else to_datetime(microseconds)


def urls_of(database: Database, url_ids: Iterable[int]) -> dict[int, str]:
    """Return the URLs of some numbers."""
    return dict(database.connection.execute(URLS, (json.dumps(list(url_ids)),)))


def neighbours(database: Database, url: str, most: int) -> list[str]:
    """List the URLs before and behind a URL in the order of the alphabet, the nearest first."""
    found: list[str] = []
    for statement in (BEFORE, BEHIND):
        found += [one for (one,) in database.connection.execute(statement, (url, most))]
    return found


def answer_of(status: int | None, reason: str) -> str:
    """Name an answer: its status or, where none came, the reason.

    >>> answer_of(404, "no-success"), answer_of(None, "timeout")
    ('404', 'timeout')
    """
    return reason if status is None else str(status)


def is_trouble(answer: str) -> bool:
    """Whether an answer, as `answer_of` names it, is neither a success nor a redirect.

    >>> [is_trouble(answer) for answer in ("200", "301", "404", "timeout")]
    [False, False, True, True]
    """
    if not answer.isdecimal():
        return True
    row = status_of(int(answer))
    return not (row.is_success or row.is_redirect)


def answers_by_origin(database: Database) -> Iterator[OriginAnswers]:
    """Yield what each origin answered, in the order of the alphabet."""
    rows = database.connection.execute(ANSWERS)
    for origin, found in groupby(rows, key=itemgetter(0)):
        counts = Counter({answer_of(status, why): count for _, status, why, count in found})
        yield OriginAnswers(origin, dict(counts.most_common()))


def count_by_reason(database: Database) -> list[tuple[State, str, int]]:
    """Count the URLs by state and reason, the most first."""
    return database.connection.execute(BY_REASON).fetchall()


def unfetched_groups(database: Database, states: Collection[State]) -> Iterator[UnfetchedGroup]:
    """Yield groups of URLs that were not fetched, sorted by origin, state and reason.

    Of one origin, state and reason the group with the most URLs comes first.

    Args:
        database: The file of the crawl.
        states: The states that are looked at. URLs that are queued or leased and were fetched
            before are left out.

    """
    for *group, due in database.connection.execute(GROUPS, unfetched_values(states)):
        yield UnfetchedGroup._make((*group, time_of(due)))


def unfetched(
    database: Database, states: Collection[State], reason: str | None = None
) -> Iterator[UnfetchedURL]:
    """Yield every URL that was not fetched, in the order in which they were found.

    Args:
        database: The file of the crawl.
        states: The states that are looked at; see `unfetched_groups`.
        reason: Only those with this reason; `None` for all.

    """
    values = {**unfetched_values(states), "reason": reason}
    for row in database.connection.execute(LISTED, values):
        yield UnfetchedURL._make(row)


def unfetched_reasons(database: Database, states: Collection[State]) -> list[str]:
    """List the reasons for which URLs were not fetched; see `unfetched_groups`."""
    return [why for (why,) in database.connection.execute(REASONS, unfetched_values(states))]


def unfetched_values(states: Collection[State]) -> dict[str, str]:
    """Return the values of the statements on what was not fetched."""
    return {"states": json.dumps(sorted(states)), "retried": RETRIED}


def not_kept_by_reason(database: Database) -> Counter[str]:
    """Count the links to URLs that were not kept, as there were too many, by reason."""
    return counts_of(database.setting("not-kept"))
