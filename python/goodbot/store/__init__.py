"""Stores: where policies and budgets are kept, so that many workers are polite together.

>>> from datetime import datetime, timedelta, timezone
>>> from goodbot.store import Later, Lease, MemoryStore
>>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
>>> store = MemoryStore()
>>> lease = store.acquire("https://example.com", now, lease_seconds=60, holder="worker 1")
>>> isinstance(lease, Lease)
True
>>> later = store.acquire("https://example.com", now, lease_seconds=60, holder="worker 2")
>>> print(later)
Not before 2025-01-01 00:00:10 UTC: worker 1 is visiting.
>>> ended = now + timedelta(seconds=2)
>>> next_one = ended + timedelta(seconds=30)
>>> store.release(lease, ended=ended, not_before=next_one, reason="crawl-delay")
True
>>> print(store.acquire("https://example.com", ended, lease_seconds=60, holder="worker 2"))
Not before 2025-01-01 00:00:32 UTC: crawl-delay.

`MemoryStore` is for one process, `SQLiteStore` keeps the same in one file, for several. Both are
plain calls, without `async`: a look-up takes microseconds, so that asynchronous code may make it
directly. Writing to a file that other processes write to as well may wait for them; that is to be
done in a thread (`asyncio.to_thread(store.acquire, ...)`), which both stores allow. `open_store`
opens one from text, such as `robots.db`, `memory:`, the URL of a database of PostgreSQL, or that of
a store of another package.

It acts, and asks no clock: `now` is given.
"""

from goodbot.errors import (
    CrawlPartError,
    NoCrawlError,
    NotAStoreError,
    StoreBusyError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
    StoreVersionError,
)
from goodbot.lazy_names import lazy_names

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from goodbot.store.memory import MemoryStore
    from goodbot.store.opening import open_store
    from goodbot.store.postgres import PostgresStore
    from goodbot.store.protocols import (
        LATER_REASONS,
        Budget,
        HoldKeeper,
        Later,
        Lease,
        PolicyStore,
        Record,
        Store,
        StoredPolicy,
        Timekeeper,
    )
    from goodbot.store.sqlite import SQLiteStore

__all__ = [
    "LATER_REASONS",
    "Budget",
    "CrawlPartError",
    "HoldKeeper",
    "Later",
    "Lease",
    "MemoryStore",
    "NoCrawlError",
    "NotAStoreError",
    "PolicyStore",
    "PostgresStore",
    "Record",
    "SQLiteStore",
    "Store",
    "StoreBusyError",
    "StoreError",
    "StoreFullError",
    "StoreUnavailableError",
    "StoreVersionError",
    "StoredPolicy",
    "Timekeeper",
    "open_store",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "memory": ("MemoryStore",),
        "opening": ("open_store",),
        "postgres": ("PostgresStore",),
        "protocols": (
            "LATER_REASONS",
            "Budget",
            "HoldKeeper",
            "Later",
            "Lease",
            "PolicyStore",
            "Record",
            "StoredPolicy",
            "Store",
            "Timekeeper",
        ),
        "sqlite": ("SQLiteStore",),
    },
    elsewhere={"goodbot.history": ("read_timeline",)},  # its earlier place
)
