"""Which addresses are public: those that a stranger's link may lead a robot to.

What may live here: judging addresses. Names are not judged, only what they resolve to and what was
connected to: a name can change between two looks (DNS rebinding).

Source: the IANA registries of special-purpose addresses (RFC 6890), for IPv4 and IPv6.
"""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from goodbot.errors import WrongValueError

__all__ = ["AddressGuard"]

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

NOT_PUBLIC_IPV4: dict[str, str] = {
    "0.0.0.0/8": "this network; many systems connect to themselves (RFC 791 section 3.2)",
    "10.0.0.0/8": "private use (RFC 1918)",
    "100.64.0.0/10": "shared behind carriers' translators (RFC 6598)",
    "127.0.0.0/8": "loopback (RFC 1122 section 3.2.1.3)",
    "169.254.0.0/16": "link-local, where clouds tell secrets (RFC 3927)",
    "172.16.0.0/12": "private use (RFC 1918)",
    "192.0.0.0/24": "protocol assignments (RFC 6890)",
    "192.0.2.0/24": "documentation (RFC 5737)",
    "192.88.99.0/24": "relays of 6to4, deprecated (RFC 7526)",
    "192.168.0.0/16": "private use (RFC 1918)",
    "198.18.0.0/15": "benchmarks (RFC 2544)",
    "198.51.100.0/24": "documentation (RFC 5737)",
    "203.0.113.0/24": "documentation (RFC 5737)",
    "224.0.0.0/4": "multicast (RFC 5771)",
    "240.0.0.0/4": "reserved, and broadcast (RFC 1112 section 4; RFC 919)",
}

NOT_PUBLIC_IPV6: dict[str, str] = {
    "2001::/23": "protocol assignments, also Teredo (RFC 2928; RFC 4380)",
    "2001:db8::/32": "documentation (RFC 3849)",
    "3fff::/20": "documentation (RFC 9637)",
}
"""Within 2000::/3. All that lies outside it is not public: loopback, unique local, link-local,
site-local, multicast, local-use NAT64 and what is not assigned (RFC 4291 section 2.4)."""

GLOBAL_UNICAST = IPv6Network("2000::/3")

CARRIES_IPV4: dict[str, int] = {
    "::ffff:0:0/96": 0,  # IPv4-mapped: the system connects to the IPv4 address (RFC 4291 2.5.5.2)
    "64:ff9b::/96": 0,  # NAT64, by which networks of IPv6 alone reach IPv4 (RFC 6052 section 2.1)
    "2002::/16": 80,  # 6to4 (RFC 3056 section 2)
}
"""Networks whose addresses stand for an IPv4 address, and how many bits stand behind it."""

IPV4_NETWORKS = [IPv4Network(one) for one in NOT_PUBLIC_IPV4]
IPV6_NETWORKS = [IPv6Network(one) for one in NOT_PUBLIC_IPV6]
CARRIERS = [(IPv6Network(one), shift) for one, shift in CARRIES_IPV4.items()]


class AddressGuard:
    """Says which addresses may be asked: the public ones, and those of networks that are named.

    Args:
        private_networks: Networks that may be asked although they are not public, such as
            `127.0.0.0/8` or `::1`.

    Raises:
        WrongValueError: One of them is no network.

    >>> guard = AddressGuard(["10.1.0.0/16"])
    >>> [guard.allows(one) for one in ("93.184.215.14", "10.1.2.3", "10.2.0.1", "::ffff:127.0.0.1")]
    [True, True, False, False]

    """

    def __init__(self, private_networks: Iterable[str] = ()) -> None:
        """Take the networks that may be asked nonetheless."""
        if isinstance(private_networks, str):
            private_networks = [private_networks]
        self.private_networks: tuple[Network, ...] = tuple(map(network_of, private_networks))
        # The same few addresses are asked about at every request.
        self.allows = lru_cache(maxsize=4096)(self._allows)

    def _allows(self, address: str) -> bool:
        """Whether an address, in numbers, may be asked. What is no address may not."""
        try:
            # A zone, as in fe80::1%eth0, says over which wire; it makes nothing public.
            parsed = ip_address(address.partition("%")[0])
        except ValueError:
            return False
        meant = carried(parsed)
        return is_public(meant) or any(
            one in network
            for one in (parsed, meant)
            for network in self.private_networks
            if one.version == network.version
        )


def network_of(text: str) -> Network:
    """Read a network."""
    try:
        return ip_network(text, strict=False)
    except ValueError:
        message = f"private_networks has {text!r}; give networks such as '127.0.0.0/8' or '::1'"
        raise WrongValueError(message) from None


def carried(address: Address) -> Address:
    """Give the IPv4 address for which an IPv6 address stands, or the address itself.

    >>> str(carried(IPv6Address("64:ff9b::7f00:1"))), str(carried(IPv6Address("2002:a00:1::")))
    ('127.0.0.1', '10.0.0.1')
    """
    if isinstance(address, IPv6Address):
        for network, shift in CARRIERS:
            if address in network:
                return IPv4Address(int(address) >> shift & 0xFFFFFFFF)
    return address


def is_public(address: Address) -> bool:
    """Whether an address is one of the Internet's, for one host, and not set aside.

    >>> is_public(IPv4Address("8.8.8.8")), is_public(IPv6Address("::1"))
    (True, False)
    """
    if isinstance(address, IPv4Address):
        return not any(address in network for network in IPV4_NETWORKS)
    return address in GLOBAL_UNICAST and not any(address in one for one in IPV6_NETWORKS)
