"""What goodbot knows of one document that it implements: the record of a row, and its words.

Scope: the record. The rows are in `specifications`, `signals`, `web` and `log_formats`;
`knowledge_table` has the whole table.
"""

from dataclasses import fields
from typing import Any, Literal, TypeAlias

from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass

__all__ = ["KNOWLEDGE_KINDS", "KnowledgeKind", "KnownDocument"]

KnowledgeKind: TypeAlias = Literal["specification", "draft", "operator", "program", "addresses"]

KNOWLEDGE_KINDS: dict[KnowledgeKind, str] = {
    "specification": "A published standard, recommendation or convention.",
    "draft": "A text that its authors may still change, or never finished.",
    "operator": "What an operator of robots, a vendor or a list says of robots, fields or logs.",
    "program": "The behaviour of a program, by its code or documentation.",
    "addresses": "A list in which an operator publishes the addresses of its robots.",
}
"""The kinds of documents, each with its meaning."""


@dataclass(frozen=True, slots=True, repr=False)
class KnownDocument:
    """A document that goodbot implements.

    >>> from goodbot.knowledge import document
    >>> document("rfc9309").date, document("rfc9309").vectors[0]
    ('2022-09', 'conformance/robots_txt/rfc9309.toml')

    """

    key: str
    """The name of its row, such as `rfc9309`."""
    kind: KnowledgeKind
    """The kind of document, a key of `KNOWLEDGE_KINDS`."""
    title: str
    """Its title."""
    version: str
    """The version or revision that is implemented; empty if it has none."""
    date: str
    """The day, month or year of that version, as in ISO 8601; empty if the document has none."""
    read: str
    """The day on which the text was read, such as `2026-11-21`."""
    url: str
    """Its address."""
    implements: str
    """What of it goodbot implements."""
    vectors: tuple[str, ...]
    """The files with the cases that cite it: conformance files, or tests."""
    cites: tuple[str, ...]
    """How cases cite it: their `authority` contains one of these texts."""
    departs: str = ""
    """Where goodbot departs from it, or what of it was not read; empty if nowhere."""
    section: str = ""
    """The section of docs/explanation/departures.md that says why; empty if there is none."""
    copy: str | None = None
    """The address or place at which the text was read, if that was not the document itself."""

    __repr__ = short_repr

    def __str__(self) -> str:
        """Return the title with its version, its date and the day on which it was read."""
        shown = [self.title, self.version, f"of {self.date}" if self.date else ""]
        return f"{', '.join(one for one in shown if one)} (read {self.read})"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        row = {one.name: getattr(self, one.name) for one in fields(self)}
        return row | {"vectors": list(self.vectors), "cites": list(self.cites)}
