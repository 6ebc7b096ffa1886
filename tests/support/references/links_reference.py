"""A slow reference for the links of a page: its targets, what is stored of its links, and texts.

It reads `Page.links` one by one, where goodbot uses the core's `LinkTable`.
"""

from goodbot.crawl.folder.records import Discovery, QueuedUrl
from goodbot.crawl.frontier.outlinks import to_candidate
from goodbot.crawl.frontier.protocol import Candidate, ScopeFilter
from goodbot.crawl.links import page_links
from goodbot.crawl.links.page_links import EXTERNAL, FOLLOWED, KINDS, NOFOLLOW, StoredLink
from goodbot.page import Link, Page
from goodbot.page.verdict import PageVerdict


def why_not(verdict: PageVerdict) -> str:
    """Return why something is forbidden; empty if it is allowed."""
    return "" if verdict.allowed else str(verdict.source or verdict.reason)


def candidates_of(page: Page, taken: QueuedUrl, refuses: ScopeFilter) -> list[Candidate]:
    """Return each URL that a page links to once."""
    links: dict[str, Candidate] = {}
    for link in page.links:
        why = why_not(link.follow)
        found = Discovery(link.url, "link", not why, why)
        pair = to_candidate(found, taken.depth + 1, refuses) if link.resolved else None
        if pair is None:
            continue
        known = links.get(pair[1].url)
        if known is None or (known[1].skip_reason and not pair[1].skip_reason):
            links[pair[1].url] = pair
    return list(links.values())


def resolved(page: Page) -> list[tuple[Link, Candidate]]:
    """Return the links that lead to URLs of http or https."""
    found = [
        (link, to_candidate(Discovery(link.url, "link"), 0, lambda *_: None))
        for link in page.links
        if link.resolved
    ]
    return [(link, pair) for link, pair in found if pair is not None]


def links_of(
    page: Page, origin: str, withheld: str, most_bytes: int
) -> tuple[bytes, list[StoredLink], int]:
    """Return how a page links to each target, its links, and how many are omitted."""
    numbers: dict[str, int] = {}
    kinds: list[int] = []
    links: list[StoredLink] = []
    stored = {""}
    omitted, size = 0, 64
    for link, (_, entry) in resolved(page):
        number = numbers.setdefault(entry.url, len(numbers))
        if number == len(kinds):
            kinds.append(0 if entry.origin == origin else EXTERNAL)
        nofollow, bars = why_not(link.follow), why_not(link.anchor)
        kinds[number] |= NOFOLLOW if nofollow else FOLLOWED
        why = withheld or bars
        text = None if why else link.text[: page_links.MAX_TEXT]
        rel = link.rel if text else page_links.known_relations(link.rel)
        rel = rel[: page_links.MAX_REL]
        texts = [rel, text or "", *{nofollow, bars}.difference(stored)]
        takes = 64 + 6 * sum(map(len, texts))
        if len(links) >= page_links.MOST_LINKS or size + takes > most_bytes:
            omitted += 1
            continue
        size += takes
        stored |= {nofollow, bars}
        shown = page_links.known_relations(rel) if why else rel
        assert link.kind in KINDS
        is_external = bool(kinds[number] & EXTERNAL)
        words = (shown, text, why, link.line, nofollow)
        links.append(StoredLink(1, number + 1, link.kind, *words, is_external))
    return bytes(kinds), links, omitted


def texts_of(page: Page) -> list[tuple[str, str]]:
    """Return the texts of links that may describe their targets, with the targets."""
    found = [(entry.url, " ".join(link.text.split()), link) for link, (_, entry) in resolved(page)]
    return [(url, text) for url, text, link in found if link.describes and text]
