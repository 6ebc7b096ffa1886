"""A Crawl-delay for a robot that ignores it."""

from collections.abc import Iterator

from goodbot.bots import KnownRobot
from goodbot.site.lint.checked_file import CheckedFile, listed, plural
from goodbot.site.lint.lint_rule import LintProblem, LintRule
from goodbot.site.lint.sought_robots import SoughtRobots

__all__ = ["RULE"]

FIELD = "Crawl-delay"

IGNORING = SoughtRobots(lambda robot: FIELD in robot.ignores)


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report each Crawl-delay of a group that names such a robot."""
    names = (name for group in file.groups for name in group.names)
    if FIELD not in file.robots.fields_used or not any(map(IGNORING.named, names)):
        return
    for group in file.field_groups:
        deaf = list(filter(None, map(IGNORING.named, group.agents)))
        if deaf:
            yield from (problem(line, deaf) for line in group.lines_of(FIELD))


def problem(line: int, deaf: list[KnownRobot]) -> LintProblem:
    """Return the problem, with the source of the first robot."""
    names = [robot.name for robot in deaf]
    source = deaf[0].source("ignores")
    where = f" ({source.title})" if source is not None else ""
    message = (
        f"{listed(names)} {plural(len(names), 'ignores', 'ignore')} Crawl-delay{where}. Remove the "
        "line, and limit the rate in the tools for webmasters or in your server."
    )
    return LintProblem(line, message, robots=tuple(names))


RULE = LintRule(
    code="crawl-delay-ignored",
    severity="warning",
    finds="A Crawl-delay stands in the group of a robot that ignores it.",
    why=(
        "Crawl-delay was never standardised. Bing heeds it; Google and Yandex do not, and slow "
        "down by other means."
    ),
    example="User-agent: Googlebot\nCrawl-delay: 10\nDisallow: /search\n",
    instead="User-agent: Googlebot\nDisallow: /search\n",
    source="the pages of the operators, as in goodbot.bots",
    check=check,
)
