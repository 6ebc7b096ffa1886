"""Who sent each request of a worker: noted when it is sent, and taken when it is recorded.

Scope: from the moment directly before a request is sent to its row in the evidence. A request is
recorded after its answer, when the lease may be another one and the clock of the machine may have
been set; so both are noted before.
"""

import os
import socket
import threading
from collections import deque
from datetime import datetime, timedelta
from typing import NamedTuple

from goodbot._core import origin as origin_of
from goodbot.crawl.evidence.senders import RequestSender, SentBy
from goodbot.crawl.fleet.server_clock import ServerClock
from goodbot.crawl.frontier.postgres import PostgresFrontier
from goodbot.http.instants import MICROSECOND
from goodbot.robot.events import Failed, Fetched

__all__ = ["SentRequests"]

STEP = 10_000
"""By how many microseconds the clock of the machine must differ from before to count as set."""
JITTER = timedelta(milliseconds=1)
"""By how much the start of a request may seem to be later than when it was sent."""


class SentNote(NamedTuple):
    """A request that was sent."""

    at: datetime
    """When, by the clock of the server."""
    by: SentBy


class SentRequests:
    """The requests of a worker that were sent and are not recorded yet.

    Args:
        frontier: The queue of the worker, with its leases.
        clock: The clock of the server, with that of the machine.
        worker: The name of the worker.

    """

    def __init__(self, frontier: PostgresFrontier, clock: ServerClock, *, worker: str) -> None:
        """Start without requests."""
        self._frontier, self._clock = frontier, clock
        self._sender = RequestSender(worker, socket.gethostname(), os.getpid())
        self._notes: dict[str, deque[SentNote]] = {}
        """The requests to each origin, in order."""
        self._lock = threading.Lock()

    def check(self, origin: str) -> None:
        """Note that a request is sent now, unless the leases have ended.

        Pass it to `AiohttpFetcher(before_sending=)`.

        Raises:
            StoreUnavailableError: They have; see `PostgresFrontier.check_lease`.

        """
        self._frontier.check_lease(origin)
        note = SentNote(self._clock.now(), self._sent_by(origin))
        with self._lock:
            self._notes.setdefault(origin, deque()).append(note)

    def take(self, event: Fetched | Failed) -> SentBy:
        """Return who sent a request, once it is recorded.

        Of one that failed before it was sent, such as for want of an address, that is who tried.
        """
        origin = origin_of(event.url)
        found: SentNote | None = None
        with self._lock:
            notes = self._notes.get(origin)
            while notes and notes[0].at <= event.at + JITTER:
                found = notes.popleft()
                if found.at >= event.started - JITTER:
                    break
            if not notes:
                self._notes.pop(origin, None)
        if found is None or found.at < event.started - JITTER:
            return self._sent_by(origin)
        return found.by

    def _sent_by(self, origin: str) -> SentBy:
        """Return who sends a request to an origin now."""
        ahead = (self._clock.machine.now() - self._clock.now()) // MICROSECOND
        if abs(ahead - self._sender.ahead) >= STEP:
            self._sender = self._sender._replace(ahead=ahead)
        return SentBy(self._sender, self._frontier.lease_of(origin))
