"""The cells of a report's tables: values as text.

Scope: one function a kind of value, in the words that `report.js` uses too.
"""

from collections.abc import Callable
from typing import Any, Literal

from goodbot.crawl.folder.times import stored_time
from goodbot.http.amounts import format_bytes
from goodbot.http.instants import SECOND

__all__ = ["NUMERIC", "Kind", "briefly", "cell_text"]

Kind = Literal["url", "text", "choice", "number", "bytes", "duration", "time"]
"""What a column holds. A `choice` is a text of which there are few; the page offers to filter by
it. Durations and times are in microseconds."""

NUMERIC: frozenset[Kind] = frozenset({"number", "bytes", "duration"})
"""The kinds that are aligned to the right."""
NOTHING = "-"
UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def briefly(microseconds: int) -> str:
    """Format a duration in few characters.

    >>> [briefly(n) for n in (0, 5_200, 900_000, 5_000_001, 90 * SECOND, 5400 * SECOND)]
    ['0 s', '5.2 ms', '900 ms', '5 s', '90 s', '90 min']
    """
    seconds = microseconds / SECOND
    if 0 < seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    for size, unit in UNITS:
        if seconds >= 2 * size and size > 1:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


FORMATS: dict[Kind, Callable[[Any], str]] = {
    "number": lambda value: f"{value:,}",
    "bytes": format_bytes,
    "duration": briefly,
    "time": lambda value: f"{stored_time(value):%Y-%m-%d %H:%M:%S}",
}


def cell_text(kind: Kind, value: Any) -> str:  # noqa: ANN401  text or a number
    """Return a value as text; a dash if there is none.

    >>> cell_text("number", 1200), cell_text("bytes", 8712), cell_text("text", None)
    ('1,200', '8.7 kB', '-')
    """
    if value is None or value == "":
        return NOTHING
    return FORMATS.get(kind, str)(value)
