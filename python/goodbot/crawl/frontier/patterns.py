"""Patterns that include or exclude URLs: with `*`, and `$` at the end, as in robots.txt.

Scope: compiling a pattern, and matching it against a URL. `bounds` decides what follows from a
match.
"""

import re
from dataclasses import field

from goodbot._core import read_address
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.lazy_dataclass import dataclass

__all__ = ["Pattern", "comparable"]

MAX_LENGTH = 2_048
"""The maximum length of a pattern in characters."""

BEGINNINGS = ("/", "*", "https://", "http://")
WHOLE = re.compile(r"(https?://[^/?$]+)(.*)", re.IGNORECASE | re.DOTALL)
AFTER_SCHEME = len("https://")

UNLIKE = re.compile(r"%[0-9A-Fa-f]{2}|[^!-~]|[*$]", re.DOTALL)
"""Escapes and characters that can be spelled in several ways."""

UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that matches URLs.

    It is compared with path and query if it begins with `/`, and with the whole URL if it begins
    with `*`, `https://` or `http://`. As in robots.txt, it matches from the beginning, `*` stands
    for any number of characters, and `$` at the end for the end of the URL. Write a literal `*` or
    `$` as `%2A` or `%24`. Matching is case-sensitive, except in scheme, host and escapes.

    Args:
        text: The pattern, at most 2,048 characters.

    Raises:
        WrongTypeError: It is not a `str`.
        WrongValueError: It begins in another way, or is too long.

    >>> Pattern("/shop/*.html$").fits("https://a.example/shop/lamps/tall.html")
    True
    >>> Pattern("*.pdf$").fits("https://a.example/tall.pdf?print")
    False
    >>> Pattern("https://A.example").fits("https://a.example.net/")
    False

    Worst case: time linear in the lengths of URL and pattern added, not multiplied, because each
    part between two `*` is searched for once, from the end of the part before it.

    Source: RFC 9309 sections 2.2.2 (comparison, escapes) and 2.2.3 (special characters).
    """

    text: str
    """The pattern as given."""
    _parts: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _is_path: bool = field(init=False, repr=False, compare=False)
    _to_end: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compile the pattern."""
        text = checked(self.text)
        to_end = text.endswith("$")
        parts = text.removesuffix("$").split("*")
        object.__setattr__(self, "_parts", tuple(comparable(part) for part in parts))
        object.__setattr__(self, "_is_path", text.startswith("/"))
        object.__setattr__(self, "_to_end", to_end)

    def fits(self, url: str) -> bool:
        """Whether a URL matches.

        Args:
            url: The absolute URL in its normal form, passed through `comparable` once for all
                patterns.

        """
        if self._is_path:
            slash = url.find("/", AFTER_SCHEME)
            url = url[slash:] if slash >= 0 else "/"
        first, *others = self._parts
        if not url.startswith(first):
            return False
        if not others:
            return not self._to_end or len(url) == len(first)
        at = len(first)
        last = others.pop() if self._to_end else ""
        for part in others:
            # The leftmost match leaves the most room for the rest, so no other need be tried.
            found = url.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        return len(url) - at >= len(last) and url.endswith(last)


def checked(text: object) -> str:
    """Check a pattern, and normalize the host in it."""
    if not isinstance(text, str):
        message = f"a pattern must be a str such as '/shop/', not {type(text).__name__}"
        raise WrongTypeError(message)
    if not text.lower().startswith(BEGINNINGS):
        message = f"the pattern {text[:60]!r} must begin with {', '.join(BEGINNINGS)}; try /{text}"
        raise WrongValueError(message[:200])
    if len(text) > MAX_LENGTH:
        message = (
            f"a pattern must have at most {MAX_LENGTH:,} characters; {text[:60]!r}… has "
            f"{len(text):,}"
        )
        raise WrongValueError(message)
    found = WHOLE.fullmatch(text)
    if found is None:
        return text
    host, rest = found[1].lower(), found[2]
    if "*" not in host:
        address, _ = read_address(host)
        host = host if address is None else address[0]
    # Without a path, `https://a.example` would match `https://a.example.net/`.
    return host + (rest if rest.startswith("/") else f"/{rest}")


def comparable(text: str) -> str:
    """Normalize the spelling of a text: escapes, and characters that must be escaped.

    Escapes of unreserved characters are undone, other escapes are put in upper case. Characters
    other than visible ASCII are escaped, and so are `*` and `$`, which are special in a pattern.

    >>> comparable("/%7efred/caf\u00e9/%2a*")
    '/~fred/caf%C3%A9/%2A%2A'

    Source: RFC 9309 section 2.2.2; RFC 3986 section 6.2.2.
    """
    return UNLIKE.sub(one_way, text)


def one_way(found: "re.Match[str]") -> str:
    """Return one character or escape in its normal form."""
    text = found[0]
    if len(text) > 1:
        character = chr(int(text[1:], 16))
        return character if character in UNRESERVED else text.upper()
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogatepass"))
