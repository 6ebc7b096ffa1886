"""Runs put together: the text that may be used, with gaps where some is left out; quotations."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from goodbot.page.parts import Run

__all__ = ["GAP", "flattened", "joined", "pieces_of", "quotable", "quoted"]

PIECE = 256 * 1024
"""Characters that are worked on at once: one call on a text of many megabytes would hold every
other thread for as long as it takes."""

NEAR = 30
"""A cut is made between words, if there is a space within so many characters."""

SMALL = 160
"""What is left out of a quotation and has fewer characters leaves an ellipsis, also where it is a
block. What is larger is omitted: it is "of a size comparable to the segments the search engine
normally uses for summaries" (Robot Exclusion Profile, Examples)."""

MOST_WORDS = 100
MOST_HITS = 10_000

GAP = "…"
"""What stands where something within a line is left out: no phrase goes across it."""


def joined(runs: Iterable[Run], may: Callable[[Run], bool], *, small: int = 0) -> str:
    """Put runs together: a line for each block, `…` where something within a block is left out.

    Args:
        runs: The runs.
        may: Whether a run is taken.
        small: Blocks between others leave a `…` too, if they have fewer characters together.
    """
    lines: list[str] = []
    line = ""
    gap, left_out, is_begun = False, 0, False
    for run in runs:
        if run.block:
            lines.append(line)
            line, gap = "", False
        if not may(run):
            gap, left_out = True, left_out + len(run.text)
        elif run.text.strip():
            if 0 < left_out < small and not line.strip() and is_begun:
                lines.append(GAP)
            line = add(line, run.text, gap=gap)
            gap, left_out, is_begun = False, 0, True
    lines.append(line)
    return "\n".join(stripped for line in lines if (stripped := line.strip()))


def quotable(runs: Iterable[Run], may: Callable[[Run], bool]) -> str:
    """Put together what may be quoted, with `…` for each small part that is left out.

    Source: Robot Exclusion Profile, Examples ("replacing small excluded segments with an
    ellipsis").
    """
    return joined(runs, may, small=SMALL)


def add(line: str, text: str, *, gap: bool) -> str:
    """Put a text behind what stands on a line."""
    if gap and line.strip():
        return f"{line.rstrip()} {GAP} {text.lstrip()}"
    return line + text


def pieces_of(text: str, size: int = PIECE) -> Iterator[str]:
    """Divide a text into pieces, between words where there is white space at all.

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
    """Make each run of white space one space, and none at the ends.

    Args:
        text: The text.
        size: Characters that are worked on at once.
        split: Divides a text at white space, whatever that is.

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
    """Choose the part of a text that shows a query best.

    Args:
        text: The text, of lines; `…` where something is left out.
        query: The words that were asked for.
        width: The most characters to give.

    Returns:
        The part, with `…` where it is cut, between words where there are any near; its beginning,
        if no word is in it.

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
    """Find the words of a query: where each stands, whole if it can be, and which it is."""
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
    """Find the stretch within some room that shows most of the words, the earliest first."""
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
