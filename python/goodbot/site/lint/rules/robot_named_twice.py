"""A robot that several groups name."""

from collections.abc import Iterator

from goodbot.site.lint.checked_file import CheckedFile, listed
from goodbot.site.lint.lint_rule import LintProblem, LintRule
from goodbot.site.reasoning.robot_classes import EVERYONE_ELSE

__all__ = ["RULE"]


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report each further group for a robot."""
    first: dict[str, int] = {}
    for group in file.groups:
        lines = group.lines
        names = [(agent, agent.casefold()) for agent in group.names]
        again = {
            agent: first[name]
            for agent, name in names
            if name in first and name != EVERYONE_ELSE and first[name] != lines[0]
        }
        for _, name in names:
            first.setdefault(name, lines[0])
        if again:
            message = (
                f"{listed(list(again))} has another group at line {next(iter(again.values()))}. "
                "Both apply together, but older robots read only the first one: make them one."
            )
            others = tuple(sorted(set(again.values())))
            yield LintProblem(lines[0], message, others=others, robots=tuple(again))


RULE = LintRule(
    code="robot-named-twice",
    severity="note",
    finds="Several groups name the same robot.",
    why=(
        "RFC 9309 joins the groups of a robot. Documents before it let the first group decide, and "
        "so do robots that follow them; and a reader of the file may see only one."
    ),
    example=(
        "User-agent: ExampleBot\nDisallow: /a\n\n"
        "User-agent: *\nAllow: /\n\nUser-agent: ExampleBot\nDisallow: /b\n"
    ),
    instead="User-agent: ExampleBot\nDisallow: /a\nDisallow: /b\n\nUser-agent: *\nAllow: /\n",
    source="RFC 9309 section 2.2.1",
    check=check,
)
