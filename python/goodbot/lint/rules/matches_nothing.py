"""A rule that matches no path that a client sends."""

from collections.abc import Iterator

from goodbot.lint.checked_file import CheckedFile, written
from goodbot.lint.lint_rule import LintProblem, LintRule

__all__ = ["RULE"]

CODE = "matches-nothing"


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report rules that match nothing."""
    for effect in file.idle(CODE):
        if effect.matches is None:
            message = (
                f'"{written(effect.rule)}" matches no path that a client sends. Write the path as '
                "the address bar of a browser shows it, or remove the rule."
            )
            yield LintProblem(effect.rule.line, message)


RULE = LintRule(
    code=CODE,
    severity="error",
    finds="A rule can match no path.",
    why=(
        "Clients resolve `.` and `..` and escape some characters before they send a path, and the "
        "fragment after `#` is never sent. A pattern that needs what is never sent protects "
        "nothing."
    ),
    example="User-agent: *\nDisallow: /private/../drafts/\n",
    instead="User-agent: *\nDisallow: /drafts/\n",
    source="RFC 3986 section 5.2.4; RFC 9309 section 2.2.2",
    check=check,
)
