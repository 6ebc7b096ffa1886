"""A worker of a fleet in a process of its own, which is killed before a step of publishing.

Usage: segment_worker.py DATABASE FOLDER STEP. It prints how many steps it took; -1 kills nothing.
"""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Callable
from typing import Any

import obstore

from goodbot.crawl.fleet import segment_publisher
from goodbot.crawl.fleet.fleet_worker import FleetWorker
from goodbot.crawl.fleet.manifest import Manifest
from goodbot.crawl.frontier.postgres import PostgresFrontier

__all__ = ["PLACES"]

PLACES: tuple[tuple[Any, str], ...] = (
    (PostgresFrontier, "gathered"),
    (segment_publisher, "copy_rows"),
    (segment_publisher, "link_or_copy"),
    (segment_publisher, "clear"),
    (Manifest, "announce"),
    (obstore, "put"),
    (Manifest, "settle"),
    (PostgresFrontier, "settle_all"),
    (Manifest, "name"),
    (shutil, "rmtree"),
)
"""Whatever publishing writes, somewhere."""


def main(database: str, folder: str, last: int) -> None:
    """Run a worker."""
    taken = 0

    def step() -> None:
        nonlocal taken
        if taken == last:
            os.kill(os.getpid(), signal.SIGKILL)
        taken += 1

    def counted(work: Callable[..., Any]) -> Callable[..., Any]:
        def do(*values: Any, **named: Any) -> Any:  # noqa: ANN401  as the work has them
            step()
            result = work(*values, **named)
            step()
            return result

        return do

    for place, name in PLACES:
        setattr(place, name, counted(getattr(place, name)))
    limits = segment_publisher.SegmentLimits(urls=2)
    worker = FleetWorker(
        database, folder, allow_private=True, limits=limits, lease_seconds=2.0, margin=0.5
    )
    asyncio.run(worker.run())
    print(taken)  # noqa: T201  the result


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
