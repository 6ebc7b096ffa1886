"""The parts of a crawl in which visits are recorded, each behind its protocol.

Scope: choosing the implementation of each part: that in the folder, or the one that was passed to
`Crawl`.
"""

from collections.abc import Callable
from dataclasses import field
from datetime import datetime
from typing import TypeVar, cast

from goodbot.crawl.archive.protocol import Archive
from goodbot.crawl.archive.warc_archive import WarcArchive
from goodbot.crawl.evidence.evidence import Evidence
from goodbot.crawl.evidence.protocol import EvidenceWriter
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.folder_mirror import FolderMirror
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
from goodbot.crawl.run.given_parts import GivenParts
from goodbot.crawl.run.part_guard import PartGuard
from goodbot.lazy_dataclass import dataclass
from goodbot.robot.timeline import Timeline

__all__ = ["Parts", "parts_in"]

Kind = TypeVar("Kind")

IN_FOLDER = GivenParts()
"""No part was passed: all are in the folder."""


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
    given: GivenParts = IN_FOLDER,
) -> Parts:
    """Open the parts of a crawl in its folder: one database, with WARC files next to it.

    Args:
        database: The file of the crawl.
        now: The time: an aware `datetime`.
        user_agent: The User-Agent of the robot.
        timeline: Reports changes of the clock; `None` if it is never set.
        frontier: The queue; `None` for one that has all URLs of the crawl.
        given: The parts that were passed in place of those in the folder.

    Raises:
        MissingExtraError: warcio is not installed (when the module is imported).
        StoreError: A file cannot be read or written.

    """
    if given.frontier is not None:
        frontier = FolderMirror(
            guarded("frontier", given.frontier),
            database,
            soon=hasattr(given.frontier, "settle_soon"),
            number_of=getattr(given.frontier, "number_of", None),
        )
    elif frontier is None:
        frontier = SQLiteFrontier(database, now, timeline)

    place = None if given.warc_place is None else guarded("warc_place", given.warc_place)

    def part(role: str, passed: Kind | None, own: Callable[[], Kind]) -> Kind:
        return own() if passed is None else guarded(role, passed)

    return Parts(
        frontier,
        part(
            "archive",
            given.archive,
            lambda: WarcArchive(database, user_agent=user_agent, place=place),
        ),
        part("evidence", given.evidence, lambda: Evidence(database)),
        part("index", given.index, lambda: SQLiteIndex(database)),
        part("trap_memory", given.trap_memory, lambda: SQLiteTrapMemory(database)),
        part("links", given.links, lambda: SQLiteLinks(database)),
        part("inventory", given.inventory, lambda: SQLiteInventory(database)),
    )


def guarded(role: str, part: Kind) -> Kind:
    """Return a part that was passed, whose errors name it."""
    return cast("Kind", PartGuard(role, part))
