"""What a published list of addresses says, and what of it can be believed.

Scope: from the bytes of a list to prefixes. A list is foreign content: it never raises, and within
bounds. Who believes a prefix lets its addresses pass for an operator's, so that some are refused.
"""

import ipaddress
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from goodbot.bots.known_robot import AddressList
from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass

__all__ = [
    "PREFIX_PROBLEMS",
    "PublishedAddresses",
    "is_internal",
    "prefix_of",
    "read_addresses",
]

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

LARGEST_LIST = 8 * 1024 * 1024
"""The most bytes of a list that are read."""
MOST_PREFIXES = 100_000
"""The most prefixes of a list."""
MOST_REFUSED = 20
"""The most refused prefixes that are listed; all are counted."""
LONGEST_PREFIX = 60
"""The most characters of a prefix: one of IPv6 has at most 43."""

BROADEST = {4: 8, 6: 16}
"""The fewest leading bits of a prefix, by version of IP. No operator has half of the Internet."""
MOST_COVERED = {4: 2**28, 6: 2**116}
"""The most addresses of a list, by version of IP: 16 of the broadest prefixes."""

PREFIX_PROBLEMS = {
    "not-a-prefix": "it is not an address or a prefix",
    "too-broad": "it is broader than /8 (IPv6: /16)",
    "private": "it is or contains addresses of private networks or special use",
    "covers-too-much": "together, its prefixes have more than a sixteenth of IPv4 or a /12 of IPv6",
    "no-prefixes": "the list has no prefix that can be used",
    "not-readable": "the list is not in the form in which its operator publishes it",
    "too-large": "the list is larger than 8 MiB or has more than 100,000 prefixes",
}
"""What may be wrong with a prefix or a list, in words."""

SPECIAL = [
    ipaddress.ip_network(prefix)
    for prefix in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
        *("172.16.0.0/12", "192.168.0.0/16", "224.0.0.0/4", "240.0.0.0/4"),
        *("::/96", "::ffff:0:0/96", "fc00::/7", "fe80::/10", "ff00::/8"),
    )
]
"""Networks of private or special use that a broad prefix may contain (RFC 6890)."""


def is_internal(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Return whether no request from the Internet can have an address: it is that of a proxy.

    >>> is_internal(ipaddress.ip_address("10.0.0.1")), is_internal(ipaddress.ip_address("8.8.8.8"))
    (True, False)

    Source: RFC 6890.

    """
    return any(address.version == one.version and address in one for one in SPECIAL)


FILTER = re.compile(r"(.*)\[(\w+)=(\w+)\]")


@dataclass(frozen=True, slots=True, repr=False)
class PublishedAddresses:
    """The prefixes of a list, and what was refused of it.

    >>> from goodbot.bots import AddressList
    >>> from goodbot.bots.published_addresses import read_addresses
    >>> body = b'{"prefixes": [{"ipv4Prefix": "66.249.64.0/27"}, {"ipv4Prefix": "10.0.0.0/8"}]}'
    >>> found = read_addresses(body, AddressList("https://example.com/list.json"))
    >>> found.prefixes, found.refused, found.problem
    (('66.249.64.0/27',), (('10.0.0.0/8', 'private'),), None)
    """

    prefixes: tuple[str, ...] = ()
    """The prefixes that can be used, in the order of the list, each once."""
    refused: tuple[tuple[str, str], ...] = ()
    """The first 20 prefixes that are refused, each with the slug of its problem."""
    refused_count: int = 0
    """How many prefixes are refused."""
    created: str | None = None
    """When the list says that it was made."""
    problem: str | None = None
    """Why the whole list is refused, a slug of `PREFIX_PROBLEMS`; `None` if it can be used."""

    __repr__ = short_repr


def read_addresses(body: bytes, published: AddressList) -> PublishedAddresses:
    """Return what a list says.

    Args:
        body: Its bytes.
        published: Its form, and where it has the prefixes.

    """
    if len(body) > LARGEST_LIST:
        return PublishedAddresses(problem="too-large")
    text = body.decode("utf-8-sig", "replace")
    document: Any = None
    if published.form == "json":
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            return PublishedAddresses(problem="not-readable")
        written = strings_at(document, published.path.split("."))
    else:
        written = first_cells(text)
    return sorted_out(written, created_of(document))


def sorted_out(written: Iterator[str], created: str | None) -> PublishedAddresses:
    """Return the prefixes that can be used, and those that cannot."""
    good: dict[str, Network] = {}
    bad: list[tuple[str, str]] = []
    count = 0
    for number, one in enumerate(written):
        if number >= MOST_PREFIXES:
            return PublishedAddresses(problem="too-large")
        network, problem = prefix_of(one)
        if network is not None:
            good[str(network)] = network
            continue
        count += 1
        if len(bad) < MOST_REFUSED:
            bad.append((one[:LONGEST_PREFIX], problem))
    if covers_too_much(good.values()):
        return PublishedAddresses(problem="covers-too-much", created=created)
    of_list = None if good else "no-prefixes"
    return PublishedAddresses(tuple(good), tuple(bad), count, created, of_list)


def covers_too_much(networks: Iterable[Network]) -> bool:
    """Return whether networks have more addresses together than any operator, in whatever pieces.

    >>> eights = [ipaddress.ip_network(f"{number}.0.0.0/8") for number in range(1, 18)]
    >>> covers_too_much(eights[:16]), covers_too_much(eights), covers_too_much(eights[:1] * 17)
    (False, True, False)
    """
    ends, sums = {4: 0, 6: 0}, {4: 0, 6: 0}
    for one in sorted(networks, key=lambda one: (one.version, int(one.network_address))):
        first, end = int(one.network_address), int(one.broadcast_address) + 1
        sums[one.version] += max(end - max(first, ends[one.version]), 0)
        ends[one.version] = max(end, ends[one.version])
    return any(sums[version] > most for version, most in MOST_COVERED.items())


def prefix_of(text: str) -> tuple[Network | None, str]:
    """Return the network of an address or a prefix; `None` and the problem if it is refused.

    >>> prefix_of("66.249.64.1")[0], prefix_of("0.0.0.0/0"), prefix_of("fd00::/16")
    (IPv4Network('66.249.64.1/32'), (None, 'too-broad'), (None, 'private'))
    """
    if len(text) > LONGEST_PREFIX:
        return None, "not-a-prefix"
    try:
        network = ipaddress.ip_network(text.strip(), strict=False)
    except ValueError:
        return None, "not-a-prefix"
    if network.prefixlen < BROADEST[network.version]:
        return None, "too-broad"
    special = network.is_private or network.is_multicast or network.is_reserved
    broad = network.prefixlen < BROADEST[network.version] * 2
    if special or network.is_link_local or network.is_unspecified:
        return None, "private"
    if broad and any(network.version == one.version and network.overlaps(one) for one in SPECIAL):
        return None, "private"
    return network, ""


def strings_at(value: object, path: list[str]) -> Iterator[str]:
    """Yield the strings at a path of a document; see `AddressList.path`."""
    if not path:
        if isinstance(value, str):
            yield value
        return
    for child in children(value, path[0]):
        yield from strings_at(child, path[1:])


def children(value: object, step: str) -> Iterator[object]:
    """Yield what a value has at one step of a path."""
    wanted = FILTER.fullmatch(step)
    if wanted is not None:
        name, key, word = wanted.groups()
        found = children(value, name)
        yield from (one for one in found if isinstance(one, dict) and one.get(key) == word)
    elif step == "*":
        yield from value.values() if isinstance(value, dict) else ()
        yield from value if isinstance(value, list) else ()
    elif isinstance(value, dict):
        yield from (value[name] for name in step.split("|") if name in value)


def first_cells(text: str) -> Iterator[str]:
    """Yield the first cell of each line that is no comment (RFC 8805 section 2.1.1)."""
    for line in text.splitlines():
        cell = line.partition("#")[0].partition(",")[0].strip()
        if cell:
            yield cell


def created_of(document: object) -> str | None:
    """Return when a list says that it was made."""
    created = document.get("creationTime") if isinstance(document, dict) else None
    return created[:40] if isinstance(created, str) else None
