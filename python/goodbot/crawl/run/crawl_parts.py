"""The parts of a crawl in which visits are recorded, each behind its protocol.

Scope: choosing the implementation of each part. To store the queue, the index, the archive or the
evidence of a crawl elsewhere, pass other parts to `Recorder`.
"""

from dataclasses import dataclass, field
from datetime import datetime

from goodbot.crawl.archive.protocol import Archive
from goodbot.crawl.archive.warc_archive import WarcArchive
from goodbot.crawl.evidence.evidence import Evidence
from goodbot.crawl.evidence.protocol import EvidenceWriter
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.protocol import Frontier
from goodbot.crawl.frontier.sqlite import SQLiteFrontier
from goodbot.crawl.frontier.sqlite_traps import SQLiteTrapMemory
from goodbot.crawl.frontier.trap_memory import PlainTrapMemory, TrapMemory
from goodbot.crawl.index.protocol import Index
from goodbot.crawl.index.sqlite import SQLiteIndex
from goodbot.crawl.inventory.protocol import InventoryWriter, NoInventory
from goodbot.crawl.inventory.sqlite import SQLiteInventory
from goodbot.crawl.links.protocol import LinkWriter, NoLinks
from goodbot.crawl.links.sqlite import SQLiteLinks
from goodbot.robot.timeline import Timeline

__all__ = ["Parts", "parts_in"]


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one crawl."""

    frontier: Frontier
    archive: Archive
    evidence: EvidenceWriter
    index: Index
    traps: TrapMemory = field(default_factory=PlainTrapMemory)
    """The memory by which traps are recognised; by default it lasts as long as the process."""
    links: LinkWriter = field(default_factory=NoLinks)
    """The links of pages; by default they are not stored."""
    inventory: InventoryWriter = field(default_factory=NoInventory)
    """The facts of pages; by default they are not stored."""


def parts_in(
    database: Database,
    now: datetime,
    *,
    user_agent: str = "",
    timeline: Timeline | None = None,
    frontier: Frontier | None = None,
) -> Parts:
    """Open the parts of a crawl in its folder: one database, with WARC files next to it.

    Args:
        database: The file of the crawl.
        now: The time: an aware `datetime`.
        user_agent: The User-Agent of the robot.
        timeline: Reports changes of the clock; `None` if it is never set.
        frontier: The queue; `None` for one that has all URLs of the crawl.

    Raises:
        MissingExtraError: warcio is not installed (when the module is imported).
        StoreError: A file cannot be read or written.

    """
    frontier = SQLiteFrontier(database, now, timeline) if frontier is None else frontier
    archive = WarcArchive(database, user_agent=user_agent)
    traps = SQLiteTrapMemory(database)
    evidence, index, links = Evidence(database), SQLiteIndex(database), SQLiteLinks(database)
    inventory = SQLiteInventory(database)
    return Parts(frontier, archive, evidence, index, traps, links, inventory)
