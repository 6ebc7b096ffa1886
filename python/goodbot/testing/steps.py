"""What a site that may misbehave sends: octets, pauses, and the end of the connection."""

import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Literal

from goodbot.display import short_repr

__all__ = [
    "CLOSE",
    "LoopbackVisit",
    "Pause",
    "Script",
    "ScriptStep",
    "always",
    "bomb",
    "drip",
    "http",
    "page",
]

MEMBER = 4 * 1024 * 1024

CLOSE: Literal["close"] = "close"
"""End the connection here, whatever was promised."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Send nothing for so many real seconds."""

    seconds: float


ScriptStep = bytes | Pause | Literal["close"]


@dataclass(frozen=True, slots=True)
class LoopbackVisit:
    """One request that came to a `LoopbackSite`."""

    method: str
    """Such as `GET`."""
    target: str
    """Path and query, as they came."""
    headers: tuple[tuple[str, str], ...]
    """The fields, as they came (ISO 8859-1)."""
    at: float
    """When, in seconds of the loop's clock."""
    origin: str
    """At which of the site's origins."""
    other_origin: str
    """The other one."""
    number: int
    """The how manieth visit to this target it is, from 1."""

    __repr__ = short_repr

    def field(self, name: str) -> str | None:
        """Give the value of the first field of a name, in any case of letters, or `None`."""
        wanted = name.lower()
        return next((value for other, value in self.headers if other.lower() == wanted), None)


Script = Callable[[LoopbackVisit], Iterator[ScriptStep]]
"""What is sent in answer to a visit."""


def http(status: int, body: bytes = b"", *fields: str) -> bytes:
    r"""Give the octets of a whole answer.

    >>> http(404, b"", "X: y")
    b'HTTP/1.1 404 Not Found\r\nX: y\r\nContent-Length: 0\r\n\r\n'
    """
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *fields]
    lines.append(f"Content-Length: {len(body)}")
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode("latin-1") + body


def always(status: int, body: bytes = b"", *fields: str) -> Script:
    """Send the same answer to everybody."""
    octets = http(status, body, *fields)
    return lambda _: iter([octets])


def page(links: str = "", *fields: str, head: str = "") -> Script:
    """Send a page of HTML with links to paths, divided by spaces."""
    anchors = "".join(f'<p><a href="{link}">{link}</a>\n' for link in links.split())
    text = f"<!DOCTYPE html>\n<html><head>{head}<title>A page</title></head>\n<body>\n{anchors}"
    return always(200, text.encode(), "Content-Type: text/html; charset=utf-8", *fields)


def drip(head: bytes, octet: bytes, every: float, octets: int) -> Iterator[ScriptStep]:
    """Send a head, and then one octet now and then."""
    yield head
    for _ in range(octets):
        yield Pause(every)
        yield octet
    yield CLOSE


@lru_cache(maxsize=4)
def bomb(beginning: bytes, size: int) -> bytes:
    """Give the gzip of a text, and of so many line ends behind it: a thousandth of their size.

    It has several members (RFC 1952 section 2.2), of 4 MiB each, so that it is made in no time.
    """
    first, more = (gzip.compress(text + b"\n" * MEMBER, mtime=0) for text in (beginning, b""))
    return first + more * (size // MEMBER - 1)
