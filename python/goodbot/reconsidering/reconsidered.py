"""One row of the report: a thing that is held, one use of it, then and now.

Scope: the row and its columns.
"""

from datetime import datetime
from typing import Any, Literal, NamedTuple

from goodbot.display import short_repr
from goodbot.http.instants import written
from goodbot.reconsidering.decision import HeldAction, HeldUse

__all__ = ["COLUMNS", "HeldColumn", "Reconsidered"]


class HeldColumn(NamedTuple):
    """A column of the report."""

    name: str
    kind: Literal["text", "time", "number"]
    meaning: str


COLUMNS = (
    HeldColumn("url", "text", "The URL, as the source has it."),
    HeldColumn("at", "time", "When it was fetched; null if that is unknown."),
    HeldColumn("file", "text", "The file that holds it."),
    HeldColumn("offset", "number", "Where in the file: the byte at which its record begins, or the number of its row, from 0."),
    HeldColumn("kind", "text", "What is held: the type of its record, `page` of a crawl, or `row` of a table."),
    HeldColumn("use", "text", "The use: `fetch`, `archive`, `search`, `ground`, `train` or `takedown`."),
    HeldColumn("then", "text", "The answer when it was fetched."),
    HeldColumn("now", "text", "The answer now, or at the time of `--at`."),
    HeldColumn("reason", "text", "The reason of the answer of now, a stable slug."),
    HeldColumn("line", "number", "The line that decides now; null if none does."),
    HeldColumn("source", "text", "The statement that decides now, with its place; empty if none does."),
    HeldColumn("do", "text", "What to do: `keep`, `take-out-of-index`, `exclude-from-training`, `remove` or `withhold`."),
)  # fmt: skip
"""The columns, in order."""


class Reconsidered(NamedTuple):
    """One use of one thing that is held; see `COLUMNS`."""

    url: str
    at: datetime | None
    file: str
    offset: int | None
    kind: str
    use: HeldUse
    then: str
    now: str
    reason: str
    line: int | None
    source: str
    do: HeldAction

    def __repr__(self) -> str:
        """Return a short description."""
        return short_repr(self)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return self._asdict() | {"at": written(self.at)}
