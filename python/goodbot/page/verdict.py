"""Statements of a document, their sources, and the verdict on each act."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, TypeAlias

from goodbot.display import short_repr, verdict_html
from goodbot.http.quoting import MOST_QUOTED, shortened
from goodbot.lazy_dataclass import dataclass

__all__ = ["ACTS", "REASONS", "Act", "PageVerdict", "Source", "Statement", "Value"]

Act: TypeAlias = Literal[
    "index",
    "follow",
    "anchor",
    "archive",
    "snippet",
    "image_index",
    "translate",
    "train",
    "train_images",
]

ACTS: dict[str, str] = {
    "index": "index",
    "follow": "follow links on",
    "anchor": "describe other documents by the link texts of",
    "archive": "keep a copy of",
    "snippet": "quote",
    "image_index": "index the images on",
    "translate": "offer a translation of",
    "train": "train AI on",
    "train_images": "train AI on the images on",
}
"""Each act, as part of the sentence `the robot may … the page`."""

REASONS: dict[str, str] = {
    "nothing-said": "No directive or mark for this robot mentions it, so it is allowed.",
    "directive-allows": "A directive for the whole document allows it.",
    "directive-forbids": "A directive for the whole document forbids it.",
    "mark-allows": "A mark on this part of the document allows it.",
    "mark-forbids": "A mark on this part of the document forbids it.",
    "index-instead": "The document names another URL that is to be indexed instead of it.",
    "too-late": "The date in unavailable_after has passed.",
    "no-document": "The response is not the document, and a failed fetch never gives permission.",
}
"""Every reason of a verdict: a stable slug and its meaning."""

Value: TypeAlias = int | str | datetime | None


@dataclass(frozen=True, slots=True, repr=False)
class Source:
    """The place of a statement.

    >>> str(Source("meta", "robots", 4, "noindex"))
    'META robots, line 4: noindex'
    """

    kind: Literal["header", "meta", "link", "pi", "mark"]
    """An HTTP header field, a META or LINK element, the processing instruction, or a mark on a
    part."""
    name: str
    """The name of the field, of the META or LINK element, or of the mark."""
    line: int
    """The line number, from 1; 0 for a header field."""
    text: str
    """The text there, cut to 256 characters."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Cut long texts: one statement may be the source of thousands of verdicts."""
        for field, text in (("name", self.name), ("text", self.text)):
            if len(text) > MOST_QUOTED:
                object.__setattr__(self, field, shortened(text))

    def __str__(self) -> str:
        """Return the place and the text there, for messages."""
        name = f"{self.kind.upper()} {self.name}" if self.kind in {"meta", "link"} else self.name
        where = f"{name}, line {self.line}" if self.line else name
        return f"{where}: {self.text}" if self.text else where

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"kind": self.kind, "name": self.name, "line": self.line, "text": self.text}


@dataclass(frozen=True, slots=True, repr=False)
class Statement:
    """A directive with its value and its place."""

    directive: str
    """The name of the directive, in lower case."""
    value: Value
    """The number, choice or date; `None` if the directive takes none."""
    source: Source
    """The place where it is stated."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class PageVerdict:
    """The answer to whether a robot may do something with a document or a part of it.

    It is true if the act is allowed; `str()` returns a sentence.

    >>> said = Source("meta", "robots", 4, "none")
    >>> whole = ("index", False, "directive-forbids", said)
    >>> verdict = PageVerdict(*whole, "FooBot", "https://a.test/", "google")
    >>> bool(verdict)
    False
    >>> print(verdict)
    Disallowed: FooBot must not index https://a.test/: META robots, line 4: none (dialect google).
    """

    act: Act
    """The act."""
    allowed: bool
    """Whether it is allowed."""
    reason: str
    """The reason, a stable slug; `goodbot.page.reasons()` lists them all."""
    said: Source | None
    """The place of the statement that decided; `None` if there is none."""
    robot: str
    """The robot, as it was named."""
    url: str
    """The URL of the document."""
    dialect: str
    """The name of the page dialect."""

    def __bool__(self) -> bool:
        """Return whether the act is allowed."""
        return self.allowed

    @property
    def source(self) -> str:
        """The place of the statement that decided, in words; empty if there is none."""
        return "" if self.said is None else str(self.said)

    def __str__(self) -> str:
        """Return the verdict as a sentence."""
        may = "Allowed: {} may" if self.allowed else "Disallowed: {} must not"
        why = self.source or "no directive or mark forbids it"
        if not self.source and self.act.startswith("train"):
            why = "no directive forbids it (see also the page's usage)"
        robot = "a robot" if self.robot == "*" else self.robot
        return f"{may.format(robot)} {ACTS[self.act]} {self.url}: {why} (dialect {self.dialect})."

    def __repr__(self) -> str:
        """Return the act, the outcome, the reason and the source."""
        allowed = "allowed" if self.allowed else "disallowed"
        act, reason = shortened(self.act, 60), shortened(self.reason, 60)
        source = shortened(self.source or "no source")
        return f"<PageVerdict {act} {allowed}: {reason}, {source}>"

    def _repr_html_(self) -> str:
        """Return a table, for notebooks."""
        return verdict_html(self)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "act": self.act,
            "url": self.url,
            "robot": self.robot,
            "allowed": self.allowed,
            "reason": self.reason,
            "source": self.source,
            "said": None if self.said is None else self.said.as_dict(),
            "dialect": self.dialect,
        }


def reasons() -> Iterable[tuple[str, str]]:
    """List every reason that a verdict on a page can have, with its meaning."""
    return list(REASONS.items())
