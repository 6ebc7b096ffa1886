"""What a crawl goes on with: who crawls, at which pace, within which bounds.

What may live here: reading and writing the settings in the file of a crawl.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from goodbot._core import Dialect
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.bounds import Bounds
from goodbot.page.dialects import PageDialect
from goodbot.robot.identity import Identity

__all__ = ["Permissions", "lacking", "named", "settled_bounds", "write_settings"]


class Permissions(NamedTuple):
    """What the operator allows this run. It is written down, and never taken from a folder."""

    private: bool = False
    """Whether loopback and private networks may be visited."""
    networks: tuple[str, ...] = ()
    """Other networks that may be."""

    def settings(self) -> dict[str, str]:
        """Return what is written down."""
        private = "yes" if self.private else "no"
        return {"allow_private": private, "allow_networks": json.dumps(self.networks)}


def lacking(settings: Mapping[str, str], now: Permissions) -> Permissions:
    """Report which permissions an earlier run of a crawl had, and this one does not have.

    Somebody else may have made the folder, so they are asked for again instead of taken from it.

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


def named(dialect: str | Dialect | PageDialect) -> str:
    """Give the name of a dialect."""
    return dialect if isinstance(dialect, str) else dialect.name


def settled_bounds(
    database: Database, given: Bounds | None, start: Sequence[tuple[str, str]]
) -> Bounds:
    """Take the bounds that are given, or those of the crawl that goes on; and its origins."""
    text = database.setting("bounds")
    kept = Bounds.from_dict(json.loads(text)) if text else None
    bounds = given or kept or Bounds()
    if bounds.origins is None and not bounds.any_origin:
        before = kept.origins if kept is not None and kept.origins is not None else frozenset()
        bounds = replace(bounds, origins=before | {origin for origin, _ in start})
    return bounds


def write_settings(
    database: Database, identity: Identity, settings: dict[str, str], started: datetime
) -> None:
    """Write down who crawls, for the report and for who asks later."""
    values = {
        "robot": identity.name,
        "product": identity.product,
        "info_url": identity.info_url,
        "contact": identity.contact,
        **settings,
    }
    with database.changing():
        database.write_settings(values)
        database.write_settings({"started": started.isoformat()}, replace=False)
