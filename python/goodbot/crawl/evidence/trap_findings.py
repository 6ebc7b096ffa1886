"""The traps that a crawl found, as findings: site by site, and counted by trap.

Scope: selecting and counting what the queue stores. `goodbot.crawl.frontier.traps` decides what a
trap is.
"""

from collections.abc import Collection
from dataclasses import dataclass

from goodbot.crawl.evidence.skipped import traps_met
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.trap_memory import TrapMet

__all__ = ["TRAP_SEVERITY", "TrapCount", "counts_by_trap", "trap_findings"]

TRAP_SEVERITY = "warning"
"""The severity of every trap: its links are skipped, or cost an unlimited number of visits."""


@dataclass(slots=True)
class TrapCount:
    """How often a kind of trap was found in a crawl."""

    code: str
    """The slug of the trap."""
    url: str
    """The first link into it, on the first site."""
    why: str
    """How the trap was recognised by this link."""
    sites: int = 0
    links: int = 0
    """The number of links into it, each counted once for every page that has it."""


def trap_findings(database: Database, codes: Collection[str] = ()) -> list[TrapMet]:
    """Return the traps that were found, by site, whether their links were skipped or not.

    Args:
        database: The file of the crawl.
        codes: Only traps with these slugs; all if empty.

    Raises:
        NotAStoreError: A count is damaged.

    """
    return [one for one in traps_met(database) if not codes or one.trap in codes]


def counts_by_trap(database: Database) -> list[TrapCount]:
    """Count the links into the traps of all sites, the most frequent trap first.

    Args:
        database: The file of the crawl.

    Raises:
        NotAStoreError: A count is damaged.

    """
    counts: dict[str, TrapCount] = {}
    for met in trap_findings(database):
        known = counts.setdefault(met.trap, TrapCount(met.trap, met.example, met.why))
        known.sites += 1
        known.links += met.links
    return sorted(counts.values(), key=lambda one: (-one.links, one.code))
