"""Which requests for robots.txt serve the robots of an operator.

Scope: from the rows of a log to the requests of each operator, by site. An operator may fetch
robots.txt for all its robots under the name of one of them, or of none.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from goodbot.http.instants import to_datetime
from goodbot.policy import RobotsTxtAnswer
from goodbot.site.audit.logged_answer import VERIFIED, LoggedAnswer
from goodbot.site.audit.request import ROBOTS_TXT, HasOutcome, is_robots_fetch, target_path
from goodbot.site.audit.request_table import RequestRows
from goodbot.site.audit.robot_reading import RobotReading


class OperatorFetch(NamedTuple):
    """A request for robots.txt that serves the robots of an operator."""

    robot: str | None
    """The robot that it names; `None` without one, or if it names one of another operator."""
    fetch: LoggedAnswer
    """The request, as one of another robot."""

    def of(self, robot: str) -> LoggedAnswer:
        """Return it as one robot of the operator sees it."""
        return self.fetch._replace(is_own=self.robot == robot)


FetchGroups: TypeAlias = dict[tuple[str, str | None], list[OperatorFetch]]
"""Requests for robots.txt by operator and site."""


def operators_by_address(
    identities: Mapping[tuple[str, str], HasOutcome | str],
) -> dict[str, frozenset[str]]:
    """Return the operators that each address is verified for, as `RobotReading.operator`.

    Args:
        identities: What is known of who sent a request, by robot and address.

    Raises:
        RobotNameError: A robot is empty, or looks like a URL.

    """
    operators: dict[str, str] = {}
    found: dict[str, frozenset[str]] = {}
    for (robot, address), one in identities.items():
        if (one if isinstance(one, str) else one.outcome) != VERIFIED or not address:
            continue
        if robot not in operators:
            operators[robot] = RobotReading(robot).operator
        found[address] = found.get(address, frozenset()) | {operators[robot]}
    return found


def group_fetches(
    rows: RequestRows,
    readings: Mapping[str, RobotReading],
    operators: Mapping[str, frozenset[str]],
) -> FetchGroups:
    """Return the requests for robots.txt, by operator and site.

    Those that name a robot count for its operator, except spoofed ones. Those from an address that
    is verified as an operator's count for that operator, whatever they name: what was received may
    be used by all its robots. A failure forbids something only to the robot that asked
    (`LoggedAnswer.binds`): another program of the operator may have asked, too.

    Args:
        rows: The requests.
        readings: How each robot reads robots.txt.
        operators: The operators of addresses, from `operators_by_address`.

    """
    wanted = {place for place, name in enumerate(rows.target_names)
              if is_robots_fetch("GET", target_path(name))}  # fmt: skip
    found: FetchGroups = {}
    for group in rows.groups:
        own = readings[group.robot].operator
        for row in group.rows:
            if rows.targets[row] not in wanted or rows.methods[row] != "GET":
                continue
            identity = rows.identities[row]
            answer = answer_at(group.site, rows.times[row], rows.statuses[row])
            verified = operators.get(rows.addresses[row], frozenset())
            add(found, verified - {own}, answer, None, VERIFIED)
            if identity != "spoofed":
                add(found, {own}, answer, group.robot, identity)
            elif own in verified:
                add(found, {own}, answer, None, VERIFIED)
    for fetch in rows.unnamed_fetches:
        answer = answer_at(fetch.site, fetch.at, fetch.status)
        add(found, operators.get(fetch.address, ()), answer, None, VERIFIED)
    return found


def answer_at(site: str | None, at: int, status: int | None) -> RobotsTxtAnswer | None:
    """Return an answer, as the log has it; `None` if its time cannot be represented."""
    time = to_datetime(at)
    url = "" if site is None else f"{site}{ROBOTS_TXT}"
    return None if time is None else RobotsTxtAnswer(url, time, status)


def add(
    found: FetchGroups,
    operators: Iterable[str],
    answer: RobotsTxtAnswer | None,
    robot: str | None,
    identity: str,
) -> None:
    """Add a request for robots.txt; one whose time cannot be represented is skipped."""
    if answer is not None:
        fetch = OperatorFetch(robot, LoggedAnswer(answer, is_own=False, identity=identity))
        for operator in operators:
            found.setdefault((operator, answer.origin or None), []).append(fetch)
