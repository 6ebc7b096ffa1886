"""The story of one URL: how it was found, who was asked, what they said, what became of it.

What may live here: reading the tables of all parts for one URL. Nothing is changed.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from typing import Any

from goodbot.crawl.evidence.evidence_format import ActVerdict, Event, unpack
from goodbot.crawl.evidence.policy_at import InForce, QuotedLine, in_force, is_not_kept
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.quota import kept_form
from goodbot.errors import MisuseError
from goodbot.http.address import address_of
from goodbot.http.instants import to_datetime, written

__all__ = [
    "Ask",
    "Indexed",
    "KeptRecord",
    "Request",
    "Story",
    "near",
    "requests_for_robots_txt",
    "story_of",
]

OF_URL = (
    "SELECT urls.id, urls.url, origins.origin, depth, how, state, due, attempts, status, reason, "
    "source, visited, (SELECT url FROM urls AS other WHERE other.id = urls.target) "
    "FROM urls JOIN origins ON origins.id = urls.origin WHERE urls.url = ?"
)
ASKS = "SELECT at, status, verdicts FROM evidence WHERE url = ? ORDER BY id"
REQUESTS = (
    "SELECT purpose, started, ended, status, failure, octets FROM requests "
    "WHERE origin = ? AND url = ? ORDER BY started, id"
)
KEPT = "SELECT kind, at, file, offset, length FROM kept WHERE url = ? ORDER BY id"
INDEXED = "SELECT title, length(text), until FROM documents WHERE id = ?"
ANCHORS = "SELECT count(DISTINCT source) FROM anchors WHERE target = ?"
BEFORE = "SELECT url FROM urls WHERE url < ? ORDER BY url DESC LIMIT ?"
BEHIND = "SELECT url FROM urls WHERE url > ? ORDER BY url LIMIT ?"
NEIGHBOURS = 20
LEAST_LIKENESS = 0.6
LONGEST_COMPARED = 300


@dataclass(frozen=True, slots=True)
class Ask:
    """One time that the URL was taken out of the queue, and what came of it."""

    at: datetime
    """When, in UTC."""
    event: Event
    """What came of it, one of `goodbot.crawl.evidence.evidence_format.EVENTS`."""
    status: int | None
    """The status of the answer; `None` if none came."""
    robot: str
    """The robot, as it was named."""
    sentence: str
    """What failed, or why it was deferred; empty if neither."""
    until: datetime | None
    """Until when it was deferred."""
    verdicts: tuple[ActVerdict, ...]
    """The verdict on fetching, and on each act of the page."""
    limits: tuple[tuple[str, Any], ...]
    """How much of the page may be shown."""
    robots_txt: InForce | None
    """The robots.txt that was in force; `None` if there was none yet, or it may not be kept."""
    not_kept: bool
    """Whether it may not be kept, as its site said so (no-store)."""
    quoted: tuple[QuotedLine, ...]
    """The line of it that decided, and two before and behind."""
    confirmed: bool | None
    """Whether the kept octets, read again now, say the same; `None` if nothing can be compared."""

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON."""
        return {
            "at": written(self.at),
            "event": self.event,
            "status": self.status,
            "robot": self.robot,
            "sentence": self.sentence,
            "until": written(self.until),
            "verdicts": [
                one.as_dict() | ({"sentence": one.sentence} if one.sentence else {})
                for one in self.verdicts
            ],
            "limits": dict(self.limits),
            "robots_txt": None if self.robots_txt is None else self.robots_txt.as_dict(),
            "robots_txt_not_kept": self.not_kept,
            "quoted": [line.as_dict() for line in self.quoted],
            "confirmed": self.confirmed,
        }


@dataclass(frozen=True, slots=True)
class Request:
    """One request for the URL itself."""

    purpose: str
    """`page` or `robots-txt`."""
    started: datetime
    ended: datetime
    status: int | None
    failure: str | None
    """What failed, one of `goodbot.net.FAILURES`."""
    octets: int
    """Of content that came over the wire."""

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        return plain | {"started": written(self.started), "ended": written(self.ended)}


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """A record of the archive."""

    kind: str
    at: datetime
    file: str
    offset: int
    length: int

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__} | {"at": written(self.at)}


@dataclass(frozen=True, slots=True)
class Indexed:
    """What the index has of the page."""

    title: str
    characters: int
    """Of text."""
    until: datetime | None
    """From when on it is not to be shown; `None`: for ever."""
    described_by: int
    """How many pages describe it by the texts of their links."""

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__} | {
            "until": written(self.until)
        }


@dataclass(frozen=True, slots=True)
class Story:
    """Everything that a crawl knows about one URL, in the order in which it happened."""

    url: str
    origin: str
    how: str
    """How it was found, see `goodbot.crawl.folder.records.How`."""
    depth: int
    """How many links lie between it and where the crawl began."""
    state: str
    """What has become of it, see `goodbot.crawl.folder.states.State`."""
    reason: str
    """Why, a slug; empty if there is nothing to say."""
    source: str
    """Who says so."""
    status: int | None
    attempts: int
    visited: datetime | None
    """When it was settled last; `None` if it never was."""
    due: datetime | None
    """When it may be visited, or visited again; `None`: never."""
    target: str | None
    """Where it leads."""
    asks: tuple[Ask, ...]
    requests: tuple[Request, ...]
    indexed: Indexed | None
    """What the index has of it; `None`: nothing."""
    kept: tuple[KeptRecord, ...]
    """What the archive has of it."""

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        return plain | {
            "visited": written(self.visited),
            "due": written(self.due),
            "asks": [ask.as_dict() for ask in self.asks],
            "requests": [one.as_dict() for one in self.requests],
            "indexed": None if self.indexed is None else self.indexed.as_dict(),
            "kept": [one.as_dict() for one in self.kept],
        }


def story_of(database: Database, url: str) -> Story | None:
    """Tell everything about a URL; `None` if the crawl does not know it.

    Args:
        database: The file of the crawl.
        url: The URL, absolute.

    Raises:
        NoOriginError: It is no absolute URL of http or https.

    """
    _, address = address_of(url)
    connection = database.connection
    row = connection.execute(OF_URL, (address,)).fetchone()
    row = row or connection.execute(OF_URL, (kept_form(address),)).fetchone()
    if row is None:
        return None
    number, known, origin, depth, how, state, due, attempts, status, reason, source = row[:11]
    return Story(
        url=known,
        origin=origin,
        how=how,
        depth=depth,
        state=state,
        reason=reason,
        source=source,
        status=status,
        attempts=attempts,
        visited=time_of(row[11]),
        due=time_of(due),
        target=row[12],
        asks=tuple(asks_of(database, number, known, origin)),
        requests=tuple(requests_of(connection, origin, known)),
        indexed=indexed_of(connection, number),
        kept=tuple(kept_of(connection, number)),
    )


def time_of(microseconds: int | None) -> datetime | None:
    """Give a time of the file in UTC."""
    return None if microseconds is None else to_datetime(microseconds)


def certain(microseconds: int) -> datetime:
    """Give a time that is always there."""
    time = to_datetime(microseconds)
    assert time is not None  # noqa: S101  it was written from a `datetime`
    return time


def asks_of(database: Database, number: int, url: str, origin: str) -> Iterator[Ask]:
    """Yield what was asked, and what came of it."""
    for at, status, verdicts in database.connection.execute(ASKS, (number,)).fetchall():
        said, time = unpack(verdicts), certain(at)
        fetch = said.verdicts[0]
        robots_txt = in_force(database, origin, time)
        yield Ask(
            at=time,
            event=said.event,
            status=status,
            robot=said.robot,
            sentence=said.sentence,
            until=said.until,
            verdicts=said.verdicts,
            limits=said.limits,
            robots_txt=robots_txt,
            not_kept=robots_txt is None and is_not_kept(database, origin, time),
            quoted=() if robots_txt is None else robots_txt.quoted(fetch.line),
            confirmed=is_confirmed(fetch, url, said.robot, robots_txt),
        )


def is_confirmed(
    fetch: ActVerdict, url: str, robot: str, robots_txt: InForce | None
) -> bool | None:
    """Ask the kept robots.txt again, and compare with what was said then."""
    if fetch.allowed is None or not robot or robots_txt is None or robots_txt.policy is None:
        return None
    try:
        again = robots_txt.policy.verdict(url, robot)
    except MisuseError:  # a robot's name that the file cannot have been asked with
        return None
    line = None if again.rule is None else again.rule.line
    return (again.allowed, line) == (fetch.allowed, fetch.line)


def requests_for_robots_txt(database: Database, url: str) -> list[Request]:
    """List the requests for a robots.txt, if the URL is one; otherwise none."""
    origin, address = address_of(url)
    made = requests_of(database.connection, origin, address)
    return [one for one in made if one.purpose == "robots-txt"]


def requests_of(connection: sqlite3.Connection, origin: str, url: str) -> Iterator[Request]:
    """Yield the requests for a URL."""
    for purpose, started, ended, *rest in connection.execute(REQUESTS, (origin, url)):
        yield Request(purpose, certain(started), certain(ended), *rest)


def kept_of(connection: sqlite3.Connection, number: int) -> Iterator[KeptRecord]:
    """Yield the records of the archive."""
    for kind, at, *place in connection.execute(KEPT, (number,)):
        yield KeptRecord(kind, certain(at), *place)


def indexed_of(connection: sqlite3.Connection, number: int) -> Indexed | None:
    """Give what the index has."""
    row = connection.execute(INDEXED, (number,)).fetchone()
    if row is None:
        return None
    described = connection.execute(ANCHORS, (number,)).fetchone()[0]
    return Indexed(row[0], row[1], time_of(row[2]), described)


def near(database: Database, url: str, most: int = 3) -> list[str]:
    """List URLs of the crawl that are like one that it does not know, the likest first.

    Only neighbours in the order of the alphabet are looked at, however many URLs there are.
    """
    _, address = address_of(url)
    found: list[str] = []
    for statement in (BEFORE, BEHIND):
        rows = database.connection.execute(statement, (address, NEIGHBOURS))
        found += [one for (one,) in rows]
    ranked = sorted(((likeness(address, one), one) for one in found), reverse=True)
    return [one for like, one in ranked if like >= LEAST_LIKENESS][:most]


def likeness(one: str, other: str) -> float:
    """Tell how alike two URLs are, from 0 to 1."""
    return SequenceMatcher(None, one[:LONGEST_COMPARED], other[:LONGEST_COMPARED]).ratio()
