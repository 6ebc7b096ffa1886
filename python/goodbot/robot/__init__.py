r"""The robot: an HTTP client that checks robots.txt, waits its turn, fetches and reads pages.

>>> import asyncio
>>> from goodbot.robot import Disallowed, Robot
>>> from goodbot.testing import FakeClock, FakeSite
>>> clock = FakeClock()
>>> site = FakeSite({"/robots.txt": "User-agent: *\nDisallow: /private"}, clock=clock)
>>> async def main() -> None:
...     me = {"info_url": "https://example.com/bot", "contact": "bot@example.com"}
...     async with Robot("ExampleBot/1.0", **me, fetcher=site, clock=clock) as robot:
...         try:
...             await robot.visit("https://a.example/private")
...         except Disallowed as error:
...             print(error.verdict.reason, error.verdict.source)
>>> asyncio.run(main())
rule-disallows robots.txt line 2

Scope: this package acts and does not decide. `goodbot.policy` decides what may be fetched,
`goodbot.pace` when, and `goodbot.page` what may be done with a page.
"""

from goodbot.errors import Deferred, Disallowed
from goodbot.lazy_names import lazy_names

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from goodbot.robot.context import Store
    from goodbot.robot.events import (
        Asked,
        Event,
        Failed,
        Fetched,
        Refused,
        Remark,
        VisitDeferred,
        Waited,
    )
    from goodbot.robot.identity import Identity
    from goodbot.robot.robot import Robot, RobotsTxtReader
    from goodbot.robot.visit import Hop, Visit

__all__ = [
    "Asked",
    "Deferred",
    "Disallowed",
    "Event",
    "Failed",
    "Fetched",
    "Hop",
    "Identity",
    "Refused",
    "Remark",
    "Robot",
    "RobotsTxtReader",
    "Store",
    "Visit",
    "VisitDeferred",
    "Waited",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "context": ("Store",),
        "events": (
            "Asked",
            "Event",
            "Failed",
            "Fetched",
            "Refused",
            "Remark",
            "VisitDeferred",
            "Waited",
        ),
        "identity": ("Identity",),
        "robot": ("Robot", "RobotsTxtReader"),
        "visit": ("Hop", "Visit"),
    },
)
