"""A fetcher that knows which tasks have requests under way.

Scope: the wrapper around a fetcher. With it, a crawl that ends completes its requests and cancels
only tasks that wait.
"""

import asyncio
from dataclasses import replace
from typing import Any

from goodbot.net import DEFAULT_LIMITS, Fetcher, HeaderFields, Limits, Response

__all__ = ["InFlight"]


class InFlight:
    """Wraps a fetcher and tracks its requests.

    Args:
        fetcher: The fetcher.
        is_ours: Whether to close the fetcher at the end; callers close their own.

    """

    def __init__(self, fetcher: Fetcher, *, is_ours: bool) -> None:
        """Start without requests."""
        self._fetcher = fetcher
        self.is_ours = is_ours
        self.loop: asyncio.AbstractEventLoop | None = None
        """The event loop of the run; without it, each request takes a system call to find it."""
        self.tasks: set[asyncio.Task[Any]] = set()
        """The tasks whose requests are under way."""
        self._limits = DEFAULT_LIMITS, replace(DEFAULT_LIMITS, keep_wire=True)
        """The last limits, and the same with the bytes as sent."""

    async def fetch(
        self, url: str, *, headers: HeaderFields = (), limits: Limits = DEFAULT_LIMITS
    ) -> Response:
        """Fetch one URL; see `Fetcher.fetch`."""
        task = asyncio.current_task(self.loop)
        assert task is not None  # noqa: S101  a coroutine runs in a task
        self.tasks.add(task)
        try:
            return await self._fetcher.fetch(url, headers=headers, limits=self._with_wire(limits))
        finally:
            self.tasks.discard(task)

    def _with_wire(self, limits: Limits) -> Limits:
        """Return limits that keep the bytes as sent, as an archive stores them."""
        if limits is not self._limits[0]:  # mostly the same
            self._limits = limits, replace(limits, keep_wire=True)
        return self._limits[1]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  of any type
        """Return what the fetcher has as well, such as `find_address`."""
        return getattr(self._fetcher, name)

    async def close(self) -> None:
        """Close the fetcher, if it is ours."""
        close = getattr(self._fetcher, "close", None)
        if self.is_ours and close is not None:
            await close()
