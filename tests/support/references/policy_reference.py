"""A plain, slow reading of Cache-Control and of lifetimes, to compare the fast one with.

It is written from RFC 9111 and RFC 9110 section 5.6.4 alone, reads the text from the beginning for
each question, and shares no code with what it checks.
"""

from __future__ import annotations

import email.utils
import itertools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

LIMIT = 2147483648


def is_quoted(text: str, place: int) -> bool:
    """Return whether a place is inside a quoted string, by reading up to it from the beginning."""
    inside = False
    at = 0
    while at < place:
        if inside and text[at] == "\\":
            at += 1
        elif text[at] == '"':
            inside = not inside
        at += 1
    # An escape that extends over the place leaves it inside.
    return inside or at > place


def members(text: str) -> list[str]:
    """Split a line at the commas outside of quotes; after an unmatched quote, at every comma."""
    cuts = [at for at, one in enumerate(text) if one == "," and not is_quoted(text, at)]
    if is_quoted(text, len(text)):
        tail = cuts[-1] + 1 if cuts else 0
        cuts += [at for at, one in enumerate(text) if one == "," and at >= tail]
    edges = [-1, *cuts, len(text)]
    return [text[start + 1 : end] for start, end in itertools.pairwise(edges)]


def unquoted(text: str) -> str:
    """Remove the quotes and escapes from an argument."""
    if len(text) < 2 or not text.startswith('"') or not text.endswith('"'):
        return text
    return re.sub(r"\\([\s\S])", lambda found: found.group(1), text[1:-1])


def directives(lines: list[str]) -> list[tuple[str, str]]:
    """Return the name and argument of every directive in all lines."""
    found = []
    for line in lines:
        for member in members(line):
            name = member.split("=")[0].strip().lower()
            argument = "=".join(member.split("=")[1:]).strip()
            if name:
                found.append((name, unquoted(argument)))
    return found


def seconds(text: str) -> int | None:
    """Read 1*DIGIT, at most 2^31."""
    value = 0
    for digit in text:
        if digit not in "0123456789":
            return None
        value = min(value * 10 + int(digit), LIMIT)
    return value if text else None


def lifetime(
    lines: list[str], expires: str | None, date: str | None, received: datetime, *, shared: bool
) -> float | None:
    """Return the seconds of freshness; `None` if none are stated (section 4.2.1, no heuristics).

    `expires` and `date` are in IMF-fixdate or invalid.
    """
    stated = directives(lines)
    for wanted in ("s-maxage", "max-age") if shared else ("max-age",):
        arguments = [argument for name, argument in stated if name == wanted]
        if arguments:
            number = seconds(arguments[0])
            return 0 if number is None else number
    if expires is None:
        return None
    end, made = imf_fixdate(expires), imf_fixdate(date or "")
    if end is None:
        return 0
    return max(0.0, (end - (made or received)).total_seconds())


def imf_fixdate(text: str) -> datetime | None:
    """Parse the preferred form of a date, as the standard library does."""
    if not re.fullmatch(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT", text):
        return None
    return email.utils.parsedate_to_datetime(text)
