"""A crawl: visit, index, archive, and be able to prove that one obeyed.

It acts. Everything of one crawl is in one folder: the queue, policies, visits, the index and the
evidence in one SQLite file, and WARC files beside it.
"""

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from goodbot.crawl.archive import Archive
    from goodbot.crawl.bounds import Bounds
    from goodbot.crawl.crawl import Crawl, Event
    from goodbot.crawl.database import Database
    from goodbot.crawl.events import Ended, Settling, Started, Summary
    from goodbot.crawl.evidence import Evidence
    from goodbot.crawl.index import Index

__all__ = [
    "Archive",
    "Bounds",
    "Crawl",
    "Database",
    "Ended",
    "Event",
    "Evidence",
    "Index",
    "Settling",
    "Started",
    "Summary",
]

_WHERE = {
    "Archive": "archive",
    "Bounds": "bounds",
    "Crawl": "crawl",
    "Database": "database",
    "Ended": "events",
    "Event": "crawl",
    "Evidence": "evidence",
    "Index": "index",
    "Settling": "events",
    "Started": "events",
    "Summary": "events",
}
"""The module that each is in: who searches needs neither aiohttp nor warcio."""


def __getattr__(name: str) -> object:
    """Load what is asked for, when it is asked for (PEP 562)."""
    if name in _WHERE:
        from importlib import import_module  # noqa: PLC0415  nobody needs it before

        value: object = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
        globals()[name] = value
        return value
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
