"""The problems of a site that an inventory shows: one row for each code, as lint rules have.

Scope: the table, and the decision on one row of the inventory. Nothing is read. The codes on marks
for robots are in `goodbot.page.finding_codes`, those of traps in `goodbot.crawl.frontier.traps`.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from goodbot.crawl.inventory.indexability import WITHDRAWN
from goodbot.crawl.inventory.inventory_row import InventoryRow
from goodbot.crawl.inventory.page_record import NOT_READ
from goodbot.crawl.inventory.row_building import HTML, is_language_tag
from goodbot.display import short_repr
from goodbot.http.amounts import counted
from goodbot.http.status import status_of
from goodbot.lazy_dataclass import dataclass
from goodbot.page.finding_codes import Severity
from goodbot.policy.holds import BLOCKED

__all__ = ["SITE_FINDINGS", "SLOW_MS", "SiteFinding", "SiteRule", "said", "site_findings"]

SLOW_MS = 1_800
"""A time to first byte above this is slow, in milliseconds (web.dev: "poor")."""
LONGEST_CHAIN = 1
"""A redirect that leads to another one makes a chain."""
BY_THE_PAGE = {"directive-forbids", "too-late"}
"""The reasons if the header or a META element of a page forbids to index it."""
CLIENT_ERRORS, SERVER_ERRORS = range(400, 500), range(500, 600)
MISSING = (404, 410)
BY_MARKS = ("title: ", "description: ", "h1: ")
"""How `InventoryRow.withheld` begins if marks withhold single texts, and not the whole page."""


@dataclass(frozen=True, slots=True, repr=False)
class SiteFinding:
    """A problem of one page."""

    code: str
    """One of `SITE_FINDINGS`."""
    severity: Severity
    url: str
    message: str

    __repr__ = short_repr


class SiteRule(NamedTuple):
    """A code, with what it finds."""

    code: str
    severity: Severity
    finds: str
    """What it finds."""
    why: str
    """Why that matters."""
    cure: str
    """What to do."""
    decide: Callable[[InventoryRow], str | None]
    """Returns the message for a row; `None` if all is well."""


def site_findings(row: InventoryRow) -> Iterator[SiteFinding]:
    """Yield the problems of a page, from its row in the inventory."""
    for rule in SITE_FINDINGS.values():
        message = rule.decide(row)
        if message is not None:
            yield SiteFinding(rule.code, rule.severity, row.url, message)


# Answers.


def reached_from(row: InventoryRow) -> str | None:
    """Return how readers and robots come to a URL; `None` if nothing leads to it."""
    ways = []
    if row.inlinks:
        ways.append(
            f"{counted(row.inlinks, 'page')} {'links' if row.inlinks == 1 else 'link'} to it"
        )
    if row.sitemaps:
        ways.append(
            f"{counted(row.sitemaps, 'sitemap')} {'lists' if row.sitemaps == 1 else 'list'} it"
        )
    return " and ".join(ways) or None


def subject(row: InventoryRow) -> str:
    """Return what a message is about."""
    return "this sitemap" if row.is_sitemap else "it"


def missing(row: InventoryRow) -> str | None:
    """Report a page that does not exist."""
    if row.status not in MISSING:
        return None
    ways = reached_from(row)
    return f"{subject(row)} answers with {row.status}" + (f"; {ways}" if ways else "")


def refused(row: InventoryRow) -> str | None:
    """Report a page that the server refuses."""
    is_refused = row.status in CLIENT_ERRORS and row.status not in MISSING
    return f"{subject(row)} answers with {row.status}" if is_refused else None


def failing(row: InventoryRow) -> str | None:
    """Report a page that the server cannot answer."""
    if row.status in SERVER_ERRORS:
        return f"{subject(row)} answers with {row.status}"
    return None if row.failure is None else f"no usable answer came: {row.failure}"


def slow(row: InventoryRow) -> str | None:
    """Report a page that the server takes long to answer."""
    if row.first_byte_ms is None or row.first_byte_ms <= SLOW_MS:
        return None
    return f"the first byte came after {row.first_byte_ms:,} ms"


# Redirects.


def redirect_chain(row: InventoryRow) -> str | None:
    """Report a redirect that leads to another one."""
    if len(row.redirects) <= LONGEST_CHAIN or row.redirect_fault or row.is_step:
        return None
    return f"{len(row.redirects)} redirects in a row: {' > '.join(row.redirects)}"


def redirect_broken(row: InventoryRow) -> str | None:
    """Report the start of redirects that lead nowhere."""
    if row.is_step or not row.broken:
        return None
    if row.redirect_fault:
        steps = len(row.redirects)
        many = f"{steps} redirects in a row fail" if steps > 1 else "its redirects fail"
        return f"{many}: {row.redirect_fault}"
    leads_nowhere = row.status is not None and status_of(row.status).is_redirect
    return f"its redirect leads nowhere: {row.indexable_reason}" if leads_nowhere else None


def redirect_blocked(row: InventoryRow) -> str | None:
    """Report the start of redirects that lead to a URL that robots.txt disallows."""
    if row.is_step or row.broken or row.is_external or not row.redirect_fault:
        return None
    return f"its redirects cannot be followed by robots: {row.redirect_fault}"


# Whether pages may be indexed.


def listed_in_vain(row: InventoryRow) -> str | None:
    """Report a page in a sitemap that must not or cannot be indexed."""
    # Versions before 0.2.0 did not store what the header says of a type that is not read.
    if not row.sitemaps or row.indexable or row.indexable_reason in {NOT_READ, *WITHDRAWN}:
        return None
    return f"a sitemap lists it, but it is not indexable: {said(row)}"


def said(row: InventoryRow) -> str:
    """Return why a page is not indexable, and who said so."""
    if row.status in CLIENT_ERRORS or row.status in SERVER_ERRORS:
        return f"it answers with {row.status}"
    return row.indexable_source or row.indexable_reason


def blocked_but_linked(row: InventoryRow) -> str | None:
    """Report a page that robots.txt blocks, and that pages link to."""
    is_disallowed = row.state == "disallowed" or row.declared == "disallowed"
    is_blocked = is_disallowed and row.indexable_reason != BLOCKED
    if not is_blocked or not row.inlinks or row.is_external:
        return None
    return f"{reached_from(row)}, and {row.declared_source or said(row)} disallows it"


def hidden_noindex(row: InventoryRow) -> str | None:
    """Report a page whose noindex no robot that obeys robots.txt can see."""
    is_read = row.declared == "disallowed" and row.state != "disallowed"
    if not is_read or row.indexable_reason not in BY_THE_PAGE:
        return None
    return (
        f"it says {row.indexable_source}, and robots that {row.declared_source} keeps away never "
        "see that"
    )


def canonical_broken(row: InventoryRow) -> str | None:
    """Report a canonical URL that is not indexable."""
    return row.canonical_fault or None


# Texts.


def is_document(row: InventoryRow) -> bool:
    """Return whether a row is an indexable HTML page, which was read and should describe itself."""
    return row.indexable and row.content_type in HTML and row.words is not None


def is_withheld(row: InventoryRow, name: str) -> bool:
    """Return whether a text is not stored: a mark forbids it, or the page was removed."""
    if row.withheld.startswith(BY_MARKS):
        return any(one.startswith(f"{name}: ") for one in row.withheld.split("; "))
    return bool(row.withheld)


def lacks(row: InventoryRow, name: str, text: str | None) -> bool:
    """Return whether an indexable page has no text of a name."""
    return is_document(row) and text is None and not is_withheld(row, name)


def title_missing(row: InventoryRow) -> str | None:
    """Report a page without a title."""
    return "it has no title" if lacks(row, "title", row.title) else None


def title_duplicate(row: InventoryRow) -> str | None:
    """Report a title that other pages have, too."""
    return same("title", row.title, row.same_title, row.same_title_as)


def description_missing(row: InventoryRow) -> str | None:
    """Report a page without a description."""
    is_missing = lacks(row, "description", row.description)
    return "it has no META description" if is_missing else None


def description_duplicate(row: InventoryRow) -> str | None:
    """Report a description that other pages have, too."""
    return same("description", row.description, row.same_description, row.same_description_as)


def same(name: str, text: str | None, pages: int, first: str | None) -> str | None:
    """Return the message on a text that several pages have."""
    if pages <= 1 or text is None:
        return None
    where = "it is the first of them" if first is None else f"the first is {first}"
    return f"{pages:,} pages have the {name} {text[:80]!r}; {where}"


def text_duplicate(row: InventoryRow) -> str | None:
    """Report a text that is nearly that of other pages."""
    if row.same_text <= 1:
        return None
    where = "it is the first of them" if row.same_text_as is None else f"as {row.same_text_as}"
    return f"{row.same_text:,} pages have nearly the same text; {where}"


def h1_missing(row: InventoryRow) -> str | None:
    """Report a page without a main heading."""
    if not is_document(row) or is_withheld(row, "h1"):
        return None
    if row.h1_count == 0:
        return "it has no H1"
    return "its first H1 has no text" if row.h1 is None else None


def h1_several(row: InventoryRow) -> str | None:
    """Report a page with several main headings."""
    is_several = is_document(row) and (row.h1_count or 0) > 1
    return f"it has {row.h1_count} H1" if is_several else None


# Links and sitemaps.


def orphan(row: InventoryRow) -> str | None:
    """Report a page that only a sitemap leads to."""
    return "a sitemap lists it, and no page links to it" if row.is_orphan else None


def unlisted(row: InventoryRow) -> str | None:
    """Report a page that no sitemap lists."""
    if not row.is_unlisted:
        return None
    return f"{reached_from(row)}, and no sitemap lists it"


# Signals.


def contradicting(row: InventoryRow) -> str | None:
    """Report signals that contradict one another."""
    return "; ".join(row.contradictions) or None


# What pages load.


def mixed(row: InventoryRow) -> str | None:
    """Report what a page over https loads over http."""
    if not row.mixed_content:
        return None
    return f"it loads {listed(row.mixed_content)} over http"


def blocked(row: InventoryRow) -> str | None:
    """Report what a page loads and robots.txt blocks."""
    if not row.blocked_resources or not row.indexable:
        return None
    return (
        f"it loads {listed(row.blocked_resources)}, which robots.txt disallows ({row.blocked_by})"
    )


def listed(urls: tuple[str, ...]) -> str:
    """Return the first of some URLs, and how many there are."""
    others = len(urls) - 1
    return urls[0] if not others else f"{urls[0]} and {others} more"


# Languages.


def language_missing(row: InventoryRow) -> str | None:
    """Report a page that does not state its language."""
    if lacks(row, "language", row.language):
        return "it states no language"
    if not is_document(row) or row.language is None:
        return None
    return None if is_language_tag(row.language) else f"{row.language!r} is not a language tag"


def hreflang(row: InventoryRow) -> str | None:
    """Report versions in other languages that do not fit together."""
    return "; ".join(row.hreflang_faults) or None


SITE_FINDINGS: dict[str, SiteRule] = {
    rule.code: rule
    for rule in (
        SiteRule(
            "page-missing",
            "error",
            "A URL of the site answers with 404 or 410.",
            "Readers and robots that follow the link or the sitemap find nothing.",
            "Correct the links (`goodbot links DIR --to URL`) and sitemaps, or redirect the URL.",
            missing,
        ),
        SiteRule(
            "page-failing",
            "error",
            "A URL answers with a 5xx status, or there is no usable answer.",
            "Readers see an error; search engines crawl the site more slowly, and drop the page.",
            "Look for the cause in the log of the server; `goodbot evidence DIR URL` has times.",
            failing,
        ),
        SiteRule(
            "page-refused",
            "warning",
            "A URL answers with another 4xx status, such as 403.",
            "Links lead readers to a page that they must not see.",
            "Remove the links, mark them `nofollow`, or let the page be seen.",
            refused,
        ),
        SiteRule(
            "redirect-broken",
            "error",
            "Redirects lead in a ring, to an error, or nowhere; a chain counts once, at its start.",
            "Nobody reaches a page.",
            "Redirect to a page that exists, in one step.",
            redirect_broken,
        ),
        SiteRule(
            "redirect-blocked",
            "warning",
            "Redirects lead to a URL that robots.txt disallows.",
            "Readers come there, but search engines do not: links to the URL are lost on them.",
            "Redirect to a page that robots may fetch, or allow the page in robots.txt.",
            redirect_blocked,
        ),
        SiteRule(
            "redirect-chain",
            "warning",
            "A redirect leads to another redirect; a chain counts once, at its start.",
            "Each step costs readers time, and robots give up after some of them.",
            "Redirect to the last URL, and link to it.",
            redirect_chain,
        ),
        SiteRule(
            "mixed-content",
            "error",
            "A page over https loads a resource over http.",
            "Browsers block scripts, styles and frames, and warn of the rest (W3C, Mixed Content).",
            "Load the resource over https.",
            mixed,
        ),
        SiteRule(
            "blocked-resource",
            "warning",
            "An indexable page loads a style sheet, script or image that robots.txt disallows.",
            "Search engines cannot render the page as readers see it.",
            "Allow the resource in robots.txt; the message has the line.",
            blocked,
        ),
        SiteRule(
            "listed-not-indexable",
            "warning",
            "A sitemap lists a URL that is not indexable.",
            "The sitemap asks for what the page or robots.txt forbids, or what is not there.",
            "Remove the URL from the sitemap, or what forbids to index it.",
            listed_in_vain,
        ),
        SiteRule(
            "hidden-noindex",
            "warning",
            "A page says `noindex`, and robots.txt disallows it. Only `goodbot crawl --own-site` "
            "can see that.",
            "Robots that obey robots.txt never read the `noindex`; search engines may list the URL "
            "by the links to it.",
            "Allow the page in robots.txt, so that its `noindex` is read.",
            hidden_noindex,
        ),
        SiteRule(
            "signals-contradict",
            "info",
            "Signals of a page contradict one another on a use of its content: robots.txt, its "
            "header, META, TDMRep, RSL, Content-Signal or Content-Usage.",
            "Each robot reads some of the signals, so robots do different things with the page.",
            "Say the same in all of them; the message names the statements.",
            contradicting,
        ),
        SiteRule(
            "canonical-broken",
            "warning",
            "A canonical link leads to a URL that is not indexable.",
            "Search engines may index neither of the two pages, or ignore the link (RFC 6596).",
            "Name a page that answers with 200, may be indexed, and is canonical itself.",
            canonical_broken,
        ),
        SiteRule(
            "orphan",
            "warning",
            "A sitemap lists a page that no page links to.",
            "Readers do not find it, and search engines take it for unimportant.",
            "Link to it, or remove it from the sitemap.",
            orphan,
        ),
        SiteRule(
            "hreflang",
            "warning",
            "Links to other languages do not return, lead to a page that is not indexable, or have "
            "no language tag.",
            "Search engines ignore such links.",
            "Let every version name all versions, itself as well, with tags such as `de-CH`.",
            hreflang,
        ),
        SiteRule(
            "title-missing",
            "warning",
            "An indexable page has no title.",
            "Search results and tabs have no name for it.",
            "Write a title.",
            title_missing,
        ),
        SiteRule(
            "title-duplicate",
            "warning",
            "Several indexable pages of a site have the same title.",
            "Readers of search results cannot tell them apart.",
            "Write a title for each, or name one of the pages as canonical.",
            title_duplicate,
        ),
        SiteRule(
            "text-duplicate",
            "warning",
            "Several indexable pages have nearly the same text: the hashes of their words differ "
            "from that of the first in at most 3 of 64 bits.",
            "Search engines show one of them, and not always the one you want.",
            "Name one of them as canonical, or redirect the others to it.",
            text_duplicate,
        ),
        SiteRule(
            "slow",
            "warning",
            f"The first byte came more than {SLOW_MS:,} ms after the connection was ready.",
            "Readers wait, and search engines crawl fewer pages.",
            "Look for what the server does in that time; a cache may help.",
            slow,
        ),
        SiteRule(
            "h1-missing",
            "info",
            "An indexable page has no H1, or an empty one.",
            "Readers who use a screen reader jump to the main heading.",
            "Make the name of the page an H1.",
            h1_missing,
        ),
        SiteRule(
            "h1-several",
            "info",
            "An indexable page has several H1.",
            "It is not clear which heading names the page.",
            "Make the others H2.",
            h1_several,
        ),
        SiteRule(
            "description-missing",
            "info",
            "An indexable page has no META description.",
            "Search engines choose a text of the page themselves.",
            "Describe the page in a sentence or two, if you want to choose it.",
            description_missing,
        ),
        SiteRule(
            "description-duplicate",
            "info",
            "Several indexable pages of a site have the same META description.",
            "It describes none of them.",
            "Describe each page, or none.",
            description_duplicate,
        ),
        SiteRule(
            "language-missing",
            "info",
            "An indexable page states no language, or one that is not a language tag.",
            "Screen readers and translators guess (WCAG 3.1.1).",
            "Write `<html lang=en>` with the language of the page.",
            language_missing,
        ),
        SiteRule(
            "unlisted",
            "info",
            "Pages link to an indexable page that no sitemap lists, though the site has sitemaps.",
            "Search engines learn of its changes late.",
            "Add it to a sitemap.",
            unlisted,
        ),
        SiteRule(
            "linked-but-blocked",
            "info",
            "Pages link to a URL that robots.txt disallows.",
            "Search engines may list the URL without knowing what is there.",
            "If it is to be in no index, allow it and say `noindex`; otherwise nothing.",
            blocked_but_linked,
        ),
    )
}
"""Every code, the most severe first."""
