r"""Tools for testing robots: a clock without waiting, sites in memory, sites that misbehave.

>>> import asyncio
>>> from goodbot.testing import FakeClock, FakeSite
>>> clock = FakeClock()
>>> site = FakeSite({"/robots.txt": "User-agent: *\nCrawl-delay: 3600"}, clock=clock)
>>> async def ask_all_day() -> None:
...     for hour in range(24):
...         await site.fetch("https://example.com/robots.txt")
...         await clock.sleep(3600)
>>> asyncio.run(ask_all_day())
>>> len(site.visits), str(site.visits[-1].at), str(clock.now())
(24, '2026-01-01 23:00:00+00:00', '2026-01-02 00:00:00+00:00')

goodbot's own tests use these tools. To test a store of your own, derive from `StoreSuite`, and from
`SharedStoreSuite` if several processes share it; for a part of a crawl, from `FrontierSuite`,
`ArchiveSuite`, `IndexSuite`, `EvidenceSuite`, `LinkSuite`, `InventorySuite` or `TrapSuite`. The
suites need pytest.
"""

from typing import TYPE_CHECKING

from goodbot.lazy_names import lazy_names
from goodbot.testing.behaviours import BEHAVIOURS, Behaviour, behaviour, behaviours_table
from goodbot.testing.clock import FakeClock
from goodbot.testing.fake_site import Answer, FakeSite, FakeVisit
from goodbot.testing.judging import Judgement, judged
from goodbot.testing.loopback import LoopbackSite, LoopbackVisit

if TYPE_CHECKING:
    from goodbot.testing.archive_suite import ArchiveSuite
    from goodbot.testing.evidence_suite import EvidenceSuite
    from goodbot.testing.frontier_suite import FrontierSuite
    from goodbot.testing.index_suite import IndexSuite
    from goodbot.testing.inventory_suite import InventorySuite
    from goodbot.testing.link_suite import LinkSuite
    from goodbot.testing.shared_store_suite import SharedStoreSuite
    from goodbot.testing.store_suite import StoreSuite
    from goodbot.testing.trap_suite import TrapSuite

__all__ = [
    "BEHAVIOURS",
    "Answer",
    "ArchiveSuite",
    "Behaviour",
    "EvidenceSuite",
    "FakeClock",
    "FakeSite",
    "FakeVisit",
    "FrontierSuite",
    "IndexSuite",
    "InventorySuite",
    "Judgement",
    "LinkSuite",
    "LoopbackSite",
    "LoopbackVisit",
    "SharedStoreSuite",
    "StoreSuite",
    "TrapSuite",
    "behaviour",
    "behaviours_table",
    "judged",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {  # they need pytest
        "archive_suite": ("ArchiveSuite",),
        "evidence_suite": ("EvidenceSuite",),
        "frontier_suite": ("FrontierSuite",),
        "index_suite": ("IndexSuite",),
        "inventory_suite": ("InventorySuite",),
        "link_suite": ("LinkSuite",),
        "shared_store_suite": ("SharedStoreSuite",),
        "store_suite": ("StoreSuite",),
        "trap_suite": ("TrapSuite",),
    },
)
