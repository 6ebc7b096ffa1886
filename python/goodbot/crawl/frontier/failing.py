"""Where a URL leads a reader: through redirects, and whether to an answer or to an error.

Scope: reading the tables of the queue for other rooms. Nothing is changed.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.states import LEAST_ERROR
from goodbot.crawl.frontier.reading import COLUMNS, UrlRecord, entry
from goodbot.http.status import status_of

__all__ = [
    "Endings",
    "end_of_redirects",
    "endings",
    "is_failing",
    "records_of",
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
UNSETTLED = {"failed", "queued", "leased"}
"""The states of URLs that may have failed: the last two, until they are tried again."""

OF_URLS = f"SELECT {COLUMNS} WHERE urls.id IN (SELECT value FROM json_each(?))"  # noqa: S608
# The condition is that of the index `failing`, word by word.
FAILING = f"SELECT {COLUMNS} WHERE (status >= 400 OR state = 'failed' OR attempts > 0)"
# The terms are those of the index `visited_before`.
FAILED_BEFORE = f"SELECT {COLUMNS} WHERE before <> '' AND before = 'failed'"
IS_REDIRECT = "status BETWEEN 300 AND 399 AND status <> 304"
REDIRECTS = f"SELECT id, target FROM urls WHERE target IS NOT NULL AND {IS_REDIRECT}"  # noqa: S608
REDIRECTS_TO = f"SELECT url FROM urls WHERE target = ? AND {IS_REDIRECT} LIMIT ?"  # noqa: S608


def is_failing(record: UrlRecord) -> bool:
    """Return whether the latest answer to a request for a URL is an error, or none came."""
    if record.status is not None and record.status >= LEAST_ERROR:
        return True
    if record.state not in UNSETTLED:
        return False
    reason = record.reason
    return reason.removeprefix(OF_ROBOTS_TXT) in NO_ANSWER or reason in NOWHERE


class Endings(NamedTuple):
    """Where the redirects of a crawl lead, and which URLs are broken.

    A URL is broken if a reader who opens it gets an error or no answer, at its own address or
    behind redirects. What robots.txt forbids the crawl to fetch is not broken.
    """

    onward: Mapping[int, int]
    """Where each URL that redirects leads, by the numbers of the URLs."""
    redirecting: set[int]
    """The URLs that answer with a redirect, also where it leads nowhere."""
    broken: set[int]
    """The broken URLs."""

    def inner(self, entries: Collection[int]) -> set[int]:
        """Return the redirects that are only a step of the chain of another one.

        Args:
            entries: The redirects at which readers enter: those that are linked, for example.

        >>> chain = Endings({1: 2, 2: 3, 7: 8, 8: 7}, {1, 2, 3, 7, 8}, {1, 2, 3, 7, 8})
        >>> sorted(chain.inner([])), sorted(chain.inner([2]))
        ([2, 3, 8], [3, 8])
        """
        led_to = {target for url_id, target in self.onward.items() if target != url_id}
        inner: set[int] = set()
        firsts = [one for one in self.redirecting if one in entries or one not in led_to]
        # Of a ring that nothing leads into, the URL that was found first counts as its start.
        for first in (*firsts, *sorted(self.redirecting)):
            url_id = first
            while first not in inner and url_id in self.onward:
                url_id = self.onward[url_id]
                if url_id == first or url_id in inner:
                    break
                if url_id in self.redirecting:
                    inner.add(url_id)
        return inner.difference(entries)


def endings(database: Database) -> Endings:
    """Return where the redirects of a crawl lead, and which of its URLs are broken."""
    failing = [
        one
        for statement in (FAILING, FAILED_BEFORE)
        for one in map(entry, database.connection.execute(statement))
        if is_failing(one)
    ]
    onward: dict[int, int] = dict(database.connection.execute(REDIRECTS))
    broken = {one.url_id for one in failing}
    leads_nowhere = {
        one.url_id for one in failing if one.status and status_of(one.status).is_redirect
    }
    broken |= {
        url_id
        for url_id in onward
        if (end := end_of_redirects(url_id, onward)) is None or end in broken
    }
    return Endings(onward, leads_nowhere | onward.keys(), broken)


def redirects_to(database: Database, url_id: int, most: int) -> list[str]:
    """Return the first URLs that redirect to a URL."""
    return [url for (url,) in database.connection.execute(REDIRECTS_TO, (url_id, most))]


def end_of_redirects(url_id: int, onward: Mapping[int, int]) -> int | None:
    """Return the last stored URL of a chain of redirects; `None` if they lead in a ring.

    A number below 0 is a URL that another part of the crawl has not received yet.

    Args:
        url_id: The number of the first URL.
        onward: Where each URL that redirects leads; see `Endings`.

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
