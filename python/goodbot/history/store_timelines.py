"""The robots.txt of a site over time, as a store has seen it.

Scope: from the history of a store to a timeline; `goodbot.policy` decides what held at a time.
"""

from datetime import timedelta
from itertools import chain

from goodbot._core import Dialect, robots_txt_url
from goodbot.history.policy_timeline import PolicyTimeline
from goodbot.store.protocols import PolicyStore

__all__ = ["read_timeline"]


def read_timeline(
    store: PolicyStore,
    origin: str,
    *,
    dialect: str | Dialect = "rfc9309",
    held: timedelta | None = None,
) -> PolicyTimeline:
    """Return the policies of an origin over time, from all that a store has seen of it.

    Args:
        store: The store.
        origin: The origin, or any URL of it.
        dialect: The dialect in which the answers are read.
        held: See `PolicyTimeline`.

    Raises:
        NoOriginError: The URL has no origin.
        StoreError: The store cannot be read.
        UnknownDialectError: There is no dialect of this name.

    >>> from datetime import datetime, timezone
    >>> from goodbot.policy import Policy
    >>> from goodbot.history import read_timeline
    >>> from goodbot.store import MemoryStore
    >>> now, url = datetime(2026, 1, 1, tzinfo=timezone.utc), "https://example.com/robots.txt"
    >>> store = MemoryStore()
    >>> store.put(url, Policy.from_response(url, 404, {}, b"", now=now).as_record(), now)
    >>> read_timeline(store, url).at(now).may_fetch("https://example.com/a", "ExampleBot").allowed
    True

    """
    answers = chain.from_iterable(one.answers for one in store.history(origin))
    found = PolicyTimeline.of_answers(answers, dialect=dialect, held=held)
    return found if found.origin else PolicyTimeline((), held, origin=robots_txt_url(origin))
