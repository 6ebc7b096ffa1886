"""What is kept of URLs that are not queued: few of a page, few of a crawl, and each of them short.

What may live here: how much of them is kept, and the count of the others. Nobody will ask for them,
so that a site could fill the disk with them for nothing: 52 KB on the wire made 462 MB.
"""

import hashlib
import json
from collections import Counter

from goodbot.crawl.folder.records import Discovery
from goodbot.crawl.frontier.bounds import TOO_MANY_LINKS, TOO_MANY_SITEMAPS

__all__ = [
    "MAX_SKIPPED_LENGTH",
    "MOST_QUEUED",
    "PageQuota",
    "UrlQuota",
    "counts_of",
    "is_shortened",
    "kept_form",
]

MAX_SKIPPED_LENGTH = 256
"""Characters of a URL that is not queued; of what is longer the SHA-256 stands behind them."""

MOST_QUEUED = 10_000
"""New URLs that the links of one page may queue."""

MOST_SKIPPED = 1_000
"""New URLs of one page that are kept though they are not queued."""

MOST_SKIPPED_OF_CRAWL = 100_000
"""URLs of a crawl that are kept though they are not queued."""

MOST_SITEMAPS = 1_000
"""Sitemaps that one origin may bring to a crawl: its robots.txt names them, or an index does that
it names."""


def kept_form(text: str) -> str:
    """Return a URL as it is kept while it is not queued.

    >>> kept_form("https://a.example/b")
    'https://a.example/b'
    >>> kept_form("https://a.example/" + "b" * 1_000)[250:290]
    'bbbbbb… sha256:822167e90f76faffee95fb6d0'
    """
    if len(text) <= MAX_SKIPPED_LENGTH:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[:MAX_SKIPPED_LENGTH]}… sha256:{digest}"


def is_shortened(text: str) -> bool:
    """Whether only the beginning of a URL is kept. No URL in its normal form has an ellipsis.

    >>> is_shortened(kept_form("https://a.example/" + "b" * 1_000)), is_shortened("https://a.example/")
    (True, False)
    """
    return "…" in text


def counts_of(text: str) -> Counter[str]:
    """Read counts that were written down as JSON; what is damaged counts as none."""
    try:
        counts = json.loads(text or "{}")
        return Counter({str(reason): int(count) for reason, count in counts.items()})
    except (ValueError, TypeError, AttributeError, OverflowError):
        return Counter()


class PageQuota:
    """How many new URLs of one page may still be kept."""

    def __init__(self) -> None:
        """Begin with all of them."""
        self.queued = MOST_QUEUED
        self.skipped = MOST_SKIPPED
        self.not_kept: Counter[str] = Counter()
        """How many were not kept, by reason."""


class UrlQuota:
    """How many URLs a crawl may still keep that are not queued, and how many it did not keep.

    Args:
        skipped: How many it keeps that were skipped.
        sitemaps: How many sitemaps it keeps, by the origin that brought them.
        not_kept: How many URLs it did not keep, by reason.

    """

    def __init__(self, skipped: int, sitemaps: Counter[str], not_kept: Counter[str]) -> None:
        """Take up what was counted."""
        self._skipped = skipped
        self._sitemaps = sitemaps
        self.not_kept = not_kept

    def has_room(self, page: PageQuota, found: Discovery, reason: str) -> bool:
        """Whether a new URL is kept; if it is not, it is counted.

        Args:
            page: What its page may still have kept.
            found: How it was found.
            reason: Why it is not queued; empty if it is.

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
        if found.how != "link":  # a sitemap has bounds of its own, and a redirect leads to one URL
            return True
        if page.queued > 0:
            page.queued -= 1
            return True
        page.not_kept[TOO_MANY_LINKS] += 1
        return False

    def _has_room_for_sitemap(self, page: PageQuota, named_by: str) -> bool:
        """Whether an origin may bring another sitemap."""
        if self._sitemaps[named_by] >= MOST_SITEMAPS:
            page.not_kept[TOO_MANY_SITEMAPS] += 1
            return False
        self._sitemaps[named_by] += 1
        return True

    def is_queued(self) -> None:
        """Note that a URL that was skipped is queued."""
        self._skipped -= 1

    def count(self, page: PageQuota) -> bool:
        """Add up what of a page was not kept; return whether that is anything."""
        self.not_kept += page.not_kept
        return bool(page.not_kept)
