"""Suites for the parts of a crawl that somebody else writes: derive from one, and run pytest.

`FrontierSuite`, `ArchiveSuite`, `IndexSuite`, `EvidenceSuite`, `LinkSuite`, `InventorySuite` and
`TrapSuite` each test one protocol of `goodbot.crawl`. They need pytest.
"""

from goodbot.crawl.testing.archive_suite import ArchiveSuite
from goodbot.crawl.testing.evidence_suite import EvidenceSuite
from goodbot.crawl.testing.frontier_suite import FrontierSuite
from goodbot.crawl.testing.index_suite import IndexSuite
from goodbot.crawl.testing.inventory_suite import InventorySuite
from goodbot.crawl.testing.link_suite import LinkSuite
from goodbot.crawl.testing.trap_suite import TrapSuite

__all__ = [
    "ArchiveSuite",
    "EvidenceSuite",
    "FrontierSuite",
    "IndexSuite",
    "InventorySuite",
    "LinkSuite",
    "TrapSuite",
]
