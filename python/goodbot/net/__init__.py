"""The net: one guarded fetch.

It acts, and decides nothing about robots: one request, one answer or one named failure, within
stated bounds. Anyone who brings a client of their own needs the contract only, `Fetcher`; with
`AiohttpFetcher`, the extra `robot` (`pip install 'goodbot[robot]'`) brings one.

>>> import goodbot.net
>>> goodbot.net.FAILURES["timeout"][0]
'no whole answer came in time'
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
    """Load what needs a library only when it is asked for (PEP 562).

    Raises:
        MissingExtraError: aiohttp is not installed.

    """
    if name == "AiohttpFetcher":
        from goodbot.net.aiohttp_fetcher import AiohttpFetcher  # noqa: PLC0415

        globals()[name] = AiohttpFetcher
        return AiohttpFetcher
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
