"""Limits on the URLs that are stored without being queued: per page, per crawl, and in length.

Scope: these limits, and the count of the URLs beyond them. Without limits a site could fill the
disk with URLs that are never visited: 52 KB of pages could make 462 MB on disk.
"""

import json
from collections import Counter, defaultdict

from goodbot._core import sha256
from goodbot.crawl.folder.records import Discovery

__all__ = [
    "MAX_SKIPPED_LENGTH",
    "MOST_QUEUED",
    "TOO_MANY_LINKS",
    "TOO_MANY_SITEMAPS",
    "PageQuota",
    "UrlQuota",
    "counts_of",
    "is_shortened",
    "kept_form",
]

TOO_MANY_LINKS = "too-many-links"
"""Why a URL is not kept if it was found on a page with more than 10,000 new links."""

TOO_MANY_SITEMAPS = "too-many-sitemaps"
"""Why a sitemap is not kept if its origin has named more than 1,000 of them."""

MAX_SKIPPED_LENGTH = 256
"""How many characters of a skipped URL are stored; a longer one is cut, and its SHA-256 added."""

MOST_QUEUED = 10_000
"""How many new URLs the links of one page may add to the queue."""

MOST_SKIPPED = 1_000
"""How many new skipped URLs of one page are stored."""

MOST_SKIPPED_OF_CRAWL = 100_000
"""How many skipped URLs of a crawl are stored."""

MOST_SITEMAPS = 1_000
"""How many sitemaps one origin may add to a crawl, through its robots.txt or through index files
named there."""


def kept_form(text: str) -> str:
    """Return the form in which a skipped URL is stored.

    >>> kept_form("https://a.example/b")
    'https://a.example/b'
    >>> kept_form("https://a.example/" + "b" * 1_000)[250:290]
    'bbbbbb… sha256:822167e90f76faffee95fb6d0'
    """
    if len(text) <= MAX_SKIPPED_LENGTH or is_shortened(text):
        return text
    digest = sha256(text.encode("utf-8", "surrogatepass")).hex()
    return f"{text[:MAX_SKIPPED_LENGTH]}… sha256:{digest}"


def is_shortened(text: str) -> bool:
    """Whether only the beginning of a URL is stored. No URL in its normal form has an ellipsis.

    >>> is_shortened(kept_form("https://a.example/" + "b" * 1_000)), is_shortened("https://a.example/")
    (True, False)
    """
    return "…" in text


def counts_of(text: str) -> Counter[str]:
    """Parse counts stored as JSON; damaged ones count as none."""
    try:
        counts = json.loads(text or "{}")
        return Counter({str(reason): int(count) for reason, count in counts.items()})
    except (ValueError, TypeError, AttributeError, OverflowError):
        return Counter()


class PageQuota:
    """How many more new URLs of one page may be stored."""

    def __init__(self) -> None:
        """Start with the full quota."""
        self.queued = MOST_QUEUED
        self.skipped = MOST_SKIPPED
        self.not_kept: defaultdict[str, int] = defaultdict(int)
        """The number of URLs that were not stored, by reason."""


class UrlQuota:
    """How many more skipped URLs and sitemaps a crawl may store, and how many it did not store.

    Args:
        skipped: The number of skipped URLs it has stored.
        sitemaps: The number of sitemaps it has stored, by the origin that named them.
        not_kept: The number of URLs it did not store, by reason.

    """

    def __init__(self, skipped: int, sitemaps: Counter[str], not_kept: Counter[str]) -> None:
        """Start with what was counted before."""
        self._skipped = skipped
        self._sitemaps = sitemaps
        self.not_kept = not_kept

    def has_room(self, page: PageQuota, found: Discovery, reason: str) -> bool:
        """Whether a new URL may be stored; if not, it is counted.

        Args:
            page: The quota of its page.
            found: How it was found.
            reason: Why it is skipped; empty if it is queued.

        """
        if reason:
            if page.skipped > 0 and self._skipped < MOST_SKIPPED_OF_CRAWL:
                page.skipped -= 1
                self._skipped += 1
                return True
            page.not_kept[reason] += 1
            return False
        if found.how == "sitemap-file":
            return self._has_room_for_sitemap(page, found.source)
        if found.how != "link":  # sitemaps have limits of their own; a redirect has one target
            return True
        if page.queued > 0:
            page.queued -= 1
            return True
        page.not_kept[TOO_MANY_LINKS] += 1
        return False

    def _has_room_for_sitemap(self, page: PageQuota, named_by: str) -> bool:
        """Whether an origin may add another sitemap."""
        if self._sitemaps[named_by] >= MOST_SITEMAPS:
            page.not_kept[TOO_MANY_SITEMAPS] += 1
            return False
        self._sitemaps[named_by] += 1
        return True

    def is_queued(self) -> None:
        """Note that a skipped URL was queued."""
        self._skipped -= 1

    def note_skipped(self, count: int) -> None:
        """Count skipped URLs that are stored elsewhere."""
        self._skipped += count

    def count(self, page: PageQuota) -> bool:
        """Add the URLs of a page that were not stored; return whether there are any."""
        if not page.not_kept:
            return False
        self.not_kept += Counter(page.not_kept)
        return True
