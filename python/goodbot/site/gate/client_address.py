"""The address of a client, behind proxies that the policy declares.

Scope: header fields are believed only as far as declared proxies wrote them (RFC 7239 section 8.1).
"""

import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

__all__ = ["SOCKET", "ClientAddresses"]

SOCKET = "unix"
"""What stands for a Unix socket among proxies. Who connects through one is `None` to uvicorn,
hypercorn and daphne, has an empty address to gunicorn and granian, and is `localhost` to
waitress."""

ClientIP: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

MOST_REMEMBERED = 4_096
"""How many pairs of address and field are remembered."""
MOST_HOPS = 20
"""The most proxies of a field that are followed."""
LONGEST_FIELD = 2_048
"""The most characters of a field that are read: its end, which the nearest proxy wrote."""

FOR = re.compile(r'(?i)(?:^|;)\s*for\s*=\s*(?:"([^"]*)"|([^;\s]*))')
"""The parameter of Forwarded that names a client (RFC 7239 section 5.2)."""
WITH_PORT = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::\d+)?|([0-9.]+):\d+")


class ClientAddresses:
    """Finds the address of a client.

    Args:
        proxies: Addresses and prefixes of the proxies that may name an address; `unix` for who
            connects through a Unix socket, and so has no address.
        field: The field in which they do: `x-forwarded-for` or `forwarded`.

    >>> addresses = ClientAddresses(["10.0.0.0/8"], "x-forwarded-for")
    >>> addresses.of("10.0.0.1", "1.1.1.1, 192.0.2.7, 10.2.3.4")
    '192.0.2.7'
    >>> addresses.of("192.0.2.9", "1.1.1.1")
    '192.0.2.9'
    >>> ClientAddresses(["unix"], "x-forwarded-for").of("", "192.0.2.7")
    '192.0.2.7'
    """

    def __init__(self, proxies: Iterable[str], field: str) -> None:
        """Read the prefixes."""
        declared = tuple(proxies)
        self.is_socket_declared = SOCKET in declared
        self.proxies = [
            ipaddress.ip_network(one, strict=False) for one in declared if one != SOCKET
        ]
        self.field = field if declared else None
        self._remembered = lru_cache(maxsize=MOST_REMEMBERED)(self.named)

    def of(self, peer: str | None, value: str | None) -> str | None:
        """Return the address of a client; `None` if it is not known.

        Args:
            peer: The address that the connection is from.
            value: What the field says, if there is one.

        """
        if value is None or self.field is None:
            return peer
        return self._remembered(peer or "", value[-LONGEST_FIELD:])

    def named(self, peer: str, value: str) -> str | None:
        """Return the first address, from the nearest, that is of no declared proxy.

        A proxy that names no address (`unknown`, `_hidden`) leaves the client unknown.
        """
        found = address_of(peer)
        if not (self.is_socket_declared if found is None else self.is_proxy(found)):
            return peer or None
        for text in reversed(value.split(",")[-MOST_HOPS:]):
            named = FOR.search(text) if self.field == "forwarded" else None
            word = (named[1] or named[2] or "") if named else text
            found = address_of(word) if named or self.field != "forwarded" else None
            if found is None or not self.is_proxy(found):
                break
        return None if found is None else str(found)

    def why_unknown(self, peer: str | None, value: str | None) -> str:
        """Return why a client has no address that says who it is, and what to do.

        Args:
            peer: The address that the connection is from.
            value: What the field says, if there is one.

        """
        address = address_of(peer or "")
        whose = "a Unix socket" if address is None else f"the internal address {address}"
        is_declared = self.is_socket_declared if address is None else self.is_proxy(address)
        if not is_declared:
            name = SOCKET if address is None else str(address)
            return f'requests come from {whose}; add "{name}" to proxies if that is your proxy'
        if value is None:
            return (
                f"requests from {whose} come without {self.field}: let your proxy send it, and "
                "your server pass it on (waitress removes it unless trusted_proxy_headers names it)"
            )
        return f"{self.field} of requests from {whose} names no public address"

    def is_proxy(self, address: ClientIP) -> bool:
        """Return whether an address is that of a declared proxy."""
        return any(address in one for one in self.proxies if one.version == address.version)


def address_of(text: str) -> ClientIP | None:
    """Return the address in a text, which may have a port; an IPv4 address in IPv6 is itself."""
    word = text.strip()
    found = WITH_PORT.fullmatch(word)
    try:
        address = ipaddress.ip_address((found[1] or found[2]) if found else word)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
