"""Whether a request under the name of a robot comes from an address of that robot.

Scope: published lists of addresses, read once from the user's cache; nothing is fetched.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from functools import lru_cache
from typing import Literal, TypeAlias

from goodbot.address_lists import ListFolder
from goodbot.bots import KnownRobot, every
from goodbot.bots.prefix_set import PrefixSet
from goodbot.bots.published_addresses import is_internal, prefix_of
from goodbot.site.gate.client_address import address_of

__all__ = ["Identification", "RobotAddresses", "says_nothing"]

Identification: TypeAlias = Literal["verified", "spoofed", "unknown"]
"""Whose a request is: of the robot that it names, of someone else, or not known."""

MOST_REMEMBERED = 16_384
"""How many pairs of robot and address are remembered."""
OLDEST = 30 * 86_400.0
"""The age in seconds of a list beyond which an address that it lacks is not called spoofed."""


class RobotAddresses:
    """The addresses of robots.

    Args:
        prefixes: The addresses and prefixes of robots by their names; those that are too broad or
            private are not used.
        complete: The names of the robots whose prefixes are all of them, so that another address is
            not theirs.

    >>> from goodbot import bots
    >>> addresses = RobotAddresses({"GPTBot": ["52.230.152.0/24"]}, complete=["GPTBot"])
    >>> addresses.identity(bots.get("GPTBot"), "52.230.152.7")
    'verified'
    >>> addresses.identity(bots.get("GPTBot"), "8.8.8.8")
    'spoofed'
    >>> addresses.identity(bots.get("Bytespider"), "8.8.8.8")
    'unknown'
    >>> addresses.identity(bots.get("GPTBot"), "10.0.0.5")
    'unknown'
    """

    def __init__(self, prefixes: Mapping[str, Iterable[str]], complete: Iterable[str] = ()) -> None:
        """Prepare the lookups."""
        self.by_robot = {name: usable(found) for name, found in prefixes.items()}
        self.complete = frozenset(complete)
        self._remembered = lru_cache(maxsize=MOST_REMEMBERED)(self.found)

    @classmethod
    def from_cache(
        cls, folder: ListFolder | None = None, *, now: datetime | None = None
    ) -> "RobotAddresses":
        """Return what the cache of `goodbot bots update` has.

        Args:
            folder: The cache; by default the user's.
            now: The time; copies older than 30 days verify, and call nobody spoofed.

        """
        folder, now = folder or ListFolder(), now or datetime.now(timezone.utc)
        copies = {
            url: copy
            for url in dict.fromkeys(one.url for robot in every() for one in robot.addresses)
            if (copy := folder.read(url)) is not None
        }
        prefixes, complete = {}, []
        for robot in every():
            held = [copies[one.url] for one in robot.addresses if one.url in copies]
            prefixes[robot.name] = [
                *robot.prefixes,
                *(one for copy in held for one in copy.prefixes),
            ]
            is_whole = len(held) == len(robot.addresses) and bool(held or robot.prefixes)
            if is_whole and all(copy.age(now) <= OLDEST for copy in held):
                complete.append(robot.name)
        return cls(prefixes, complete)

    def identity(self, robot: KnownRobot, address: str | None) -> Identification:
        """Return whose a request is that names a robot.

        Args:
            robot: The robot.
            address: The address of the client; `None` if it is not known.

        """
        return "unknown" if address is None else self._remembered(robot.name, address)

    def found(self, name: str, address: str) -> Identification:
        """Return whose an address is."""
        client, prefixes = address_of(address), self.by_robot.get(name)
        if client is None or not prefixes or says_nothing(address):
            return "unknown"
        if client in prefixes:
            return "verified"
        return "spoofed" if name in self.complete else "unknown"


@lru_cache(maxsize=MOST_REMEMBERED)
def says_nothing(address: str) -> bool:
    """Return whether an address says nothing about the sender: no address, or an internal one."""
    client = address_of(address)
    return client is None or is_internal(client)


def usable(prefixes: Iterable[str]) -> PrefixSet:
    """Return the prefixes that are not too broad nor private."""
    networks = (prefix_of(text)[0] for text in prefixes)
    return PrefixSet(str(network) for network in networks if network is not None)
