"""A fetcher that knows whose requests are under way.

What may live here: the wrapper. So a crawl that is to end lets requests come to their end, and
breaks off only waiting.
"""

import asyncio
from dataclasses import replace
from typing import Any

from goodbot.net import DEFAULT_LIMITS, Fetcher, HeaderFields, Limits, Response

__all__ = ["InFlight"]


class InFlight:
    """Fetches by another fetcher.

    Args:
        fetcher: What fetches.
        is_ours: Whether to close it at the end; a caller closes its own.

    """

    def __init__(self, fetcher: Fetcher, *, is_ours: bool) -> None:
        """Begin with no requests."""
        self._fetcher = fetcher
        self.is_ours = is_ours
        self.tasks: set[asyncio.Task[Any]] = set()
        """The tasks whose requests are under way."""

    async def fetch(
        self, url: str, *, headers: HeaderFields = (), limits: Limits = DEFAULT_LIMITS
    ) -> Response:
        """Fetch one URL; see `Fetcher.fetch`."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  a coroutine runs in one
        self.tasks.add(task)
        try:
            # An archive keeps answers as they came.
            limits = replace(limits, keep_wire=True)
            return await self._fetcher.fetch(url, headers=headers, limits=limits)
        finally:
            self.tasks.discard(task)

    async def close(self) -> None:
        """Close the fetcher, if it is ours."""
        close = getattr(self._fetcher, "close", None)
        if self.is_ours and close is not None:
            await close()
