"""What a run has to do with the other processes of its crawl.

Scope: the protocol by which a run asks and tells them. `goodbot.crawl.processes` implements it; a
crawl in one process has no company.
"""

from dataclasses import dataclass
from typing import Protocol

__all__ = ["Company", "Rest"]


@dataclass(frozen=True, slots=True)
class Rest:
    """Why a process has nothing to do for now."""

    is_hungry: bool = False
    """Whether it has used up its share of a bound, such as the pages of the crawl."""
    holds: bool = False
    """Whether URLs of sites that had their share of the pages wait for other sites."""
    is_waiting: bool = False
    """Whether URLs wait that are due too late for this run."""
    is_cut_short: bool = False
    """Whether URLs wait at a site that has reached its page limit in this run."""


class Company(Protocol):
    """The other processes of a crawl."""

    def reached(self, pages: int, received: int, disk: int) -> str | None:
        """Return the bound whose share this process has used up, a slug; `None` if there is none.

        Args:
            pages: The number of pages visited here, and those being visited.
            received: The number of bytes received here.
            disk: The size of this part of the folder in bytes.

        """

    def rests(self, rest: Rest) -> None:
        """Report that nothing is left to do here. The run ends when all processes agree."""

    def works(self) -> None:
        """Report that there is something to do here again."""

    def committed(self) -> None:
        """Report that all changes are committed, so that others can read them."""

    async def attend(self) -> None:
        """Exchange URLs and reports with the others until cancelled."""
