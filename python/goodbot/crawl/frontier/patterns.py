"""Patterns that say which URLs a crawl takes in: `*`, and `$` at the end, as in robots.txt.

What may live here: reading a pattern, and comparing it with a URL. What follows from a match is in
`bounds`.
"""

import re
from dataclasses import dataclass, field

from goodbot._core import read_address
from goodbot.errors import WrongTypeError, WrongValueError

__all__ = ["Pattern", "comparable"]

MAX_LENGTH = 2_048
"""The most characters of a pattern."""

BEGINNINGS = ("/", "*", "https://", "http://")
WHOLE = re.compile(r"(https?://[^/?$]+)(.*)", re.IGNORECASE | re.DOTALL)
BEHIND_SCHEME = len("https://")

UNLIKE = re.compile(r"%[0-9A-Fa-f]{2}|[^!-~]|[*$]", re.DOTALL)
"""What may be written in several ways."""

UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern, and whether URLs match it.

    It is compared with path and query if it begins with `/`, and with the whole URL if it begins
    with `*`, `https://` or `http://`. It matches from the beginning, as in robots.txt: `*` stands
    for any characters, also none, `$` at the end for the end. A literal `*` or `$` is written `%2A`
    or `%24`. Case counts, but in scheme, host and escapes.

    Args:
        text: The pattern, at most 2,048 characters.

    Raises:
        WrongTypeError: It is no `str`.
        WrongValueError: It begins otherwise, or is too long.

    >>> Pattern("/shop/*.html$").fits("https://a.example/shop/lamps/tall.html")
    True
    >>> Pattern("*.pdf$").fits("https://a.example/tall.pdf?print")
    False
    >>> Pattern("https://A.example").fits("https://a.example.net/")
    False

    Worst case: time in the length of URL and pattern together, not in their product: each part
    between two `*` is sought once, from where the one before it ended.

    Source: RFC 9309 sections 2.2.2 (comparing octets, escapes) and 2.2.3 (special characters).
    """

    text: str
    """The pattern as it was given."""
    _parts: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _is_path: bool = field(init=False, repr=False, compare=False)
    _to_end: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Read it."""
        text = checked(self.text)
        to_end = text.endswith("$")
        parts = text.removesuffix("$").split("*")
        object.__setattr__(self, "_parts", tuple(comparable(part) for part in parts))
        object.__setattr__(self, "_is_path", text.startswith("/"))
        object.__setattr__(self, "_to_end", to_end)

    def fits(self, url: str) -> bool:
        """Report whether a URL matches.

        Args:
            url: The URL, absolute, in its normal form and made `comparable`, once for all patterns.

        """
        if self._is_path:
            slash = url.find("/", BEHIND_SCHEME)
            url = url[slash:] if slash >= 0 else "/"
        first, *others = self._parts
        if not url.startswith(first):
            return False
        if not others:
            return not self._to_end or len(url) == len(first)
        at = len(first)
        last = others.pop() if self._to_end else ""
        for part in others:
            # The leftmost place leaves the most room for what follows, so no other need be tried.
            found = url.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        return len(url) - at >= len(last) and url.endswith(last)


def checked(text: object) -> str:
    """Check a pattern, and put the host that it names in normal form."""
    if not isinstance(text, str):
        message = f"a pattern must be a str such as '/shop/', not {type(text).__name__}"
        raise WrongTypeError(message)
    if not text.lower().startswith(BEGINNINGS):
        message = f"the pattern {text[:60]!r} must begin with {', '.join(BEGINNINGS)}; try /{text}"
        raise WrongValueError(message[:200])
    if len(text) > MAX_LENGTH:
        message = f"a pattern has at most {MAX_LENGTH} characters; {text[:60]!r}… has {len(text)}"
        raise WrongValueError(message)
    found = WHOLE.fullmatch(text)
    if found is None:
        return text
    host, rest = found[1].lower(), found[2]
    if "*" not in host:
        address, _ = read_address(host)
        host = host if address is None else address[0]
    # Every URL has a path: without one, `https://a.example` would match `https://a.example.net/`.
    return host + (rest if rest.startswith("/") else f"/{rest}")


def comparable(text: str) -> str:
    """Write what may be written in several ways in one: escapes, and what must be escaped.

    Escapes of unreserved characters are undone, others have capital letters; what is no visible
    ASCII character is escaped, and so are `*` and `$`, which have a meaning in a pattern.

    >>> comparable("/%7efred/caf\u00e9/%2a*")
    '/~fred/caf%C3%A9/%2A%2A'

    Source: RFC 9309 section 2.2.2; RFC 3986 section 6.2.2.
    """
    return UNLIKE.sub(one_way, text)


def one_way(found: "re.Match[str]") -> str:
    """Write one character or escape in the one way."""
    text = found[0]
    if len(text) > 1:
        character = chr(int(text[1:], 16))
        return character if character in UNRESERVED else text.upper()
    return "".join(f"%{octet:02X}" for octet in text.encode("utf-8", "surrogatepass"))
