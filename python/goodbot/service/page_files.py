"""The page of the service at `/`: its files, and the policy by which nothing else runs in it.

Source: Content Security Policy Level 3.
"""

from functools import cache
from typing import NamedTuple

from goodbot.html_page import family_style, read_text

__all__ = ["PAGE_FIELDS", "PAGE_FILES", "PageFile", "read_page_file"]

POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    b"img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
PAGE_FIELDS = (
    (b"content-security-policy", POLICY),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
"""Fields of the page: no script, style or connection but its own, and no frame around it."""


class PageFile(NamedTuple):
    """One file of the page."""

    name: str
    media_type: bytes


PAGE_FILES = {
    "/": PageFile("index.html", b"text/html; charset=utf-8"),
    "/page.css": PageFile("page.css", b"text/css; charset=utf-8"),
    "/page.js": PageFile("page.js", b"text/javascript; charset=utf-8"),
}
"""The files by their paths."""


@cache
def read_page_file(path: str) -> bytes:
    """Return the content of a file, by its path; styles are those of all pages, and its own."""
    name = PAGE_FILES[path].name
    text = read_text("goodbot.service", f"page/{name}")
    return (family_style() + text if name.endswith(".css") else text).encode()
