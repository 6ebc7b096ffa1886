"""A file or URL with its report, as the formats print it."""

from goodbot.lazy_dataclass import dataclass
from goodbot.site.lint.linting import LintReport

__all__ = ["LintedSource"]


@dataclass(frozen=True, slots=True)
class LintedSource:
    """A file or URL, and what lint found in it."""

    name: str
    """The path as it was written, or the URL."""
    report: LintReport
    """The findings."""
    content: bytes
    """What was checked."""
