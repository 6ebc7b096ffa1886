"""The interface through which a crawl writes its evidence.

Scope: the protocol; `goodbot.testing.EvidenceSuite` tests what has it. `history`, `export` and
`policy_at` read the evidence. For the order in which the parts of a visit are written, and what
remains after a crash, see `goodbot.crawl.frontier.protocol`.
"""

from datetime import datetime
from typing import Protocol, runtime_checkable

from goodbot.crawl.evidence.rows import EvidenceRow
from goodbot.robot.events import Failed, Fetched, Remark

__all__ = ["EvidenceWriter"]


@runtime_checkable
class EvidenceWriter(Protocol):
    """The place where a crawl writes its evidence; each method is atomic."""

    def keep(self, url_id: int, row: EvidenceRow, visit: int | None = None) -> None:
        """Record the result of one visit, unless it is recorded already.

        Args:
            url_id: The number of the URL in the crawl.
            row: The result.
            visit: The number of the visit to the URL (`QueuedUrl.visit`); a result without a
                number is recorded each time.

        """

    def requested(self, event: Fetched | Failed) -> None:
        """Record a request for any purpose: when it began and how it ended."""

    def remarked(self, remark: Remark, at: datetime) -> bool:
        """Record a message from a site to the operator; return whether it is new."""
