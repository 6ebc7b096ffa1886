"""Which traps a crawl met, as findings: site by site, and counted by trap.

What may live here: choosing and counting what the queue has. What a trap is, is decided in
`goodbot.crawl.frontier.traps`.
"""

from collections.abc import Collection
from dataclasses import dataclass

from goodbot.crawl.evidence.skipped import traps_met
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.trap_memory import TrapMet

__all__ = ["TRAP_SEVERITY", "TrapCount", "counts_by_trap", "trap_findings"]

TRAP_SEVERITY = "warning"
"""The severity of every trap: links into it are left out, or cost visits without an end."""


@dataclass(slots=True)
class TrapCount:
    """How often a trap was met in a crawl."""

    code: str
    """The slug of the trap."""
    url: str
    """The first link into it, of the first site."""
    why: str
    """What shows the trap, of this link."""
    sites: int = 0
    links: int = 0
    """How many links led into it, each as often as it was found."""


def trap_findings(database: Database, codes: Collection[str] = ()) -> list[TrapMet]:
    """Return the traps that were met, one for each site and trap, left out or not.

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
