"""Who sent each of many requests: one decision for each robot, address and span of time.

Scope: a log has millions of lines and few addresses of robots. Evidence changes at certain times
only; between two of them a decision stays what it is.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from datetime import datetime

from goodbot.bots import KnownRobot, known
from goodbot.http.instants import checked_time
from goodbot.site.audit.identity.identity_evidence import IdentityEvidence
from goodbot.site.audit.identity.logged_address import canonical, read_address
from goodbot.site.audit.identity.reverse_dns import span
from goodbot.site.audit.identity.sender_identity import SenderIdentity
from goodbot.site.audit.identity.sender_tests import sender_identity

MOST_KEPT = 200_000
"""The most decisions that are kept; beyond it all are made anew."""


class Identities:
    """Answers who sent each of many requests, by the same evidence.

    Args:
        evidence: The lists and DNS answers that are at hand.

    >>> from datetime import datetime, timezone
    >>> from goodbot.site.audit.identity import Identities, IdentityEvidence
    >>> identities = Identities(IdentityEvidence())
    >>> at = datetime(2026, 1, 1, tzinfo=timezone.utc)
    >>> identities.of("Googlebot", "66.249.66.1", at).outcome
    'unverifiable'
    """

    def __init__(self, evidence: IdentityEvidence) -> None:
        self.evidence = evidence
        self.kept: dict[tuple[str, str, int], SenderIdentity] = {}
        self._times: dict[tuple[str, str], list[datetime]] = {}

    def of(self, robot: str, address: str, time: datetime) -> SenderIdentity:
        """Return who sent a request, as `sender_identity` does.

        Args:
            robot: The robot that it names.
            address: The address that it came from, as the log has it.
            time: When, as the log has it.

        Raises:
            WrongTypeError: `address` is not a `str`, or the time not a `datetime`.
            WrongValueError: The time is naive.

        """
        times = self._changes(robot, address)
        where = (robot, address, bisect_right(times, time) if times else 0)
        found = self.kept.get(where)
        if found is None:
            found = sender_identity(robot, address, time, self.evidence)
            if len(self.kept) >= MOST_KEPT:
                self._times.clear()
                self.kept.clear()
            self.kept[where] = found
        return found

    def between(
        self, robot: str, address: str, first: datetime, last: datetime
    ) -> tuple[SenderIdentity, ...]:
        """Return who sent the requests of a span of time; several if the evidence changes in it.

        Args:
            robot: The robot that they name.
            address: The address that they came from, as the log has it.
            first: The time of the first request.
            last: The time of the last request.

        Raises:
            WrongTypeError: `address` is not a `str`, or a time not a `datetime`.
            WrongValueError: A time is naive.

        """
        cuts = [change for change in self._changes(robot, address) if first < change <= last]
        if not cuts:
            return (self.of(robot, address, first),)
        return tuple(dict.fromkeys(self.of(robot, address, time) for time in [first, *cuts]))

    def _changes(self, robot: str, address: str) -> list[datetime]:
        """Return the times at which a decision may change."""
        found = self._times.get((robot, address))
        if found is None:
            found = self._times[robot, address] = changes(known(robot), address, self.evidence)
        return found


def changes(robot: KnownRobot | None, written: str, evidence: IdentityEvidence) -> list[datetime]:
    """Return the times at which a decision may change."""
    address = read_address(written) if isinstance(written, str) else None
    if robot is None or address is None:
        return []
    found: set[datetime] = set()
    for published in robot.addresses:
        for copy in evidence.lists.get(published.url, ()):
            found |= {copy.begins, copy.ends}
    for record in evidence.dns.get(canonical(address), ()):
        found |= set(span(record, evidence.dns_window))
    return sorted(found)


def lookups_wanted(
    requests: Iterable[tuple[str, str, datetime]], evidence: IdentityEvidence, *, now: datetime
) -> Iterator[str]:
    """Yield the addresses that DNS can say something about, each once.

    Those are of robots whose operators name their hosts, that nothing verifies so far, and whose
    request is so recent that an answer of today holds for it.

    Args:
        requests: The robot, address and time of each request.
        evidence: What is at hand.
        now: The time at which DNS would answer.

    Raises:
        WrongTypeError: A time is not a `datetime`.
        WrongValueError: A time is naive.

    """
    identities = Identities(evidence)
    seen: set[str] = set()
    for robot, written, time in requests:
        if abs(checked_time(now, "now") - checked_time(time, "time")) > evidence.dns_window:
            continue
        found = identities.of(robot, written, time)
        address = read_address(written)
        asks = any(
            test.test == "reverse-dns" and test.outcome != "verified" for test in found.tests
        )
        if found.outcome == "verified" or not asks or address is None:
            continue
        spelling = canonical(address)
        if spelling not in seen and not has_answer(found):
            seen.add(spelling)
            yield spelling


def has_answer(identity: SenderIdentity) -> bool:
    """Return whether DNS has answered for the time of a request."""
    waiting = {"no-dns-answer", "dns-of-another-time", "dns-failed"}
    return all(test.reason not in waiting for test in identity.tests)
