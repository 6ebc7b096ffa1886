"""What becomes of one request: the way from its fields to an answer, or to fields to add.

Scope: `RequestGate.decide`, read it first. Whether a robot may fetch is asked of the rendered
robots.txt, so that enforcement and robots.txt are one verdict. No disk or network is in the way.
"""

import logging
import time
from collections.abc import Callable
from datetime import datetime, timezone
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING

from goodbot.bots import KnownRobot, ObeyedRules
from goodbot.bots.user_agents import of_user_agent
from goodbot.display import short_repr
from goodbot.errors import GoodbotError
from goodbot.http.request_target import request_target, spellings
from goodbot.lazy_dataclass import dataclass
from goodbot.site.gate.client_address import ClientAddresses
from goodbot.site.gate.gate_cache import GateCache
from goodbot.site.gate.gate_findings import reads_delays
from goodbot.site.gate.gate_policy import GatePolicy
from goodbot.site.gate.page_fields import GateFields
from goodbot.site.gate.rendered import Rendered
from goodbot.site.gate.request_delays import RequestDelays
from goodbot.site.gate.robot_addresses import Identification, RobotAddresses, says_nothing
from goodbot.site.gate.robot_groups import STAR, GateGroup
from goodbot.site.gate.served_answers import FieldOf, ServedAnswer, served

if TYPE_CHECKING:
    import os

    from goodbot.robot.signing_identity import SigningIdentity
    from goodbot.site.gate.request_signatures import RequestSignatures

__all__ = ["GateDecision", "RequestGate", "Verifier"]

LOG = logging.getLogger("goodbot.gate")

MOST_REMEMBERED = 4_096
"""How many User-Agents are remembered."""
LONGEST_USER_AGENT = 512
"""The most characters of a User-Agent that are read."""
TEXT = ("Content-Type", "text/plain; charset=utf-8")

Verifier = Callable[[KnownRobot, str], "bool | None"]
"""Says whether an address is a robot's, from what is already known: it must not wait. `None` if it
is not known."""


@dataclass(frozen=True, slots=True, repr=False)
class GateDecision:
    """What becomes of a request."""

    answer: ServedAnswer | None
    """The answer to send; `None` if the site answers."""
    fields: GateFields = ()
    """The header fields to add to the answer of the site."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Claim:
    """Who a User-Agent says that it is."""

    robot: KnownRobot | None
    group: GateGroup
    rules: ObeyedRules | None


class RequestGate:
    """Decides requests by one policy. Threads and tasks may share one.

    Args:
        policy: The policy.
        addresses: The addresses of robots; by default those in the cache of `goodbot bots update`,
            if the policy enforces something.
        verify: Says whether an address is a robot's where lists do not, from a cache of its own.
        signatures: Verifies signatures; by default one is made if the policy wants it.
        identity: The identity of a robot of your own, or its folder: its keys are served at their
            URL, signed by themselves, if that is on one of the hosts of the policy.
        clock: Returns the time.
        steady: Returns the seconds of a clock that never goes back, for delays.

    Raises:
        WrongTypeError: `policy` is not a `GatePolicy`.

    >>> from goodbot.site.gate import GatePolicy
    >>> gate = RequestGate(GatePolicy(site="https://example.com"))
    >>> gate.decide("GET", "example.com", "/robots.txt", {}.get, "192.0.2.1").answer.status
    200
    """

    def __init__(
        self,
        policy: GatePolicy,
        *,
        addresses: RobotAddresses | None = None,
        verify: Verifier | None = None,
        signatures: "RequestSignatures | None" = None,
        identity: "SigningIdentity | str | os.PathLike[str] | None" = None,
        clock: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        """Render every host, so that a policy that cannot be rendered fails at the start."""
        self.cache = GateCache(policy)
        self.enforce = policy.enforce
        self.clock, self.steady, self.verify = clock, steady, verify
        self.enforces = (
            self.enforce.access or self.enforce.delay or self.enforce.spoofed == "refuse"
        )
        if addresses is None:
            addresses = RobotAddresses.from_cache() if self.enforces else RobotAddresses({})
        self.addresses = addresses
        if signatures is None and self.enforce.signatures:
            from goodbot.site.gate.request_signatures import (  # noqa: PLC0415  it needs extras
                RequestSignatures,
            )

            signatures = RequestSignatures()
        self.signatures = signatures
        self.key_set = None
        if identity is not None:
            from goodbot.site.gate.served_key_set import (  # noqa: PLC0415  it needs an extra
                ServedKeySet,
            )

            self.key_set = ServedKeySet(identity)
        self.scheme = policy.site.partition("://")[0]
        self.clients = ClientAddresses(self.enforce.proxies, self.enforce.client_header)
        self.delays = RequestDelays()
        self.has_told = False
        self._claim = lru_cache(maxsize=MOST_REMEMBERED)(claim_of)
        now = clock()
        for host in policy.hosts:
            self.cache.at(host, now)

    def decide(
        self,
        method: str,
        host: str | None,
        path: str,
        field: FieldOf,
        peer: str | None,
        routed: str = "",
    ) -> GateDecision:
        """Decide a request. A failure of the gate itself is logged, and ends as the policy says.

        Args:
            method: The method.
            host: The host of the field Host, with its port if the request has one.
            path: The target as it was sent: a path with its query, or a whole URL.
            field: What the request has in a field, by its name in lower case.
            peer: The address that the connection is from.
            routed: The path by which the application chooses a page, with its query, as a server
                decodes it; empty if that is not known.

        """
        try:
            return self.decided(method, host, path, field, peer, routed)
        except Exception:  # whatever it is: a gate must not break its site
            LOG.exception("the gate failed; the request %s", self.enforce.fail)
            if self.enforce.fail == "open":
                return GateDecision(None)
            return GateDecision(text_answer(503, "The gate of this site failed.", ()))

    def decided(
        self,
        method: str,
        host: str | None,
        path: str,
        field: FieldOf,
        peer: str | None,
        routed: str,
    ) -> GateDecision:
        """Decide a request: a file of the gate, a refusal, or fields for the site's answer."""
        now = self.clock()
        target = request_target(path)
        said = self.cache.at(target.host or host, now)
        if self.key_set is not None:
            keys = self.key_set.answer(method, target.host or host, target.path, now)
            if keys is not None:
                return GateDecision(keys)
        file = served(said, method, target.path, field, now=now)
        if file is not None:
            return GateDecision(file)
        urls = spellings(target.path, request_target(routed).path if routed else "")
        claim = self._claim(said, (field("user-agent") or "")[:LONGEST_USER_AGENT])
        if self.enforces and claim.robot is not None:
            robot, client = claim.robot, self.client_of(field, peer)

            def is_signed() -> bool:
                # What was signed for another site shows nothing here.
                is_ours = self.cache.named_host(target.host or host) is not None
                return (
                    is_ours
                    and self.signatures is not None
                    and self.signatures.is_signed_by(
                        robot, method, host, path, field, now, self.scheme
                    )
                )

            identity = self.identity(robot, client, is_signed)
            if identity == "unknown" and not self.has_told and is_hidden(client):
                self.tell_blindness(peer, field)
            refusal = self.refusal(said, claim, urls, client, identity)
            if refusal is not None:
                return GateDecision(refusal)
        return GateDecision(None, said.fields_for(claim.group, *urls))

    def tell_blindness(self, peer: str | None, field: FieldOf) -> None:
        """Log once that robots are not recognized, so that nothing is enforced."""
        self.has_told = True
        name = self.clients.field
        why = self.clients.why_unknown(peer, None if name is None else field(name))
        LOG.warning("the gate enforces nothing, since it sees no robot's own address: %s", why)

    def meta(self, host: str | None, path: str, user_agent: str, routed: str = "") -> str:
        """Return the META element for a page; empty if it has nothing to say, or if the gate fails.

        Args:
            host: The host of the request.
            path: The target: a path with its query, or a whole URL.
            user_agent: The User-Agent of who asks.
            routed: The path by which the application chooses a page, with its query; empty if that
                is not known.

        """
        try:
            target = request_target(path)
            said = self.cache.at(target.host or host, self.clock())
            group = self._claim(said, user_agent[:LONGEST_USER_AGENT]).group
            urls = spellings(target.path, request_target(routed).path if routed else "")
            return said.meta_for(group, *urls)
        except Exception:  # whatever it is: a gate must not break its site
            LOG.exception("the gate failed; the page has no META robots")
            return ""

    def client_of(self, field: FieldOf, peer: str | None) -> str | None:
        """Return the address of the client."""
        name = self.clients.field
        return peer if name is None else self.clients.of(peer, field(name))

    def refusal(
        self,
        said: Rendered,
        claim: Claim,
        urls: tuple[str, ...],
        client: str | None,
        identity: Identification,
    ) -> ServedAnswer | None:
        """Return the answer that refuses a robot; `None` if it may pass."""
        robot = claim.robot
        if robot is None:
            return None
        if identity == "spoofed":
            if self.enforce.spoofed == "allow":
                return None
            message = f"{client} is no address of {robot.name}."
            return text_answer(403, message, ())
        rules = claim.rules
        if self.enforce.access and identity == "verified" and rules:
            for url in urls:
                if not rules.allows(url):
                    return text_answer(403, f"{rules.verdict(url)} See /robots.txt.", ())
        delay = claim.group.rules.delay
        if self.enforce.delay and delay is not None and reads_delays(robot):
            return self.too_early(said, robot, identity, delay)
        return None

    def identity(
        self, robot: KnownRobot, client: str | None, is_signed: Callable[[], bool]
    ) -> Identification:
        """Return whose a request is: by lists, by its signature, and last by `verify`.

        An internal address, as of a proxy that is not declared, says nothing about the sender. A
        signature is verified only where the address does not decide, because that takes longer.
        """
        listed = None if client is None or is_hidden(client) else client
        found = "unknown" if listed is None else self.addresses.identity(robot, listed)
        if found == "verified" or is_signed():
            return "verified"
        if found == "unknown" and listed is not None and self.verify is not None:
            answer = self.verify(robot, listed)
            return "unknown" if answer is None else "verified" if answer else "spoofed"
        return found

    def too_early(
        self, said: Rendered, robot: KnownRobot, identity: Identification, delay: float
    ) -> ServedAnswer | None:
        """Return 429 if a robot comes before its delay is over.

        Who is not verified is counted apart, so that nobody uses up the turns of the robot itself.
        """
        key = (said.host, robot.name, identity)
        left = self.delays.wait(key, delay, now=self.steady())
        if not left:
            return None
        message = f"robots.txt asks {robot.name} to wait {delay:g} seconds between requests."
        return text_answer(429, message, (("Retry-After", str(ceil(left))),))


def is_hidden(client: str | None) -> bool:
    """Return whether the address of a client is not known, or says nothing about who sends."""
    return client is None or says_nothing(client)


def claim_of(said: Rendered, user_agent: str) -> Claim:
    """Return who a User-Agent says that it is; one without a name is in everyone's group."""
    robot = of_user_agent(user_agent)
    try:
        rules = said.rules_for(robot or user_agent)
        return Claim(robot, said.group_of(robot or user_agent), rules)
    except GoodbotError:
        return Claim(None, said.group_of(STAR), None)


def text_answer(status: int, message: str, fields: GateFields) -> ServedAnswer:
    """Return an answer in words, which no cache may keep for others."""
    body = f"{message}\n".encode()
    common = (TEXT, ("Content-Length", str(len(body))), ("Cache-Control", "no-store"))
    return ServedAnswer(status, (*common, *fields), body)
