"""How values show themselves: a short `repr`, and HTML for notebooks.

Scope: plain functions on text. What is shown may be foreign: it is cut and escaped here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import islice
from typing import Any, Protocol

__all__ = ["escaped", "printable", "short_repr", "shown_value", "table_html", "verdict_html"]

LONGEST_REPR = 400
"""The most characters of a `repr`."""
LONGEST_VALUE = 60
"""The most characters of one value in it."""
LONGEST_CELL = 300
"""The most characters of a cell in a table of HTML."""
MOST_ITEMS = 3
MOST_ROWS = 20


def cut(text: str, most: int) -> str:
    """Return the beginning of a text, with an ellipsis if it is longer."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def shown_value(value: object) -> str:
    """Return a short `repr` of a value: bytes by their number, containers by their first items.

    >>> shown_value(b"<html>"), shown_value("a" * 100)[:5], shown_value(list(range(9)))
    ('<6 bytes>', "'aaaa", '[0, 1, 2, … 6 more]')
    """
    if isinstance(value, bytes | bytearray | memoryview):
        return f"<{len(value):,} bytes>"
    if isinstance(value, str):
        return cut(repr(value[:LONGEST_VALUE]), LONGEST_VALUE) if value else "''"
    if isinstance(value, Mapping):
        items = [f"{shown_value(k)}: {shown_value(v)}" for k, v in first_items(value.items())]
        return in_brackets("{}", items, len(value))
    if isinstance(value, list | tuple | set | frozenset) and not hasattr(value, "_fields"):
        ordered = value if isinstance(value, list | tuple) else sorted(value, key=repr)
        items = [shown_value(one) for one in first_items(ordered)]
        return in_brackets("[]" if isinstance(value, list) else "()", items, len(value))
    return cut(repr(value), LONGEST_VALUE * 2)


def first_items(items: Iterable[Any]) -> list[Any]:
    """Return the first items."""
    return list(islice(items, MOST_ITEMS))


def in_brackets(brackets: str, items: Sequence[str], length: int) -> str:
    """Join items, and count the others."""
    more = [f"… {length - len(items):,} more"] if length > len(items) else []
    return f"{brackets[0]}{', '.join([*items, *more])}{brackets[1]}"


def short_repr(value: Any) -> str:  # noqa: ANN401  any dataclass or named tuple
    """Return the `repr` of a dataclass or named tuple, short whatever it holds.

    Use it as the method: `__repr__ = short_repr`.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Note:
    ...     at: int
    ...     body: bytes
    ...     __repr__ = short_repr
    >>> Note(7, b"a" * 5000)
    Note(at=7, body=<5,000 bytes>)
    """
    names = getattr(value, "_fields", None)
    if names is None:
        names = [one.name for one in fields(value) if one.repr]
    parts = ", ".join(f"{name}={shown_value(getattr(value, name))}" for name in names)
    return cut(f"{type(value).__name__}({parts})", LONGEST_REPR)


def escaped(text: str) -> str:
    r"""Escape a text for HTML; what could turn the direction of writing is written as an escape.

    >>> escaped("<b>\u202e")
    '&lt;b&gt;\\u202e'
    """
    from html import escape  # noqa: PLC0415  slow to load, and for notebooks only

    return escape(printable(text))


def printable(text: str) -> str:
    r"""Return a text with an escape for each character that does not print.

    >>> printable("lamps\u202e")
    'lamps\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )


def cell(value: object) -> str:
    """Return a cell: its text, cut and escaped."""
    return f"<td>{escaped(cut(str(value), LONGEST_CELL))}</td>"


def table_html(caption: str, rows: Iterable[Sequence[object]]) -> str:
    """Return a table for a notebook. Whatever its cells hold is text there.

    >>> table_html("<Crawl>", [("pages", 7)])
    '<table><caption>&lt;Crawl&gt;</caption><tr><td>pages</td><td>7</td></tr></table>'
    """
    rows = list(rows)
    lines = [f"<tr>{''.join(map(cell, row))}</tr>" for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        lines.append(f"<tr>{cell(f'… {len(rows) - MOST_ROWS:,} more')}</tr>")
    title = escaped(cut(caption, LONGEST_CELL))
    return f"<table><caption>{title}</caption>{''.join(lines)}</table>"


class AnyVerdict(Protocol):
    """What the verdicts of all layers have."""

    @property
    def url(self) -> str:
        """The URL that was asked about."""

    @property
    def robot(self) -> str:
        """The robot, as it was named."""

    @property
    def allowed(self) -> bool:
        """Whether it is allowed."""

    @property
    def reason(self) -> str:
        """Why, a slug."""

    @property
    def source(self) -> str:
        """Who says so."""


def verdict_html(verdict: AnyVerdict) -> str:
    """Return a verdict for a notebook: the sentence, the answer, the reason and who says so."""
    answer = "allowed" if verdict.allowed else "disallowed"
    rows = [("url", verdict.url), ("robot", verdict.robot), ("answer", answer)]
    rows += [("reason", verdict.reason), ("source", verdict.source)]
    return table_html(str(verdict), [row for row in rows if row[1]])
