"""A slow reference for the text of runs, which goodbot joins in the core."""

from collections.abc import Callable, Iterable

from goodbot.page import Run
from goodbot.page.words import GAP


def joined(runs: Iterable[Run], may: Callable[[Run], bool], *, small: int = 0) -> str:
    """Return the text of runs: one line for each block, `…` for each omission within a block.

    Args:
        runs: The runs.
        may: Returns whether a run is included.
        small: Omitted blocks between others leave a `…`, too, if they have fewer characters.
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


def in_lines(runs: Iterable[Run]) -> str:
    """Return the text of runs of which none is omitted: one line for each block, as in `joined`."""
    lines = [""]
    for run in runs:
        text = run.text if run.text.strip() else ""
        if run.block:
            lines.append(text)
        else:
            lines[-1] += text
    return "\n".join([stripped for line in lines if (stripped := line.strip())])


def add(line: str, text: str, *, gap: bool) -> str:
    """Return a line with a text appended."""
    if gap and line.strip():
        return f"{line.rstrip()} {GAP} {text.lstrip()}"
    return line + text
