"""Limits of a search engine that the file exceeds."""

from collections.abc import Iterator

from goodbot._core import RobotsTxt, dialect, limits_exceeded
from goodbot.site.lint.checked_file import ENGINES, CheckedFile
from goodbot.site.lint.lint_rule import LintProblem, LintRule

__all__ = ["RULE"]

CODE = "engine-limit"

SHORT_LINE = 16_000
"""No engine's limits are lower: 500 KiB, 16,663 bytes a line (Google) and 2,048 rules (Yandex)."""


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report limits, and what the engine does with the rest."""
    for name in may_be_exceeded(file.content):
        for finding in limits_exceeded(RobotsTxt(file.content, dialect=name)):
            if finding.code not in file.findings:
                message = f"{ENGINES[name]}: {finding.message}. Shorten it."
                yield LintProblem(finding.line, message, finding.column)


def may_be_exceeded(content: bytes) -> Iterator[str]:
    """Yield the dialects of which a file may exceed a limit: each reads it once more."""
    if len(content) <= SHORT_LINE:
        return
    lines = content.count(b"\n") + content.count(b"\r") + 1
    longest = max(map(len, content.split(b"\n")))
    found = {"size_limit": len(content), "line_limit": longest, "rule_limit": lines}
    for name in ENGINES:
        limits = dialect(name).choices
        if any(0 < int(limits[limit]) <= size for limit, size in found.items()):
            yield name


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
