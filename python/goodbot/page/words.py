"""The text of runs that may be used, with gaps for omissions, and quotations from it."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Literal, TypeAlias

from goodbot._core import joined_runs
from goodbot.page.parts import Run

__all__ = ["GAP", "QUOTED", "flattened", "joined", "pieces_of", "quotable", "quoted"]

PIECE = 256 * 1024
"""The characters that are processed in one step: a single call on a text of many megabytes would
block every other thread while it runs."""

NEAR = 30
"""A quotation is cut between words if there is a space within this number of characters."""

SMALL = 160
"""An omission of fewer characters leaves an ellipsis in a quotation, even if it is a whole block.
A larger one leaves nothing: it is "of a size comparable to the segments the search engine normally
uses for summaries" (Robot Exclusion Profile, Examples)."""

MOST_WORDS = 100
MOST_HITS = 10_000

RunAct: TypeAlias = Literal["index", "archive", "snippet"]
"""An act on which each run has a verdict."""
QUOTED: tuple[RunAct, ...] = ("index", "archive", "snippet")
"""The acts that must be allowed for a text that is quoted."""

GAP = "…"
"""The sign for an omission within a line; no phrase continues across it."""


def joined(runs: list[Run], acts: Sequence[RunAct] = (), *, small: int = 0) -> str:
    """Return the text of runs: one line for each block, `…` for each omission within a block.

    Args:
        runs: The runs.
        acts: The acts that must be allowed for a run to be included; none for all runs.
        small: Omitted blocks between others leave a `…`, too, if they have fewer characters.
    """
    return joined_runs(runs, acts, small)


def quotable(runs: list[Run]) -> str:
    """Return the text that may be quoted, with `…` for each small omission.

    Text that is quoted is found in the index and kept, so all three acts must be allowed.

    Source: Robot Exclusion Profile, Examples ("replacing small excluded segments with an
    ellipsis").
    """
    return joined(runs, QUOTED, small=SMALL)


def pieces_of(text: str, size: int = PIECE) -> Iterator[str]:
    """Yield a text in pieces, split between words if there is white space.

    >>> list(pieces_of("one two three", 5)), list(pieces_of("abcdefgh", 5))
    (['one ', 'two ', 'three'], ['abcde', 'fgh'])
    """
    at = 0
    while len(text) - at > size:
        space = text.rfind(" ", at, at + size)
        space = text.rfind("\n", at, at + size) if space < 0 else space
        end = at + size if space < 0 else space + 1
        yield text[at:end]
        at = end
    yield text[at:]


def flattened(
    text: str, size: int = PIECE, *, split: Callable[[str], list[str]] = str.split
) -> str:
    """Return a text with single spaces, and none at its ends.

    Args:
        text: The text.
        size: The characters that are processed in one step.
        split: Splits a text at white space, however that is defined.

    >>> flattened(" a   b ")
    'a b'
    """
    if len(text) <= size:
        return " ".join(split(text))
    found: list[str] = []
    is_apart = False
    for piece in pieces_of(text, size):
        words = " ".join(split(piece))
        if words and found and (is_apart or not split(piece[0])):
            found.append(" ")
        if words:
            found.append(words)
        is_apart = not split(piece[-1:]) or (is_apart and not words)
    return "".join(found)


def quoted(text: str, query: str, width: int) -> str:
    """Return the part of a text that shows a query best.

    Args:
        text: The text, in lines, with `…` for omissions.
        query: The words that were searched for.
        width: The most characters to return.

    Returns:
        The part, cut between words if possible, with `…` where it is cut; the beginning of the
        text if it contains none of the words.

    >>> quoted("one two three four five six", "four", 15)
    '… four …'
    """
    flat = " ".join(text.split())
    if len(flat) <= width:
        return flat
    room = width - 2 * len(GAP) - 2
    if room < 1:
        return ""
    hits = found(flat, query)
    first, last = window(hits, room)
    start = max(0, min(first - (room - (last - first)) // 2, len(flat) - room))
    end = start + room
    if start and flat[start - 1] != " ":
        space = flat.find(" ", start, min(first, start + NEAR) if hits else start)
        start = space + 1 if space >= 0 else start
    if end < len(flat) and flat[end] != " ":
        space = flat.rfind(" ", max(last, end - NEAR, start), end)
        end = space if space >= 0 else end
    shown = flat[start:end].strip()
    lead = f"{GAP} " if start and not shown.startswith(GAP) else ""
    tail = f" {GAP}" if end < len(flat) and not shown.endswith(GAP) else ""
    return f"{lead}{shown}{tail}"


def found(text: str, query: str) -> list[tuple[int, int, str]]:
    """Return the places of a query's words: start, end, word; parts of words if none is whole."""
    words = sorted(set(re.findall(r"\w+", query)), key=len, reverse=True)[:MOST_WORDS]
    if not words:
        return []
    choice = "|".join(map(re.escape, words))
    for pattern in (rf"(?<!\w)(?:{choice})(?!\w)", choice):
        places = islice(re.finditer(pattern, text, re.IGNORECASE), MOST_HITS)
        hits = [(one.start(), one.end(), one[0].casefold()) for one in places]
        if hits:
            return hits
    return []


def window(hits: list[tuple[int, int, str]], room: int) -> tuple[int, int]:
    """Return the earliest stretch of at most `room` characters with most of the words."""
    best = (0, 0, 0)
    counts: dict[str, int] = {}
    at = 0
    for start, end, word in hits:
        counts[word] = counts.get(word, 0) + 1
        while end - hits[at][0] > room and hits[at][0] < start:
            other = hits[at][2]
            counts[other] -= 1
            if not counts[other]:
                del counts[other]
            at += 1
        if len(counts) > best[0]:
            best = (len(counts), hits[at][0], end)
    return best[1], min(best[2], best[1] + room)
