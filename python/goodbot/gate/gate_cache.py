"""What each host of a policy says now: rendered once, and again when a date changes it.

Scope: a bounded cache. The time is handed in.
"""

import logging
from datetime import datetime
from threading import Lock

from goodbot.gate.gate_policy import GatePolicy
from goodbot.gate.rendered import Rendered, render

__all__ = ["GateCache"]

LOG = logging.getLogger("goodbot.gate")


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
            said = self.rendered(name, now, said)
        return said

    def rendered(self, name: str, now: datetime, before: Rendered | None) -> Rendered:
        """Render a host. If that fails, what it said before stays: better late than an error."""
        with self.lock:
            try:
                self.found[name] = render(self.policy, now=now, host=name)
            except Exception:
                if before is None:
                    raise
                LOG.exception("the policy of %s could not be rendered; its last files stay", name)
                return before
            return self.found[name]

    def known_host(self, host: str | None) -> str:
        """Return the host of the policy that a request means."""
        if host in self.hosts:
            return str(host)
        text = (host or "").lower().rstrip(".")
        if text in self.hosts:
            return text
        without_port = text.rpartition(":")[0] if text[-1:].isdigit() else text
        return without_port if without_port in self.hosts else self.policy.own_host
