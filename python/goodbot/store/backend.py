"""The stable names for writing your own store.

A backend loads the account of an origin, calls one of the functions below, and saves the result,
all in one transaction. So every backend grants leases in the same way. docs/how-to/stores.md shows
a complete one.

>>> from datetime import datetime, timezone
>>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
>>> request = LeaseRequest.of(key_of("https://example.com/a"), now, 60, "worker 1", 10.0, False)
>>> account, lease = granted(Account(), request)
>>> lease.origin, lease.holder
('https://example.com', 'worker 1')
>>> Account.from_dict(account.as_dict()) == account
True
>>> packed = pack({"access": "rules", "body": b"User-agent: *"})
>>> unpack(packed.text, packed.blobs)
{'access': 'rules', 'body': b'User-agent: *'}
"""

from goodbot.http.instants import checked_seconds, duration, instant
from goodbot.pace import History
from goodbot.pace.history import STARTS_KEPT
from goodbot.store.account import (
    SLACK,
    Account,
    LeaseRequest,
    Release,
    abandoned,
    blocked,
    granted,
    known,
    lease_of,
    released,
    to_time,
)
from goodbot.store.packing import (
    OF_A_GROUP,
    REPAIR,
    Blob,
    Packed,
    Span,
    key_of,
    pack,
    placed,
    seen,
    unpack,
)

__all__ = [
    "OF_A_GROUP",
    "REPAIR",
    "SLACK",
    "STARTS_KEPT",
    "Account",
    "Blob",
    "History",
    "LeaseRequest",
    "Packed",
    "Release",
    "Span",
    "abandoned",
    "blocked",
    "checked_seconds",
    "duration",
    "granted",
    "instant",
    "key_of",
    "known",
    "lease_of",
    "pack",
    "placed",
    "released",
    "seen",
    "to_time",
    "unpack",
]
