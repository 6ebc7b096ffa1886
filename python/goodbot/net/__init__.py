"""The net: one guarded fetch.

It acts and decides nothing about robots: one request, and one response or one named failure, within
stated limits. To use your own client, implement `Fetcher`; the extra `robot`
(`pip install 'goodbot[robot]'`) brings `AiohttpFetcher`.

>>> import goodbot.net
>>> goodbot.net.FAILURES["timeout"][0]
'the request timed out'
"""

from typing import TYPE_CHECKING

from goodbot.net.addresses import AddressGuard
from goodbot.net.clock import Clock, SystemClock
from goodbot.net.failures import FAILURES, failure
from goodbot.net.fetcher import DEFAULT_LIMITS, Fetcher, HeaderFields, Limits, Response

if TYPE_CHECKING:
    from goodbot.net.aiohttp_fetcher import AiohttpFetcher

__all__ = [
    "DEFAULT_LIMITS",
    "FAILURES",
    "AddressGuard",
    "AiohttpFetcher",
    "Clock",
    "Fetcher",
    "HeaderFields",
    "Limits",
    "Response",
    "SystemClock",
    "failure",
]


def __getattr__(name: str) -> object:
    """Load a name that needs a library on first use (PEP 562).

    Raises:
        MissingExtraError: aiohttp is not installed.

    """
    if name == "AiohttpFetcher":
        from goodbot.net.aiohttp_fetcher import AiohttpFetcher  # noqa: PLC0415

        globals()[name] = AiohttpFetcher
        return AiohttpFetcher
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
