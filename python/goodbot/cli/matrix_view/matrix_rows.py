"""The rows of a matrix: from a file, or from live sites with one request each.

Scope: one row after the other, as soon as it is known. A site is asked once for all robots.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import goodbot
from goodbot.bots import SiteRules
from goodbot.bots.many_robots import rules_of_all
from goodbot.cli.matrix_view.matrix_cells import RobotAnswer, Row
from goodbot.cli.shared import warnings
from goodbot.policy import Policy

if TYPE_CHECKING:
    from goodbot.cli.shared.live_sites import LiveAnswer, LiveSites

__all__ = ["LiveRows", "file_rows"]

REMEMBERED = 64
"""For how many sites the groups of the robots are remembered."""


def file_rows(
    file: goodbot.RobotsTxt, robots: Sequence[str], urls: Iterable[bytes], dialect: str | None
) -> Iterator[Row]:
    """Return the rows of a file; what is wrong with a robot raises before the first.

    Raises:
        RobotNameError: A robot is not a name.

    """
    chosen = rules_of_all(file, robots, dialect=dialect)
    warnings.of_name([family for family, _read in chosen if family.robot is None])

    def rows() -> Iterator[Row]:
        for url in urls:
            answers = [
                RobotAnswer(family.name, family.verdict_as_sent(url), family, read)
                for family, read in chosen
            ]
            yield Row(answers[0].verdict.url, answers)

    return rows()


class LiveRows:
    """The rows of live sites.

    Args:
        sites: The sites, which are open.
        robots: The robots.
        dialect: The dialect for all robots; `None` for that of each.

    """

    def __init__(self, sites: "LiveSites", robots: Sequence[str], dialect: str | None) -> None:
        """Begin without sites."""
        self.sites = sites
        self.robots = robots
        self.dialect = dialect
        self.chosen: dict[str, tuple[Policy, list[SiteRules]]] = {}

    def row(self, address: str) -> tuple[Row, Policy | None]:
        """Return the row of a URL, as `address_in` returns it, and the policy of its site.

        Raises:
            StoreError: The store cannot be read or written.

        """
        answer = self.sites.ask(address)
        if answer.policy is None:
            answers = [self.without_policy(answer, robot) for robot in self.robots]
        else:
            rules = self.rules(answer.policy)
            answers = [with_rules(answer, one, address) for one in rules]
        return Row(address, answers), answer.policy

    def rules(self, policy: Policy) -> list[SiteRules]:
        """Return what each robot obeys at the site of a policy."""
        kept = self.chosen.get(policy.origin)
        if kept is None or kept[0] is not policy:
            if len(self.chosen) >= REMEMBERED:
                self.chosen.clear()
            rules = [SiteRules(policy, one, dialect=self.dialect) for one in self.robots]
            kept = self.chosen[policy.origin] = (policy, rules)
        return kept[1]

    def without_policy(self, answer: "LiveAnswer", robot: str) -> RobotAnswer:
        """Return the answer for a site that was not asked: it is the same for every robot."""
        verdict = replace(answer.verdict, robot=robot)
        return RobotAnswer(robot, verdict, None, None, replace(answer, verdict=verdict))


def with_rules(answer: "LiveAnswer", rules: SiteRules, address: str) -> RobotAnswer:
    """Return the answer for one robot."""
    verdict = rules.verdict(address)
    live = replace(answer, verdict=verdict, policy=rules.policy, family=rules.family)
    return RobotAnswer(rules.name, verdict, rules.family, rules.policy.robots_txt, live)
