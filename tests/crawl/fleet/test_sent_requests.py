"""Who sent a request is noted when it is sent, and taken when it is recorded."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, cast

import pytest

from goodbot.errors import StoreUnavailableError
from goodbot.robot.events import Failed

pytest.importorskip("psycopg_pool", reason="needs the extra postgres")

if TYPE_CHECKING:
    from goodbot.crawl.fleet.sent_requests import SentRequests

SITE = "https://a.example"
START = datetime(2026, 1, 1, tzinfo=timezone.utc)


class Clocks:
    """The clock of the server, and that of a machine."""

    def __init__(self) -> None:
        """Start both at the same time."""
        self.time, self.ahead = START, timedelta(0)
        self.machine = self

    def now(self) -> datetime:
        """Return what the machine shows."""
        return self.time + self.ahead


class ServerTime:
    """The clock of the server with that of a machine, as `ServerClock` has them."""

    def __init__(self, clocks: Clocks) -> None:
        """Combine both."""
        self.machine, self._clocks = clocks, clocks

    def now(self) -> datetime:
        """Return what the server shows."""
        return self._clocks.time


class Leases:
    """The leases of a worker."""

    def __init__(self) -> None:
        """Hold one site."""
        self.numbers: dict[str, int] = {SITE: 7}
        self.have_ended = False

    def check_lease(self, origin: str) -> None:
        """Raise if the leases have ended."""
        if self.have_ended:
            raise StoreUnavailableError(origin)

    def lease_of(self, origin: str) -> int | None:
        """Return the number of a lease."""
        return self.numbers.get(origin)


@pytest.fixture
def clocks() -> Clocks:
    """Return the clocks."""
    return Clocks()


@pytest.fixture
def leases() -> Leases:
    """Return the leases."""
    return Leases()


@pytest.fixture
def sent(clocks: Clocks, leases: Leases) -> SentRequests:
    """Return the requests of a worker."""
    from goodbot.crawl.fleet.sent_requests import SentRequests  # noqa: PLC0415  needs the extra

    return SentRequests(cast("Any", leases), cast("Any", ServerTime(clocks)), worker="one")


def request(clocks: Clocks, seconds: float = 0.5) -> Failed:
    """Return the event of a request that began now, and let it end."""
    started = clocks.time
    clocks.time += timedelta(seconds=seconds)
    return Failed(f"{SITE}/a", clocks.time, "timeout", "page", started)


def test_a_request_has_the_lease_and_the_clock_of_when_it_was_sent(
    sent: SentRequests, clocks: Clocks, leases: Leases
) -> None:
    """Although both are others when it is recorded."""
    sent.check(SITE)
    first = request(clocks)
    clocks.ahead, leases.numbers[SITE] = timedelta(hours=1), 8
    clocks.time += timedelta(seconds=1)
    sent.check(SITE)
    second = request(clocks)
    clocks.ahead = timedelta(0)
    leases.numbers.clear()
    taken = [sent.take(first), sent.take(second)]
    assert [one.lease for one in taken] == [7, 8]
    assert [one.sender.ahead for one in taken] == [0, 3_600_000_000]
    assert {one.sender.worker for one in taken} == {"one"}


def test_what_was_not_sent_has_who_tried(
    sent: SentRequests, clocks: Clocks, leases: Leases
) -> None:
    """And a note of another request, which was never recorded, is not taken for it."""
    sent.check(SITE)
    clocks.time += timedelta(seconds=10)
    leases.numbers[SITE] = 8
    assert sent.take(request(clocks)).lease == 8
    elsewhere = Failed("https://b.example/", clocks.time, "dns", "robots-txt", clocks.time)
    assert sent.take(elsewhere).lease is None


def test_small_differences_of_the_clock_are_no_new_sender(
    sent: SentRequests, clocks: Clocks
) -> None:
    """A clock that drifts does not make a row for each request."""
    found = set()
    for microseconds in range(0, 30_000, 100):
        clocks.ahead = timedelta(microseconds=microseconds)
        sent.check(SITE)
        sender = sent.take(request(clocks)).sender
        assert abs(sender.ahead - microseconds) < 10_000
        found.add(sender)
        clocks.time += timedelta(seconds=1)
    assert len(found) == 3


def test_nothing_is_noted_of_a_request_that_is_not_sent(sent: SentRequests, leases: Leases) -> None:
    """Because the leases have ended."""
    leases.have_ended = True
    with pytest.raises(StoreUnavailableError):
        sent.check(SITE)
    assert not sent._notes  # noqa: SLF001  so that it cannot grow
