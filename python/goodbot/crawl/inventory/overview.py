"""What the pages of a crawl have to do with one another: read once, before their rows are made.

Scope: the first of two passes over the queue and the inventory. It keeps little of each page, so
that the second can yield rows one by one.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from goodbot._core import near_duplicates
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.failing import Endings, endings, is_failing
from goodbot.crawl.frontier.reading import UrlRecord, requested_entries
from goodbot.crawl.inventory.indexability import indexability, is_shown
from goodbot.crawl.inventory.page_record import OWN_SITE, PageRecord, unpacked_urls
from goodbot.crawl.inventory.reading import packed_alternates, stored_facts
from goodbot.crawl.links.page_links import LISTED
from goodbot.crawl.links.reading import A_LINK, inlink_counts, pages_to_themselves
from goodbot.errors import NotAStoreError
from goodbot.indexability.decision import Indexability, normal

__all__ = [
    "FEWEST_WORDS",
    "KnownUrl",
    "Overview",
    "Shared",
    "overview",
    "pair_of",
    "text_of_site",
    "with_facts",
]

FEWEST_WORDS = 10
"""Pages with fewer words are not compared by their text: such texts are often the same by nature,
such as "Not found" or the caption of a picture."""
WAITING = {"queued", "leased"}
"""The states of URLs that were never visited, or are to be tried again."""
MOST_PAIRS = 1_000_000
"""The most pairs of pages in several languages whose return links are checked."""


class KnownUrl(NamedTuple):
    """A URL, as far as other pages are concerned."""

    url: str
    origin: str
    status: int | None
    verdict: Indexability
    is_disallowed: bool
    """Whether robots.txt disallows it, or the operator of the robot."""


@dataclass(slots=True)
class Shared:
    """A text that several pages have."""

    first: int
    """The number of the first page that has it."""
    pages: int = 0


@dataclass(slots=True)
class Overview:
    """What the pages of a crawl have to do with one another."""

    endings: Endings
    """Where redirects lead, and which URLs are broken."""
    steps: set[int] = field(default_factory=set)
    """The redirects that are only a step of the chain of another one."""
    known: dict[int, KnownUrl] = field(default_factory=dict)
    ids: dict[str, int] = field(default_factory=dict)
    """The number of each URL."""
    titles: dict[int, Shared] = field(default_factory=dict)
    """The titles of indexable pages of a site, by `text_of_site`."""
    descriptions: dict[int, Shared] = field(default_factory=dict)
    texts: dict[int, Shared] = field(default_factory=dict)
    """The group of each indexable page with enough words: those with nearly the same text."""
    inlinks: dict[int, int] | None = None
    """How many pages link to each URL; `None` if no links are stored."""
    to_themselves: set[int] = field(default_factory=set)
    linked: set[int] = field(default_factory=set)
    """The URLs to which redirects lead from one that a page links to."""
    listed: dict[int, int] = field(default_factory=dict)
    """How many sitemaps list each URL."""
    with_sitemaps: set[str] = field(default_factory=set)
    """The origins of which a sitemap lists a URL."""
    pairs: set[int] | None = field(default_factory=set)
    """Which pages name which as a version in another language, by `pair_of`; `None` if there are
    too many to be checked."""

    own_origins: frozenset[str] | None = None
    """The origins of the crawl; `None` if it is not bound to any."""

    def number_of(self, url: str) -> int | None:
        """Return the number of a URL that was requested; `None` if it was not."""
        return self.ids.get(url) or self.ids.get(normal(url) or "")


def with_facts(database: Database) -> Iterator[tuple[UrlRecord, PageRecord | None]]:
    """Yield each URL with its facts, reading both tables in parallel in the order of URLs."""
    facts = stored_facts(database)
    found = next(facts, None)
    for entry in requested_entries(database):
        if entry.state in WAITING and entry.status is None and not is_failing(entry):
            continue  # its visit was deferred
        while found is not None and found.url_id < entry.url_id:
            found = next(facts, None)
        is_its = found is not None and found.url_id == entry.url_id
        yield entry, found.record if found is not None and is_its else None


def overview(database: Database, now: datetime) -> Overview:
    """Read what the pages of a crawl have to do with one another.

    Args:
        database: The database of the crawl.
        now: The time, an aware `datetime`.

    Raises:
        NotAStoreError: A row is damaged.

    """
    whole = Overview(endings=endings(database), own_origins=origins_of(database))
    starts: set[int] = set()
    hashes: dict[int, int] = {}
    verdicts: dict[Indexability, Indexability] = {}  # most pages have one of few
    for entry, record in with_facts(database):
        verdict = indexability(entry, record, normal(record.canonical if record else None), now)
        verdict = verdicts.setdefault(verdict, verdict)
        is_disallowed = entry.state == "disallowed" or entry.reason == OWN_SITE
        whole.known[entry.url_id] = KnownUrl(
            entry.url, entry.origin, entry.status, verdict, is_disallowed
        )
        whole.ids[entry.url] = entry.url_id
        if entry.how == "start":
            starts.add(entry.url_id)
        if record is None or not verdict.allowed or not is_shown(record, now):
            continue
        share(whole.titles, entry, record.title)
        share(whole.descriptions, entry, record.description)
        if record.simhash is not None and (record.words or 0) >= FEWEST_WORDS:
            hashes[entry.url_id] = record.simhash
    whole.texts = grouped(hashes)
    read_links(whole, database)
    entered = starts.union(whole.inlinks or (), whole.listed)
    whole.steps = whole.endings.inner(entered)
    whole.pairs = pairs_of(whole, packed_alternates(database))
    return whole


def origins_of(database: Database) -> frozenset[str] | None:
    """Return the origins to which a crawl is bound; `None` if it is bound to none.

    Raises:
        NotAStoreError: Its bounds are damaged.

    """
    try:
        origins = json.loads(database.setting("bounds", "{}")).get("origins")
        return None if origins is None else frozenset(map(str, origins))
    except (ValueError, TypeError, AttributeError) as error:
        message = "the bounds of the crawl are damaged; restore the folder from a backup"
        raise NotAStoreError(message) from error


def share(texts: dict[int, Shared], entry: UrlRecord, text: str | None) -> None:
    """Count a page that has a text."""
    if text is not None:
        texts.setdefault(text_of_site(entry.origin, text), Shared(entry.url_id)).pages += 1


def text_of_site(origin: str, text: str) -> int:
    """Return a number for a text of a site, as it takes less memory than many texts.

    The hash of Python has 64 bits and a secret key, so that nobody makes two texts that share it.
    """
    return hash((origin, text))


def grouped(hashes: dict[int, int]) -> dict[int, Shared]:
    """Return the group of each page: those whose hash differs little from that of the first."""
    numbers = list(hashes)
    groups: dict[int, Shared] = {}
    for number, leader in zip(numbers, near_duplicates(list(hashes.values())), strict=True):
        group = groups[number] = groups.get(numbers[leader]) or Shared(numbers[leader])
        group.pages += 1
    return groups


def read_links(whole: Overview, database: Database) -> None:
    """Read which URLs are linked, and which are listed in sitemaps."""
    inlinks = inlink_counts(database, kind=A_LINK)
    whole.listed = inlink_counts(database, kind=LISTED)
    if inlinks or whole.listed:
        whole.inlinks = inlinks
    whole.to_themselves = pages_to_themselves(database)
    own = Counter(dict.fromkeys(whole.to_themselves, 1))
    whole.linked = ends_of(
        whole.endings.onward, (one for one in inlinks if inlinks[one] > own[one])
    )
    listed = (whole.known.get(number) for number in whole.listed)
    whole.with_sitemaps = {one.origin for one in listed if one is not None}


def ends_of(onward: Mapping[int, int], numbers: Iterable[int]) -> set[int]:
    """Return the URLs to which redirects lead from some URLs, each of them on the way."""
    found: set[int] = set()
    for number in numbers:
        target = onward.get(number)
        while target is not None and target not in found:
            found.add(target)
            target = onward.get(target)
    return found


def pairs_of(whole: Overview, packed: Iterable[tuple[int, str]]) -> set[int] | None:
    """Return which pages name which as a version in another language; `None` if too many do."""
    pairs: set[int] = set()
    for number, alternates in packed:
        page = whole.known.get(number)
        if page is None:
            continue
        for _language, url in unpacked_urls(alternates, page.origin):
            target = whole.number_of(url)
            if target is not None and target != number:
                pairs.add(pair_of(number, target))
        if len(pairs) > MOST_PAIRS:
            return None
    return pairs


def pair_of(number: int, other: int) -> int:
    """Return one number for two, as it takes less memory than a pair."""
    return number << 64 | other
