"""The queue of a crawl: a million URLs over ten thousand origins, in how much memory and time.

Run alone: `python benchmarks/frontier.py [URLS [ORIGINS]]`.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from goodbot.crawl.database import Database
from goodbot.crawl.frontier import Frontier, Place, Settled
from goodbot.crawl.records import Found

URLS, ORIGINS = 1_000_000, 10_000
TAKES = 5_000
BATCH = 10_000
NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
PAUSE = timedelta(seconds=10)


def memory() -> int:
    """Give the resident memory of this process, in octets."""
    with Path("/proc/self/statm").open(encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def fill(frontier: Frontier, urls: int, origins: int) -> None:
    """Queue the URLs, as links of many pages would come."""
    for start in range(0, urls, BATCH):
        pairs = []
        for number in range(start, min(start + BATCH, urls)):
            origin = f"https://site-{number % origins}.example"
            url = f"{origin}/articles/{number // origins}/a-page-with-a-usual-name.html"
            pairs.append((Found(url, "link"), Place(url, origin, depth=3)))
        frontier.add(pairs, NOW)


def work(folder: str, urls: int, origins: int) -> dict[str, Any]:
    """Take URLs out of a queue that was filled before, with the queue opened anew."""
    with Database(folder) as database:
        before = time.perf_counter()
        frontier = Frontier(database, NOW)
        opened = time.perf_counter() - before
        seconds, seen, now = [], set(), NOW
        for _ in range(min(TAKES, urls)):
            before = time.perf_counter()
            taken = frontier.take(now)
            seconds.append(time.perf_counter() - before)
            if taken is None:
                now += PAUSE
                continue
            seen.add(taken.url)
            frontier.settle(taken, Settled("done", "fetched"), now)
            frontier.free(taken, now + PAUSE)
        if len(seen) < min(TAKES, urls) - 5:
            message = "a URL was taken twice"
            raise SystemExit(message)
        return {
            "urls": urls,
            "origins": origins,
            "open_seconds": opened,
            "next_median_microseconds": statistics.median(seconds) * 1e6,
            "next_longest_microseconds": max(seconds) * 1e6,
            "resident_octets": memory(),
        }


def measured(urls: int = URLS, origins: int = ORIGINS) -> dict[str, Any]:
    """Fill a queue, and take from it in a process of its own, whose memory is counted."""
    with tempfile.TemporaryDirectory() as folder:
        before = time.perf_counter()
        with Database(folder, create=True) as database:
            fill(Frontier(database, NOW), urls, origins)
        filled = time.perf_counter() - before
        command = [sys.executable, __file__, "--work", folder, str(urls), str(origins)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603  itself
        octets = sum(file.stat().st_size for file in Path(folder).iterdir())
        return {**json.loads(done.stdout), "fill_seconds": filled, "disk_octets": octets}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        print(json.dumps(work(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
    else:
        print(json.dumps(measured(*map(int, sys.argv[1:])), indent=1))
