"""What differs between two crawls of a site, or between two times of one crawl.

Scope: comparing what the evidence, the inventory and the policies of both have. Nothing is changed.
A crawl keeps the verdicts and statuses of every visit, and the title of the last one only; so the
title at an earlier time is known only of a page that was not visited again since.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

from goodbot.crawl.evidence.export import visits_by_url
from goodbot.crawl.evidence.policy_at import PolicyAt, decode_line, policy_at
from goodbot.crawl.evidence.reading import VisitRow
from goodbot.crawl.folder.database import Database
from goodbot.crawl.inventory.indexability import is_shown
from goodbot.crawl.inventory.reading import facts_of_url
from goodbot.display import short_repr
from goodbot.http.status import NOT_MODIFIED, status_of
from goodbot.lazy_dataclass import dataclass

__all__ = ["CHANGE_KINDS", "ChangeKind", "CrawlChange", "compare"]

ChangeKind = Literal["new", "gone", "status", "robots", "title", "indexability", "robots.txt"]

CHANGE_KINDS: dict[ChangeKind, str] = {
    "new": "New URLs",
    "gone": "URLs that are gone",
    "status": "Changed statuses",
    "robots": "URLs that robots.txt or the operator newly disallows, or allows again",
    "title": "Changed titles",
    "indexability": "Pages that may be indexed no longer, or again",
    "robots.txt": "Changed robots.txt files",
}
"""The kinds of changes, with their headings, in the order of all lists."""

TELLING = {"visited", "refused", "failed"}
"""The results of visits that say something of a URL; a deferral does not."""
WAITING = {"queued", "leased"}
"""The states of URLs that may not have been visited yet."""
ALWAYS = datetime.max.replace(tzinfo=timezone.utc)
"""The end of a crawl, whenever it was."""
MOST_LINES = 2_000
"""How many lines a robots.txt may have that is compared in the order of its lines; of a longer one
only lines that are new or gone are found."""
MOST_PAIRS = 20_000
"""How many pairs of equal lines two files may have that are compared in order: the time is in
proportion to their product with the lines, and files of few lines again and again have millions."""
MOST_SHOWN = 200
"""How many changed lines of a robots.txt are part of a change."""


@dataclass(frozen=True, slots=True, repr=False)
class CrawlChange:
    """One difference."""

    change: ChangeKind
    """What differs."""
    url: str
    """The URL; of a robots.txt that of the file."""
    before: str | None
    """What was: a status or a failure, a title, `indexable` or `not-indexable`, the SHA-256 of a
    robots.txt or what followed from having none; `None` if the URL was not known."""
    after: str | None
    """What is, in the same form; `None` if the URL is not known any more."""
    source: str
    """The statement that forbids, now or before; empty if there is none."""
    removed: tuple[str, ...] = ()
    """The lines of a robots.txt that are gone."""
    added: tuple[str, ...] = ()
    """The lines of a robots.txt that are new."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        lists = {"removed": list(self.removed), "added": list(self.added)}
        return plain | {"source": self.source or None} | lists


class UrlState(NamedTuple):
    """What was known of a URL at a time."""

    origin: str
    answer: str
    """The status, or the reason why there is none."""
    is_there: bool
    """Whether there was something at the URL: a success or a redirect."""
    is_missing: bool
    """Whether the answer was that nothing is there."""
    is_refused: bool
    """Whether it was not requested because it is disallowed."""
    is_disallowed: bool
    """Whether it is disallowed, also if it was requested by permission of its owner."""
    access: str
    """The answer; the reason why it is disallowed, also if it was requested."""
    rule: str
    """The statement that forbids to fetch it; empty if there is none."""
    indexable: bool | None
    """Whether it might be indexed; `None` if it is no page."""
    source: str
    """The statement that forbids to fetch or to index it; empty if there is none."""
    title: str | None
    """Its title; `None` if it is not known, or must not be shown."""


def compare(
    before: Database,
    after: Database,
    *,
    now: datetime,
    before_at: datetime | None = None,
    after_at: datetime | None = None,
) -> Iterator[CrawlChange]:
    """Yield the differences between two crawls, URL by URL, and then by robots.txt.

    Args:
        before: The database of the earlier crawl.
        after: The database of the later crawl; it may be the same.
        now: The time, an aware `datetime`: titles of pages that have expired by then are not shown.
        before_at: The time whose state of the earlier crawl counts; `None`: its end.
        after_at: The same of the later one.

    Raises:
        NotAStoreError: A row of one of the databases is damaged.

    """
    known = {url: state for url, state in states(before, before_at, now) if state is not None}
    origins = {state.origin for state in known.values()}
    for url, state in states(after, after_at, now):
        earlier = known.pop(url, None)
        if state is not None:
            origins.add(state.origin)
            yield from changes_of(url, earlier, state)
    for url, state in known.items():
        yield from changes_of(url, state, None)
    for origin in sorted(origins):
        policies = (
            policy_at(database, origin, at or ALWAYS)
            for database, at in ((before, before_at), (after, after_at))
        )
        yield from robots_txt_changes(*policies)


def states(
    database: Database, at: datetime | None, now: datetime
) -> Iterator[tuple[str, UrlState | None]]:
    """Yield what was known at a time of each URL that had been visited, or was disallowed.

    `None` stands for a URL that is queued and was not visited yet: nothing is known of it.
    """
    for entry, visits in visits_by_url(database):
        last, is_latest = last_telling(visits, at or ALWAYS)
        if last is not None:
            title = title_of(database, entry.url_id, now) if is_latest else None
            yield entry.url, state_of(entry.origin, last, title)
        elif entry.state in WAITING:
            yield entry.url, None


def title_of(database: Database, url_id: int, now: datetime) -> str | None:
    """Return the title of a page as the last visit found it; `None` if it must not be shown."""
    facts = facts_of_url(database, url_id)
    return facts.title if facts is not None and is_shown(facts, now) else None


def last_telling(visits: Iterable[VisitRow], at: datetime) -> tuple[VisitRow | None, bool]:
    """Return the last visit up to a time that says something of its URL, and whether none follows.

    Those that follow say something as well, so the title that is stored may be theirs.
    """
    last, is_latest = None, True
    for visit in visits:
        if visit.said.event in TELLING:
            if visit.at <= at:
                last = visit
            else:
                is_latest = False
    return last, is_latest


def state_of(origin: str, visit: VisitRow, title: str | None) -> UrlState:
    """Return what a visit says of its URL."""
    said = visit.said
    fetch, *acts = said.verdicts
    # A page that was confirmed is there as if it had been sent again.
    status = 200 if visit.status == NOT_MODIFIED else visit.status
    meaning = None if status is None else status_of(status)
    is_there = meaning is not None and (meaning.is_success or meaning.is_redirect)
    index = next((one for one in acts if one.act == "index"), None) if is_there else None
    is_refused = said.event == "refused"
    is_disallowed = is_refused or bool(said.permission)
    answer = str(status or fetch.reason)
    deciding = fetch if is_refused else index
    return UrlState(
        origin=origin,
        answer=answer,
        is_there=is_there,
        is_missing=meaning is not None and meaning.is_gone,
        is_refused=is_refused,
        is_disallowed=is_disallowed,
        access=fetch.reason if is_disallowed else answer,
        rule=fetch.source if is_disallowed else "",
        indexable=None if index is None else bool(index.allowed),
        source="" if deciding is None or deciding.allowed else deciding.source,
        title=title,
    )


def changes_of(url: str, before: UrlState | None, after: UrlState | None) -> Iterator[CrawlChange]:
    """Yield the differences of one URL."""
    if before is None and after is not None:
        yield CrawlChange("new", url, None, after.answer, after.source)
    elif before is not None and (after is None or (before.is_there and after.is_missing)):
        answer = None if after is None else after.answer
        yield CrawlChange("gone", url, before.answer, answer, "")
    elif before is not None and after is not None:
        yield from changes_between(url, before, after)


def changes_between(url: str, before: UrlState, after: UrlState) -> Iterator[CrawlChange]:
    """Yield the differences of a URL that both crawls know."""
    source = after.source or before.source
    if before.is_disallowed != after.is_disallowed:
        rule = after.rule or before.rule
        yield CrawlChange("robots", url, before.access, after.access, rule)
    if before.is_refused == after.is_refused and before.answer != after.answer:
        yield CrawlChange("status", url, before.answer, after.answer, "")
    if before.title != after.title and None not in {before.title, after.title}:
        yield CrawlChange("title", url, before.title, after.title, "")
    may = {True: "indexable", False: "not-indexable"}
    if before.indexable != after.indexable and None not in {before.indexable, after.indexable}:
        was, is_now = (may[bool(one.indexable)] for one in (before, after))
        yield CrawlChange("indexability", url, was, is_now, source)


def robots_txt_changes(before: PolicyAt | None, after: PolicyAt | None) -> Iterator[CrawlChange]:
    """Yield the difference of the robots.txt of an origin, if there is one."""
    if before is None or after is None:
        return
    was, is_now = (one.sha256 or one.access for one in (before, after))
    if was == is_now:
        return
    removed, added = changed_lines(lines_of(before), lines_of(after))
    yield CrawlChange(
        "robots.txt", after.url, was, is_now, "", removed[:MOST_SHOWN], added[:MOST_SHOWN]
    )


def lines_of(policy: PolicyAt) -> list[str]:
    """Return the lines of a robots.txt, cut where they are long."""
    robots_txt = None if policy.policy is None else policy.policy.robots_txt
    return [] if robots_txt is None else [decode_line(one.raw) for one in robots_txt.lines]


def changed_lines(before: list[str], after: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the lines that are gone, and those that are new.

    >>> changed_lines(["User-agent: *", "Disallow: /a"], ["User-agent: *", "Disallow: /b"])
    (('Disallow: /a',), ('Disallow: /b',))
    """
    was, is_now = Counter(before), Counter(after)
    pairs = sum(count * is_now[line] for line, count in was.items())
    if max(len(before), len(after)) > MOST_LINES or pairs > MOST_PAIRS:
        return without(before, is_now), without(after, was)
    parts = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    changed = [one for one in parts if one[0] != "equal"]
    return (
        tuple(line for _, start, end, _, _ in changed for line in before[start:end]),
        tuple(line for _, _, _, start, end in changed for line in after[start:end]),
    )


def without(lines: list[str], others: Counter[str]) -> tuple[str, ...]:
    """Return lines that others do not have, or not as often, in any order of the others.

    >>> without(["a", "b", "a"], Counter("ac"))
    ('b', 'a')
    """
    left, found = Counter(others), []
    for line in lines:
        if left[line] > 0:
            left[line] -= 1
        else:
            found.append(line)
    return tuple(found)
