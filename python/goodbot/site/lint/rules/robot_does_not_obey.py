"""A group for a robot that is said not to obey robots.txt."""

from collections.abc import Iterator

from goodbot.site.lint.checked_file import CheckedFile
from goodbot.site.lint.lint_rule import LintProblem, LintRule
from goodbot.site.lint.sought_robots import SoughtRobots

__all__ = ["RULE"]

NOT_OBEYING = SoughtRobots(lambda robot: robot.obeys is False)


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report each group that disallows something to such a robot."""
    for group in file.groups:
        if any(rule.field == "Disallow" and rule.pattern for rule in group.rules):
            for agent in group.names:
                robot = NOT_OBEYING.named(agent)
                if robot is not None:
                    source = robot.source("obeys")
                    where = f" ({source.title})" if source is not None else ""
                    message = (
                        f"{robot.name} is said not to obey robots.txt{where}. To keep it out, "
                        "block it in your server as well."
                    )
                    yield LintProblem(group.lines[0], message, robots=(robot.name,))


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
