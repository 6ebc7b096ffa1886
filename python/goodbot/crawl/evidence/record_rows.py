"""The rows that the record of a crawl is about, and what follows from them.

Scope: each robots.txt, each request and each visit as a row, in a fixed order; a hash chain over
them; the totals that others can compute again from the same rows.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from goodbot.crawl.evidence.export import PlainRow, lines
from goodbot.crawl.evidence.punctuality import Check, RequestPause, read_manners
from goodbot.crawl.evidence.reading import RequestRow, request_totals, requests_at
from goodbot.crawl.evidence.senders import read_senders, sender_values
from goodbot.crawl.folder.database import MANNERS, Database
from goodbot.crawl.frontier.reading import entries
from goodbot.http.instants import to_datetime, written
from goodbot.pace import Manners
from goodbot.policy.inquiry import NOT_ASKED

__all__ = ["KINDS", "CrawlTotals", "RowChain", "record_rows"]

KINDS = ("policy", "request", "visit")
"""The kinds of rows, in their order."""
MOST_LISTED = 100
"""The most requests or URLs that are listed as exceptions; all are counted, and all are rows."""


class RowChain:
    """A hash chain: each head is the digest of the one before and of the digest of a row.

    >>> chain = RowChain()
    >>> chain.head == "00" * 32
    True
    >>> chain.add(b"{}")
    >>> chain.count, chain.head[:8]
    (1, '961af672')
    """

    def __init__(self) -> None:
        """Begin with zeros."""
        self.count = 0
        self._head = bytes(32)

    def add(self, row: bytes) -> None:
        """Add a row, without the end of its line."""
        self._head = hashlib.sha256(self._head + hashlib.sha256(row).digest()).digest()
        self.count += 1

    @property
    def head(self) -> str:
        """The digest that all rows have led to, in hexadecimal."""
        return self._head.hex()


@dataclass
class OriginRecord:
    """What is stated of one origin."""

    origin: str
    policies: list[PlainRow] = field(default_factory=list)
    requests: int = 0
    pages: int = 0
    first: int = 0
    last: int = 0
    shortest: RequestPause | None = None
    """The request with the shortest pause before it; `None` if there was one request at most."""
    early: int = 0

    def add(self, row: RequestRow, pause: RequestPause) -> None:
        """Count a request."""
        self.requests += 1
        self.pages += row.purpose == "page"
        self.first = min(self.first or row.started, row.started)
        self.last = max(self.last, row.started)
        self.early += bool(pause.early)
        before = self.shortest
        if pause.left is not None and (before is None or pause.left < (before.left or 0)):
            self.shortest = pause

    def stated(self) -> PlainRow:
        """Return plain values."""
        shortest = self.shortest
        return {
            "origin": self.origin,
            "policies": self.policies,
            "requests": self.requests,
            "requests_for_pages": self.pages,
            "first_request": stated_time(self.first) if self.requests else None,
            "last_request": stated_time(self.last) if self.requests else None,
            "shortest_pause_us": None if shortest is None else shortest.left,
            "required_there_us": None if shortest is None else shortest.asked,
            "early": self.early,
        }


@dataclass
class CrawlTotals:
    """What is stated of a whole crawl; it is complete once all rows are read."""

    origins: list[OriginRecord] = field(default_factory=list)
    requests: int = 0
    early: list[PlainRow] = field(default_factory=list)
    early_count: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    newest_settings: int = 0
    """How many requests were measured by settings that may not be those of their time."""
    visited_disallowed: list[str] = field(default_factory=list)
    visited_disallowed_count: int = 0
    permitted: int = 0
    """How many of these the owner of the site permitted (`goodbot crawl --own-site`)."""

    def add_request(self, row: RequestRow, pause: RequestPause) -> None:
        """Count a request."""
        self.requests += 1
        if row.failure is not None:
            self.failures[row.failure] += 1
        self.newest_settings += not pause.is_of_its_time
        if pause.early:
            self.early_count += 1
            if len(self.early) < MOST_LISTED:
                started = stated_time(row.started)
                self.early.append({"url": row.url, "started": started, "why": pause.early})

    def add_visit(self, visit: PlainRow) -> None:
        """Count a visit."""
        fetch: PlainRow = next((one for one in visit["verdicts"] if "fetch" in one["acts"]), {})
        if visit["event"] == "visited" and fetch.get("allowed") is False:
            self.visited_disallowed_count += 1
            self.permitted += "permission" in visit
            if len(self.visited_disallowed) < MOST_LISTED:
                self.visited_disallowed.append(str(visit["url"]))

    def stated(self) -> PlainRow:
        """Return plain values."""
        permitted = {"permitted": self.permitted} if self.permitted else {}
        pauses = [one.shortest.left for one in self.origins if one.shortest is not None]
        return {
            "requests": self.requests,
            "shortest_pause_us": min((one for one in pauses if one is not None), default=None),
            "origins": [one.stated() for one in self.origins],
            "exceptions": {
                "early": {"count": self.early_count, "listed": self.early},
                "visited_although_disallowed": {
                    "count": self.visited_disallowed_count,
                    "listed": self.visited_disallowed,
                    **permitted,
                },
                "failed_requests": dict(sorted(self.failures.items())),
                "measured_by_later_settings": self.newest_settings,
            },
        }


def record_rows(database: Database, totals: CrawlTotals) -> Iterator[PlainRow]:
    """Yield every row, and count it: first each robots.txt, then each request, then each visit.

    Args:
        database: The database of the crawl.
        totals: What is counted.

    Raises:
        NotAStoreError: A row of the evidence is damaged.

    """
    settings = database.settings()
    robot, manners = settings.get("robot", "*"), read_manners(settings.get(MANNERS, "{}"))
    requested = {one.origin for one in request_totals(database)}
    # Captures of others have a robots.txt, too, and no requests.
    for origin in sorted(requested | {one.origin for one in entries(database)}):
        record = OriginRecord(origin)
        for row in policy_rows(database, origin):
            record.policies.append({name: row[name] for name in OF_POLICY})
            yield row
        if record.policies or origin in requested:
            totals.origins.append(record)
    for record in totals.origins:
        yield from request_rows(database, record, totals, robot, manners)
    for visit in lines(database):
        totals.add_visit(visit)
        yield {"kind": "visit", **{name: plain(value) for name, value in visit.items()}}


OF_POLICY = ("sha256", "outcome", "access", "first", "last")


def policy_rows(database: Database, origin: str) -> Iterator[PlainRow]:
    """Yield each robots.txt of an origin, and what followed from it."""
    for seen in database.store.history(origin):
        body = (seen.record.get("copy") or {}).get("body")
        yield {
            "kind": "policy",
            "origin": origin,
            "url": str(seen.record.get("url", "")),
            "sha256": seen.sha256,
            "bytes": None if body is None else len(body),
            "status": seen.record.get("status"),
            "outcome": str(seen.record.get("outcome", "")),
            "access": str(seen.record.get("access", "")),
            "first": written(seen.first),
            "last": written(seen.last),
        }


def request_rows(
    database: Database, record: OriginRecord, totals: CrawlTotals, robot: str, manners: Manners
) -> Iterator[PlainRow]:
    """Yield each request to an origin, with the pause before it."""
    check = Check(database, record.origin, robot, manners)
    senders = read_senders(database)
    for row in requests_at(database, record.origin):
        if row.failure in NOT_ASKED:
            continue
        who = sender_values(senders, row)
        pause = check.pause(row)
        record.add(row, pause)
        totals.add_request(row, pause)
        yield {
            "kind": "request",
            "origin": record.origin,
            "url": row.url,
            "purpose": row.purpose,
            "started": stated_time(row.started),
            "ended": stated_time(row.ended),
            "status": row.status,
            "failure": row.failure,
            "bytes": row.bytes,
            **who,
            "machine_started": stated_time(who["machine_started"]),
            "pause_us": pause.left,
            "required_us": pause.asked,
            "required_by": pause.source,
            "early": pause.early,
        }


def stated_time(microseconds: int) -> str | None:
    """Return a stored time as text; `None` if it is outside the calendar."""
    return written(to_datetime(microseconds))


def plain(value: Any) -> Any:  # noqa: ANN401  of JSON
    """Return a value of a row for JSON: times as text, and no lone surrogates."""
    if isinstance(value, datetime):
        return written(value)
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    return value
