"""Server groups: hosts that the robot visits one at a time, because they share a server.

Scope: to which group a host belongs. Its address is looked up elsewhere (`goodbot.net`).

Other crawlers have it too (Heritrix: groups of queues; BUbiNG: a delay by IP address), but no
document of robots exclusion speaks of it. Many unrelated sites share the addresses of one CDN, so
it is off by default.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache
from ipaddress import ip_address, ip_network

from goodbot.errors import NoOriginError, WrongTypeError, WrongValueError
from goodbot.http.address import address_of

__all__ = ["checked_groups", "group_of", "host_of", "named_group", "needs_addresses"]

BY_ADDRESS = "address"
BY_NETWORK = "network"
PREFIXES = {4: 24, 6: 48}
"""The bits of a network that commonly belong to one operator: the longest prefixes that are routed
between networks (RIPE-399 section 4.1 for /24, RIPE-532 for /48)."""
EVERY_SUBDOMAIN = "*."


def checked_groups(groups: Iterable[str]) -> tuple[str, ...]:
    """Return groups in normal form.

    Args:
        groups: `address` (hosts of one IP address), `network` (of one /24 or /48), networks such as
            `192.0.2.0/24`, and names of hosts, where `*.example.com` stands for `example.com` and
            every name below it.

    Raises:
        WrongTypeError: It is a `str`, or not all are `str`.
        WrongValueError: One is neither a network nor the name of a host.

    >>> checked_groups(["*.Example.COM", "192.0.2.0/24", "network"])
    ('*.example.com', '192.0.2.0/24', 'network')

    """
    if isinstance(groups, str) or not all(isinstance(one, str) for one in groups):
        message = "groups must be a list of str such as ['*.example.com', 'network']"
        raise WrongTypeError(message)
    return tuple(checked_group(one.strip()) for one in groups)


def checked_group(group: str) -> str:
    """Return one group in normal form."""
    if group in {BY_ADDRESS, BY_NETWORK}:
        return group
    try:
        return str(ip_network(group))
    except ValueError:
        below = EVERY_SUBDOMAIN if group.startswith(EVERY_SUBDOMAIN) else ""
    try:
        name = host_of(address_of(f"http://{group.removeprefix(below)}/")[0])
    except NoOriginError:
        name = ""
    if not name or "/" in group or "*" in name or ":" in group:
        message = (
            f"{group[:60]!r} is no server group; write address, network, a network such as "
            "192.0.2.0/24, a host such as shop.example.com, or *.example.com for all hosts below it"
        )
        raise WrongValueError(message)
    return below + name


def host_of(origin: str) -> str:
    """Return the host of an origin, without the brackets of an IPv6 address.

    >>> host_of("http://a.example:8080"), host_of("https://[2001:db8::1]")
    ('a.example', '2001:db8::1')
    """
    host = origin.partition("://")[2]
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def needs_addresses(groups: Iterable[str]) -> bool:
    """Return whether the group of a host depends on its address."""
    return any(one in {BY_ADDRESS, BY_NETWORK} or "/" in one for one in groups)


def group_of(groups: Iterable[str], host: str, address: str | None) -> str:
    """Return the group of a host: the first one to which it belongs; empty if there is none.

    Args:
        groups: Groups in normal form.
        host: The host.
        address: Its IP address; `None` if it is unknown.

    >>> group_of(["*.example.com", "network"], "a.example.com", "192.0.2.7")
    '*.example.com'
    >>> group_of(["*.example.com", "network"], "other.example", "192.0.2.7")
    '192.0.2.0/24'
    >>> group_of(["*.example.com"], "other.example", None)
    ''

    """
    return next(filter(None, (of_one(group, host, address) for group in groups)), "")


@lru_cache(maxsize=10_000)
def named_group(groups: tuple[str, ...], origin: str) -> str:
    """Return the group of an origin as far as its name tells, which is the same on every machine.

    A name has other addresses for each machine that looks it up, and from day to day.

    Args:
        groups: Groups in normal form.
        origin: The origin.

    Returns:
        The group; the origin itself if its name tells none.

    >>> named_group(("network", "*.example.com"), "https://a.example.com")
    '*.example.com'
    >>> named_group(("network",), "https://a.example.com"), named_group(("network",), "http://192.0.2.7")
    ('https://a.example.com', '192.0.2.0/24')

    """
    host = host_of(origin)
    try:
        address = str(ip_address(host))
    except ValueError:
        address = None
    return group_of(groups, host, address) or origin


def of_one(group: str, host: str, address: str | None) -> str:
    """Return the name of a group if a host belongs to it; empty if it does not."""
    if group in {BY_ADDRESS, BY_NETWORK} or "/" in group:
        return of_address(group, address)
    name = group.removeprefix(EVERY_SUBDOMAIN)
    return group if host == name or fnmatchcase(host, group) else ""


def of_address(group: str, address: str | None) -> str:
    """Return the group of an address; empty if it is unknown or outside the network."""
    if address is None:
        return ""
    found = ip_address(address.partition("%")[0])
    found = getattr(found, "ipv4_mapped", None) or found
    if group == BY_ADDRESS:
        return str(found)
    if group == BY_NETWORK:
        return str(ip_network(f"{found}/{PREFIXES[found.version]}", strict=False))
    return group if found in ip_network(group) else ""
