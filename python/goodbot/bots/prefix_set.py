"""Many prefixes, asked for one address.

Scope: a lookup in as many steps as there are lengths of prefixes, at most 129.
"""

import ipaddress
from collections.abc import Iterable
from typing import TypeAlias

__all__ = ["PrefixSet"]

IpAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


class PrefixSet:
    """Prefixes of IPv4 and IPv6.

    Args:
        prefixes: The prefixes, as `goodbot.bots` reads them; those that are none are ignored.

    >>> import ipaddress
    >>> found = PrefixSet(["66.249.64.0/19"])
    >>> found.holding(ipaddress.ip_address("66.249.66.1"))
    '66.249.64.0/19'
    >>> ipaddress.ip_address("192.0.2.1") in found, bool(PrefixSet([]))
    (False, False)
    """

    def __init__(self, prefixes: Iterable[str]) -> None:
        """Sort the prefixes by their length."""
        found: dict[int, dict[int, set[int]]] = {4: {}, 6: {}}
        for one in prefixes:
            try:
                network = ipaddress.ip_network(one)
            except ValueError:
                continue
            shift = network.max_prefixlen - network.prefixlen
            bits = int(network.network_address) >> shift
            found[network.version].setdefault(shift, set()).add(bits)
        self._by_length = {version: sorted(of.items()) for version, of in found.items()}

    def __bool__(self) -> bool:
        """Return whether there are prefixes."""
        return any(self._by_length.values())

    def __contains__(self, address: IpAddress) -> bool:
        """Return whether a prefix has an address."""
        return self._shift(address) is not None

    def holding(self, address: IpAddress) -> str | None:
        """Return a prefix that has an address, the longest one; `None` if none has it."""
        shift = self._shift(address)
        if shift is None:
            return None
        length = address.max_prefixlen - shift
        return str(ipaddress.ip_network(f"{address}/{length}", strict=False))

    def _shift(self, address: IpAddress) -> int | None:
        """Return how many bits the longest prefix that has an address leaves open."""
        value = int(address)
        for shift, bits in self._by_length[address.version]:
            if value >> shift in bits:
                return shift
        return None
