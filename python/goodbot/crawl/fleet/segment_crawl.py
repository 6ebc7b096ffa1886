"""The crawl of a worker whose results go to object storage.

Scope: what differs from that of a worker whose results stay in its folder: the parts, and who
settles its URLs.
"""

from dataclasses import replace
from datetime import datetime
from typing import Any

from goodbot.crawl.fleet.fleet_crawl import FleetCrawl
from goodbot.crawl.fleet.segment_parts import (
    SegmentArchive,
    SegmentIndex,
    SegmentInventory,
    SegmentLinks,
)
from goodbot.crawl.fleet.segment_publisher import SegmentPublisher
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.segment_rows import Removals
from goodbot.crawl.frontier.folder_mirror import FolderMirror
from goodbot.crawl.run.crawl_parts import Parts
from goodbot.robot.timeline import Timeline

__all__ = ["SegmentCrawl"]


class SegmentCrawl(FleetCrawl):
    """A crawl whose results go to object storage; see `Crawl`.

    Args:
        publisher: Publishes what is recorded.
        values: The arguments of `FleetCrawl`; one of them is the queue.
        named: The same.

    """

    def __init__(self, publisher: SegmentPublisher, *values: Any, **named: Any) -> None:  # noqa: ANN401  as `FleetCrawl` has them
        """Check the arguments; nothing is opened before `run`."""
        super().__init__(*values, **named)
        self._publisher = self._segments = publisher

    def _parts(
        self, database: Database, started: datetime, user_agent: str, timeline: Timeline
    ) -> Parts:
        """Open the parts of the crawl, and publish what an earlier process left."""
        parts = super()._parts(database, started, user_agent, timeline)
        parts.archive.close()
        removals = Removals()
        archive = SegmentArchive(database, removals, user_agent=user_agent)
        assert isinstance(parts.frontier, FolderMirror)  # noqa: S101  the queue was passed
        parts.frontier.settle_later(self._segments.gather)
        self._segments.open(database, archive)
        return replace(
            parts,
            archive=archive,
            index=SegmentIndex(database, removals),
            links=SegmentLinks(database, removals),
            inventory=SegmentInventory(database, removals),
        )
