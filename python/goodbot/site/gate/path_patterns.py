"""Paths of a policy in the one spelling in which all documents have them.

Scope: text to a checked pattern. A pattern begins with `/`; `*` is any text, and `$` at its end is
the end of the URL, as in robots.txt (RFC 9309 section 2.2.3) and in tdmrep.json.
"""

import re
from collections.abc import Container, Iterator
from urllib.parse import quote

from goodbot.errors import WrongValueError
from goodbot.http.quoting import shortened

__all__ = ["covering", "normal_pattern"]

LONGEST_PATTERN = 1_000
"""The most characters of a path of a policy."""

ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
WRITTEN = "/%*$!&'()+,-.:;=?@_~"
"""Characters that stand in a path as they are (RFC 3986 sections 2.2 and 3.3), and `*`, `$`, `%`.
Brackets, quotation marks and the like are escaped, so that no syntax of a server meets them."""


def normal_pattern(text: str, place: str) -> str:
    """Return a path pattern in its normal spelling.

    Args:
        text: The pattern, as it was written.
        place: Where it stands, for messages.

    Raises:
        WrongValueError: It is no path; the message says what to write.

    >>> normal_pattern("/caf\u00e9/%7euser/*", "rule 1")
    '/caf%C3%A9/~user/'

    """
    shown = shortened(text, 60)
    if not text.startswith("/"):
        message = f"{place}: the path {shown!r} does not begin with /; write '/private/'"
        raise WrongValueError(message)
    if len(text) > LONGEST_PATTERN:
        message = f"{place}: a path has more than {LONGEST_PATTERN:,} characters; shorten {shown!r}"
        raise WrongValueError(message)
    if "#" in text or CONTROL.search(text):
        message = f"{place}: the path {shown!r} has a # or a control character; write %23 for #"
        raise WrongValueError(message)
    if "%" in ESCAPE.sub("", text):
        message = f"{place}: % in the path {shown!r} begins no escape; write %25 for a percent sign"
        raise WrongValueError(message)
    if "$" in text[:-1]:
        message = f"{place}: $ is the end of a URL; write %24 for a dollar sign in {shown!r}"
        raise WrongValueError(message)
    try:
        written = quote(ESCAPE.sub(normal_escape, text), safe=WRITTEN)
    except UnicodeEncodeError as error:
        message = f"{place}: the path {shown!r} is not valid Unicode; write it in UTF-8"
        raise WrongValueError(message) from error
    return re.sub(r"\*+", "*", written).rstrip("*")


def normal_escape(found: re.Match[str]) -> str:
    """Return an escape in upper case, or the unreserved character (RFC 3986 section 6.2.2)."""
    character = chr(int(found[1], 16))
    return character if character in UNRESERVED else found[0].upper()


def covering(narrow: str, patterns: Container[str]) -> Iterator[str]:
    """Yield the patterns that surely match every path that `narrow` matches, the longest first.

    Each beginning of the pattern is sought, not each of the others compared with it: a policy may
    have many thousands of paths.

    >>> list(covering("/a/*.pdf", {"/", "/a", "/b", "/a/*", "/a/*.pdf"}))
    ['/a', '/']
    """
    plain = narrow.partition("*")[0].removesuffix("$")
    for end in range(len(plain), 0, -1):
        if plain[:end] in patterns:
            yield plain[:end]
