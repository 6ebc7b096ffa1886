"""The crawl of a worker, whose evidence says who sent each request.

Scope: what differs from a crawl on one machine.
"""

from dataclasses import replace
from datetime import datetime
from typing import Any

from goodbot.crawl.evidence.evidence import Evidence
from goodbot.crawl.fleet.sent_requests import SentRequests
from goodbot.crawl.folder.database import Database
from goodbot.crawl.run.crawl import Crawl
from goodbot.crawl.run.crawl_parts import Parts
from goodbot.robot.timeline import Timeline

__all__ = ["FleetCrawl"]


class FleetCrawl(Crawl):
    """A crawl on several machines; see `Crawl`.

    Args:
        sent: Knows who sent each request.
        values: The arguments of `Crawl`.
        named: The same.

    """

    def __init__(self, sent: SentRequests, *values: Any, **named: Any) -> None:  # noqa: ANN401  as `Crawl` has them
        """Check the arguments; nothing is opened before `run`."""
        super().__init__(*values, **named)
        self._sent = sent

    def _parts(
        self, database: Database, started: datetime, user_agent: str, timeline: Timeline
    ) -> Parts:
        """Open the parts of the crawl."""
        parts = super()._parts(database, started, user_agent, timeline)
        return replace(parts, evidence=Evidence(database, self._sent.take))
