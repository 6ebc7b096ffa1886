"""The test by lists: did a list of the operator have the address at the time?

Scope: one test. A list that does not cover the time says nothing.
"""

from datetime import datetime
from functools import lru_cache

from goodbot.bots import KnownRobot
from goodbot.bots.prefix_set import PrefixSet
from goodbot.site.audit.identity.dated_list import DatedList
from goodbot.site.audit.identity.identity_evidence import IdentityEvidence
from goodbot.site.audit.identity.logged_address import LoggedAddress
from goodbot.site.audit.identity.sender_identity import IdentityPlace, IdentityTest

TEST = "list"


def check_address_list(
    robot: KnownRobot, address: LoggedAddress, time: datetime, evidence: IdentityEvidence
) -> IdentityTest:
    """Return what the lists of a robot say about an address.

    One list that has it is enough. That none has it is shown only if each list of the robot is at
    hand, whole, and of the time: the address may be in the one that is not.

    Args:
        robot: The robot, which has lists.
        address: The address.
        time: The time of the request.
        evidence: The lists that are at hand.

    Source: Google, Verify requests from Google crawlers and fetchers; Bing, Verify Bingbot.

    """
    checked: list[IdentityTest] = []
    for published in robot.addresses:
        copies = evidence.lists.get(published.url, ())
        found = copies_test(published.url, copies, address, time)
        if found.outcome == "verified":
            return found
        checked.append(found)
    return next((test for test in checked if test.outcome == "unverifiable"), checked[0])


def copies_test(
    url: str, copies: tuple[DatedList, ...], address: LoggedAddress, time: datetime
) -> IdentityTest:
    """Return what the copies of one list say."""
    if not copies:
        return IdentityTest(TEST, "no-list", IdentityPlace(url))
    of_the_time = [copy for copy in copies if copy.covers(time)]
    if not of_the_time:
        near = min(copies, key=lambda copy: distance(copy, time))
        return IdentityTest(TEST, "list-of-another-time", make_place(near))
    for copy in of_the_time:
        prefix = copy.prefix_set.holding(address)
        if prefix is not None:
            return IdentityTest(TEST, "listed", make_place(copy, prefix))
    whole = [copy for copy in of_the_time if copy.is_complete]
    reason = "not-listed" if whole else "list-incomplete"
    return IdentityTest(TEST, reason, make_place((whole or of_the_time)[-1]))


def distance(one: DatedList, time: datetime) -> float:
    """Return the seconds between a time and a list that does not cover it."""
    return max((one.begins - time).total_seconds(), (time - one.ends).total_seconds())


def make_place(one: DatedList, prefix: str = "") -> IdentityPlace:
    """Return a list as the place of a decision."""
    return IdentityPlace(one.url, prefix, one.begins, one.ends)


def check_address_prefix(robot: KnownRobot, address: LoggedAddress) -> IdentityTest:
    """Return what the prefixes say that an operator states once and for all.

    They have no dates, so an address beside them shows nothing.

    Args:
        robot: The robot, which has prefixes.
        address: The address.

    """
    source = robot.source("prefixes")
    url = "" if source is None else source.url
    prefix = find_prefixes(robot.prefixes).holding(address)
    reason = "not-in-stated-prefixes" if prefix is None else "stated-prefix"
    return IdentityTest(TEST, reason, IdentityPlace(url, prefix or ""))


@lru_cache
def find_prefixes(prefixes: tuple[str, ...]) -> PrefixSet:
    """Return the prefixes of a robot for lookups."""
    return PrefixSet(prefixes)
