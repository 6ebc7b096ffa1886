"""A service that answers "may I fetch?" with a reason, for programs in any language.

`goodbot serve` runs it. In Python, `Service` is an ASGI application that another one can mount:

    from goodbot.robot import RobotsTxtReader
    from goodbot.service import Service
    from goodbot.store import SQLiteStore
    app = Service(RobotsTxtReader(store=SQLiteStore("robots.db")), name="ExampleBot")

It needs no library beside the fetcher of its robot; `goodbot serve` requires
`pip install 'goodbot[serve]'`.
"""

from goodbot.service.app import Service

__all__ = ["Service"]
