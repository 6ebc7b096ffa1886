"""The content of pages, as it is compared: a fingerprint, and whether a page says "not found".

Scope: computing these from a body. Nothing is stored.

Two pages have the same content if their bodies are equal byte for byte after the address of each
page is removed from its own body: its origin, its path, its query, and the folder above it in a
link.
"""

import re
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from goodbot.page import Page

__all__ = ["PageContent", "content_of", "fingerprint_of"]

FINGERPRINT_BYTES = 16
LONGEST_SOFT_404 = 2_000
"""A page titled "not found" with at least this many characters of text has content after all."""

LEAST_QUERY = 4
"""The minimum length, in bytes, of a query that is removed from a body: shorter ones may occur
there by chance."""

NOT_FOUND = re.compile(
    r"\b404 error\b|\berror 404\b|\bnot found\b|\bno longer (?:exists|available)\b"
    r"|\b(?:page|site|file) does(?: not|n.t) exist\b|\bnicht gefunden\b|\bintrouvable\b"
    r"|\bno encontrad[ao]\b|\bn[ãa]o encontrad[ao]\b|\bnon trovat[ao]\b|не найден|見つかりません"
    r"|未找到|找不到",
    re.IGNORECASE,
)
"""Phrases in the title of a page that say that nothing was found."""


SIGNS = re.compile(
    "404|not|no longer|n.t ex|gefunden|ntrouvable|encontrad|trovat|найден"
    "|見つかりません|未找到|找不到"
)
"""Something of each phrase, in lower case, without letters that have several forms of it."""


class PageContent(NamedTuple):
    """The content of one page, as it is compared."""

    fingerprint: bytes
    """The fingerprint of its body."""
    not_found: str = ""
    """The words in its title that say that nothing was found; empty if there are none."""


def content_of(url: str, body: bytes, page: Page) -> PageContent:
    """Return the content of a page, as it is compared.

    Args:
        url: Its URL, in its normal form.
        body: Its bytes.
        page: The parsed page.

    """
    found = not_found_in(page.title)
    is_short = found is not None and len(page.text()) < LONGEST_SOFT_404
    return PageContent(fingerprint_of(url, body), found[0] if found and is_short else "")


def not_found_in(title: str) -> re.Match[str] | None:
    """Return the words in a title that say that nothing was found.

    Nearly all titles have nothing that is in each of the phrases, which is quickly seen.
    """
    return NOT_FOUND.search(title) if SIGNS.search(title.lower()) else None


def fingerprint_of(url: str, body: bytes) -> bytes:
    """Return 16 bytes that are the same for pages with the same content.

    Args:
        url: The URL of the page, in its normal form.
        body: The bytes of the page.

    >>> one = fingerprint_of("https://a.example/b/", b"<h1>Index of /b/</h1>")
    >>> one == fingerprint_of("https://a.example/b/c/", b"<h1>Index of /b/c/</h1>")
    True
    """
    # In its normal form, an address has no fragment, and a path behind its host.
    address, _, query = url.partition("?")
    scheme, _, rest = address.partition("://")
    host, slash, behind = rest.partition("/")
    path = (slash + behind).rstrip("/")
    text = body.replace(f"{scheme}://{host}".encode(), b"")
    for own in own_addresses(path):
        if own in text:
            text = whole_paths(own).sub(b"", text)
    if len(query) >= LEAST_QUERY:
        for written in (query.encode(), query.replace("&", "&amp;").encode()):
            text = text.replace(b"?" + written, b"")
    parent = path.rpartition("/")[0]
    if parent:
        text = text.replace(f'="{parent}/"'.encode(), b'=".."')
    return blake2b(text, digest_size=FINGERPRINT_BYTES).digest()


def own_addresses(path: str) -> list[bytes]:
    """Return the forms in which the path of a page may occur in its own body, longest first."""
    if "%" not in path:
        return [path.encode()] if path else []
    return sorted({path.encode(), unquote_to_bytes(path)}, key=len, reverse=True)


@lru_cache(maxsize=64)
def whole_paths(path: bytes) -> re.Pattern[bytes]:
    """Return a pattern for a path that is not part of another, nor the `/a` of a closing tag.

    The pattern begins with the literal path, which makes the search fast.
    """
    literal = re.escape(path)
    return re.compile(literal + rb"(?<![\w<./~%-]" + literal + rb")/?(?![\w~%/-]|\.\w)")
