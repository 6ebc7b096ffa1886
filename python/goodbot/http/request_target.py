"""The target of a request, as a server receives it.

Scope: values.
"""

import re
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

from goodbot.http.fields import scalar

__all__ = ["IN_PATHS", "RequestTarget", "asked_url", "plain_path", "request_target", "spellings"]

HOST = "https://site.invalid"
"""A host that does not exist (RFC 2606 section 2)."""

ABSOLUTE = re.compile(r"https?://(?:[^/?#@]*@)?([^/?#]*)", re.IGNORECASE)
IN_PATHS = "/:@!$&'()*+,;=~"
"""The marks that a path has without an escape, beside letters and digits (RFC 3986 section 3.3)."""

LONE_BYTE = re.compile("[\udc80-\udcff]")
"""A byte that is not UTF-8, as servers in Python hand it over (PEP 383, `surrogateescape`)."""
LONE_BYTES = 0xDC00
"""What such a character has beside the byte."""

SLASHES = re.compile(rb"//+")
DOTS = re.compile(rb"/\.\.?(?:/|$)")


class RequestTarget(NamedTuple):
    """What a request asks for."""

    host: str | None
    """The host that the target names, with its port; `None` if it names none."""
    path: str
    """The path with its query, as it was sent."""


def request_target(sent: str) -> RequestTarget:
    r"""Return the parts of a target, which may be a whole URL.

    >>> request_target("http://example.com/a?b")
    RequestTarget(host='example.com', path='/a?b')
    >>> request_target("//a")
    RequestTarget(host=None, path='//a')
    >>> request_target("/caf\udce9").path
    '/caf%E9'

    Source: RFC 9112 section 3.2.2 (a server accepts the absolute form, whose host replaces Host).

    """
    if not sent.isascii():
        sent = scalar(LONE_BYTE.sub(lambda found: f"%{ord(found[0]) - LONE_BYTES:02X}", sent))
    found = None if sent.startswith("/") else ABSOLUTE.match(sent)
    if found is None:
        return RequestTarget(None, sent)
    rest = sent[found.end() :]
    return RequestTarget(found[1] or None, rest if rest.startswith("/") else f"/{rest}")


def plain_path(path: str) -> str:
    """Return the path of a file, in whichever spelling it is requested; without a query.

    >>> plain_path("/%72obots.txt?a"), plain_path("//robots.txt"), plain_path("/a/../robots.txt")
    ('/robots.txt', '/robots.txt', '/robots.txt')

    Source: RFC 3986 sections 6.2.2.2 (escapes) and 6.2.2.3 (dot segments). Servers read several
    slashes as one, as nginx does (`merge_slashes`).

    """
    return plain_bytes(path.partition("?")[0].partition("#")[0]).decode(errors="replace")


def plain_bytes(bare: str) -> bytes:
    """Return the bytes of a path without escapes, repeated slashes and dot segments."""
    plain = unquote_to_bytes(bare)
    if b"//" in plain:
        plain = SLASHES.sub(b"/", plain)
    return without_dots(plain) if DOTS.search(plain) else plain


def without_dots(path: bytes) -> bytes:
    """Return a path without the segments `.` and `..` (RFC 3986 section 5.2.4)."""
    kept: list[bytes] = []
    for segment in path.split(b"/")[1:]:
        if segment == b"..":
            del kept[-1:]
        elif segment != b".":
            kept.append(segment)
    return b"/" + b"/".join(kept)


def spellings(sent: str, routed: str = "") -> tuple[str, ...]:
    """Return the URLs about which rules are asked, so that no spelling of a page escapes them.

    A robot asks about the target as it is sent, in which `%2F` is no slash (RFC 3986 section 2.2).
    Servers decode it, and some read several slashes as one, before a page is chosen: that page has
    its rules, too.

    Args:
        sent: A path with its query, as it was sent; it begins with a slash.
        routed: The path by which the application chooses a page, with its query; empty if it is
            not known.

    >>> spellings("/a?b", "/a?b")
    ('/a?b',)
    >>> spellings("/no%2fx")
    ('/no%2fx', '/no/x')
    >>> spellings("//members/x", "/members/x")
    ('https://site.invalid//members/x', '/members/x')

    """
    found: dict[str, None] = {}
    for path in (sent, routed):
        if path:
            found[asked_url(path)] = None
            if "%" in path or "//" in path or "/." in path:
                bare, mark, query = path.partition("?")
                found[f"{quote(plain_bytes(bare), IN_PATHS)}{mark}{query}"] = None
    return tuple(found)


def asked_url(path: str) -> str:
    """Return a path and query in a form that rules can be asked about: `//a` alone names a host.

    Args:
        path: What a request asks for, as it was sent; it begins with a slash.

    >>> asked_url("/a"), asked_url("//a")
    ('/a', 'https://site.invalid//a')

    Source: RFC 9112 section 3.2.1 (a target is a path); RFC 3986 section 4.2 (a reference that
    begins with two slashes names a host).

    """
    return f"{HOST}{path}" if path.startswith("//") else path
