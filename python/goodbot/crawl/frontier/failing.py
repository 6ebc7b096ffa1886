"""Where a URL leads a reader: through redirects, and whether to an answer or to an error.

Scope: reading the tables of the queue for other rooms. Nothing is changed.
"""

import json
from collections.abc import Iterable, Iterator, Mapping

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.states import LEAST_ERROR
from goodbot.crawl.frontier.reading import COLUMNS, UrlRecord, entry

__all__ = [
    "broken_urls",
    "end_of_redirects",
    "is_failing",
    "records_of",
    "redirects",
    "redirects_to",
]

NO_ANSWER = {"dns", "refused", "reset", "tls", "timeout", "bad-encoding", "protocol-error"}
"""The failures that a reader has as well, of `goodbot.net.FAILURES`."""
OF_ROBOTS_TXT = "failure-"
"""The beginning of the reason if already robots.txt could not be fetched for that failure."""
NOWHERE = {
    "redirect-without-location",
    "redirect-malformed",
    "redirect-to-other-scheme",
    "redirect-loop",
    "redirects-too-many",
}
"""The reasons if a redirect leads nowhere."""

OF_URLS = f"SELECT {COLUMNS} WHERE urls.id IN (SELECT value FROM json_each(?))"  # noqa: S608
# The condition is that of the index `failing`, word by word.
FAILING = f"SELECT {COLUMNS} WHERE (status >= 400 OR state = 'failed' OR attempts > 0)"
IS_REDIRECT = "status BETWEEN 300 AND 399 AND status <> 304"
REDIRECTS = f"SELECT id, target FROM urls WHERE target IS NOT NULL AND {IS_REDIRECT}"  # noqa: S608
REDIRECTS_TO = f"SELECT url FROM urls WHERE target = ? AND {IS_REDIRECT} LIMIT ?"  # noqa: S608


def is_failing(record: UrlRecord) -> bool:
    """Return whether the latest answer to a request for a URL is an error, or none came."""
    if record.status is not None and record.status >= LEAST_ERROR:
        return True
    if record.state not in {"failed", "queued"}:
        return False
    reason = record.reason
    return reason.removeprefix(OF_ROBOTS_TXT) in NO_ANSWER or reason in NOWHERE


def broken_urls(database: Database) -> set[int]:
    """Return the numbers of the URLs that fail, and of those that redirect to them or in a ring."""
    rows = map(entry, database.connection.execute(FAILING))
    broken = {one.url_id for one in rows if is_failing(one)}
    onward = redirects(database)
    return broken | {
        url_id
        for url_id in onward
        if (end := end_of_redirects(url_id, onward)) is None or end in broken
    }


def redirects(database: Database) -> dict[int, int]:
    """Return where each URL that redirects leads, by the numbers of the URLs."""
    return dict(database.connection.execute(REDIRECTS))


def redirects_to(database: Database, url_id: int, most: int) -> list[str]:
    """Return the first URLs that redirect to a URL."""
    return [url for (url,) in database.connection.execute(REDIRECTS_TO, (url_id, most))]


def end_of_redirects(url_id: int, onward: Mapping[int, int]) -> int | None:
    """Return the last stored URL of a chain of redirects; `None` if they lead in a ring.

    A number below 0 is a URL that another part of the crawl has not received yet.

    Args:
        url_id: The number of the first URL.
        onward: Where each URL that redirects leads, from `redirects`.

    >>> onward = {1: 2, 2: 3, 7: 8, 8: 7}
    >>> end_of_redirects(1, onward), end_of_redirects(3, onward), end_of_redirects(7, onward)
    (3, 3, None)
    """
    seen = {url_id}
    while onward.get(url_id, 0) > 0:
        url_id = onward[url_id]
        if url_id in seen:
            return None
        seen.add(url_id)
    return url_id


def records_of(database: Database, url_ids: Iterable[int]) -> Iterator[UrlRecord]:
    """Yield the records of some URLs."""
    return map(entry, database.connection.execute(OF_URLS, (json.dumps(list(url_ids)),)))
