"""What a site that can misbehave sends: bytes, pauses, and the end of the connection."""

import gzip
from collections.abc import Callable, Iterator
from functools import lru_cache
from http import HTTPStatus
from typing import Literal

from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass

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
"""Close the connection here, even in the middle of an answer."""


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause of some real seconds."""

    seconds: float


ScriptStep = bytes | Pause | Literal["close"]


@dataclass(frozen=True, slots=True, repr=False)
class LoopbackVisit:
    """One request to a `LoopbackSite`."""

    method: str
    """The method, such as `GET`."""
    target: str
    """Path and query, as received."""
    headers: tuple[tuple[str, str], ...]
    """The header fields, as received (ISO 8859-1)."""
    at: float
    """The time of the visit, in seconds of the loop's clock."""
    origin: str
    """The origin that was visited."""
    other_origin: str
    """The other origin of the site."""
    number: int
    """The number of this visit among those to the same target, from 1."""

    __repr__ = short_repr

    def field(self, name: str) -> str | None:
        """Return the value of the first field with this name (any case), or `None`."""
        wanted = name.lower()
        return next((value for other, value in self.headers if other.lower() == wanted), None)


Script = Callable[[LoopbackVisit], Iterator[ScriptStep]]
"""Yields what is sent in answer to a visit."""


def http(status: int, body: bytes = b"", *fields: str) -> bytes:
    r"""Return the bytes of a whole answer.

    >>> http(404, b"", "X: y")
    b'HTTP/1.1 404 Not Found\r\nX: y\r\nContent-Length: 0\r\n\r\n'
    """
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *fields]
    lines.append(f"Content-Length: {len(body)}")
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode("latin-1") + body


def always(status: int, body: bytes = b"", *fields: str) -> Script:
    """Return a script that sends the same answer each time."""
    raw = http(status, body, *fields)
    return lambda _: iter([raw])


def page(links: str = "", *fields: str, head: str = "") -> Script:
    """Return a script that sends a page of HTML with links to paths, separated by spaces."""
    anchors = "".join(f'<p><a href="{link}">{link}</a>\n' for link in links.split())
    text = f"<!DOCTYPE html>\n<html><head>{head}<title>A page</title></head>\n<body>\n{anchors}"
    return always(200, text.encode(), "Content-Type: text/html; charset=utf-8", *fields)


def drip(head: bytes, byte: bytes, every: float, count: int) -> Iterator[ScriptStep]:
    """Send a head, and then the same byte again and again, with a pause before each."""
    yield head
    for _ in range(count):
        yield Pause(every)
        yield byte
    yield CLOSE


@lru_cache(maxsize=4)
def bomb(beginning: bytes, size: int) -> bytes:
    """Return a gzip file of a text followed by line ends; it is a thousandth of `size`.

    It has several members of 4 MiB each (RFC 1952 section 2.2), so that it is built quickly.
    """
    first, more = (gzip.compress(text + b"\n" * MEMBER, mtime=0) for text in (beginning, b""))
    return first + more * (size // MEMBER - 1)
