"""What each host of a policy says now: rendered once, and again when a date changes it.

Scope: a bounded cache. The time is handed in.
"""

import logging
from datetime import datetime, timedelta
from threading import Lock

from goodbot.site.gate.gate_policy import GatePolicy
from goodbot.site.gate.rendered import Rendered, render

__all__ = ["GateCache"]

LOG = logging.getLogger("goodbot.gate")

RETRY = timedelta(minutes=1)
"""How long what a host said before stays after rendering failed, before it is tried again."""


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
        self.retry_at: dict[str, datetime] = {}
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
        if said is not None and (not is_over(said, now) or now < self.retry_at.get(name, now)):
            return said
        return self.render_once(name, now)

    def render_once(self, name: str, now: datetime) -> Rendered:
        """Render a host, in one of the threads that ask; the others have what it said before.

        If that fails, what it said before stays, too: better late than an error.
        """
        before = self.found.get(name)
        if not self.lock.acquire(blocking=before is None):
            return before  # type: ignore[return-value]  # only with one is there no waiting
        try:
            before = self.found.get(name)
            if before is not None and not is_over(before, now):
                return before
            self.found[name] = render(self.policy, now=now, host=name)
        except Exception:
            if before is None:
                raise
            LOG.exception("the policy of %s could not be rendered; its last files stay", name)
            self.retry_at[name] = now + RETRY
            return before
        finally:
            self.lock.release()
        return self.found[name]

    def known_host(self, host: str | None) -> str:
        """Return the host of the policy that a request means."""
        return self.named_host(host) or self.policy.own_host

    def named_host(self, host: str | None) -> str | None:
        """Return the host of the policy that a request names; `None` if it names another one."""
        if host in self.hosts:
            return host
        text = (host or "").lower().rstrip(".")
        if text in self.hosts:
            return text
        without_port = text.rpartition(":")[0] if text[-1:].isdigit() else text
        return without_port if without_port in self.hosts else None


def is_over(said: Rendered, now: datetime) -> bool:
    """Return whether a date has changed what a host says."""
    return said.until is not None and now >= said.until
