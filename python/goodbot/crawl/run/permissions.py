"""What the operator allows one run: private networks, and others that are not public.

What may live here: reading and writing down what was allowed. It is never taken from a folder, as
somebody else may have made that; what a crawl was begun with is asked for again.
"""

import json
from collections.abc import Mapping
from typing import NamedTuple

from goodbot.errors import MisuseError

__all__ = ["Permissions", "lacking", "refuse_lacking"]


class Permissions(NamedTuple):
    """What one run is allowed."""

    private: bool = False
    """Whether loopback and private networks may be visited."""
    networks: tuple[str, ...] = ()
    """Other networks that may be."""

    def settings(self) -> dict[str, str]:
        """Return what is written down."""
        private = "yes" if self.private else "no"
        return {"allow_private": private, "allow_networks": json.dumps(self.networks)}


def lacking(settings: Mapping[str, str], now: Permissions) -> Permissions:
    """Return the permissions that an earlier run of a crawl had, and this one does not have.

    Args:
        settings: What the crawl has written down.
        now: What this run may do.

    >>> lacking(Permissions(True, ("100.64.0.0/10",)).settings(), Permissions(private=True))
    Permissions(private=False, networks=('100.64.0.0/10',))
    """
    private = settings.get("allow_private") == "yes" and not now.private
    try:
        before = json.loads(settings.get("allow_networks", "[]"))
    except ValueError:
        before = []
    named = [one for one in before if isinstance(one, str)] if isinstance(before, list) else []
    return Permissions(private, tuple(one for one in named if one not in now.networks))


def refuse_lacking(settings: Mapping[str, str], now: Permissions) -> None:
    """Refuse to go on without what the crawl was allowed before: every visit would fail.

    Raises:
        MisuseError: A permission is lacking.

    """
    lacks = lacking(settings, now)
    words = ["allow_private=True"] if lacks.private else []
    words += [f"allow_networks={list(lacks.networks)}"] if lacks.networks else []
    if words:
        message = f"this crawl was begun with {' and '.join(words)}; pass it again to go on"
        raise MisuseError(message)
