"""What a test did to a fleet, and what it saw then, for `benchmarks/fleet_faults.py`.

A test counts while it runs, and records the counts before it judges them. They are a property of
the test in the JUnit XML of pytest, so that no count in a report is written by hand.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Mapping

__all__ = ["PROPERTY", "FaultRecord", "count_unproven", "record_faults"]

PROPERTY = "faults"
"""The name of the property."""


@dataclass
class FaultRecord:
    """What was done to one fleet, and what its sites and its results say."""

    title: str
    """What the fleet is, in a few words."""
    faults: dict[str, int] = field(default_factory=dict)
    """What was done, in words, and how often."""
    requests: int = 0
    """The requests that the sites received."""
    early: int | None = None
    """Those that came before their time, by origin or by group; `None` if that is not observed."""
    unleased: int | None = None
    """Those from a worker that had not leased the site; `None` as above."""
    lost: int | None = None
    """The URLs that have another state in the end than they should; `None` as above."""
    unproven: int | None = None
    """The requests that no evidence has, neither a row nor a crash; `None` as above."""
    is_alike: bool | None = None
    """Whether all results are those of a crawl in one folder; `None` if they are not compared."""

    @property
    def is_sound(self) -> bool:
        """Whether nothing was found that must not be."""
        counts = (self.early, self.unleased, self.lost, self.unproven)
        return not any(counts) and self.is_alike is not False


def record_faults(record_property: Callable[[str, object], None], found: FaultRecord) -> None:
    """Record what was found, and check it."""
    record_property(PROPERTY, json.dumps(asdict(found)))
    assert found.is_sound, found


def count_unproven(
    seen: Mapping[str, int], known: Counter[str], crashes: Mapping[str, int]
) -> dict[str, int]:
    """Return the URLs that were requested more often than the evidence says, and by how many.

    A visit that could not be recorded is known by the crash that was counted at its URL. Of
    robots.txt there is no such count, so it is omitted.
    """
    missing = {
        url: count - known[url] - crashes.get(url, 0)
        for url, count in seen.items()
        if not url.endswith("/robots.txt")
    }
    return {url: count for url, count in missing.items() if count > 0}
