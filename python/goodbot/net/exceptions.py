"""Which exception of aiohttp, asyncio and the system means which failure: one table."""

import errno
import ssl
from asyncio import TimeoutError as AsyncTimeoutError

import aiohttp
from aiohttp.http_exceptions import LineTooLong

from goodbot.errors import FetchError
from goodbot.net.connector import Exchange, PrivateAddressError
from goodbot.net.decoding import DecodingError
from goodbot.net.failures import failure
from goodbot.net.fetcher import Limits

__all__ = ["EXCEPTIONS", "failed"]

EXCEPTIONS = (aiohttp.ClientError, OSError, AsyncTimeoutError, DecodingError, UnicodeError)
"""What a fetch can raise because of the site or the network; `UnicodeError` for a host name that
the system's resolver does not accept."""

KINDS: tuple[tuple[type[BaseException], str], ...] = (
    (DecodingError, "bad-encoding"),
    (aiohttp.ClientConnectorDNSError, "dns"),
    (UnicodeError, "dns"),
    (aiohttp.ClientSSLError, "tls"),
    (aiohttp.ServerFingerprintMismatch, "tls"),
    (ssl.SSLError, "tls"),
    (ssl.CertificateError, "tls"),
    (LineTooLong, "too-large"),
    (AsyncTimeoutError, "timeout"),
    (TimeoutError, "timeout"),
    (aiohttp.InvalidURL, "malformed-url"),
    (aiohttp.ClientResponseError, "protocol-error"),
    (aiohttp.ClientConnectorError, "refused"),
    (aiohttp.ClientPayloadError, "reset"),
    (aiohttp.ClientConnectionError, "reset"),
    (OSError, "reset"),
)
"""The first matching row applies, for the exception and for its causes."""

OF_NUMBER = {errno.ECONNRESET: "reset", errno.EPIPE: "reset", errno.ETIMEDOUT: "timeout"}
"""What the number of a failed connection means."""


def failed(error: BaseException, url: str, exchange: Exchange, limits: Limits) -> FetchError:
    """Make the failure that an exception means."""
    chain = causes(error)
    refused = next((e.address for e in chain if isinstance(e, PrivateAddressError)), None)
    if refused or exchange.refused:
        return failure(url, "private-address", refused or exchange.refused or "")
    kind = next((kind for one, kind in KINDS if any(isinstance(e, one) for e in chain)), None)
    if kind == "refused":
        numbers = (OF_NUMBER.get(e.errno or 0) for e in chain if isinstance(e, OSError))
        kind = next(filter(None, numbers), kind)
    detail = str(error) or type(error).__name__
    if kind == "timeout":
        detail = f"within {limits.seconds:g} s"
    return failure(url, kind or "protocol-error", detail)


def causes(error: BaseException) -> list[BaseException]:
    """Return an exception and its causes; a loop or a long chain of them is cut."""
    found: list[BaseException] = []
    one: BaseException | None = error
    while one is not None and one not in found and len(found) < 10:  # noqa: PLR2004
        found.append(one)
        one = getattr(one, "os_error", None) or one.__cause__
    return found
