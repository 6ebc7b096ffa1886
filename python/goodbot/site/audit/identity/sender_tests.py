"""Who sent a request, from all that is at hand.

Scope: which tests there are for a robot, and which result prevails.
"""

from datetime import datetime

from goodbot.bots import KnownRobot
from goodbot.bots import known as known_robot
from goodbot.bots.published_addresses import is_internal
from goodbot.errors import WrongTypeError
from goodbot.http.instants import checked_time
from goodbot.site.audit.identity.address_list import check_address_list, check_address_prefix
from goodbot.site.audit.identity.identity_evidence import IdentityEvidence
from goodbot.site.audit.identity.identity_outcomes import IDENTITY_OUTCOMES
from goodbot.site.audit.identity.logged_address import read_address
from goodbot.site.audit.identity.reverse_dns import check_reverse_dns
from goodbot.site.audit.identity.sender_identity import IdentityTest, SenderIdentity


def sender_identity(
    robot: str | KnownRobot,
    address: str,
    time: datetime,
    evidence: IdentityEvidence,
    *,
    signature: IdentityTest | None = None,
) -> SenderIdentity:
    """Return who sent a request.

    A test that verifies prevails over one that does not; then one that shows that the name is
    spoofed. Spoofed is said only by a list, an answer of DNS or a signature that holds at the time
    of the request.

    Args:
        robot: The robot that the request names: a known one, or its name.
        address: The address that it came from, as the log has it.
        time: When, as the log has it.
        evidence: The lists and DNS answers that are at hand.
        signature: The result of `check_signature`, if the log has signatures.

    Raises:
        WrongTypeError: `address` is not a `str`, or the time not a `datetime`.
        WrongValueError: The time is naive.

    >>> from datetime import datetime, timezone
    >>> from goodbot.site.audit.identity import IdentityEvidence, sender_identity
    >>> at = datetime(2026, 1, 1, tzinfo=timezone.utc)
    >>> found = sender_identity("Googlebot", "66.249.66.1", at, IdentityEvidence())
    >>> found.outcome, found.reason
    ('unverifiable', 'no-list')

    Source: Google, Verify requests from Google crawlers and fetchers; Bing, Verify Bingbot.

    """
    if not isinstance(address, str):
        message = f"address must be a str, not {type(address).__name__}"
        raise WrongTypeError(message)
    checked_time(time, "time")
    known = robot if isinstance(robot, KnownRobot) else known_robot(robot)
    name = robot if isinstance(robot, str) else robot.name
    results = [] if signature is None else [signature]
    results += address_tests(known, address, time, evidence)
    # Stable: tests of one outcome keep their order.
    results.sort(key=lambda one: list(IDENTITY_OUTCOMES).index(one.outcome))
    return SenderIdentity(name, address, tuple(results))


def address_tests(
    robot: KnownRobot | None, written: str, time: datetime, evidence: IdentityEvidence
) -> list[IdentityTest]:
    """Return the results of the tests on an address, at least one."""
    if robot is None:
        return [IdentityTest("", "unknown-robot")]
    if not (robot.addresses or robot.prefixes or robot.hosts):
        return [IdentityTest("", "no-test-known")]
    if evidence.is_shortened:
        return [IdentityTest("", "address-shortened")]
    address = read_address(written)
    if address is None:
        return [IdentityTest("", "not-an-address")]
    if is_internal(address):
        return [IdentityTest("", "address-internal")]
    results = [check_address_list(robot, address, time, evidence)] if robot.addresses else []
    results += [check_address_prefix(robot, address)] if robot.prefixes else []
    results += [check_reverse_dns(robot, address, time, evidence)] if robot.hosts else []
    return results
