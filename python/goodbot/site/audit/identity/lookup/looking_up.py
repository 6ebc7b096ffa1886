"""Looking up many addresses: some at a time, each within bounds.

Scope: the questions for an address. Only names that an operator of a known robot may have are asked
for their addresses: other names lead to name servers of those who made them up.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from itertools import islice

from goodbot.bots import every
from goodbot.errors import WrongValueError
from goodbot.net import Clock
from goodbot.site.audit.identity.dns_record import (
    MOST_ADDRESSES,
    MOST_NAMES,
    DnsRecord,
    NameRecord,
    readable_name,
)
from goodbot.site.audit.identity.host_masks import fitting_mask
from goodbot.site.audit.identity.lookup.resolver import DnsAnswer, NameResolver

AT_ONCE = 20
"""How many addresses are looked up at a time."""

LONGEST_LOOKUP = 30.0
"""The most seconds for an address, with the ways back."""


def is_name_of_robot(name: str) -> bool:
    """Return whether a name fits a mask of any known robot.

    >>> is_name_of_robot("crawl-66-249-66-1.googlebot.com"), is_name_of_robot("a.example")
    (True, False)
    """
    return (
        fitting_mask(name, dict.fromkeys(mask for robot in every() for mask in robot.hosts))
        is not None
    )


async def look_up(
    addresses: Iterable[str],
    resolver: NameResolver,
    clock: Clock,
    *,
    at_once: int = AT_ONCE,
    wanted: Callable[[str], bool] = is_name_of_robot,
) -> AsyncIterator[DnsRecord]:
    """Yield a record of DNS for each address, as the answers come.

    Args:
        addresses: The addresses, such as those of `lookups_wanted`.
        resolver: What asks DNS, such as `DnsResolver`.
        clock: The time.
        at_once: How many addresses are looked up at a time.
        wanted: Whether a name is asked for its addresses.

    Raises:
        WrongValueError: `at_once` is less than 1.

    """
    if at_once < 1:
        message = "at_once must be 1 or more"
        raise WrongValueError(message)
    waiting = iter(addresses)
    running: set[asyncio.Task[DnsRecord]] = set()
    try:
        while True:
            for address in islice(waiting, at_once - len(running)):
                running.add(
                    asyncio.ensure_future(look_up_address(address, resolver, clock, wanted))
                )
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def look_up_address(
    address: str, resolver: NameResolver, clock: Clock, wanted: Callable[[str], bool]
) -> DnsRecord:
    """Return the record of one address. A lookup that takes too long has failed."""
    asked = clock.now()
    try:
        return await asyncio.wait_for(ask_names(address, resolver, clock, wanted), LONGEST_LOOKUP)
    except (asyncio.TimeoutError, OSError):
        return DnsRecord(address, asked, "failed")


async def ask_names(
    address: str, resolver: NameResolver, clock: Clock, wanted: Callable[[str], bool]
) -> DnsRecord:
    """Return the names of an address, and the addresses of those names that are wanted."""
    answer = await resolver.names_of(address)
    names = tuple(dict.fromkeys(readable_name(value) for value in answer.values[:MOST_NAMES]))
    version = 6 if ":" in address else 4
    forward = []
    for name in names:
        if name and wanted(name):
            back = await resolver.addresses_of(name, version=version)
            forward.append(name_record(name, back))
    return DnsRecord(address, clock.now(), answer.status, names, tuple(forward))


def name_record(name: str, answer: DnsAnswer) -> NameRecord:
    """Return the addresses of a name, some of very many."""
    return NameRecord(name, answer.status, answer.values[:MOST_ADDRESSES])
