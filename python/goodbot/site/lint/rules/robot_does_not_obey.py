"""A group for a robot that is said not to obey robots.txt."""

from collections.abc import Iterator

from goodbot.site.lint.checked_file import CheckedFile
from goodbot.site.lint.file_groups import FileGroup
from goodbot.site.lint.lint_rule import LintProblem, LintRule
from goodbot.site.lint.sought_robots import SoughtRobots

__all__ = ["RULE"]

NOT_OBEYING = SoughtRobots(lambda robot: robot.obeys is False)


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report each group that disallows something to such a robot."""
    for group in file.groups:
        robots = list(filter(None, map(NOT_OBEYING.named, group.names)))
        # The rules are read last: a file may have thousands of groups for other robots.
        if not robots or not disallows(group):
            continue
        for robot in robots:
            source = robot.source("obeys")
            where = f" ({source.title})" if source is not None else ""
            message = (
                f"{robot.name} is said not to obey robots.txt{where}. To keep it out, "
                "block it in your server as well."
            )
            yield LintProblem(group.lines[0], message, robots=(robot.name,))


def disallows(group: FileGroup) -> bool:
    """Return whether a group disallows something."""
    return any(rule.field == "Disallow" and rule.pattern for rule in group.rules)


RULE = LintRule(
    code="robot-does-not-obey",
    severity="note",
    finds="A group disallows something to a robot that is said not to obey robots.txt.",
    why="Rules bind only robots that read them.",
    example="User-agent: Bytespider\nDisallow: /\n",
    instead="User-agent: GPTBot\nDisallow: /\n",
    source="the pages and lists that goodbot.bots names for each robot",
    check=check,
)
