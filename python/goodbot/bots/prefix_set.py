"""Many prefixes, asked for one address.

Scope: a lookup in as many steps as there are lengths of prefixes, at most 129.
"""

import ipaddress
from collections.abc import Iterable

from goodbot.audit.identity.logged_address import LoggedAddress

__all__ = ["PrefixSet"]


class PrefixSet:
    """Prefixes of IPv4 and IPv6.

    Args:
        prefixes: The prefixes, as `goodbot.bots` reads them; those that are none are ignored.

    >>> import ipaddress
    >>> found = PrefixSet(["66.249.64.0/19"])
    >>> found.holding(ipaddress.ip_address("66.249.66.1"))
    '66.249.64.0/19'
    """

    def __init__(self, prefixes: Iterable[str]) -> None:
        """Sort the prefixes by their length."""
        self._by_length: dict[int, dict[int, set[int]]] = {4: {}, 6: {}}
        for one in prefixes:
            try:
                network = ipaddress.ip_network(one)
            except ValueError:
                continue
            shift = network.max_prefixlen - network.prefixlen
            of_version = self._by_length[network.version]
            of_version.setdefault(shift, set()).add(int(network.network_address) >> shift)

    def holding(self, address: LoggedAddress) -> str | None:
        """Return a prefix that has an address, the longest one; `None` if none has it."""
        of_version = self._by_length[address.version]
        for shift in sorted(of_version):
            if int(address) >> shift in of_version[shift]:
                length = address.max_prefixlen - shift
                return str(ipaddress.ip_network(f"{address}/{length}", strict=False))
        return None
