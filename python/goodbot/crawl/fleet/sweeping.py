"""Sweeping: what was written to object storage and never settled is removed.

Scope: which objects are garbage. Those that goodbot did not name stay. It may run at any time, and
several times at once: a segment that is being written is announced before its first object, and one
whose announcement has expired cannot be settled any more.
"""

import re
from collections.abc import Iterable
from dataclasses import asdict

from goodbot.crawl.fleet.fleet import Fleet
from goodbot.crawl.fleet.object_storage import ObjectStorage
from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass

__all__ = ["SweepSummary", "sweep"]

OF_SEGMENT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}/[0-9a-f]{32})/[^/]+")
"""The name of an object of a segment; the first group is the name of the segment."""


@dataclass(frozen=True, slots=True, repr=False)
class SweepSummary:
    """What was removed, or would be."""

    segments: int
    objects: int
    left_behind: int
    """Files that are no objects, which processes left that were killed."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, int]:
        """Return plain values, for JSON."""
        return asdict(self)


def sweep(fleet: Fleet, *, only_look: bool = False) -> SweepSummary:
    """Remove what is in the object storage of a fleet and was never settled.

    Args:
        fleet: The fleet.
        only_look: Whether to remove nothing.

    Raises:
        MisuseError: The fleet has no object storage.
        StoreError: The database or the object storage cannot be read or written.

    """
    storage, manifest = ObjectStorage(fleet.publishing_orders().objects), fleet.manifest
    if not only_look:
        manifest.expire()
    segments: set[str] = set()
    objects = 0
    for names in storage.names():
        # Listed first: what was announced after that is not among them.
        garbage = unnamed(fleet, names)
        segments |= set(garbage.values())
        objects += len(garbage)
        if not only_look:
            storage.remove(garbage)
    left = storage.left_behind()
    garbage = {**unnamed(fleet, left), **settled(fleet, left)}
    if not only_look:
        storage.remove(garbage)
    return SweepSummary(len(segments), objects, len(garbage))


def unnamed(fleet: Fleet, names: Iterable[str]) -> dict[str, str]:
    """Return the objects whose segments are not in the manifest, each with its segment."""
    found = {name: one[1] for name in names if (one := OF_SEGMENT.fullmatch(name))}
    gone = fleet.manifest.unnamed(found.values())
    return {name: segment for name, segment in found.items() if segment in gone}


def settled(fleet: Fleet, names: Iterable[str]) -> dict[str, str]:
    """Return the files in segments that are settled, to which nothing is written any more."""
    found = {name: one[1] for name in names if (one := OF_SEGMENT.fullmatch(name))}
    return {name: one for name, one in found.items() if fleet.manifest.is_settled(one)}
