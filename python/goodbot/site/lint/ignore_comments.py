"""Comments that tell lint to ignore a finding: `# goodbot: ignore=CODE`.

Scope: where they are, and which findings they are for.
"""

import re
from collections.abc import Iterator

from goodbot._core import RobotsTxt
from goodbot.lazy_dataclass import dataclass

__all__ = ["IgnoreComment", "ignore_comments"]

FORM = re.compile(
    rb"#.*?\bgoodbot[ \t]*:[ \t]*ignore\b"
    rb"(?:[ \t]*=[ \t]*([a-z0-9_-]+(?:[ \t]*,[ \t]*[a-z0-9_-]+)*))?",
    re.IGNORECASE,
)
"""The comment. Without codes it ignores nothing, and lint says so."""

WORD = b"goodbot"
"""What every such comment contains, in lower case."""


@dataclass(frozen=True, slots=True)
class IgnoreComment:
    """A comment that ignores findings."""

    line: int
    """The line on which it stands."""
    codes: tuple[str, ...]
    """The codes that it ignores; empty if it names none."""
    applies_to: int
    """The line whose findings are ignored: its own, or if the comment stands alone, the next one
    that is neither blank nor a comment; 0 if there is none. Findings on the file as a whole are
    ignored wherever the comment stands."""


def ignore_comments(robots: RobotsTxt) -> Iterator[IgnoreComment]:
    """Yield the comments of a file that ignore findings."""
    if WORD not in robots.content.lower():
        return  # the core makes an object of each line
    waiting: list[tuple[int, tuple[str, ...]]] = []
    for line in robots.lines:
        found = FORM.search(line.raw) if b"#" in line.raw else None
        codes = codes_in(found[1] or b"") if found else ()
        if line.kind in {"blank", "comment"}:
            if found:
                waiting.append((line.number, codes))
            continue
        for number, before in waiting:
            yield IgnoreComment(number, before, line.number)
        waiting.clear()
        if found:
            yield IgnoreComment(line.number, codes, line.number)
    for number, codes in waiting:
        yield IgnoreComment(number, codes, 0)


def codes_in(text: bytes) -> tuple[str, ...]:
    """Return the codes that a comment names, separated by commas."""
    codes = (part.strip().lower() for part in text.decode("ascii").split(","))
    return tuple(dict.fromkeys(code for code in codes if code))
