"""The rows of an inventory, made from the queue, the facts of pages, the links and the policies.

Scope: the second of two passes; `overview` is the first. Rows are yielded one by one, so that the
use of memory depends little on the size of the crawl.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.elsewhere import refuse_elsewhere
from goodbot.crawl.frontier.failing import is_failing
from goodbot.crawl.frontier.reading import UrlRecord
from goodbot.crawl.inventory.contradictions import Contradictions
from goodbot.crawl.inventory.declared_served import declared_to, served_to
from goodbot.crawl.inventory.indexability import WITHDRAWN, has_page, is_shown
from goodbot.crawl.inventory.inventory_row import InventoryRow
from goodbot.crawl.inventory.overview import (
    KnownUrl,
    Overview,
    overview,
    pair_of,
    text_of_site,
    with_facts,
)
from goodbot.crawl.inventory.page_record import PageRecord, unpacked_urls
from goodbot.crawl.inventory.resources import MOST_LISTED, ResourceRules, mixed_content
from goodbot.crawl.links.reading import EXPIRED
from goodbot.http.served import Declared
from goodbot.http.status import NOT_MODIFIED, status_of
from goodbot.indexability.decision import normal
from goodbot.page.languages import language_fault
from goodbot.policy.holds import BLOCKED

__all__ = ["HTML", "inventory_rows", "is_language_tag"]

HTML = ("text/html", "application/xhtml+xml")
"""The types of pages that describe themselves, and that sitemaps should list."""

MILLISECONDS = 1_000

LANGUAGE_TAG = re.compile(
    r"(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?"
    r"(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*(?:-[a-wy-z0-9](?:-[a-z0-9]{2,8})+)*"
    r"(?:-x(?:-[a-z0-9]{1,8})+)?|x(?:-[a-z0-9]{1,8})+",
    re.IGNORECASE,
)


def is_language_tag(tag: str) -> bool:
    """Return whether a text is a well-formed language tag.

    Source: RFC 5646 section 2.1; HTML 4.6.7.1 for `x-default`, which has the form of a private tag.

    >>> [is_language_tag(tag) for tag in ("de", "zh-Hant-TW", "x-default", "en_GB")]
    [True, True, True, False]
    """
    return LANGUAGE_TAG.fullmatch(tag) is not None


def inventory_rows(database: Database, now: datetime) -> Iterator[InventoryRow]:
    """Yield the rows of a crawl's inventory, in the order in which the URLs were found.

    Args:
        database: The database of the crawl.
        now: The time, an aware `datetime`: texts of pages that have expired by then are not shown.

    Raises:
        NotAStoreError: A row is damaged.

    """
    refuse_elsewhere(database.settings(), ("inventory", "links"), database.folder)
    whole = overview(database, now)
    robot = database.setting("product")
    rules, signals = ResourceRules(database, robot), Contradictions(database, robot, now)
    for entry, record in with_facts(database):
        yield row_of(entry, record, whole, rules, signals, now)


def row_of(
    entry: UrlRecord,
    record: PageRecord | None,
    whole: Overview,
    rules: ResourceRules,
    signals: Contradictions,
    now: datetime,
) -> InventoryRow:
    """Return the row of one URL."""
    verdict = whole.known[entry.url_id].verdict
    overruled = rules.overruled(entry.url)
    declared = declared_to(entry, overruled=bool(overruled))
    return InventoryRow(
        url=entry.url,
        url_id=entry.url_id,
        visited=entry.visited,
        state=entry.state,
        status=record.status if record and entry.status == NOT_MODIFIED else entry.status,
        failure=entry.reason if is_failing(entry) and entry.status is None else None,
        declared=declared,
        declared_source=declared_source(entry, declared, overruled),
        served=served_to(entry),
        depth=entry.depth,
        is_start=entry.how == "start",
        is_sitemap=entry.how == "sitemap-file",
        is_step=entry.url_id in whole.steps,
        broken=entry.url_id in whole.endings.broken,
        queued_again=entry.is_queued_again,
        is_external=whole.own_origins is not None and entry.origin not in whole.own_origins,
        indexable=verdict.allowed,
        indexable_reason=verdict.reason,
        indexable_source=verdict.source,
        contradictions=signals.of(entry, record),
        **of_facts(record, now),
        **of_resources(entry, record or NOTHING, rules),
        **of_site(entry, record or NOTHING, whole),
        **of_duplicates(entry, record or NOTHING, whole),
    )


def declared_source(entry: UrlRecord, declared: Declared, overruled: str) -> str:
    """Return the line of robots.txt that disallows a URL; empty if none does."""
    if declared != "disallowed":
        return ""
    return entry.source if entry.state == "disallowed" else overruled


def of_facts(record: PageRecord | None, now: datetime) -> dict[str, Any]:
    """Return what a page says and has; its texts only if they may be shown at this time."""
    facts = record or NOTHING
    shown = is_shown(facts, now)
    return {
        "content_type": facts.content_type or None,
        "title": facts.title if shown else None,
        "description": facts.description if shown else None,
        "h1": facts.h1 if shown else None,
        "withheld": facts.withheld if shown else facts.withheld or EXPIRED,
        "h1_count": facts.h1_count if facts.words is not None else None,
        "language": facts.language if shown else None,
        "canonical": facts.canonical,
        "words": facts.words,
        "bytes": facts.bytes if record else None,
        "first_byte_ms": milliseconds(facts.first_byte),
    }


def of_resources(entry: UrlRecord, facts: PageRecord, rules: ResourceRules) -> dict[str, Any]:
    """Return what is wrong with what a page loads."""
    blocked = rules.blocked(facts.resources, entry.origin)
    return {
        "mixed_content": tuple(mixed_content(entry.url, facts.resources)),
        "blocked_resources": tuple(one.url for one in blocked),
        "blocked_by": blocked[0].source if blocked else "",
    }


def of_site(entry: UrlRecord, facts: PageRecord, whole: Overview) -> dict[str, Any]:
    """Return the place of a page in the site: links, sitemaps, redirects, other versions."""
    number = entry.url_id
    inlinks = inlinks_of(number, whole)
    chain, redirect_fault = redirects_of(number, whole)
    return {
        "inlinks": inlinks,
        "sitemaps": None if whole.inlinks is None else whole.listed.get(number, 0),
        "is_orphan": is_orphan(entry, inlinks, whole),
        "is_unlisted": facts.content_type in HTML and is_unlisted(entry, inlinks, whole),
        "redirects": chain,
        "redirect_fault": redirect_fault,
        "canonical_fault": canonical_fault(facts.canonical, entry, whole),
        "languages": facts.alternates.count("\n") + 1 if facts.alternates else 0,
        "hreflang_faults": tuple(hreflang_faults(entry, facts, whole)),
    }


def of_duplicates(entry: UrlRecord, facts: PageRecord, whole: Overview) -> dict[str, Any]:
    """Return the pages with which a page shares its title, its description or its text."""
    is_counted = whole.known[entry.url_id].verdict.allowed
    found = {"text": whole.texts.get(entry.url_id), "title": None, "description": None}
    if is_counted:
        found["title"] = whole.titles.get(text_of_site(entry.origin, facts.title or ""))
        described = text_of_site(entry.origin, facts.description or "")
        found["description"] = whole.descriptions.get(described)
    shared: dict[str, Any] = {}
    for name, text in found.items():
        is_other = text is not None and text.first != entry.url_id
        shared[f"same_{name}"] = text.pages if text is not None else 0
        shared[f"same_{name}_as"] = whole.known[text.first].url if text and is_other else None
    return shared


NOTHING = PageRecord(0, 0, None, "")
"""The facts of a URL that was never answered."""


def milliseconds(seconds: float | None) -> int | None:
    """Return seconds in milliseconds."""
    return None if seconds is None else round(seconds * MILLISECONDS)


def inlinks_of(number: int, whole: Overview) -> int | None:
    """Return how many other pages link to a URL; `None` if no links are stored."""
    if whole.inlinks is None:
        return None
    return whole.inlinks.get(number, 0) - (number in whole.to_themselves)


def is_orphan(entry: UrlRecord, inlinks: int | None, whole: Overview) -> bool:
    """Return whether a sitemap lists a page to which no page links, directly or by redirects."""
    is_found = inlinks != 0 or entry.how == "start" or entry.url_id in whole.linked
    return has_page(entry.status) and entry.url_id in whole.listed and not is_found


def is_unlisted(entry: UrlRecord, inlinks: int | None, whole: Overview) -> bool:
    """Return whether pages link to an indexable URL that no sitemap of its site lists."""
    allowed = whole.known[entry.url_id].verdict.allowed
    is_listed = entry.url_id in whole.listed or entry.origin not in whole.with_sitemaps
    return bool(inlinks) and allowed and not is_listed


def redirects_of(number: int, whole: Overview) -> tuple[tuple[str, ...], str]:
    """Return the URLs that a URL redirects to, in turn, and what is wrong with them."""
    chain: list[int] = []
    at = number
    while (target := whole.endings.onward.get(at)) is not None and len(chain) < MOST_LISTED:
        chain.append(target)
        if target == number or target in chain[:-1]:
            return urls_in(chain, whole), "they lead in a ring"
        at = target
    if not chain:
        return (), ""
    return urls_in(chain, whole), fault_of(whole.known.get(chain[-1]))


def urls_in(numbers: list[int], whole: Overview) -> tuple[str, ...]:
    """Return URLs by their numbers, as far as they were requested."""
    return tuple(whole.known[one].url for one in numbers if one in whole.known)


def fault_of(target: KnownUrl | None) -> str:
    """Return what is wrong with the target of a redirect; empty if nothing is, or it is unknown."""
    if target is None or target.verdict.reason == BLOCKED:
        return ""
    if has_page(target.status) and not target.is_disallowed:
        return ""
    if target.is_disallowed:
        return f"they lead to {target.url}, which {said(target)} disallows"
    if target.status is None:
        return f"they lead to {target.url}, which cannot be fetched ({target.verdict.reason})"
    if status_of(target.status).is_redirect:
        return f"they end at {target.url} ({target.verdict.reason})"
    return f"they lead to {target.url}, which answers with {target.status}"


def canonical_fault(canonical: str | None, entry: UrlRecord, whole: Overview) -> str:
    """Return what is wrong with a canonical URL; empty if nothing is, or it is unknown."""
    url = normal(canonical)
    if url is None or url == entry.url:
        return ""
    target = whole.known.get(whole.ids.get(url, 0))
    if target is None or is_in_order(target):
        return ""
    return f"{url} is not indexable: {said(target)}"


def is_in_order(target: KnownUrl) -> bool:
    """Return whether the site may name a URL as that of a page: what was removed here is no fault.

    Nothing that a site does removes a page from a crawl that was made of it.
    """
    return target.verdict.allowed or target.verdict.reason in WITHDRAWN


def said(target: KnownUrl) -> str:
    """Return why a URL is not indexable, in a few words."""
    if target.status is not None and not has_page(target.status):
        return f"status {target.status}"
    return target.verdict.source or target.verdict.reason


def hreflang_faults(entry: UrlRecord, facts: PageRecord, whole: Overview) -> Iterator[str]:
    """Yield what is wrong with the versions in other languages that a page names.

    Source: Google, localized versions ("each language version must list itself as well as all other
    language versions"; "if two pages don't both point to each other, the tags will be ignored").
    """
    left = MOST_LISTED
    for language, written in unpacked_urls(facts.alternates, entry.origin):
        target = whole.number_of(written)
        url = written if target is None else whole.known[target].url
        fault = ""
        if not is_language_tag(language):
            fault = f"{language} is not a language tag"
        elif wrong := language_fault(language):
            fault = f"{language}: {wrong}"
        elif target is not None and not is_in_order(whole.known[target]):
            fault = f"{url} is not indexable: {said(whole.known[target])}"
        elif target is not None and whole.pairs is not None and target != entry.url_id:
            is_returned = pair_of(target, entry.url_id) in whole.pairs
            fault = "" if is_returned else f"{url} does not name this page"
        if fault and left:
            left -= 1
            yield fault
