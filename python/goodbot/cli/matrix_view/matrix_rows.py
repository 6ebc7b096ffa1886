"""The rows of a matrix: from a file, or from live sites with one request each.

Scope: one row after the other, as soon as it is known. A site is asked once for all robots.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import goodbot
from goodbot.bots import ObeyedRules
from goodbot.bots.many_robots import rules_of_all
from goodbot.cli.matrix_view.matrix_cells import Row
from goodbot.cli.shared import warnings
from goodbot.grounds import Grounds
from goodbot.policy import Policy

if TYPE_CHECKING:
    from goodbot.cli.shared.live_sites import LiveSites

REMEMBERED = 64
"""For how many sites the groups of the robots are remembered."""


def file_rows(
    file: goodbot.RobotsTxt, robots: Sequence[str], urls: Iterable[bytes], dialect: str | None
) -> Iterator[Row]:
    """Return the rows of a file; what is wrong with a robot raises before the first.

    Raises:
        RobotNameError: A robot is not a name.

    """
    rules = rules_of_all(file, robots, dialect=dialect)
    warnings.of_name([rule for rule in rules if rule.robot is None])

    def rows() -> Iterator[Row]:
        for url in urls:
            verdicts = [rule.verdict(url) for rule in rules]
            yield Row(verdicts[0].url, verdicts, rules)

    return rows()


class LiveRows:
    """The rows of live sites.

    Args:
        sites: The sites, which are open.
        robots: The robots.
        dialect: The dialect for all robots; `None` for that of each.

    """

    def __init__(self, sites: "LiveSites", robots: Sequence[str], dialect: str | None) -> None:
        self.sites = sites
        self.robots = robots
        self.dialect = dialect
        self.chosen: dict[str, tuple[Policy, list[ObeyedRules]]] = {}

    def row(self, address: str) -> Row:
        """Return the row of a URL, as `address_in` returns it.

        Raises:
            StoreError: The store cannot be read or written.

        """
        verdict, site = self.sites.ask(address)
        if site.policy is None:  # the site was not asked: it is the same for every robot
            verdicts = [withhold(verdict, robot) for robot in self.robots]
            return Row(address, verdicts, [None] * len(verdicts), site)
        rules = self.rules(site.policy)
        return Row(address, [rule.verdict(address) for rule in rules], rules, site)

    def rules(self, policy: Policy) -> list[ObeyedRules]:
        """Return what each robot obeys at the site of a policy."""
        kept = self.chosen.get(policy.origin)
        if kept is None or kept[0] is not policy:
            if len(self.chosen) >= REMEMBERED:
                self.chosen.clear()
            rules = rules_of_all(policy, self.robots, dialect=self.dialect)
            kept = self.chosen[policy.origin] = (policy, rules)
        return kept[1]


def withhold(verdict: goodbot.Verdict, robot: str) -> goodbot.Verdict:
    """Return the verdict on a site that was not asked, for a robot."""
    grounds = Grounds(
        robot,
        verdict.dialect,
        access=verdict.access,
        policy_reason=verdict.policy_reason,
        said=verdict.said,
        retry_at=verdict.retry_at,
        is_answer=verdict.is_answer,
    )
    return grounds.state(verdict.url, verdict.reason)
