"""A rule that matches no path that a client sends."""

from collections.abc import Iterator

from goodbot.site.lint.checked_file import CheckedFile, written
from goodbot.site.lint.lint_rule import LintProblem, LintRule

__all__ = ["RULE"]

CODE = "matches-nothing"


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report rules that match nothing."""
    idle = [effect for effect in file.idle(CODE) if effect.matches is None]
    if not idle:
        return
    lines = {effect.rule.line for effect in idle}
    # Without any rule, a group would take those of the next one.
    alone = {
        rule.line
        for group in file.groups
        if all(rule.line in lines for rule in group.rules)
        for rule in group.rules
    }
    for effect in idle:
        line = effect.rule.line
        # A dialect may judge a URL as it is passed, with the segments of dots in it.
        if line in alone:
            instead = ', or write "Disallow:" without a path instead'
        else:
            instead = ", or remove the rule" if file.can_remove([line], None) else ""
        message = (
            f'"{written(effect.rule)}" matches no path that a client sends. Write the path as '
            f"the address bar of a browser shows it{instead}."
        )
        yield LintProblem(line, message)


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
