r"""What to test a robot with: time that passes at once, sites in memory, sites that misbehave.

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

goodbot's own tests use the same.
"""

from goodbot.testing.behaviours import BEHAVIOURS, Behaviour, behaviour, behaviours_table
from goodbot.testing.clock import FakeClock
from goodbot.testing.fake_site import Answer, FakeSite, FakeVisit
from goodbot.testing.judging import Judgement, judged
from goodbot.testing.loopback import LoopbackSite, LoopbackVisit

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
    "behaviour",
    "behaviours_table",
    "judged",
]
