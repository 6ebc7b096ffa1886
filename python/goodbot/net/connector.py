"""The guarded connections of aiohttp: to public addresses only, and not too many left open.

An address is checked three times: the result of resolving a name, the address for which a socket
is made, and the peer of the socket that will be used.
"""

import asyncio
import errno
import socket
import ssl
from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from goodbot.net.addresses import AddressGuard

__all__ = ["EXCHANGE", "Exchange", "GuardedConnector", "GuardedResolver", "PrivateAddressError"]


LONGEST_IDLE = 1.5
"""Seconds after which an idle connection is not used again. A request on a connection that the
server is closing fails, because it is not repeated. Servers close idle connections after 2 seconds
or more (a common default is 5), and one second between two visits, the usual pace, is shorter."""

NO_TIMEOUT = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None)
"""goodbot's own deadline covers the whole exchange and is the only one."""


class PrivateAddressError(OSError):
    """The address is not allowed; an `OSError`, as aiohttp expects from resolvers and sockets."""

    def __init__(self, address: str) -> None:
        """Keep the address."""
        super().__init__(errno.EACCES, address)
        self.address = address


@dataclass(slots=True)
class Exchange:
    """The state of one fetch while it runs."""

    monotonic: Callable[[], float]
    """The clock of the fetch."""
    origin: str
    """The origin to which the request goes."""
    connected: float = 0.0
    """When the connection was ready, by that clock."""
    connection: Any = None
    """The connection of aiohttp in use."""
    transport: Any = None
    """Its transport."""
    address: str | None = None
    """The address of its peer."""
    refused: str | None = None
    """The address that is not allowed."""


EXCHANGE: ContextVar[Exchange] = ContextVar("EXCHANGE")
"""The fetch for which a connection is opened: aiohttp has no argument that reaches its sockets."""


class GuardedResolver(AbstractResolver):
    """Wraps a resolver and returns only allowed addresses."""

    def __init__(self, inner: AbstractResolver, guard: AddressGuard) -> None:
        """Keep the resolver and the guard."""
        self._inner = inner
        self._guard = guard

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,
    ) -> list[ResolveResult]:
        """Resolve a name; a name that has only private addresses is refused.

        Raises:
            OSError: It has no address, or only private ones.

        """
        found = await self._inner.resolve(host, port, family)
        kept = [one for one in found if self._guard.allows(one["host"])]
        if found and not kept:
            raise PrivateAddressError(found[0]["host"])
        if not kept:
            raise socket.gaierror(socket.EAI_NONAME, "the name has no address")
        return kept

    async def close(self) -> None:
        """Close the wrapped resolver."""
        await self._inner.close()


class GuardedConnector(aiohttp.TCPConnector):
    """A pool of connections to allowed addresses.

    It limits the idle ones, to `connections`: a robot visits many hosts, and each of them rarely.
    Those in use are limited by `ConnectionSlots`, so that aiohttp need not count them again.
    """

    def __init__(
        self,
        guard: AddressGuard,
        resolver: AbstractResolver | None,
        tls: ssl.SSLContext | None,
        connections: int,
        before_sending: Callable[[str], object] | None = None,
    ) -> None:
        """Make the pool, in a running loop."""
        self._before_sending = before_sending
        self._guard = guard
        self._most_idle = connections
        self._idle: OrderedDict[Any, None] = OrderedDict()
        self._used: set[Any] = set()
        """The transports of the exchanges that are under way."""
        super().__init__(
            resolver=GuardedResolver(resolver or aiohttp.ThreadedResolver(), guard),
            socket_factory=self._make_socket,
            ssl=True if tls is None else tls,
            keepalive_timeout=LONGEST_IDLE,
            limit=0,
            limit_per_host=0,
        )

    def _make_socket(self, address_info: Any) -> socket.socket:  # noqa: ANN401  as aiohttp has it
        """Make a socket for an address, if it is allowed, including one in the URL itself."""
        family, kind, protocol, _, address = address_info
        exchange = EXCHANGE.get()
        if not self._guard.allows(address[0]):
            exchange.refused = address[0]
            raise PrivateAddressError(address[0])
        return socket.socket(family=family, type=kind, proto=protocol)

    async def open(self, key: aiohttp.ClientRequest, exchange: Exchange) -> Any:  # noqa: ANN401
        """Return a new or reused connection, after a check of its peer.

        Args:
            key: A request to the origin, which says what to connect to.
            exchange: The state of the fetch.

        """
        token = EXCHANGE.set(exchange)
        try:
            connection = await self.connect(key, [], NO_TIMEOUT)
            while connection.protocol is not None and connection.protocol.should_close:
                # While it was idle, more came than was asked for (RFC 9112 section 9.2): that would
                # be taken for the answer to this request.
                connection.close()
                connection = await self.connect(key, [], NO_TIMEOUT)
        finally:
            EXCHANGE.reset(token)
        exchange.connection = connection
        self._look_at(connection.transport, exchange)
        if self._before_sending is not None:
            self._before_sending(exchange.origin)
        return connection

    def _look_at(self, transport: Any, exchange: Exchange) -> None:  # noqa: ANN401  asyncio's
        """Check the peer, as the last check before a request is sent."""
        peer = transport and transport.get_extra_info("peername")
        if not peer:
            raise aiohttp.ServerDisconnectedError
        if not self._guard.allows(peer[0]):
            exchange.refused = peer[0]
            raise PrivateAddressError(peer[0])
        exchange.transport, exchange.address = transport, peer[0]
        exchange.connected = exchange.monotonic()
        self._idle.pop(transport, None)
        self._used.add(transport)

    async def break_off(self) -> None:
        """Close all connections; an exchange that is under way fails at once.

        aiohttp alone closes them so that a reader of content waits for more until its deadline.
        """
        for transport in self._used:
            transport.abort()
        await asyncio.sleep(0)  # the loop tells the readers
        await self.close()

    def rest(self, exchange: Exchange) -> None:
        """End an exchange: close its connection, or note that it is idle.

        It is idle if the content has come to its end. Otherwise the rest is not needed.
        """
        connection = exchange.connection
        if connection is not None and connection.protocol is not None:  # it is not in the pool yet
            connection.close()
        transport = exchange.transport
        self._used.discard(transport)
        if transport is None or transport.is_closing():
            return
        self._idle[transport] = None
        while len(self._idle) > self._most_idle:
            self._idle.popitem(last=False)[0].close()
