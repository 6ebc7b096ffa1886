"""What a live site says today, asked once for all its URLs.

Scope: what is requested, within bounds: robots.txt, and unless only fetching is asked about,
tdmrep.json and the licences that either names. `goodbot.reconsidering` decides what follows.
"""

from datetime import datetime

from goodbot.content_use import read_tdm_policy, uses
from goodbot.errors import Deferred, Disallowed
from goodbot.live.uses_fetching import MOST_LICENSES, UsesRequest, policies_named
from goodbot.live.visitor import Visitor
from goodbot.reconsidering import SiteStatements

__all__ = ["site_statements"]


def site_statements(
    site: str,
    robot: Visitor,
    name: str = "*",
    *,
    now: datetime,
    only_fetching: bool = False,
    longest_wait: float | None = None,
) -> SiteStatements:
    """Fetch what a site says today.

    Args:
        site: Its origin.
        robot: Who asks: an open `goodbot.blocking.Robot`.
        name: The robot that is asked about.
        now: The time, an aware `datetime`.
        only_fetching: Whether robots.txt is enough.
        longest_wait: The most seconds to wait for each turn at the site; `None` for no bound.

    Returns:
        What it says. If it must not be visited now, nothing is known.

    """
    try:
        policy = robot.policy(f"{site}/")
    except (Deferred, Disallowed):
        return SiteStatements(now=now)
    if only_fetching:
        return SiteStatements((policy,), now, is_current=policy.is_fresh(now))
    request = UsesRequest(robot, name, now, longest_wait, None)
    tdmrep = request.tdmrep(site)
    first = uses(f"{site}/", robots_txt=policy, tdmrep=tdmrep, robot=name)
    offers = {rule.policy for rule in tdmrep.rules if rule.policy} | policies_named(first)
    named = dict.fromkeys([*first.not_consulted, *sorted(offers)])
    asked = [one for one in named if one.startswith(f"{site}/")][:MOST_LICENSES]
    answers = {one: request.found(one) for one in asked if one in offers}
    licenses = {one: request.license(one) for one in asked if one not in offers}
    return SiteStatements(
        (policy,),
        now,
        policy.is_fresh(now),
        tdmrep,
        {one: read for one, read in licenses.items() if read is not None},
        {
            one: read_tdm_policy(answer.body)
            for one, answer in answers.items()
            if answer is not None
        },
    )
