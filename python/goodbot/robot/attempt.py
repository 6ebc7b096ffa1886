"""A visit in steps that the caller makes one by one, to record each of them.

Scope: the order of the steps of one hop; `visiting` carries them out.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from goodbot.http.address import Address, address_of, spelling_of
from goodbot.net.fetcher import HeaderFields
from goodbot.robot.visit import Visit
from goodbot.robot.visit_log import VisitLog
from goodbot.robot.visiting import Reads, Visiting

__all__ = ["Attempt"]

NAMES_WAIT = 120.0
"""The most seconds to wait for the turn of a page of names, since the visited page waits for it."""


class Attempt:
    """A visit of one hop, step by step, so that each step can be recorded before the next.

    Args:
        visiting: The object that carries out the steps.
        url: An absolute http or https URL.
        longest_wait: The most seconds to wait for the turn; `None` for no limit.
        reads: What to read: responses of the wanted types, all responses, or only the header.

    Raises:
        NoOriginError: The URL is not an absolute http or https URL.

    """

    def __init__(
        self, visiting: Visiting, url: str, longest_wait: float | None, *, reads: Reads = "types"
    ) -> None:
        """Prepare the visit; nothing is requested yet."""
        self.log = VisitLog()
        """The record of what was done so far, even if a step raised."""
        self._visiting = visiting
        self._waiting = visiting.waiting(
            address_of(url), longest_wait, spelling=spelling_of(url), log=self.log
        )
        self._waiting.reads = reads

    @property
    def permission(self) -> str:
        """The permission of the owner to fetch the URL although robots.txt disallows it, if any."""
        return self._waiting.permission

    def ask(self) -> Coroutine[Any, Any, None]:
        """Fetch the robots.txt of the site, unless its policy is known and may still be used.

        Raises:
            Disallowed: The operator has blocked the URL or its site.
            Deferred: The time for robots.txt has not come yet, it was unreachable too often, or the
                operator has paused the site.
            StoreError: The store cannot be read or written.

        """
        return self._visiting.ask(self._waiting)

    def read_names(
        self, visit: Visit, is_wanted: Callable[[Address], bool]
    ) -> Coroutine[Any, Any, Visit]:
        """Fetch the page of robots' names to which a page points, unless it is known.

        Args:
            visit: The visit to the page, as `fetch` returned it.
            is_wanted: Returns whether a page of names may be fetched, by its origin and URL.

        Returns:
            The visit with that page; without it if there is none or it cannot be fetched.

        """
        return self._visiting.with_names(visit, NAMES_WAIT, self.log, is_wanted)

    async def fetch(self, conditions: HeaderFields = ()) -> Visit:
        """Wait for the turn and fetch the URL if it is allowed; do not follow redirects.

        Args:
            conditions: The fields of a conditional request (`goodbot.robot.revisit`). If you send
                them, pass the earlier response to `Visit.confirming`.

        Raises:
            Disallowed: The policy forbids it.
            Deferred: The turn comes later than the visit may wait.
            FetchError: There was no response.
            StoreError: The store cannot be read or written.

        """
        return self._visiting.came_to(
            await self._visiting.fetch(self._waiting, conditions=conditions)
        )
