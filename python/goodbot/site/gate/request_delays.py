"""How soon a robot comes again: a bounded memory of this process.

Scope: decides; seconds of a steady clock are handed in. Several workers each count for themselves.
"""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock

__all__ = ["RequestDelays"]

MOST_ROBOTS = 4_096
"""How many robots of hosts are remembered; the one seen longest ago is dropped first."""
TOLERANCE = 0.1
"""The part of a delay by which a request may be early: networks do not keep pauses exactly."""


class RequestDelays:
    """Notes when each robot may come again.

    >>> delays = RequestDelays()
    >>> delays.wait("bingbot", 10, now=100.0), delays.wait("bingbot", 10, now=104.0)
    (0.0, 6.0)
    >>> delays.wait("bingbot", 10, now=109.5)
    0.0
    """

    def __init__(self) -> None:
        """Start without robots."""
        self.last: OrderedDict[Hashable, float] = OrderedDict()
        self.lock = Lock()

    def wait(self, robot: Hashable, delay: float, *, now: float) -> float:
        """Return the seconds that a robot must wait; 0 if it may come, which is noted then.

        A request that is refused is not noted, so that waiting as told always helps.

        Args:
            robot: What the robot is remembered by.
            delay: The seconds between two of its requests.
            now: The seconds of a steady clock.

        """
        with self.lock:
            left = self.last.get(robot, -delay + now) + delay - now
            if left > delay * TOLERANCE:
                return left
            self.last[robot] = now
            self.last.move_to_end(robot)
            if len(self.last) > MOST_ROBOTS:
                self.last.popitem(last=False)
        return 0.0
