"""The history of one URL: how it was found, what was decided and why, and what happened to it.

Scope: combining what the queue, the evidence, the index and the archive know about one URL. Nothing
is changed.
"""

from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any, NamedTuple

from goodbot.content_use.sources import Uses, UseSources
from goodbot.crawl.archive.reading import KeptAt, kept_of
from goodbot.crawl.evidence.evidence_format import ActVerdict, EvidenceKind
from goodbot.crawl.evidence.page_findings import PageFindings
from goodbot.crawl.evidence.policy_at import PolicyAt, QuotedLine, policy_at
from goodbot.crawl.evidence.reading import VisitRow, requests_for, visits_of, was_no_store
from goodbot.crawl.evidence.senders import THIS_MACHINE, read_senders, sender_values
from goodbot.crawl.evidence.site_links import FoundLink, SiteLinks
from goodbot.crawl.folder.database import MADE_WITH, SIGNED_BY, Database
from goodbot.crawl.folder.times import stored_time
from goodbot.crawl.frontier.failing import redirects_to
from goodbot.crawl.frontier.reading import UrlRecord, entry_of, neighbours, urls_of
from goodbot.crawl.frontier.sqlite_traps import SQLiteTrapMemory
from goodbot.crawl.index.reading import IndexedPage, indexed_page
from goodbot.crawl.links.reading import link_and_sitemap_counts
from goodbot.errors import MisuseError
from goodbot.grounds import NEVER_ASKED
from goodbot.http.address import address_of
from goodbot.http.instants import instant, written
from goodbot.lazy_dataclass import dataclass

__all__ = ["Ask", "Request", "UrlHistory", "history_of", "near", "requests_for_robots_txt"]

NEIGHBOURS = 20
MOST_PAGES = 10
"""How many linking pages and redirects are part of a history; `goodbot links --to` has all."""
NEVER = datetime.max.replace(tzinfo=timezone.utc)
"""A time by which every page that expires has expired."""
LEAST_LIKENESS = 0.6
LONGEST_COMPARED = 300


@dataclass(frozen=True, slots=True)
class Ask:
    """One time that the URL was taken out of the queue, and the result."""

    at: datetime
    """The time, in UTC."""
    event: EvidenceKind
    """The result: one of `goodbot.crawl.evidence.evidence_format.EVIDENCE_KINDS`."""
    status: int | None
    """The status of the response; `None` if none came."""
    robot: str
    """The name of the robot."""
    sentence: str
    """What failed, or why the visit was deferred; empty if neither."""
    until: datetime | None
    """The time until which the visit was deferred."""
    permission: str
    """The permission of the owner of the site by which it was requested although robots.txt
    disallows it, in words; empty if there was none."""
    verdicts: tuple[ActVerdict, ...]
    """The verdict on fetching, and on each act of the page."""
    limits: tuple[tuple[str, Any], ...]
    """How much of the page may be shown."""
    findings: PageFindings
    """The findings on the page."""
    robots_txt: PolicyAt | None
    """The robots.txt in force; `None` if none was known yet, or it was not stored."""
    not_kept: bool
    """Whether robots.txt was not stored because the site forbids it (no-store)."""
    quoted: tuple[QuotedLine, ...]
    """The line of robots.txt that decided, with two lines before and after it."""
    confirmed: bool | None
    """Whether the stored robots.txt, evaluated again now, leads to the same result; `None` if there
    is nothing to compare, such as when the operator decided."""
    uses: Uses | None
    """One answer per use of the page, from what robots.txt, header and document said at the time;
    `None` if there was no page, or if an older version visited it."""

    @property
    def nobody_was_asked(self) -> bool:
        """Whether this machine refused the address, without requesting even robots.txt."""
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
            "permission": self.permission,
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
            "uses": None if self.uses is None else uses_plain(self.uses),
        }


def uses_plain(uses: Uses) -> dict[str, Any]:
    """Return the answers on uses as plain values, for JSON; the verdict on fetching has its own."""
    return {name: value for name, value in uses.as_dict().items() if name in USES_SHOWN}


USES_SHOWN = {"uses", "level", "payment", "reported", "not_consulted"}


@dataclass(frozen=True, slots=True)
class Request:
    """One request for the URL itself."""

    purpose: str
    """`page` or `robots-txt`."""
    started: datetime
    ended: datetime
    status: int | None
    failure: str | None
    """What failed: one of `goodbot.net.FAILURES`."""
    bytes: int
    """The bytes of content received over the network."""
    worker: str
    """The worker of a fleet that sent it; `this machine` for a crawl on one machine."""
    machine: str | None
    """The name of the machine of the worker; `None` on one machine, or if it is not known."""
    process: int | None
    """The number of its process; `None` on one machine, or if it is not known."""
    lease: int | None
    """The number of the lease under which its site was visited; `None` if there was none."""
    machine_started: datetime
    """When it began by the clock of the machine; the other times are those of the server."""

    @property
    def is_of_fleet(self) -> bool:
        """Whether a worker of a fleet sent it."""
        return self.worker != THIS_MACHINE.worker

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        times = ("started", "ended", "machine_started")
        return plain | {name: written(getattr(self, name)) for name in times}


class UrlHistory(NamedTuple):
    """Everything that a crawl knows about one URL, in the order in which it happened."""

    url: str
    origin: str
    how: str
    """How it was found; see `goodbot.crawl.folder.records.How`."""
    depth: int
    """How many links away from the start it is."""
    state: str
    """Its state; see `goodbot.crawl.folder.states.State`."""
    queued_again: bool
    """Whether it is queued for another visit; then the state is what the last one found."""
    reason: str
    """The reason for the state, a slug; empty if there is none."""
    source: str
    """What decided, in words."""
    status: int | None
    attempts: int
    visited: datetime | None
    """When its state last changed; `None` if it never did."""
    due: datetime | None
    """When it is due for a visit; `None` for never."""
    target: str | None
    """The URL that it redirects to, or that stands for it."""
    same_content: str
    """The first other page of its origin with the same content; empty if there is none."""
    linking_pages: int
    """How many pages of the crawl have links to it."""
    listing_sitemaps: int
    """How many sitemaps list it."""
    linked_by: tuple[FoundLink, ...]
    """The links to it on the first of these pages and sitemaps."""
    redirects_here: tuple[str, ...]
    """The first URLs that redirect to it."""
    asks: tuple[Ask, ...]
    """Each time that it was taken out of the queue."""
    requests: tuple[Request, ...]
    indexed: IndexedPage | None
    """Its entry in the index; `None` if it has none."""
    kept: tuple[KeptAt, ...]
    """Its records in the archive."""
    made_with: str
    """The versions of goodbot that have worked on the crawl, each with the date of its knowledge;
    empty for a crawl that an older version made."""
    signed_by: str = ""
    """The keys by which requests of the crawl were signed, each with the URL that publishes it;
    empty if none were."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        plain = self._asdict()
        return plain | {
            "visited": written(self.visited),
            "due": written(self.due),
            "linked_by": [one.as_dict() for one in self.linked_by],
            "redirects_here": list(self.redirects_here),
            "asks": [ask.as_dict() for ask in self.asks],
            "requests": [one.as_dict() for one in self.requests],
            "indexed": None if self.indexed is None else indexed_plain(self.indexed),
            "kept": [kept_plain(one) for one in self.kept],
        }


def indexed_plain(page: IndexedPage) -> dict[str, Any]:
    """Return an entry of the index as plain values, for JSON."""
    return page._asdict() | {"until": written(page.until)}


def kept_plain(kept: KeptAt) -> dict[str, Any]:
    """Return the place of a record in the archive as plain values, for JSON."""
    where = kept.where
    place = {"file": where.file, "offset": where.offset, "length": where.length}
    return {"kind": where.kind, "at": written(kept.at), **place}


def history_of(database: Database, url: str, *, now: datetime | None = None) -> UrlHistory | None:
    """Return the history of a URL; `None` if the crawl does not know it.

    Args:
        database: The file of the crawl.
        url: The absolute URL.
        now: The time, an aware `datetime`: the title, and the texts of links, are shown as far as
            their pages have not expired by then (`unavailable_after`). Without a time, none of
            pages that expire are.

    Raises:
        NoOriginError: It is not an absolute http or https URL.

    """
    _, address = address_of(url)
    entry = entry_of(database, address)
    if entry is None:
        return None
    shown = now or NEVER
    counts = link_and_sitemap_counts(database, [entry.url_id])
    linking_pages, listing_sitemaps = counts.get(entry.url_id, (0, 0))
    return UrlHistory(
        url=entry.url,
        origin=entry.origin,
        how=entry.how,
        depth=entry.depth,
        state=entry.state,
        queued_again=entry.is_queued_again,
        reason=entry.reason,
        source=entry.source,
        status=entry.status,
        attempts=entry.attempts,
        visited=entry.visited,
        due=entry.due,
        target=target_of(database, entry),
        same_content=same_content(database, entry.url, entry.origin),
        linking_pages=linking_pages,
        listing_sitemaps=listing_sitemaps,
        linked_by=tuple(SiteLinks(database, shown).links_to(entry.url_id, MOST_PAGES)),
        redirects_here=tuple(redirects_to(database, entry.url_id, MOST_PAGES)),
        asks=tuple(ask_of(database, entry, row) for row in visits_of(database, entry.url_id)),
        requests=tuple(requests_of_entry(database, entry)),
        indexed=indexed_page(database, entry.url_id, instant(shown, "now")),
        kept=tuple(kept_of(database, entry.url_id)),
        made_with=database.setting(MADE_WITH),
        signed_by=database.setting(SIGNED_BY) or "",
    )


def target_of(database: Database, entry: UrlRecord) -> str | None:
    """Return the URL that a URL redirects to, or that stands for it; `None` if there is none."""
    return None if entry.target is None else urls_of(database, [entry.target]).get(entry.target)


def same_content(database: Database, url: str, origin: str) -> str:
    """Return the first other page of an origin with the same content; empty if there is none."""
    memory = SQLiteTrapMemory(database)
    content = memory.content_of(url)
    return "" if content is None else memory.same_content(url, origin, content)


def ask_of(database: Database, entry: UrlRecord, row: VisitRow) -> Ask:
    """Combine the result of one visit with the robots.txt in force at the time."""
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
        permission=said.permission,
        verdicts=said.verdicts,
        limits=said.limits,
        findings=row.findings,
        robots_txt=robots_txt,
        not_kept=robots_txt is None and was_no_store(database, origin, row.at),
        quoted=() if robots_txt is None else robots_txt.quoted(fetch.line),
        confirmed=is_confirmed(fetch, entry, said.robot, robots_txt),
        uses=uses_at(entry, row, robots_txt),
    )


def uses_at(entry: UrlRecord, row: VisitRow, robots_txt: PolicyAt | None) -> Uses | None:
    """Return the answers on the uses of a page, from what was said at the time of a visit."""
    said = row.said
    if said.uses is None:
        return None
    policy = None if robots_txt is None else robots_txt.policy
    url = entry.spelling or entry.url
    try:
        return UseSources(url, said.robot, said.uses, policy, now=row.at).answer()
    except MisuseError:  # a damaged row: no request can have been made under this name
        return None


def is_confirmed(
    fetch: ActVerdict, entry: UrlRecord, robot: str, robots_txt: PolicyAt | None
) -> bool | None:
    """Evaluate the stored robots.txt again, and compare the result with the recorded verdict."""
    if fetch.allowed is None or not robot or robots_txt is None or robots_txt.policy is None:
        return None
    if fetch.kind == "operator":  # robots.txt did not decide
        return None
    try:
        again = robots_txt.policy.may_fetch(entry.spelling or entry.url, robot)
    except MisuseError:  # a damaged row: no request can have been made under this name
        return None
    line = None if again.rule is None else again.rule.line
    return (again.allowed, line) == (fetch.allowed, fetch.line)


def requests_for_robots_txt(database: Database, url: str) -> list[Request]:
    """Return the requests for a robots.txt, if the URL is that of one; otherwise none."""
    made = requests_of(database, *address_of(url))
    return [one for one in made if one.purpose == "robots-txt"]


def requests_of_entry(database: Database, entry: UrlRecord) -> list[Request]:
    """Return the requests for a URL; older versions sent it in the spelling that they found."""
    spellings = dict.fromkeys(filter(None, (entry.url, entry.spelling)))
    made = [one for url in spellings for one in requests_of(database, entry.origin, url)]
    return sorted(made, key=lambda one: one.started)


def requests_of(database: Database, origin: str, url: str) -> Iterator[Request]:
    """Yield the requests for a URL."""
    senders = read_senders(database)
    for row in requests_for(database, origin, url):
        who = sender_values(senders, row)
        yield Request(
            row.purpose,
            stored_time(row.started),
            stored_time(row.ended),
            row.status,
            row.failure,
            row.bytes,
            **{**who, "machine_started": stored_time(who["machine_started"])},
        )


def near(database: Database, url: str, most: int = 3) -> list[str]:
    """Return URLs of the crawl that resemble an unknown one, the most similar first.

    Only the neighbours in alphabetical order are compared, however many URLs there are.
    """
    _, address = address_of(url)
    found = neighbours(database, address, NEIGHBOURS)
    ranked = sorted(((likeness(address, one), one) for one in found), reverse=True)
    return [one for like, one in ranked if like >= LEAST_LIKENESS][:most]


def likeness(one: str, other: str) -> float:
    """Return how similar two URLs are, from 0 to 1."""
    from difflib import SequenceMatcher  # noqa: PLC0415  slow to load, and for unknown URLs only

    return SequenceMatcher(None, one[:LONGEST_COMPARED], other[:LONGEST_COMPARED]).ratio()
