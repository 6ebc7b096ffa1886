"""The history of one URL: how it was found, who was asked, what they said, what became of it.

What may live here: putting together what queue, evidence, index and archive have of one URL.
Nothing is changed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from typing import Any

from goodbot.crawl.archive.reading import KeptAt, kept_of
from goodbot.crawl.evidence.evidence_format import ActVerdict, EvidenceKind
from goodbot.crawl.evidence.page_findings import PageFindings
from goodbot.crawl.evidence.policy_at import PolicyAt, QuotedLine, policy_at
from goodbot.crawl.evidence.reading import VisitRow, requests_for, visits_of, was_no_store
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.times import stored_time
from goodbot.crawl.frontier.reading import UrlRecord, entry_of, neighbours, urls_of
from goodbot.crawl.frontier.sqlite_traps import SQLiteTrapMemory
from goodbot.crawl.index.reading import IndexedPage, indexed_page
from goodbot.errors import MisuseError
from goodbot.http.address import address_of
from goodbot.http.instants import written
from goodbot.policy.inquiry import NEVER_ASKED

__all__ = ["Ask", "Request", "UrlHistory", "history_of", "near", "requests_for_robots_txt"]

NEIGHBOURS = 20
LEAST_LIKENESS = 0.6
LONGEST_COMPARED = 300


@dataclass(frozen=True, slots=True)
class Ask:
    """One time that the URL was taken out of the queue, and what came of it."""

    at: datetime
    """When, in UTC."""
    event: EvidenceKind
    """What came of it, one of `goodbot.crawl.evidence.evidence_format.EVIDENCE_KINDS`."""
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
    findings: PageFindings
    """What was odd about the page."""
    robots_txt: PolicyAt | None
    """The robots.txt that was in force; `None` if there was none yet, or it may not be kept."""
    not_kept: bool
    """Whether it may not be kept, as its site said so (no-store)."""
    quoted: tuple[QuotedLine, ...]
    """The line of it that decided, and two before and behind."""
    confirmed: bool | None
    """Whether the kept octets, read again now, say the same; `None` if nothing can be compared."""

    @property
    def nobody_was_asked(self) -> bool:
        """Whether the refusal is this machine's: it did not even ask the site for robots.txt."""
        return self.event == "refused" and self.verdicts[0].reason in NEVER_ASKED

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
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
            **self.findings.as_dict(),
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
    bytes: int
    """Of content that came over the wire."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        return plain | {"started": written(self.started), "ended": written(self.ended)}


@dataclass(frozen=True, slots=True)
class UrlHistory:
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
    same_content: str
    """The first other page of its origin that had the same content; empty if none had."""
    asks: tuple[Ask, ...]
    requests: tuple[Request, ...]
    indexed: IndexedPage | None
    """What the index has of it; `None`: nothing."""
    kept: tuple[KeptAt, ...]
    """What the archive has of it."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        return plain | {
            "visited": written(self.visited),
            "due": written(self.due),
            "asks": [ask.as_dict() for ask in self.asks],
            "requests": [one.as_dict() for one in self.requests],
            "indexed": None if self.indexed is None else indexed_plain(self.indexed),
            "kept": [kept_plain(one) for one in self.kept],
        }


def indexed_plain(page: IndexedPage) -> dict[str, Any]:
    """Return what the index has as plain values, for JSON."""
    return page._asdict() | {"until": written(page.until)}


def kept_plain(kept: KeptAt) -> dict[str, Any]:
    """Return where a record of the archive is as plain values, for JSON."""
    where = kept.where
    place = {"file": where.file, "offset": where.offset, "length": where.length}
    return {"kind": where.kind, "at": written(kept.at), **place}


def history_of(database: Database, url: str) -> UrlHistory | None:
    """Return everything about a URL; `None` if the crawl does not know it.

    Args:
        database: The file of the crawl.
        url: The URL, absolute.

    Raises:
        NoOriginError: It is no absolute URL of http or https.

    """
    _, address = address_of(url)
    entry = entry_of(database, address)
    if entry is None:
        return None
    return UrlHistory(
        url=entry.url,
        origin=entry.origin,
        how=entry.how,
        depth=entry.depth,
        state=entry.state,
        reason=entry.reason,
        source=entry.source,
        status=entry.status,
        attempts=entry.attempts,
        visited=entry.visited,
        due=entry.due,
        target=target_of(database, entry),
        same_content=same_content(database, entry.url, entry.origin),
        asks=tuple(ask_of(database, entry, row) for row in visits_of(database, entry.url_id)),
        requests=tuple(requests_of_entry(database, entry)),
        indexed=indexed_page(database, entry.url_id),
        kept=tuple(kept_of(database, entry.url_id)),
    )


def target_of(database: Database, entry: UrlRecord) -> str | None:
    """Return the URL to which a URL leads; `None` if to none."""
    return None if entry.target is None else urls_of(database, [entry.target]).get(entry.target)


def same_content(database: Database, url: str, origin: str) -> str:
    """Return the first other page of an origin with the content of a page; empty if none has it."""
    memory = SQLiteTrapMemory(database)
    content = memory.content_of(url)
    return "" if content is None else memory.same_content(url, origin, content)


def ask_of(database: Database, entry: UrlRecord, row: VisitRow) -> Ask:
    """Return what was asked at one time, and what came of it."""
    said, origin = row.said, entry.origin
    fetch = said.verdicts[0]
    robots_txt = policy_at(database, origin, row.at)
    return Ask(
        at=row.at,
        event=said.event,
        status=row.status,
        robot=said.robot,
        sentence=said.sentence,
        until=said.until,
        verdicts=said.verdicts,
        limits=said.limits,
        findings=row.findings,
        robots_txt=robots_txt,
        not_kept=robots_txt is None and was_no_store(database, origin, row.at),
        quoted=() if robots_txt is None else robots_txt.quoted(fetch.line),
        confirmed=is_confirmed(fetch, entry, said.robot, robots_txt),
    )


def is_confirmed(
    fetch: ActVerdict, entry: UrlRecord, robot: str, robots_txt: PolicyAt | None
) -> bool | None:
    """Evaluate the kept robots.txt again, and compare with what was said then."""
    if fetch.allowed is None or not robot or robots_txt is None or robots_txt.policy is None:
        return None
    try:
        again = robots_txt.policy.verdict_as_sent(entry.spelling or entry.url, robot)
    except MisuseError:  # a robot's name that the file cannot have been asked with
        return None
    line = None if again.rule is None else again.rule.line
    return (again.allowed, line) == (fetch.allowed, fetch.line)


def requests_for_robots_txt(database: Database, url: str) -> list[Request]:
    """List the requests for a robots.txt, if the URL is one; otherwise none."""
    made = requests_of(database, *address_of(url))
    return [one for one in made if one.purpose == "robots-txt"]


def requests_of_entry(database: Database, entry: UrlRecord) -> list[Request]:
    """List the requests for a URL; older versions sent it in the spelling that they found."""
    spellings = dict.fromkeys(filter(None, (entry.url, entry.spelling)))
    made = [one for url in spellings for one in requests_of(database, entry.origin, url)]
    return sorted(made, key=lambda one: one.started)


def requests_of(database: Database, origin: str, url: str) -> Iterator[Request]:
    """Yield the requests for a URL."""
    for row in requests_for(database, origin, url):
        started, ended = stored_time(row.started), stored_time(row.ended)
        yield Request(row.purpose, started, ended, row.status, row.failure, row.bytes)


def near(database: Database, url: str, most: int = 3) -> list[str]:
    """List URLs of the crawl that are like one that it does not know, the likest first.

    Only neighbours in the order of the alphabet are looked at, however many URLs there are.
    """
    _, address = address_of(url)
    found = neighbours(database, address, NEIGHBOURS)
    ranked = sorted(((likeness(address, one), one) for one in found), reverse=True)
    return [one for like, one in ranked if like >= LEAST_LIKENESS][:most]


def likeness(one: str, other: str) -> float:
    """Return how alike two URLs are, from 0 to 1."""
    return SequenceMatcher(None, one[:LONGEST_COMPARED], other[:LONGEST_COMPARED]).ratio()
