"""Which requests for robots.txt serve the robots of an operator.

Scope: from the rows of a log to the requests of each operator, by site. An operator may fetch
robots.txt for all its robots under the name of one of them, or of none.
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from goodbot.audit.request import HasOutcome, is_robots_fetch, path_of
from goodbot.audit.request_table import RequestRows
from goodbot.audit.robot_reading import RobotReading
from goodbot.audit.robots_fetch import RobotsFetch, meaning_of
from goodbot.http.instants import to_datetime

__all__ = ["FetchGroups", "fetches_of", "operators_by_address"]

FetchGroups: TypeAlias = dict[tuple[str, str | None], list[RobotsFetch]]
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
        if (one if isinstance(one, str) else one.outcome) != "verified" or not address:
            continue
        if robot not in operators:
            operators[robot] = RobotReading(robot).operator
        found[address] = found.get(address, frozenset()) | {operators[robot]}
    return found


def fetches_of(
    rows: RequestRows,
    readings: Mapping[str, RobotReading],
    operators: Mapping[str, frozenset[str]],
) -> FetchGroups:
    """Return the requests for robots.txt, by operator and site.

    Those that name a robot count for its operator, except spoofed ones. Those from an address that
    is verified as an operator's count for that operator, whatever they name: what was received may
    be used by all its robots. If the answer was a failure, they do not count: it forbids something
    only to a robot that asked, and another program of the operator may have.

    Args:
        rows: The requests.
        readings: How each robot reads robots.txt.
        operators: The operators of addresses, from `operators_by_address`.

    """
    wanted = {place for place, name in enumerate(rows.target_names)
              if is_robots_fetch("GET", path_of(name))}  # fmt: skip
    found: FetchGroups = {}
    for group in rows.groups:
        own = readings[group.robot].operator
        for row in group.rows:
            if rows.targets[row] not in wanted or rows.methods[row] != "GET":
                continue
            whose: set[str] = set()
            if not is_failure(rows.statuses[row]):
                whose.update(operators.get(rows.addresses[row], ()))
            if rows.identities[row] != "spoofed":
                whose.add(own)
            add(found, whose, group.site, rows.times[row], rows.statuses[row])
    for one in rows.unnamed_fetches:
        if not is_failure(one.status):
            add(found, operators.get(one.address, ()), one.site, one.at, one.status)
    return found


def is_failure(status: int | None) -> bool:
    """Return whether a status forbids everything in some dialect (RFC 9309 section 2.3.1.4)."""
    return "unreachable" in {meaning_of(status), meaning_of(status, "google")}


def add(
    found: FetchGroups, operators: Iterable[str], site: str | None, at: int, status: int | None
) -> None:
    """Add a request for robots.txt; one whose time cannot be represented is skipped."""
    time = to_datetime(at)
    if time is not None:
        for operator in operators:
            found.setdefault((operator, site), []).append(RobotsFetch(time, status))
