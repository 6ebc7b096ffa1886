"""The server groups of origins, looked up once for each host.

Scope: when the address of a host is looked up. To which group it belongs is decided by
`goodbot.pace.groups`.
"""

from collections import OrderedDict

from goodbot.errors import MisuseError
from goodbot.net.clock import Clock
from goodbot.net.fetcher import AddressLookup, Fetcher
from goodbot.pace.groups import group_of, host_of, needs_addresses

__all__ = ["GroupLookup"]

LIFE = 3_600.0
"""How many seconds a group is remembered: an address that changes, changes the group."""
MOST_HOSTS = 100_000
"""The most hosts whose groups are remembered."""


class GroupLookup:
    """Finds the server group of an origin.

    Args:
        groups: The groups in normal form; empty for none.
        fetcher: What looks up addresses, if a group depends on them.
        clock: The clock.

    Raises:
        MisuseError: A group depends on addresses, and the fetcher cannot look them up.

    """

    def __init__(self, groups: tuple[str, ...], fetcher: Fetcher, clock: Clock) -> None:
        """Remember nothing yet."""
        self._groups = groups
        self._clock = clock
        self._lookup: AddressLookup | None = None
        self._known: OrderedDict[str, tuple[float, str]] = OrderedDict()
        if needs_addresses(groups):
            if not isinstance(fetcher, AddressLookup):
                message = (
                    "groups of addresses need a fetcher that has find_address, such as "
                    "AiohttpFetcher; add that method to yours, or name hosts"
                )
                raise MisuseError(message)
            self._lookup = fetcher

    @property
    def are_some(self) -> bool:
        """Whether any hosts share a server, as far as the robot was told."""
        return bool(self._groups)

    async def of(self, origin: str) -> str:
        """Return the group of an origin; empty if it has none, or its address is unknown."""
        if not self._groups:
            return ""
        host, now = host_of(origin), self._clock.monotonic()
        then, group = self._known.get(host, (-LIFE, ""))
        if now - then < LIFE:
            return group
        address = None if self._lookup is None else await self._lookup.find_address(host)
        group = group_of(self._groups, host, address)
        if self._lookup is None or address is not None:
            self._known[host] = now, group
            self._known.move_to_end(host)
            if len(self._known) > MOST_HOSTS:
                self._known.popitem(last=False)
        return group
