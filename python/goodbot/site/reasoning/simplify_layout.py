"""The lines of a file, and edits of them that keep the layout.

Scope: which lines are left and in which order. Whether an edit is allowed is decided by the proof.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from goodbot.lazy_dataclass import dataclass

__all__ = ["Edit", "EditKind", "NumberedLine", "content_of", "edited"]

EditKind = Literal["rule", "star", "robot", "group", "merge"]
"""What is simplified: a rule or a name that is omitted, the stars of a pattern, a group that is
omitted, or a group that is merged with an equal one."""


class NumberedLine(NamedTuple):
    """A line of a file that is being simplified."""

    number: int
    """Its number in the original file, from 1."""
    raw: bytes
    """The line with its end."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of some lines; places count from 0, in the file as it was before the edit."""

    kind: EditKind
    dropped: tuple[int, ...] = ()
    """The places of lines that are omitted."""
    moved: tuple[int, ...] = ()
    """The places of lines that move."""
    after: int = -1
    """The place of the line after which they are inserted."""
    text: bytes = b""
    """What replaces the line at the place `after`; empty if it stays."""

    @property
    def places(self) -> tuple[int, ...]:
        """The places of the lines that it is about."""
        return (self.after,) if self.text else (*self.moved, *self.dropped)


def content_of(lines: Iterable[NumberedLine]) -> bytes:
    """Return the bytes of a file."""
    return b"".join(line.raw for line in lines)


def edited(lines: Sequence[NumberedLine], edits: Iterable[Edit]) -> list[NumberedLine]:
    r"""Return the lines after some edits.

    A blank line that separated what is gone is omitted, too.

    >>> lines = [NumberedLine(n, raw) for n, raw in enumerate((b"a\n", b"\n", b"b\n", b"\n", b"c"))]
    >>> content_of(edited(lines, [Edit("rule", dropped=(2,))]))
    b'a\n\nc'
    """
    gone: set[int] = set()
    inserted: dict[int, list[int]] = {}
    texts: dict[int, bytes] = {}
    for edit in edits:
        gone.update(edit.dropped, edit.moved)
        inserted.setdefault(edit.after, []).extend(edit.moved)
        if edit.text:
            texts[edit.after] = edit.text
    left: list[NumberedLine] = []
    after_gap = False
    for place, line in enumerate(lines):
        if place in gone:
            after_gap = True
            continue
        if after_gap:
            if is_blank(line) and (not left or is_blank(left[-1])):
                continue
            after_gap = is_blank(line)
        left.append(line._replace(raw=texts[place]) if place in texts else line)
        if place in inserted:
            left.extend(lines[other] for other in inserted[place])
    while after_gap and left and is_blank(left[-1]):
        left.pop()
    return with_line_ends(left)


def is_blank(line: NumberedLine) -> bool:
    """Return whether a line has nothing but white space."""
    return not line.raw.strip()


def with_line_ends(lines: list[NumberedLine]) -> list[NumberedLine]:
    """Return lines of which each but the last one ends: the former last one may have moved."""
    ends = (b"\n", b"\r")
    other = next((line.raw for line in lines if line.raw.endswith(ends)), b"\n")
    end = b"\r\n" if other.endswith(b"\r\n") else other[-1:]
    whole = [
        line if line.raw.endswith(ends) else line._replace(raw=line.raw + end)
        for line in lines[:-1]
    ]
    return whole + lines[-1:]
