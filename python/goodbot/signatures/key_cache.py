"""Which key sets are at hand, until when, and which are to be fetched.

Scope: it decides; `goodbot.key_sets` fetches. A set that was fetched replaces the one before, also
where it omits a key. A fetch that failed changes nothing but when to try again.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from goodbot.display import short_repr
from goodbot.errors import WrongValueError
from goodbot.http.freshness import freshness
from goodbot.http.instants import checked_time, later
from goodbot.http.retry_after import read_retry_after
from goodbot.signatures.key_set import KeySet
from goodbot.signatures.profiles import key_set_id
from goodbot.signatures.public_key import PublicKey

__all__ = ["LONGEST_LIFE", "MOST_SETS", "NEGATIVE_LIFE", "KeyAnswer", "KeyCache", "read_answer"]

NEGATIVE_LIFE = 300.0
"""The most seconds until a failed fetch is tried again, unless the server asks for more."""
SHORTEST_LIFE, USUAL_LIFE, LONGEST_LIFE = 60.0, 3_600.0, 86_400.0
"""The seconds for which a set is used before it is fetched again: at least, if the server says
nothing, and at most: a key that was removed verifies no longer than that."""
FIRST_PAUSE = 10.0
MOST_SETS = 1_000
"""The most sets that are kept; the one that was used longest ago makes room."""
OK = 200


class KeyAnswer(NamedTuple):
    """What became of a request for a key set."""

    keys: KeySet | None
    """The keys; `None` if there are none."""
    until: datetime | None
    """Until when they are fresh; for a failure, the earliest time to try again, if the server
    states one."""
    why: str = ""
    """What failed, in words."""

    def __repr__(self) -> str:
        """Return it as code, short."""
        return short_repr(self)


def read_answer(
    url: str,
    status: int,
    headers: Iterable[tuple[str, str]],
    body: bytes,
    *,
    now: datetime,
    is_cut: bool = False,
) -> KeyAnswer:
    """Return the keys in an answer.

    Args:
        url: The URL that was requested.
        status: The status; any other than 200 is a failure, a redirect, too.
        headers: The header.
        body: The content.
        now: When the answer came.
        is_cut: Whether the content was larger than what was read.

    >>> from datetime import datetime, timezone
    >>> at = datetime(2026, 1, 1, tzinfo=timezone.utc)
    >>> read_answer("https://example.com/keys", 302, [], b"", now=at).why
    'the status is 302, and only 200 counts'

    Source: draft-ietf-webbotauth-httpsig-protocol-01 sections 5.5 and 6.8, appendix C.4.

    """
    fields = tuple(headers)
    if status != OK:
        stated = [value for name, value in fields if name.lower() == "retry-after"]
        again = read_retry_after(stated[0], now=now) if stated else None
        return KeyAnswer(None, again, f"the status is {status}, and only 200 counts")
    if is_cut:
        return KeyAnswer(None, None, "the content is too large")
    try:
        # One without keys replaces the set before: so an operator removes all of them.
        keys = KeySet.of(body, url, may_be_empty=True)
    except WrongValueError as error:
        return KeyAnswer(None, None, str(error))
    told = freshness(fields, now=now)
    life = USUAL_LIFE if told.lifetime is None else told.remaining
    return KeyAnswer(keys, later(now, min(max(life, SHORTEST_LIFE), LONGEST_LIFE)))


@dataclass(slots=True)
class CachedKeys:
    """What is known of one URL."""

    url: str
    keys: KeySet | None = None
    until: datetime | None = None
    again: datetime | None = None
    failures: int = 0
    why: str = ""


class KeyCache:
    """The key sets of some URLs. Threads may share it.

    Args:
        urls: The URLs that are wanted from the start.
        refused: Thumbprints of keys that are not used, such as `TEST_KEYS`.

    >>> from datetime import datetime, timedelta, timezone
    >>> from goodbot.signatures.key_cache import KeyCache, read_answer
    >>> cache = KeyCache(["https://example.com/keys"])
    >>> now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    >>> cache.due(now)
    ['https://example.com/keys']
    >>> cache.learn("https://example.com/keys", read_answer("", 503, [], b"", now=now), now)
    >>> cache.due(now), cache.due(now + timedelta(minutes=5))
    ([], ['https://example.com/keys'])

    Source: draft-ietf-webbotauth-httpsig-protocol-01 sections 4.4, 6.8 and appendix C.4, C.5.

    """

    def __init__(self, urls: Iterable[str] = (), refused: Iterable[str] = ()) -> None:
        """Want the URLs."""
        self.refused = frozenset(refused)
        self._kept: OrderedDict[str, CachedKeys] = OrderedDict()
        self._lock = threading.Lock()
        for url in urls:
            self.want(url)

    def want(self, url: str) -> None:
        """Want the keys at a URL, so that it is due.

        Args:
            url: The URL.

        Raises:
            WrongValueError: It is not a URL of https.

        """
        found = key_set_id(url)
        if found is None:
            message = f"{url[:200]!r} is not a URL of keys; pass one that begins with https://"
            raise WrongValueError(message)
        with self._lock:
            if found not in self._kept:
                self._kept[found] = CachedKeys(url)
                if len(self._kept) > MOST_SETS:
                    self._kept.popitem(last=False)

    def find(self, url: str | None, keyid: str) -> tuple[PublicKey, str | None] | None:
        """Return a key with the URL that has it; `None` if it is not at hand.

        Args:
            url: The URL that the signature names; without one, no key is found.
            keyid: The identifier of the key.

        """
        held = None if url is None else self._kept.get(url)
        keys = None if held is None else held.keys
        key = None if keys is None else keys.find(keyid)
        if key is None or key.thumbprint in self.refused:
            return None
        return key, url

    def due(self, now: datetime) -> list[str]:
        """Return the URLs that are to be fetched.

        Args:
            now: The time.

        """
        checked_time(now, "now")
        with self._lock:
            held = list(self._kept.values())
        return [
            one.url
            for one in held
            if (one.until is None or now >= one.until) and (one.again is None or now >= one.again)
        ]

    def learn(self, url: str, answer: KeyAnswer, now: datetime) -> None:
        """Record what became of a request. A failure evicts nothing.

        Args:
            url: The URL that was requested.
            answer: The answer.
            now: The time.

        """
        found = key_set_id(url)
        with self._lock:
            held = None if found is None else self._kept.get(found)
            if held is None:
                return
            held.why = answer.why
            if answer.keys is not None:
                held.keys, held.until, held.again, held.failures = (
                    answer.keys, answer.until, None, 0,
                )  # fmt: skip
                return
            held.failures += 1
            pause = min(FIRST_PAUSE * 2 ** min(held.failures, 10), NEGATIVE_LIFE)
            held.again = later(now, pause)
            if answer.until is not None and answer.until > held.again:
                held.again = min(answer.until, now + timedelta(seconds=LONGEST_LIFE))
