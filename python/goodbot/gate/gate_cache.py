"""What each host of a policy says now: rendered once, and again when a date changes it.

Scope: a bounded cache. The time is handed in.
"""

from datetime import datetime
from threading import Lock

from goodbot.gate.gate_policy import GatePolicy
from goodbot.gate.rendered import Rendered, render

__all__ = ["GateCache"]


class GateCache:
    """The rendered policy of each host. Threads may share one.

    Args:
        policy: The policy.

    """

    def __init__(self, policy: GatePolicy) -> None:
        """Start with nothing rendered."""
        self.policy = policy
        self.hosts = frozenset(policy.hosts)
        self.found: dict[str, Rendered] = {}
        self.lock = Lock()

    def at(self, host: str | None, now: datetime) -> Rendered:
        """Return what a host says at a time.

        A host that the policy does not name, as anyone may send one, is that of the site.

        Args:
            host: The Host of a request, with its port if it has one.
            now: The time.

        """
        name = self.known_host(host)
        said = self.found.get(name)
        if said is None or (said.until is not None and now >= said.until):
            with self.lock:
                said = self.found[name] = render(self.policy, now=now, host=name)
        return said

    def known_host(self, host: str | None) -> str:
        """Return the host of the policy that a request means."""
        if host in self.hosts:
            return str(host)
        text = (host or "").lower().rstrip(".")
        if text in self.hosts:
            return text
        without_port = text.rpartition(":")[0] if text[-1:].isdigit() else text
        return without_port if without_port in self.hosts else self.policy.own_host
