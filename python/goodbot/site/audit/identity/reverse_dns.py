"""The test by forward-confirmed reverse DNS: is the name the operator's, and does it lead back?

Scope: one test on answers that DNS has given. The owner of an address can give it any name, so that
only the way back shows whose it is.
"""

from datetime import datetime, timedelta

from goodbot.bots import KnownRobot
from goodbot.http.instants import later
from goodbot.site.audit.identity.dns_record import DnsRecord
from goodbot.site.audit.identity.host_masks import fitting_mask
from goodbot.site.audit.identity.identity_evidence import IdentityEvidence
from goodbot.site.audit.identity.logged_address import LoggedAddress, canonical, read_address
from goodbot.site.audit.identity.sender_identity import IdentityPlace, IdentityTest

TEST, SOURCE = "reverse-dns", "reverse DNS"


def check_reverse_dns(
    robot: KnownRobot, address: LoggedAddress, time: datetime, evidence: IdentityEvidence
) -> IdentityTest:
    """Return what DNS said about an address.

    If several answers hold at the time, one that confirms the name is enough.

    Args:
        robot: The robot, which has masks of host names.
        address: The address.
        time: The time of the request.
        evidence: The answers that are at hand.

    Source: Google, Verify requests from Google crawlers and fetchers; Bing, Verify Bingbot.

    """
    records = evidence.dns.get(canonical(address), ())
    if not records:
        return IdentityTest(TEST, "no-dns-answer")
    window = evidence.dns_window
    of_the_time = [record for record in records if holds(record, time, window)]
    if not of_the_time:
        near = min(records, key=lambda record: abs(record.asked - time))
        return IdentityTest(TEST, "dns-of-another-time", make_place(near, "", window))
    results = [record_test(robot, address, record, window) for record in of_the_time]
    for outcome in ("verified", "spoofed"):
        found = [result for result in results if result.outcome == outcome]
        if found:
            return found[-1]
    return results[-1]


def holds(record: DnsRecord, time: datetime, window: timedelta) -> bool:
    """Return whether an answer holds at a time."""
    begins, ends = span(record, window)
    return begins <= time < ends


def span(record: DnsRecord, window: timedelta) -> tuple[datetime, datetime]:
    """Return from when until when an answer holds; a moment more, so that it holds when asked."""
    seconds = window.total_seconds()
    return later(record.asked, -seconds), later(record.asked, seconds + 1e-6)


def record_test(
    robot: KnownRobot, address: LoggedAddress, record: DnsRecord, window: timedelta
) -> IdentityTest:
    """Return what one answer says."""
    shown = next((name for name in record.names if name), "")
    if record.status != "answered":
        reason = "no-name" if record.status == "none" else "dns-failed"
        return IdentityTest(TEST, reason, make_place(record, "", window))
    own = [name for name in record.names if fitting_mask(name, robot.hosts)]
    if not own:
        return IdentityTest(TEST, "other-name", make_place(record, shown, window))
    reasons = {name: way_back(record, name, address) for name in own}
    for reason in ("name-confirmed", "dns-failed", "name-not-confirmed"):
        for name, found in reasons.items():
            if found == reason:
                return IdentityTest(TEST, reason, make_place(record, name, window))
    return IdentityTest(TEST, "no-dns-answer", make_place(record, own[0], window))


def way_back(record: DnsRecord, name: str, address: LoggedAddress) -> str:
    """Return whether a name leads back to the address, as a reason."""
    found = next((answer for answer in record.forward if answer.name == name), None)
    if found is None:
        return "no-dns-answer"
    if any(read_address(one) == address for one in found.addresses):
        return "name-confirmed"
    return "dns-failed" if found.status == "failed" else "name-not-confirmed"


def make_place(record: DnsRecord, name: str, window: timedelta) -> IdentityPlace:
    """Return an answer as the place of a decision."""
    return IdentityPlace(SOURCE, name, *span(record, window))
