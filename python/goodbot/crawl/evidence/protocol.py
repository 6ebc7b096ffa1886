"""The evidence of a crawl as those who visit see it: what was said and done is written down.

What may live here: the protocol. Reading is in `history`, `export` and `policy_at`. For the order
in which the parts of a visit are written, and what a crash leaves, see
`goodbot.crawl.frontier.protocol`.
"""

from datetime import datetime
from typing import Protocol, runtime_checkable

from goodbot.crawl.evidence.rows import EvidenceRow
from goodbot.robot.events import Failed, Fetched, Remark

__all__ = ["EvidenceWriter"]


@runtime_checkable
class EvidenceWriter(Protocol):
    """Where a crawl writes its evidence; each method is whole or not at all."""

    def keep(self, url_id: int, row: EvidenceRow, visit: int | None = None) -> None:
        """Record what came of one visit; what is recorded of it already stays.

        Args:
            url_id: The number of the URL in the crawl.
            row: What came of it.
            visit: Which visit of the URL it was (`QueuedUrl.visit`); `None`: one without a number,
                which is recorded each time.

        """

    def requested(self, event: Fetched | Failed) -> None:
        """Record a request, for whatever purpose: when it began, how it ended."""

    def remarked(self, remark: Remark, at: datetime) -> bool:
        """Record what a site wants the operator to know; return whether it is new."""
