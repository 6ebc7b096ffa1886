"""One GET on a connection of aiohttp: what is sent, and the header of the response.

Scope: the exchange itself. `aiohttp.ClientSession` would make the same one, but checks for each
request whether there are cookies, proxies, passwords, redirects, retries and a body, none of which
a robot has: that takes as long as all the rest. So this module uses the parts of aiohttp below the
session: its connector, which opens, checks and keeps connections, its parser of responses, and
`ClientRequest`, which decides on the fields of a header.
"""

from functools import cached_property
from typing import NamedTuple

import aiohttp
from aiohttp.client_reqrep import ConnectionKey
from aiohttp.http import HttpProcessingError, HttpVersion
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from goodbot.net.connector import Exchange, GuardedConnector

__all__ = ["PreparedRequest", "StartedResponse", "prepare", "send"]

MOST_FIELDS = 256
LONGEST_LINE = 32 * 1024
"""Limits of a header: twice and four times those of aiohttp, for sites with long policies."""

INFORMATIONAL = 100
SWITCHING_PROTOCOLS = 101
FINAL = 200


class PreparedRequest(NamedTuple):
    """What is the same in all requests to one origin with the same fields."""

    key: "Destination"
    """By which aiohttp finds or opens a connection."""
    head: bytes
    """What is sent after the target: the version, and all fields."""


class StartedResponse(NamedTuple):
    """A response whose header has come."""

    status: int
    headers: CIMultiDictProxy[str]
    raw_headers: tuple[tuple[bytes, bytes], ...]
    version: HttpVersion
    content: aiohttp.StreamReader


class Destination(aiohttp.ClientRequest):
    """A request by which connections are found; it is used again and again."""

    @cached_property
    def connection_key(self) -> ConnectionKey:
        """What connections must have in common to be used for it."""
        return super().connection_key


def prepare(origin: str, fields: CIMultiDict[str]) -> PreparedRequest:
    """Prepare requests to an origin; within an event loop."""
    key = Destination("GET", URL(origin, encoded=True), headers=fields)
    lines = [f"{name}: {value}\r\n" for name, value in key.headers.items()]
    return PreparedRequest(key, f" HTTP/1.1\r\n{''.join(lines)}\r\n".encode(errors="ignore"))


async def send(
    connector: GuardedConnector, exchange: Exchange, request: PreparedRequest, url: str
) -> StartedResponse:
    """Send a request, and return its response as soon as the header has come.

    The connection returns to the pool when the content has come to its end; until then, it is that
    of the exchange.

    Args:
        connector: Opens the connection.
        exchange: The state of the fetch.
        request: The request.
        url: The URL; it is sent as it is written, because the verdict is about that. aiohttp's
            session would leave out an empty query, for which a rule may have its own verdict.

    Raises:
        ClientError: The site or the network failed; it may also be an `OSError`.

    """
    try:
        connection = await connector.open(request.key, exchange)
        protocol = connection.protocol
        protocol.set_response_params(
            read_until_eof=True,
            auto_decompress=False,
            max_line_size=LONGEST_LINE,
            max_field_size=LONGEST_LINE,
            max_headers=MOST_FIELDS,
        )
        target = url[len(exchange.origin) :].encode()
        exchange.transport.write(b"GET %b%b" % (target, request.head))
        message, content = await protocol.read()
        while is_interim(message.code):
            message, content = await protocol.read()
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
        # In whichever way the connection broke off, there was no answer.
        raise aiohttp.ServerDisconnectedError from None
    except HttpProcessingError as error:
        fields = CIMultiDictProxy(request.key.headers)
        info = aiohttp.RequestInfo(URL(url, encoded=True), "GET", fields)
        raise aiohttp.ClientResponseError(
            info, (), status=error.code, message=error.message, headers=error.headers
        ) from error
    content.on_eof(connection.release)
    return StartedResponse(
        message.code, message.headers, message.raw_headers, message.version, content
    )


def is_interim(status: int) -> bool:
    """Return whether another header follows this one (RFC 9110 section 15.2)."""
    return INFORMATIONAL <= status < FINAL and status != SWITCHING_PROTOCOLS
