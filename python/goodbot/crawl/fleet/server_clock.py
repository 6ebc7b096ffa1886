"""A clock that shows the time of a server, whatever the clock of the machine shows.

Scope: the clock. The store decides from when the time of a machine counts, as it does for robots.
"""

from datetime import datetime, timedelta

from goodbot.net import Clock, SystemClock
from goodbot.store import Timekeeper

__all__ = ["ServerClock"]


class ServerClock(SystemClock):
    """The time of a server, counted by the machine since its start; see `goodbot.net.Clock`.

    Setting the clock of the machine changes nothing. All processes of a machine agree to the
    microsecond.

    Args:
        store: The store, whose `keep_time` counts by the clock of its server.
        machine: The clock of the machine.

    """

    def __init__(self, store: Timekeeper, machine: Clock | None = None) -> None:
        """Request the time once."""
        self.machine = machine or SystemClock()
        """The clock of the machine, whose time of day counts for nothing."""
        counted = timedelta(seconds=self.monotonic())
        self._zero = store.keep_time(self.boot, self.machine.now(), counted)

    def now(self) -> datetime:
        """Return the time of the server, in UTC."""
        return self._zero + timedelta(seconds=self.monotonic())
