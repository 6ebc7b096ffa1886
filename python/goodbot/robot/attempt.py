"""A visit whose steps are called one by one, by a caller that records each of them.

What may live here: the order of the steps of one hop. What they do is in `visiting`.
"""

from collections.abc import Callable

from goodbot.http.address import Address, address_of, spelling_of
from goodbot.net.fetcher import HeaderFields
from goodbot.robot.visit import Visit
from goodbot.robot.visit_log import VisitLog
from goodbot.robot.visiting import Visiting

__all__ = ["Attempt"]

NAMES_WAIT = 120.0
"""Seconds to wait at most for the turn of a page of names: until then the page waits as well."""


class Attempt:
    """One visit of one hop, step by step: so that each step can be recorded before the next.

    Args:
        visiting: Makes the steps.
        url: An absolute URL of http or https.
        longest_wait: Seconds for which it may wait for its turn; `None` for as long as it takes.
        reads_all: Whether an answer of any type is read.

    Raises:
        NoOriginError: The URL is not absolute, or neither of http nor of https.

    """

    def __init__(
        self, visiting: Visiting, url: str, longest_wait: float | None, *, reads_all: bool = False
    ) -> None:
        """Begin; nothing is asked yet."""
        self.log = VisitLog()
        """What was done so far, whatever a step raised."""
        self._visiting = visiting
        self._waiting = visiting.waiting(
            address_of(url), longest_wait, spelling=spelling_of(url), log=self.log
        )
        self._waiting.reads_all = reads_all

    async def ask(self) -> None:
        """Ask the site for its robots.txt, unless its policy is known and may still be used.

        Raises:
            Disallowed: The operator has blocked the URL or its site.
            Deferred: robots.txt may not be asked for yet, or was out of reach too often; or the
                operator has paused the site.
            StoreError: The store cannot be read or written.

        """
        await self._visiting.ask(self._waiting)

    async def read_names(self, visit: Visit, is_wanted: Callable[[Address], bool]) -> Visit:
        """Fetch the page of names of robots to which a page points, unless it is known.

        Args:
            visit: The visit of the page, as `fetch` returned it.
            is_wanted: Whether a page of names may be asked for, by its origin and URL.

        Returns:
            The visit with that page; without it, if there is none or it cannot be had.

        """
        return await self._visiting.with_names(visit, NAMES_WAIT, self.log, is_wanted)

    async def fetch(self, conditions: HeaderFields = ()) -> Visit:
        """Fetch the URL when its turn has come, if it may be fetched; follow no redirect.

        Args:
            conditions: The fields of a conditional request (`goodbot.robot.revisit`); whoever sends
                them hands the earlier answer to `Visit.confirming`.

        Raises:
            Disallowed: The policy forbids it.
            Deferred: Its turn comes later than it may wait.
            FetchError: No answer came.
            StoreError: The store cannot be read or written.

        """
        return self._visiting.came_to(
            await self._visiting.fetch(self._waiting, conditions=conditions)
        )
