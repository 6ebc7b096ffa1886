"""Measure the memory and time of a queue of a million URLs on ten thousand origins.

One process fills the queue, as the links of many pages would; a new one takes URLs from it. The
peak memory of both is measured. It takes at least half a minute, and 230 MB in the folder for
temporary files, which are removed.

python benchmarks/frontier.py [URLS [ORIGINS]]      print the figures
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Discovery
from goodbot.crawl.frontier.protocol import Outcome, QueueEntry
from goodbot.crawl.frontier.sqlite import SQLiteFrontier
from process_memory import status

PROGRAM = str(Path(__file__).resolve())
URLS, ORIGINS = 1_000_000, 10_000
TAKES = 5_000
BATCH = 10_000
NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
PAUSE = timedelta(seconds=10)

MEMORY_TARGET = 300e6
NEXT_TARGET = 0.001


@dataclass(frozen=True)
class Figures:
    """The results. Times are in seconds, sizes in bytes."""

    urls: int
    origins: int
    fill: float
    """The mean time to queue a URL."""
    fill_memory: float
    """The peak memory of the process that filled the queue."""
    disk: float
    """The size of the file, divided by the number of URLs."""
    open: float
    next: float
    """The median time to take the next URL."""
    next_worst: float
    """The 99th percentile."""
    next_longest: float
    memory: float
    """The peak memory of the process that took URLs."""
    right: bool
    """Whether no URL was taken twice, and none of an origin before its pause was over."""

    @property
    def most_memory(self) -> float:
        """The value for the target: the greater of the two."""
        return max(self.memory, self.fill_memory)

    @property
    def targets_met(self) -> bool:
        """Whether memory and time are within their targets."""
        met = self.most_memory <= MEMORY_TARGET and self.next <= NEXT_TARGET
        return self.right and met


def fill(folder: str, urls: int, origins: int) -> dict[str, float]:
    """Queue the URLs."""
    start = time.perf_counter()
    with Database(folder, create=True) as database:
        frontier = SQLiteFrontier(database, NOW)
        for first in range(0, urls, BATCH):
            pairs = []
            for number in range(first, min(first + BATCH, urls)):
                origin = f"https://site-{number % origins}.example"
                url = f"{origin}/articles/{number // origins}/a-page-with-a-usual-name.html"
                pairs.append((Discovery(url, "link"), QueueEntry(url, origin, depth=3)))
            frontier.add(pairs, NOW)
    return {"fill": (time.perf_counter() - start) / urls, "fill_memory": status("VmHWM")}


def take(folder: str, urls: int) -> dict[str, float]:
    """Lease URLs from a queue that was filled before."""
    with Database(folder) as database:
        start = time.perf_counter()
        frontier = SQLiteFrontier(database, NOW)
        opened = time.perf_counter() - start
        now, right, spent = NOW, True, list[float]()
        ready: dict[str, datetime] = {}
        seen: set[str] = set()
        while len(seen) < min(TAKES, urls) and right:
            start = time.perf_counter()
            taken = frontier.take(now)
            spent.append(time.perf_counter() - start)
            if taken is None:
                now += PAUSE
                continue
            right = taken.url not in seen and ready.get(taken.origin, now) <= now
            seen.add(taken.url)
            ready[taken.origin] = now + PAUSE
            frontier.settle(taken, Outcome("done", "fetched"), now)
            frontier.free(taken, now + PAUSE)
    return {
        "open": opened,
        "next": statistics.median(spent),
        "next_worst": statistics.quantiles(spent, n=100)[98],
        "next_longest": max(spent),
        "memory": status("VmHWM"),
        "right": right,
    }


def measure(urls: int = URLS, origins: int = ORIGINS) -> Figures:
    """Fill a queue, and take URLs from it, each in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        filled = told("fill", folder, str(urls), str(origins))
        disk = sum(path.stat().st_size for path in Path(folder).iterdir()) / urls
        return Figures(urls, origins, disk=disk, **filled, **told("take", folder, str(urls)))


def told(*arguments: str) -> dict[str, Any]:
    """Run one part in a new process."""
    command = [sys.executable, PROGRAM, *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)  # noqa: S603  this very file
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def main(arguments: Sequence[str]) -> int:
    """Print the figures; return 1 if a target is missed."""
    if arguments[:1] == ["fill"]:
        print(json.dumps(fill(arguments[1], int(arguments[2]), int(arguments[3]))))
        return 0
    if arguments[:1] == ["take"]:
        print(json.dumps(take(arguments[1], int(arguments[2]))))
        return 0
    figures = measure(*map(int, arguments))
    for name, value in asdict(figures).items():
        print(f"{name:14} {value:.6g}")
    print(f"{'targets_met':14} {figures.targets_met}")
    return 0 if figures.targets_met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
