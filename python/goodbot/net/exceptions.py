"""Which exception of aiohttp, asyncio and the system means which failure, and in which words.

Scope: two tables. The exception itself stays the cause (`__cause__`) of the `FetchError`.
"""

import errno
import os
import re
import ssl
from asyncio import TimeoutError as AsyncTimeoutError

import aiohttp
from aiohttp.http_exceptions import LineTooLong

from goodbot.errors import FetchError
from goodbot.net.connector import Exchange, PrivateAddressError
from goodbot.net.decoding import DecodingError
from goodbot.net.failures import failure
from goodbot.net.fetcher import Limits

__all__ = ["EXCEPTIONS", "TooSlowError", "failed"]


class TooSlowError(TimeoutError):
    """Content comes more slowly than `Limits.min_rate` allows."""


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

DETAILS: tuple[tuple[str, str], ...] = (
    (r"\(received (\d+) of (\d+) bytes\)", "{0} of {1} bytes came"),
    (r"satisfy content length header", "fewer bytes came than Content-Length states"),
    (r"satisfy transfer length header", "the last chunk did not come"),
    (r"Server disconnected", "there was no answer"),
    (r"Bad status line.*?\bb'([^'\n]{1,60})", "it begins with '{0}', which is no status line"),
    (r"chunk size", "a chunk has no valid size"),
    (r"Duplicate ([\w-]+)", "it has {0} twice"),
    (r"(?:in|valid) Content-Length", "its Content-Length is not a number"),
    (r"header (?:token|name|value)", "a line of its header is not a field"),
    (r"Too many headers", "its header has too many fields"),
    (r"Got more than (\d+) bytes when reading", "a line of its header has more than {0} bytes"),
    (r"Error -?\d+ while decompressing data: ([a-z ]+)", "{0}"),
)
"""What the messages of libraries mean: a pattern of the message, and our words. The first matching
row applies."""

OF_TLS = {
    "WRONG_VERSION_NUMBER": "the server does not speak TLS at this port",
    "UNEXPECTED_EOF_WHILE_READING": "the server ended the connection",
}
"""What the reasons of OpenSSL mean; others are words already."""

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
    if any(isinstance(e, TooSlowError) for e in chain):
        detail = f"less than {limits.min_rate} bytes a second came"
    else:
        detail = f"within {limits.seconds:g} s" if kind == "timeout" else in_words(chain)
    return failure(url, kind or "protocol-error", detail)


def in_words(chain: list[BaseException]) -> str:
    """Return what was seen, in a few words; empty if the failure itself says it."""
    text = str(getattr(chain[0], "message", "") or chain[0])
    for pattern, words in DETAILS:
        found = re.search(pattern, text, re.DOTALL)
        if found is not None:
            return words.format(*found.groups())
    for one in chain:  # aiohttp's own SSL errors have no reason, but their causes have
        certificate, reason = (getattr(one, name, "") for name in ("verify_message", "reason"))
        if isinstance(one, ssl.SSLError) and (certificate or reason):
            return certificate or OF_TLS.get(reason, reason.replace("_", " ").lower())
    numbers = [one.errno for one in chain if isinstance(one, OSError) and one.errno]
    if numbers:
        is_said = numbers[-1] == errno.ECONNREFUSED or numbers[-1] < 0
        return "" if is_said else os.strerror(numbers[-1])
    if isinstance(chain[0], aiohttp.ClientResponseError):
        return text.partition("\n")[0].rstrip(":")
    return text or type(chain[0]).__name__


def causes(error: BaseException) -> list[BaseException]:
    """Return an exception and its causes; a loop or a long chain of them is cut."""
    found: list[BaseException] = []
    one: BaseException | None = error
    while one is not None and one not in found and len(found) < 10:  # noqa: PLR2004
        found.append(one)
        one = getattr(one, "os_error", None) or one.__cause__
    return found
