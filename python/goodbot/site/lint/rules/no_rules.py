"""A file without rules."""

from collections.abc import Iterator

from goodbot.site.lint.checked_file import CheckedFile
from goodbot.site.lint.lint_rule import LintProblem, LintRule

__all__ = ["RULE"]


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report a file without groups; of a group without rules, the core says so.

    A file that is cut within its only line disallows everything, as `too-large` says.
    """
    if file.groups or file.robots.is_cut_short:
        return
    what = "The file has no rules" if file.content.strip() else "The file is empty"
    message = (
        f'{what}, so every robot may fetch everything. If that is meant, "User-agent: *" and '
        '"Disallow:" say so.'
    )
    yield LintProblem(0, message)


RULE = LintRule(
    code="no-rules",
    severity="note",
    finds="The file has no rules, so every robot may fetch everything.",
    why=(
        "It may be meant. But an empty file is also what a failed deployment leaves, and it means "
        "the same as none. A rule `Disallow:` without a path says that everything is allowed."
    ),
    example="Sitemap: https://example.com/sitemap.xml\n",
    instead="User-agent: *\nDisallow:\n\nSitemap: https://example.com/sitemap.xml\n",
    source="RFC 9309 section 2.2.1",
    check=check,
)
