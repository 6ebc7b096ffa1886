"""What the operator permits in one run: visits to private networks and others that are not public.

Scope: storing and comparing permissions. They are never granted from a folder, because someone else
may have made it; the permissions of earlier runs must be passed again.
"""

import json
from collections.abc import Mapping
from typing import NamedTuple

from goodbot.errors import MisuseError

__all__ = ["Permissions", "lacking", "refuse_lacking"]


class Permissions(NamedTuple):
    """The permissions of one run."""

    private: bool = False
    """Whether loopback and private networks may be visited."""
    networks: tuple[str, ...] = ()
    """Further networks that may be visited."""

    def settings(self) -> dict[str, str]:
        """Return the permissions as settings to store."""
        private = "yes" if self.private else "no"
        return {"allow_private": private, "allow_networks": json.dumps(self.networks)}


def lacking(settings: Mapping[str, str], now: Permissions) -> Permissions:
    """Return the permissions that an earlier run of a crawl had and this one lacks.

    Args:
        settings: The stored settings of the crawl.
        now: The permissions of this run.

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
    """Raise if this run lacks permissions of earlier runs, because its visits would fail.

    Raises:
        MisuseError: A permission is lacking.

    """
    lacks = lacking(settings, now)
    named = {"allow_private": "allow_private=True"} if lacks.private else {}
    named |= {"allow_network": f"allow_networks={list(lacks.networks)}"} if lacks.networks else {}
    if named:
        words = " and ".join(f"{{{name}}}" for name in named)
        message = f"this crawl was started with {words}; pass it again to continue"
        raise MisuseError(message, named)
