"""The links of a crawl as the owner of a site asks for them: which are broken, and where they are.

Scope: combining the links of pages with what the queue knows of their targets. Nothing is changed.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from itertools import chain, islice
from typing import Any, Literal, NamedTuple, get_args

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.elsewhere import refuse_elsewhere
from goodbot.crawl.folder.states import LEAST_ERROR
from goodbot.crawl.frontier.failing import Endings, end_of_redirects, endings, records_of
from goodbot.crawl.frontier.reading import UrlRecord, answer_of, entry_of
from goodbot.crawl.links.page_links import EXTERNAL, NOFOLLOW, StoredLink
from goodbot.crawl.links.reading import LinkReader, link_and_sitemap_counts
from goodbot.display import short_repr
from goodbot.errors import NotAStoreError, WrongValueError
from goodbot.http.address import address_of
from goodbot.lazy_dataclass import dataclass

__all__ = ["FoundLink", "LinkFilter", "LinkedUrl", "RankedUrl", "SiteLinks", "find_links"]

LinkFilter = Literal["broken", "redirects", "external", "nofollow"]
"""Which links to list: those to URLs that fail, to URLs that redirect, to other origins, and those
that must not be followed."""
Ranked = Literal["broken", "redirects"]
"""The filters whose links are listed target by target."""

BATCH = 500
"""How many links are read before their URLs are looked up together."""
MOST_KNOWN = 50_000
"""How many URLs are remembered at once."""
LOOP = "redirect-loop"
UNVISITED = {"skipped", "disallowed"}
"""The states of URLs that a crawl finds and does not fetch."""
NAMES = {"page": "from", "url": "to"}
"""The fields of a link that have another name in JSON, where it need be no name of Python."""
MAY_LACK = {"text_withheld", "why_not", "source", "failure", "end"}
"""The fields that are null in JSON if they are empty."""


@dataclass(frozen=True, slots=True, repr=False)
class FoundLink:
    """One link of a page, with what became of its target."""

    page: str
    """The URL of the page, or of the sitemap."""
    url: str
    """The URL that it leads to, in its normal form."""
    kind: str
    """`link`, `html-refresh`, `header-refresh`, `sitemap` for an entry of one, or `resource` for
    what the page loads, of crawls that visit that."""
    text: str | None
    """Its text; `None` if the page must not be indexed, and for an entry of a sitemap."""
    text_withheld: str
    """Why there is no text; empty if there is, and for an entry of a sitemap."""
    rel: str
    """Its relations, as written; only known ones if it has no text because that is withheld."""
    line: int | None
    """The number of its line in the page, from 1; `None` for a header field, and in a sitemap."""
    external: bool
    """Whether it leads to another origin."""
    followed: bool
    """Whether the crawl follows it."""
    why_not: str
    """The slug of the reason if it does not; empty if it does."""
    source: str
    """The statement that decided; empty if there is none."""
    state: str
    """The state of the target; see `goodbot.crawl.folder.states.State`."""
    status: int | None
    """The status of the target's latest answer; `None` if none came or it was not requested."""
    failure: str
    """Why no usable answer came, a slug; empty otherwise."""
    end: str
    """The URL at which redirects from the target end; empty if it does not redirect."""
    end_status: int | None
    """The status there."""
    broken: bool
    """Whether a reader who follows the link gets an error, or no answer."""
    queued_again: bool
    """Whether the target is queued for another visit: the rest is what the last one found."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON and for tables."""
        values = ((name, getattr(self, name)) for name in self.__slots__)
        return {
            NAMES.get(name, name): None if name in MAY_LACK and not value else value
            for name, value in values
        }


class LinkedUrl(NamedTuple):
    """A URL to which pages link, and what became of it."""

    record: UrlRecord
    """What the queue knows of it."""
    end: UrlRecord
    """Where redirects from it end; itself if it does not redirect, or if they lead in a ring."""
    is_broken: bool
    """Whether a reader gets an error there, or no answer."""
    is_ring: bool
    """Whether its redirects lead in a ring."""

    @property
    def failure(self) -> str:
        """Why no usable answer came, a slug; empty if one did."""
        if self.is_ring:
            return LOOP
        answered = self.end.status is not None and self.end.status >= LEAST_ERROR
        return self.end.reason if self.is_broken and not answered else ""

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers on the way: `("404",)`, or `("301", "404")` behind a redirect."""
        first = answer_of(self.record.status, self.record.reason)
        last = self.failure or answer_of(self.end.status, self.end.reason)
        is_one = first == last and self.end is self.record
        return (first,) if is_one else (first, last)


class RankedUrl(NamedTuple):
    """A URL that is broken or redirects, with the numbers of places that lead to it."""

    url_id: int
    """The number of the URL."""
    pages: int
    """How many pages link to it."""
    sitemaps: int
    """How many sitemaps list it."""

    @property
    def places(self) -> int:
        """How many pages and sitemaps lead to it."""
        return self.pages + self.sitemaps


class SiteLinks:
    """The links of a crawl, with what became of their targets.

    Args:
        database: The database of the crawl.
        now: The time, an aware `datetime`: texts of pages that have expired by then are not shown.

    """

    def __init__(self, database: Database, now: datetime) -> None:
        """Prepare to read."""
        self._database = database
        self._reader = LinkReader(database, now)
        self._known: dict[int, UrlRecord] = {}
        self._ranked: dict[Ranked, list[RankedUrl]] = {}

    @cached_property
    def endings(self) -> Endings:
        """Where redirects lead, and which URLs are broken."""
        return endings(self._database)

    @property
    def are_stored(self) -> bool:
        """Whether the links of any page are stored; versions before 0.2.0 did not store them."""
        return next(iter(self._reader.everything()), None) is not None

    def knows(self, url: str) -> bool:
        """Return whether a URL is in the crawl.

        Raises:
            NoOriginError: It is not an absolute http or https URL.

        """
        return self._number(url) != 0

    def find(
        self, filters: Iterable[str] = (), *, to: str | None = None, page: str | None = None
    ) -> Iterator[FoundLink]:
        """Yield the links that pass every filter.

        Those to broken URLs and redirects come target by target, the one to which most pages link
        first; all others page by page.

        Args:
            filters: Which links to yield: `LinkFilter`; all by default.
            to: Only links to this URL.
            page: Only links of this page or sitemap.

        Raises:
            NoOriginError: `to` or `page` is not an absolute http or https URL.
            NotAStoreError: The links of a page are damaged.
            WrongValueError: There is no such filter.

        """
        wanted = checked_filters(filters)
        target, source = (None if one is None else self._number(one) for one in (to, page))
        passing = (
            link
            for link in self._candidates(wanted, target, source)
            if target in {None, link.target} and self._passes(link, wanted)
        )
        while batch := list(islice(passing, BATCH)):
            self._learn(chain.from_iterable((link.page, link.target) for link in batch))
            yield from (self._found(link) for link in batch)

    def ranked(self, which: Ranked) -> list[RankedUrl]:
        """Return the URLs that are broken, or redirect; those with most links first.

        A redirect to which nothing leads but another redirect is not counted by itself.
        """
        if which not in self._ranked:
            self._ranked[which] = self._rank(which)
        return self._ranked[which]

    def _rank(self, which: Ranked) -> list[RankedUrl]:
        found = self.endings
        targets = found.broken if which == "broken" else found.redirecting
        counts = link_and_sitemap_counts(self._database, targets)
        steps = found.inner(counts.keys())
        starts = {one.url_id for one in records_of(self._database, steps) if one.how == "start"}
        counted = targets - (found.inner(counts.keys() | starts) if starts else steps)
        rows = (RankedUrl(one, *counts.get(one, (0, 0))) for one in counted)
        return sorted(rows, key=lambda row: (-row.places, -row.pages, row.url_id))

    def target(self, url_id: int) -> LinkedUrl:
        """Return what became of a URL, by its number.

        Raises:
            NotAStoreError: There is no such URL.

        """
        record = self._record(url_id)
        end = end_of_redirects(url_id, self.endings.onward)
        last = record if end in {None, url_id} else self._record(end or 0)
        return LinkedUrl(record, last, url_id in self.endings.broken, end is None)

    def targets(self, url_ids: Sequence[int]) -> Iterator[LinkedUrl]:
        """Yield what became of URLs, by their numbers; they are looked up many at a time.

        Raises:
            NotAStoreError: There is no such URL.

        """
        for begin in range(0, len(url_ids), BATCH):
            batch = url_ids[begin : begin + BATCH]
            self._learn(batch)
            yield from map(self.target, batch)

    def links_to(self, url_id: int, pages: int = -1) -> list[FoundLink]:
        """Return the links to a URL, by its number, of so many pages; -1 for all."""
        found = list(self._reader.to(url_id, most=pages))
        self._learn(chain([url_id], (link.page for link in found)))
        return [self._found(link) for link in found]

    def _number(self, url: str) -> int:
        """Return the number of a URL; 0 if the crawl does not know it."""
        record = entry_of(self._database, address_of(url)[1])
        return 0 if record is None else record.url_id

    def _candidates(
        self, wanted: set[str], target: int | None, page: int | None
    ) -> Iterable[StoredLink]:
        """Return links among which are all that are wanted, and few others."""
        if page is not None:
            return self._reader.of_page(page)
        if target is not None:
            return self._reader.to(target)
        if wanted & {"broken", "redirects"}:
            ranked = self.ranked("broken" if "broken" in wanted else "redirects")
            return chain.from_iterable(self._reader.to(one.url_id) for one in ranked)
        if wanted:
            return self._reader.of_kind(EXTERNAL if "external" in wanted else NOFOLLOW)
        return self._reader.everything()

    def _passes(self, link: StoredLink, wanted: set[str]) -> bool:
        """Return whether a link passes every filter."""
        return (
            ("broken" not in wanted or link.target in self.endings.broken)
            and ("redirects" not in wanted or link.target in self.endings.redirecting)
            and ("external" not in wanted or link.is_external)
            and ("nofollow" not in wanted or bool(link.nofollow))
        )

    def _learn(self, url_ids: Iterable[int]) -> None:
        """Read URLs that are not remembered, with those at the ends of their redirects."""
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
        numbers = set(url_ids)
        numbers |= {end_of_redirects(one, self.endings.onward) or one for one in numbers}
        unknown = numbers - self._known.keys()
        if unknown:
            self._known.update((one.url_id, one) for one in records_of(self._database, unknown))

    def _record(self, url_id: int) -> UrlRecord:
        """Return what the queue knows of a URL, by its number."""
        if url_id not in self._known:
            self._learn([url_id])
        if url_id not in self._known:
            message = "a link leads to a URL that is not stored; restore the folder from a backup"
            raise NotAStoreError(message)
        return self._known[url_id]

    def _found(self, link: StoredLink) -> FoundLink:
        """Return a link with the URLs and the states of the queue."""
        linked = self.target(link.target)
        record, end = linked.record, linked.end
        stops = record.state in UNVISITED
        return FoundLink(
            page=self._record(link.page).url,
            url=record.url,
            kind=link.kind,
            text=link.text,
            text_withheld=link.withheld,
            rel=link.rel,
            line=link.line or None,
            external=link.is_external,
            followed=not (link.nofollow or stops),
            why_not="nofollow" if link.nofollow else record.reason if stops else "",
            source=link.nofollow or (record.source if stops else ""),
            state=record.state,
            status=record.status,
            failure=linked.failure,
            end="" if end is record else end.url,
            end_status=None if end is record else end.status,
            broken=linked.is_broken,
            queued_again=record.is_queued_again,
        )


def checked_filters(filters: Iterable[str]) -> set[str]:
    """Return the names of filters.

    Raises:
        WrongValueError: There is no such filter.

    """
    known, wanted = get_args(LinkFilter), set(filters)
    unknown = sorted(wanted.difference(known))
    if unknown:
        message = f"there is no filter {unknown[0]!r}; the filters are {', '.join(known)}"
        raise WrongValueError(message)
    return wanted


def find_links(
    database: Database,
    filters: Iterable[LinkFilter] = (),
    *,
    now: datetime,
    to: str | None = None,
    page: str | None = None,
) -> Iterator[FoundLink]:
    """Yield the links of a crawl that pass every filter.

    Those to broken URLs and redirects come target by target, the one to which most pages link
    first; all others page by page.

    Args:
        database: The database of the crawl.
        filters: Which links: `broken`, `redirects`, `external`, `nofollow`; all by default.
        now: The time, an aware `datetime`: texts of pages that have expired by then are not shown.
        to: Only links to this URL.
        page: Only links of this page or sitemap.

    Raises:
        NoOriginError: `to` or `page` is not an absolute http or https URL.
        NotAStoreError: The links of a page are damaged.
        WrongValueError: `now` has no time zone, or a filter is unknown.

    """
    refuse_elsewhere(database.settings(), ("links",), database.folder)
    return SiteLinks(database, now).find(filters, to=to, page=page)
