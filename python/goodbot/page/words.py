"""Runs put together: the text that may be used, with gaps where some is left out; quotations."""

import re
from collections.abc import Callable, Iterable

from goodbot.page.parts import Run

__all__ = ["GAP", "joined", "quoted"]

GAP = "…"
"""What stands where something within a line is left out: no phrase goes across it."""


def joined(runs: Iterable[Run], may: Callable[[Run], bool]) -> str:
    """Put runs together: a line for each block, `…` where something within a block is left out."""
    lines: list[str] = []
    line = ""
    gap = False
    for run in runs:
        if run.block:
            lines.append(line)
            line, gap = "", False
        if not may(run):
            gap = True
        elif run.text.strip():
            line = add(line, run.text, gap=gap)
            gap = False
    lines.append(line)
    return "\n".join(stripped for line in lines if (stripped := line.strip()))


def add(line: str, text: str, *, gap: bool) -> str:
    """Put a text behind what stands on a line."""
    if gap and line.strip():
        return f"{line.rstrip()} {GAP} {text.lstrip()}"
    return line + text


def quoted(text: str, query: str, width: int) -> str:
    """Choose the part of a text that shows a query best.

    Args:
        text: The text, of lines; `…` where something is left out.
        query: The words that were asked for.
        width: The most characters to give.

    Returns:
        The part, with `…` where it is cut; its beginning, if no word is in it.

    >>> quoted("one two three four five six", "five", 15)
    '… four five …'
    """
    words = " ".join(text.split("\n")).split(" ")
    words = [word for word in words if word]
    if len(" ".join(words)) <= width:
        return " ".join(words)
    if width < len(GAP):
        return ""
    wanted = {word.casefold() for word in re.findall(r"\w+", query)}
    hits = [wanted.intersection(re.findall(r"\w+", word.casefold())) for word in words]
    start, end = window(words, hits, width - 2 * len(GAP) - 2)
    shown = " ".join(words[start:end])
    lead = f"{GAP} " if start and not shown.startswith(GAP) else ""
    tail = f" {GAP}" if end < len(words) and not shown.endswith(GAP) else ""
    return f"{lead}{shown}{tail}".strip() if shown else ""


def window(words: list[str], hits: list[set[str]], width: int) -> tuple[int, int]:
    """Find the words that fit the width and show most of what was asked for, the earliest first."""
    best = (0, 0, 0)
    counts: dict[str, int] = {}
    start = length = 0
    for end, word in enumerate(words, 1):
        length += len(word) + 1
        for hit in hits[end - 1]:
            counts[hit] = counts.get(hit, 0) + 1
        while start < end and length - 1 > width:
            length -= len(words[start]) + 1
            for hit in hits[start]:
                counts[hit] -= 1
                if not counts[hit]:
                    del counts[hit]
            start += 1
        if (len(counts), start == 0) > (best[0], best[1] == 0) or best[2] == 0:
            best = (len(counts), start, end)
        elif best[1] == start:
            best = (best[0], start, end)
    return best[1], best[2]
