"""Limits of a search engine that the file exceeds."""

from collections.abc import Iterator

from goodbot.lint.checked_file import ENGINES, CheckedFile
from goodbot.lint.lint_rule import LintProblem, LintRule

__all__ = ["RULE"]

CODE = "engine-limit"

LIMITS = ("too-large", "line-too-long", "too-many-rules")
"""The findings of the core on limits."""

SMALL = 16_000
"""A file of so many bytes exceeds no limit: the lowest are 16,663 bytes a line (Google) and 2,048
rules (Yandex), which have at least 8 bytes each."""


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report limits, and what the engine does with the rest."""
    if len(file.content) <= SMALL:
        return
    for name, engine in ENGINES.items():
        for finding in file.read_as(name).findings:
            if finding.code in LIMITS and finding.code not in file.findings:
                message = f"{engine}: {finding.message}. Shorten it."
                yield LintProblem(finding.line, message, finding.column)


RULE = LintRule(
    code=CODE,
    severity="error",
    finds="The file exceeds a limit of Google, Bing or Yandex.",
    why=(
        "What is beyond the limit is not read. Google ignores the rest of a long line, and Yandex "
        "takes a file with too many rules as if it allowed everything."
    ),
    example=f"User-agent: *\nDisallow: /cart/\n# {'-' * 17_000}\n",
    instead="User-agent: *\nDisallow: /cart/\n",
    source="google/robotstxt (kMaxLineLen); Yandex webmaster documentation; RFC 9309 section 2.5",
    check=check,
)
