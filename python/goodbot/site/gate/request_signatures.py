"""Whether a request is signed by the robot that it names.

Scope: verifying, by keys that a thread of its own fetches and refreshes beside the requests. Only
the URLs of robots that are known from the start are fetched, never one that a request names.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from goodbot.bots import KnownRobot, every
from goodbot.key_sets import refresh_keys
from goodbot.missing import needs
from goodbot.net import Fetcher, SystemClock
from goodbot.signatures import SignedRequest, judge_signatures, key_set_id
from goodbot.signatures.key_cache import KeyCache
from goodbot.signatures.key_set import TEST_KEYS
from goodbot.site.gate.served_answers import FieldOf

__all__ = ["RequestSignatures"]

LOG = logging.getLogger("goodbot.gate")

EVERY = 5.0
"""The seconds between two looks for keys that are due."""
AFTER_ERROR = 60.0
"""The seconds until the next try after an unexpected error."""
FIELDS = ("signature-input", "signature", "signature-agent")


class AskedFields(Mapping[str, str]):
    """The fields of a request, each asked for once, when it is wanted.

    Args:
        field: Returns what the request has in a field.

    """

    __slots__ = ("_asked", "_field")

    def __init__(self, field: FieldOf) -> None:
        """Store the function."""
        self._field = field
        self._asked: dict[str, str | None] = {}

    def _find(self, name: str) -> str | None:
        """Return the value of a field; `None` if there is none."""
        if name not in self._asked:
            self._asked[name] = self._field(name)
        return self._asked[name]

    def __getitem__(self, name: str) -> str:
        """Return the value of a field."""
        value = self._find(name)
        if value is None:
            raise KeyError(name)
        return value

    def __contains__(self, name: object) -> bool:
        """Return whether the request has a field."""
        return isinstance(name, str) and self._find(name) is not None

    def get(self, name: str, default: Any = None) -> Any:  # noqa: ANN401  as in `Mapping`
        """Return the value of a field, or another one if there is none."""
        value = self._find(name)
        return default if value is None else value

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the fields that every signed request has."""
        return iter(FIELDS)

    def __len__(self) -> int:
        """Return their number."""
        return len(FIELDS)


class RequestSignatures:
    """Verifies the signatures of requests. Threads may share one.

    Keys are fetched from the first signed request on; until they have come, nothing is verified.

    Args:
        keys: The URLs of the keys of robots, by their names; by default those of the known robots.
        make_fetcher: Makes what fetches keys; by default an `AiohttpFetcher`, which connects to
            public addresses only.

    Raises:
        MissingExtraError: cryptography or aiohttp is not installed.
        WrongValueError: A URL is not one of https.

    >>> from goodbot.site.gate.request_signatures import RequestSignatures
    >>> signatures = RequestSignatures({"ExampleBot": "https://example.com/keys.json"})
    >>> signatures.urls["ExampleBot"]
    'https://example.com/keys.json'

    Source: draft-ietf-webbotauth-httpsig-protocol-01 sections 5.4, 6.7 and appendix C.

    """

    def __init__(
        self,
        keys: Mapping[str, str] | None = None,
        *,
        make_fetcher: Callable[[], Fetcher] | None = None,
    ) -> None:
        """Want the keys of all robots."""
        with needs("signatures"):
            import cryptography  # noqa: F401, PLC0415  an extra
        if keys is None:
            keys = {one.name: one.keys for one in every() if one.keys is not None}
        self.cache = KeyCache(keys.values(), refused=TEST_KEYS)
        self.urls = {name: key_set_id(url) for name, url in keys.items()}
        self._make_fetcher = make_fetcher or default_fetcher()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._stopped = threading.Event()

    def is_signed_by(
        self,
        robot: KnownRobot,
        method: str,
        host: str | None,
        target: str,
        field: FieldOf,
        now: datetime,
        scheme: str = "https",
    ) -> bool:
        """Return whether a request is signed with a key of the robot that it names.

        Args:
            robot: The robot.
            method: The method.
            host: The host of the field Host, with its port if it has one.
            target: The target as it was sent.
            field: What the request has in a field, by its name in lower case.
            now: The time.
            scheme: The scheme by which clients reach the site.

        """
        url = self.urls.get(robot.name)
        if url is None or field("signature-input") is None:
            return False
        self.start()
        request = SignedRequest(AskedFields(field), method, host, target, scheme, is_whole=True)
        return any(
            one and one.url == url for one in judge_signatures(request, now, self.cache.find)
        )

    def start(self) -> None:
        """Start to fetch keys, if that has not begun in this process, nor ended by `close`."""
        thread = self._thread
        if (thread is not None and thread.is_alive()) or self._stopped.is_set():
            return
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._refresh, name="goodbot-keys", daemon=True
                )
                self._thread.start()

    def close(self) -> None:
        """Stop fetching."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _refresh(self) -> None:
        """Fetch what is due, until it is closed.

        The thread outlives its errors, so that no request has to start another one.
        """
        while not self._stopped.is_set():
            try:
                asyncio.run(self._refresh_until_closed())
            except Exception:  # noqa: PERF203  whatever it is: a gate must not break its site
                LOG.exception("keys cannot be fetched; trying again in %d seconds", AFTER_ERROR)
                self._stopped.wait(AFTER_ERROR)

    async def _refresh_until_closed(self) -> None:
        fetcher, clock = self._make_fetcher(), SystemClock()
        try:
            while not self._stopped.is_set():
                await refresh_keys(self.cache, fetcher, clock)
                await asyncio.to_thread(self._stopped.wait, EVERY)
        finally:
            close = getattr(fetcher, "close", None)
            if close is not None:
                await close()


def default_fetcher() -> Callable[[], Fetcher]:
    """Return what makes a fetcher for public addresses."""
    from goodbot.net import AiohttpFetcher  # noqa: PLC0415  an extra

    return AiohttpFetcher
