"""What a document states: directives, where they stand, and the verdict on an act."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from goodbot.display import short_repr, verdict_html
from goodbot.http.quoting import shortened

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
    "follow": "follow the links of",
    "anchor": "describe other documents by the link texts of",
    "archive": "keep a copy of",
    "snippet": "quote",
    "image_index": "index the images of",
    "translate": "offer a translation of",
    "train": "train on",
    "train_images": "train on the images of",
}
"""Each act, as part of the sentence `the robot may ... the page`."""

REASONS: dict[str, str] = {
    "nothing-said": "Nothing that the robot must heed speaks of it.",
    "directive-allows": "A directive of the whole document allows it.",
    "directive-forbids": "A directive of the whole document forbids it.",
    "mark-allows": "A mark on this part of the document allows it.",
    "mark-forbids": "A mark on this part of the document forbids it.",
    "too-late": "The document asked to be forgotten by now.",
    "no-document": "The answer is not the document: a failed fetch is never permission.",
}
"""Why a verdict is what it is: a stable slug and its meaning."""

Value: TypeAlias = int | str | datetime | None


@dataclass(frozen=True, slots=True)
class Source:
    """Where a statement stands.

    >>> str(Source("meta", "robots", 4, "noindex"))
    'META robots, line 4: noindex'
    """

    kind: Literal["header", "meta", "pi", "mark"]
    """A field of the HTTP header, a META element, the processing instruction, a mark on a part."""
    name: str
    """The name of the field, of the META element, or of the mark."""
    line: int
    """The number of the line, from 1; 0 for a field of the header."""
    text: str
    """What is written there, at most 256 characters of it."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Keep the beginning of what is long: a statement is named thousands of times."""
        for field in ("name", "text"):
            object.__setattr__(self, field, shortened(getattr(self, field)))

    def __str__(self) -> str:
        """Say where."""
        name = f"META {self.name}" if self.kind == "meta" else self.name
        where = f"{name}, line {self.line}" if self.line else name
        return f"{where}: {self.text}" if self.text else where

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON."""
        return {"kind": self.kind, "name": self.name, "line": self.line, "text": self.text}


@dataclass(frozen=True, slots=True)
class Statement:
    """A directive with its value, and where it stands."""

    directive: str
    """Its name, in lower case."""
    value: Value
    """Its number, choice or date; `None` for one that has none."""
    source: Source

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class PageVerdict:
    """May this robot do this with the document, or with a part of it, and who says so?

    It is truthy when the act is allowed, and `str()` makes it a sentence.

    >>> said = Source("meta", "robots", 4, "noindex")
    >>> whole = ("index", False, "directive-forbids", said)
    >>> verdict = PageVerdict(*whole, "ExampleBot", "https://example.com/", "google")
    >>> bool(verdict)
    False
    >>> print(verdict)
    ExampleBot may not index https://example.com/: META robots, line 4: noindex (google).
    """

    act: Act
    """The act."""
    allowed: bool
    """Whether it is allowed."""
    reason: str
    """Why, a stable slug; `goodbot.page.reasons()` lists them."""
    said: Source | None
    """Where it is said; `None` if nothing is."""
    robot: str
    """The robot, as it was named."""
    url: str
    """The document."""
    dialect: str
    """The name of the page dialect."""

    def __bool__(self) -> bool:
        """Whether the act is allowed."""
        return self.allowed

    @property
    def source(self) -> str:
        """Who says so, in words; empty if nobody does."""
        return "" if self.said is None else str(self.said)

    def __str__(self) -> str:
        """Make it a sentence."""
        may = "may" if self.allowed else "may not"
        why = self.source or "nothing forbids it"
        if not self.source and self.act.startswith("train"):
            why = "no directive forbids it; see also what its usage states"
        robot = "A robot" if self.robot == "*" else self.robot
        return f"{robot} {may} {ACTS[self.act]} {self.url}: {why} ({self.dialect})."

    def __repr__(self) -> str:
        """Show what matters."""
        allowed = "allowed" if self.allowed else "disallowed"
        act, reason = shortened(self.act, 60), shortened(self.reason, 60)
        source = shortened(self.source or "nobody")
        return f"<PageVerdict {act} {allowed}: {reason}, {source}>"

    def _repr_html_(self) -> str:
        """Return a table, for notebooks."""
        return verdict_html(self)

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON."""
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
