"""A bound of a crawl, such as its pages, shared by its processes in portions.

Scope: how much each process may use. A process gets a portion at a time, asks for the next one, and
returns what it does not need. There is no clock, socket or disk.
"""

from collections.abc import Sequence

__all__ = ["LEAST", "RESOURCES", "Quota"]

RESOURCES = {"pages": "page-limit", "bytes": "byte-limit", "disk": "disk-limit"}
"""What is shared, and the slug of the bound (`goodbot.crawl.frontier.bounds.REACHED`)."""

LEAST = {"pages": 1, "bytes": 64 * 1024, "disk": 256 * 1024}
"""The least portions; smaller ones would cost more messages than they are worth."""

PORTIONS = 2
"""A portion is what is left, divided by this and by the number of processes: large ones at first,
and small ones at the end, so that no process holds what another one needs."""


class Quota:
    """What is left of one bound, and what each process got of it.

    At any time the processes together may use no more than the bound. What they use beyond it,
    because a response was larger than what was left, is taken from what is left for the others.

    Args:
        limit: The bound; `None` for no limit.
        used: What each process uses already.
        least: The least portion.

    >>> quota = Quota(10, [0, 0])
    >>> quota.portion(0), quota.portion(1), quota.left
    (2, 2, 6)
    >>> quota.returned(0, 2)
    >>> quota.left
    8
    """

    def __init__(self, limit: int | None, used: Sequence[int], least: int = 1) -> None:
        """Start with what each process uses already."""
        self._limit = limit
        self._least = least
        self.given = list(used)
        """What each process may use in all."""

    @property
    def left(self) -> int:
        """What no process has got; 0 if there is no limit."""
        return 0 if self._limit is None else max(self._limit - sum(self.given), 0)

    def portion(self, process: int, over: int = 0) -> int:
        """Return the next portion of a process.

        Args:
            process: The number of the process.
            over: How much it has used beyond what it got.

        Returns:
            The portion, besides what covers `over`; 0 if nothing is left.

        """
        if self._limit is None:
            return 0
        self.given[process] += over
        size = max(self.left // (PORTIONS * len(self.given)), self._least)
        size = min(size, self.left)
        self.given[process] += size
        return size

    def returned(self, process: int, size: int) -> None:
        """Receive what a process does not need."""
        self.given[process] -= size
