"""Fields that one vendor has invented."""

from collections.abc import Iterator

from goodbot.site.lint.checked_file import CheckedFile
from goodbot.site.lint.lint_rule import LintProblem, LintRule

__all__ = ["FIELDS", "RULE"]

FIELDS = {b"permits": "Permits", b"compensation": "Compensation"}
"""The fields, in lower case and as they are written."""


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report each line with such a field."""
    for finding in file.findings.get("unknown-field", ()):
        name = file.lines[finding.line - 1].name or b""
        field = FIELDS.get(name.strip().lower())
        if field is not None:
            message = (
                f"{field} is the invention of one vendor, and no robot is known to read it. State "
                "how content may be used in Content-Usage, Content-Signal or License."
            )
            yield LintProblem(finding.line, message, finding.column)


RULE = LintRule(
    code="non-standard-field",
    severity="warning",
    finds="A field that one vendor has invented: Permits or Compensation.",
    why="No robot is known to read it, so it neither permits nor forbids anything.",
    example="User-agent: *\nDisallow: /cart/\nPermits: search\n",
    instead="User-agent: *\nDisallow: /cart/\nContent-Signal: search=yes\n",
    source="RFC 9309 section 2.2.4 (other records); contentsignals.org; RSL 1.0",
    check=check,
)
