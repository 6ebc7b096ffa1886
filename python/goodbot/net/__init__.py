"""The net: one guarded fetch.

It acts and decides nothing about robots: one request, and one response or one named failure, within
stated limits. To use your own client, implement `Fetcher`; the extra `robot`
(`pip install 'goodbot[robot]'`) brings `AiohttpFetcher`.

>>> import goodbot.net
>>> goodbot.net.FAILURES["timeout"][0]
'the request timed out'
"""

from typing import TYPE_CHECKING

from goodbot.lazy_names import lazy_names
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


# It needs aiohttp.
__getattr__, __dir__ = lazy_names(__name__, {"aiohttp_fetcher": ("AiohttpFetcher",)})
