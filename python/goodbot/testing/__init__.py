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
`SharedStoreSuite` if several processes share it; `goodbot.crawl.testing` has those for the parts of
a crawl. The suites need pytest.
"""

from typing import TYPE_CHECKING

from goodbot.lazy_names import lazy_names
from goodbot.testing.behaviours import BEHAVIOURS, Behaviour, behaviour, behaviours_table
from goodbot.testing.clock import FakeClock
from goodbot.testing.fake_site import Answer, FakeSite, FakeVisit
from goodbot.testing.judging import Judgement, judged
from goodbot.testing.loopback import LoopbackSite, LoopbackVisit

if TYPE_CHECKING:
    from goodbot.testing.shared_store_suite import SharedStoreSuite
    from goodbot.testing.store_suite import StoreSuite

__all__ = [
    "BEHAVIOURS",
    "Answer",
    "Behaviour",
    "FakeClock",
    "FakeSite",
    "FakeVisit",
    "Judgement",
    "LoopbackSite",
    "LoopbackVisit",
    "SharedStoreSuite",
    "StoreSuite",
    "behaviour",
    "behaviours_table",
    "judged",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {  # they need pytest
        "shared_store_suite": ("SharedStoreSuite",),
        "store_suite": ("StoreSuite",),
    },
    elsewhere={  # their earlier place
        "goodbot.crawl.testing": (
            "ArchiveSuite",
            "EvidenceSuite",
            "FrontierSuite",
            "IndexSuite",
            "InventorySuite",
            "LinkSuite",
            "TrapSuite",
        )
    },
)
