"""What cannot be said in a form: one table of codes."""

from typing import Literal, NamedTuple

from goodbot.display import short_repr

__all__ = ["LOSSES", "Loss"]

LOSSES: dict[str, tuple[Literal["warning", "info"], str]] = {
    "not-sayable": ("warning", "The form has no words for this directive; it is not written."),
    "not-for-one-robot": ("warning", "The form cannot address one robot; what is wished of it is not written."),
    "says-more": ("warning", "The form can only say it together with something else; it is not written."),
    "of-a-part": ("warning", "The document marks a part of itself, and the form speaks of whole documents; the mark is not written."),
    "without-effect": ("info", "The directive once meant something and does so no more; it is not written."),
    "contradiction": ("warning", "The wish allows and forbids the same; what forbids is written alone."),
    "not-a-wish": ("info", "The document has a directive that is not known, or that cannot be read; it is not converted."),
}  # fmt: skip
"""Every code: how much it matters, and what it means."""


class Loss(NamedTuple):
    """Something that a form cannot say."""

    code: str
    """One of `LOSSES`."""
    message: str
    """What is lost, in a sentence."""
    line: int = 0
    """The line of the document on which it stands; 0 if it has none."""

    def __repr__(self) -> str:
        """Show the values, each cut where it is long."""
        return short_repr(self)

    @property
    def severity(self) -> str:
        """How much it matters: `warning` or `info`."""
        return LOSSES[self.code][0]

    def as_dict(self) -> dict[str, object]:
        """Return plain values, for JSON."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "line": self.line,
        }
