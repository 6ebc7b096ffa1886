"""Losses: one table of codes for what a form cannot express."""

from typing import Literal, NamedTuple

from goodbot.display import short_repr

__all__ = ["LOSSES", "Loss"]

LOSSES: dict[str, tuple[Literal["warning", "info"], str]] = {
    "not-sayable": ("warning", "The form cannot express this directive, so it is not written."),
    "not-for-one-robot": ("warning", "The form cannot address a single robot, so this directive is not written."),
    "says-more": ("warning", "The form can only express this directive together with another, so it is not written."),
    "of-a-part": ("warning", "The document marks a part of itself; marks on parts are not converted."),
    "without-effect": ("info", "The directive no longer has any effect, so it is not written."),
    "contradiction": ("warning", "One directive allows what another forbids; only the one that forbids is written."),
    "not-a-wish": ("info", "The document has a directive that is unknown or malformed, so it is not converted."),
}  # fmt: skip
"""The severity and the meaning of every code."""


class Loss(NamedTuple):
    """Something that a form cannot express."""

    code: str
    """One of `LOSSES`."""
    message: str
    """A sentence that says what is lost."""
    line: int = 0
    """The line of the document on which it is stated; 0 if there is none."""

    def __repr__(self) -> str:
        """Show the values, each cut where it is long."""
        return short_repr(self)

    @property
    def severity(self) -> str:
        """The severity: `warning` or `info`."""
        return LOSSES[self.code][0]

    def as_dict(self) -> dict[str, object]:
        """Return plain values, for JSON."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "line": self.line,
        }
