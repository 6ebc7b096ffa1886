"""How long one thing holds the event loop: a task that would run every few milliseconds tells."""

import asyncio
import time
from types import TracebackType

__all__ = ["LoopProbe"]

EVERY = 0.002
"""Seconds after which the task would run again."""


class LoopProbe:
    """Watches the running event loop within `async with`.

    >>> async def main() -> None:
    ...     async with LoopProbe() as probe:
    ...         await asyncio.sleep(0.01)
    ...         time.sleep(0.03)
    ...         await asyncio.sleep(0.01)
    ...     print(probe.longest >= 0.02, probe.turns > 1)
    >>> asyncio.run(main())
    True True
    """

    longest = 0.0
    """The longest that the task had to wait beyond its time, in seconds."""
    turns = 0
    """How often it ran."""

    async def __aenter__(self) -> "LoopProbe":  # noqa: PYI034  Self is of Python 3.11
        """Begin to watch."""
        self._task = asyncio.ensure_future(self._watch())
        await asyncio.sleep(0)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End watching."""
        await asyncio.sleep(0)
        self._task.cancel()

    async def _watch(self) -> None:
        while True:
            since = time.perf_counter()
            await asyncio.sleep(EVERY)
            self.longest = max(self.longest, time.perf_counter() - since - EVERY)
            self.turns += 1
