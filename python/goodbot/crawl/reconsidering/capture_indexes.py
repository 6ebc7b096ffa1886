"""Indexes of captures (CDXJ and CDX) of rewritten archives: lines moved, or dropped.

Scope: one line, and what it says of a record's place. A line of a file that was not rewritten stays
as it is. A line is known by the place of its record in the old file; in an index that is older than
that, by its URL and time.

Source: CDXJ, https://specs.webrecorder.net/cdxj/0.1.0/; CDX, https://archive.org/web/researcher/cdx_legend.php.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

__all__ = ["MovedRecord", "rewrite_index"]


class MovedRecord(NamedTuple):
    """Where a record is now."""

    offset: int
    length: int
    """Its length; 0 if it is gone."""
    mime: str = ""
    """The type of its content, if it was a revisit and became a response."""


Find = Callable[[str, int | None, str, str], "MovedRecord | None"]
"""Returns where a record is now, by the name of its file, its old place, its URL and its time in 14
digits; `None` if its file was not rewritten."""


def rewrite_index(lines: Iterable[bytes], find: Find) -> Iterator[bytes]:
    """Yield the lines of an index, with the places in the new files.

    Args:
        lines: The lines, each with its end.
        find: Finds a record.

    """
    names: list[str] = []
    for line in lines:
        text = line.decode("utf-8", "surrogateescape")
        if text.lstrip().startswith("CDX "):
            names = text.split()[1:]
            yield line
        elif "{" in text:
            found = moved_cdxj(text, find)
            if found is not None:
                yield found.encode("utf-8", "surrogateescape")
        elif names:
            found = moved_cdx(text, names, find)
            if found is not None:
                yield found.encode("utf-8", "surrogateescape")
        else:
            yield line


def moved_cdxj(text: str, find: Find) -> str | None:
    """Return a line of CDXJ; `None` if its record is gone."""
    head, brace, rest = text.partition("{")
    try:
        facts = json.loads(brace + rest)
        time = head.split()[1]
        offset = int(facts["offset"]) if "offset" in facts else None
        moved = find(str(facts["filename"]), offset, str(facts.get("url", "")), time)
    except (ValueError, KeyError, IndexError, TypeError):
        return text
    if moved is None:
        return text
    if not moved.length:
        return None
    is_text = isinstance(facts.get("offset"), str)
    facts["offset"] = str(moved.offset) if is_text else moved.offset
    if "length" in facts:
        facts["length"] = str(moved.length) if is_text else moved.length
    if moved.mime:
        facts["mime"] = moved.mime
        facts.pop("recordDigest", None)
    return f"{head}{json.dumps(facts)}\n"


def moved_cdx(text: str, names: list[str], find: Find) -> str | None:
    """Return a line of CDX; `None` if its record is gone."""
    cells = text.split()
    facts = dict(zip(names, cells, strict=False))
    try:
        offset = int(facts["V"])
        moved = find(facts["g"], offset, facts.get("a", ""), facts.get("b", ""))
    except (ValueError, KeyError):
        return text
    if moved is None:
        return text
    if not moved.length:
        return None
    facts["V"] = str(moved.offset)
    if "S" in facts and facts["S"] != "-":
        facts["S"] = str(moved.length)
    if moved.mime and "m" in facts:
        facts["m"] = moved.mime
    return " ".join(facts[name] for name in names if name in facts) + "\n"
