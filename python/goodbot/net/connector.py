"""The guarded connections of aiohttp: to public addresses only, and not too many left open.

An address is checked three times, each nearer to the bytes: what a name resolves to, what a
socket is made for, and whom the socket that will be used is connected to.
"""

import errno
import socket
import ssl
from collections import OrderedDict
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from goodbot.net.addresses import AddressGuard

__all__ = ["EXCHANGE", "Exchange", "GuardedConnector", "GuardedResolver", "PrivateAddressError"]


LONGEST_IDLE = 1.5
"""Seconds after which an idle connection is not used again. A request that meets a connection while
the server closes it fails, as it is not repeated. Servers close them after 2 seconds or more (a
common default is 5), and a second between two visits, the usual pace, fits."""


class PrivateAddressError(OSError):
    """An address may not be asked; an `OSError`, as aiohttp expects of resolvers and sockets."""

    def __init__(self, address: str) -> None:
        """Return which."""
        super().__init__(errno.EACCES, address)
        self.address = address


@dataclass(slots=True)
class Exchange:
    """What is known of one fetch while it runs."""

    has_asked: bool = False
    """Whether a connection was asked for."""
    transport: Any = None
    """The connection in use."""
    address: str | None = None
    """Who is at its other end."""
    refused: str | None = None
    """The address that may not be asked."""


EXCHANGE: ContextVar[Exchange] = ContextVar("EXCHANGE")
"""The fetch in which we are: aiohttp has no argument that goes all the way."""


class GuardedResolver(AbstractResolver):
    """Resolves as another resolver does, and keeps only addresses that may be asked."""

    def __init__(self, inner: AbstractResolver, guard: AddressGuard) -> None:
        """Take who resolves, and who judges."""
        self._inner = inner
        self._guard = guard

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,
    ) -> list[ResolveResult]:
        """Resolve a name; a name of private addresses only is refused."""
        found = await self._inner.resolve(host, port, family)
        kept = [one for one in found if self._guard.allows(one["host"])]
        if found and not kept:
            raise PrivateAddressError(found[0]["host"])
        return kept

    async def close(self) -> None:
        """Close the other one."""
        await self._inner.close()


class GuardedConnector(aiohttp.TCPConnector):
    """A pool of connections to addresses that may be asked.

    aiohttp bounds the connections in use; here those that are idle are bounded as well, by
    `connections`: a robot goes to many hosts, and to each only once in a while.
    """

    def __init__(
        self,
        guard: AddressGuard,
        resolver: AbstractResolver | None,
        tls: ssl.SSLContext | None,
        connections: int,
        connections_per_origin: int,
    ) -> None:
        """Make the pool, within a running loop."""
        self._guard = guard
        self._most_idle = connections
        self._idle: OrderedDict[Any, None] = OrderedDict()
        super().__init__(
            resolver=GuardedResolver(resolver or aiohttp.ThreadedResolver(), guard),
            socket_factory=self._make_socket,
            ssl=True if tls is None else tls,
            keepalive_timeout=LONGEST_IDLE,
            limit=connections,
            limit_per_host=connections_per_origin,
        )

    def _make_socket(self, address_info: Any) -> socket.socket:  # noqa: ANN401  as aiohttp has it
        """Make a socket for an address, if it may be asked: also one that the URL itself has."""
        family, kind, protocol, _, address = address_info
        exchange = EXCHANGE.get()
        if not self._guard.allows(address[0]):
            exchange.refused = address[0]
            raise PrivateAddressError(address[0])
        return socket.socket(family=family, type=kind, proto=protocol)

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: Any,  # noqa: ANN401  as aiohttp has it
        timeout: aiohttp.ClientTimeout,
    ) -> Any:  # noqa: ANN401
        """Return a connection, new or used before, after a look at its other end."""
        exchange = EXCHANGE.get()
        if exchange.has_asked:
            # aiohttp repeats a request whose connection breaks off (RFC 9112 section 9.3.1 allows
            # it). The site may then see two, where evidence and pace know of one.
            raise aiohttp.ServerDisconnectedError
        exchange.has_asked = True
        connection = await super().connect(req, traces, timeout)
        try:
            self._look_at(connection.transport, exchange)
        except BaseException:
            connection.close()
            raise
        return connection

    def _look_at(self, transport: Any, exchange: Exchange) -> None:  # noqa: ANN401  asyncio's
        """Look at who is at the other end; the last look before a request is sent."""
        peer = transport and transport.get_extra_info("peername")
        if not peer:
            raise aiohttp.ServerDisconnectedError
        if not self._guard.allows(peer[0]):
            exchange.refused = peer[0]
            raise PrivateAddressError(peer[0])
        exchange.transport, exchange.address = transport, peer[0]
        self._idle.pop(transport, None)

    def rest(self, transport: Any) -> None:  # noqa: ANN401  asyncio's
        """Note that a connection is idle, and close those that have been so the longest."""
        if transport is None or transport.is_closing():
            return
        self._idle[transport] = None
        while len(self._idle) > self._most_idle:
            self._idle.popitem(last=False)[0].close()
