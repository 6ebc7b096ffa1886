"""The owner of sites, who proves it anew whenever a robots.txt was fetched.

Scope: asking for what `ownership` decides on, beside robots.txt.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Callable, Collection

from goodbot.crawl.verbs.own_site.ownership import (
    LOCALHOST,
    OwnershipProof,
    dns_name,
    host_of,
    is_loopback,
    proof_ends,
    prove_by_file,
    prove_by_txt,
    prove_loopback,
    token_of,
)
from goodbot.crawl.verbs.own_site.txt_records import TxtRecords
from goodbot.net import Clock, SystemClock
from goodbot.policy import Policy
from goodbot.robot.identity import Identity
from goodbot.robot.origin_state import OwnerPermission

__all__ = ["SiteOwner"]


class SiteOwner:
    """The owner of the sites of a crawl.

    Args:
        key: The owner's random key.
        robot: The robot that is permitted.
        origins: The origins of the crawl: of no other one is a proof sought.
        on_unproven: Called with each origin whose robots.txt has rules and no proof was found, each
            time.
        txt_records: What asks for TXT records.
        clock: The clock.

    """

    def __init__(
        self,
        key: bytes,
        robot: Identity,
        origins: Collection[str],
        *,
        on_unproven: Callable[[str], object] = lambda _: None,
        txt_records: TxtRecords | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Keep the parts."""
        self._key, self._robot, self._origins = key, robot, frozenset(origins)
        self._on_unproven = on_unproven
        self._txt_records = txt_records or TxtRecords()
        self._clock = clock or SystemClock()
        self.proven: dict[str, tuple[Policy, OwnershipProof]] = {}
        """The sites that are the owner's, by their latest robots.txt, and what proved it."""

    def token(self, origin: str) -> str:
        """Return the token for an origin."""
        return token_of(self._key, self._robot, origin)

    async def prove(self, policy: Policy) -> OwnershipProof | None:
        """Return the proof that a site is the owner's; `None` if there is none.

        Args:
            policy: The policy of the site, as it was just fetched.

        """
        origin = policy.origin
        if origin not in self._origins:
            return None
        proof = await self._sought(policy)
        self.proven.pop(origin, None)
        # One that is stored and no longer fresh is about to be fetched anew.
        is_new = self._clock.now() < policy.fresh_until
        if proof is None and is_new and policy.access == "rules":
            self._on_unproven(origin)
        if proof is not None:
            self.proven[origin] = policy, proof
        return proof

    async def _sought(self, policy: Policy) -> OwnershipProof | None:
        """Seek a proof: none is needed on loopback, else in robots.txt, then in DNS."""
        origin, now = policy.origin, self._clock.now()
        if is_loopback(origin) or await is_this_machine(origin):
            return prove_loopback(origin, now)
        token = self.token(origin)
        if any(token in value.casefold() for _, value in self._robot.headers):
            return None  # a site that repeats what it is sent would prove it
        proof = prove_by_file(policy, token, now)
        name = dns_name(origin)
        if proof is None and name is not None:
            values = await self._txt_records.values_of(name)
            proof = prove_by_txt(origin, values, token, self._clock.now())
        return proof

    async def permit(self, policy: Policy, listed: Collection[str]) -> OwnerPermission | None:
        """Return the permission that the owner gives to fetch what was listed; `None` for none.

        Args:
            policy: The policy of the site, as it was just fetched.
            listed: The URLs that the owner was asked about.

        """
        proof = await self.prove(policy)
        if proof is None:
            return None
        said, until = proof.permission(), proof_ends(policy)
        return lambda url, now: said if url in listed and now < until else ""


async def is_this_machine(origin: str) -> bool:
    """Return whether the host is `localhost`, and that is a loopback address (RFC 6761, 6.3)."""
    if host_of(origin) != LOCALHOST:
        return False
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(LOCALHOST, None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    addresses = [ipaddress.ip_address(one[4][0]) for one in found]
    return bool(addresses) and all(one.is_loopback for one in addresses)
