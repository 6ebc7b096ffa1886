"""Measure a store of a million origins: opening, look-ups, leases, and its size.

Run as a program, `store.py [ORIGINS]` prints the figures; `measure` returns them. The store is
filled in a new folder and measured from new processes, which have nothing of it in memory; the
system has the file in its cache, as after any use.
"""

import datetime as dt
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from goodbot.pace import History, Manners, PastVisit
from goodbot.store import Lease, SQLiteStore

ORIGINS = 1_000_000
SAMPLE = 20_000
LEASES = 2_000
DISTINCT = 10
"""One origin in this many has a robots.txt of its own; the others share those of their hosts."""
SHARED = 200
NOW = dt.datetime(2025, 1, 1, tzinfo=dt.timezone.utc)

OPEN_TARGET = 1.0
LOOK_UP_TARGET = 50e-6


@dataclass(frozen=True)
class Figures:
    """The results. Times are in seconds, sizes in bytes."""

    origins: int
    fill: float
    """The time to put all of them, in batches."""
    bytes_each: float
    """The size of the file, divided by the number of origins."""
    open: float
    """The time from opening the path to the first answer."""
    look_up: float
    """The median time of `get` for a known origin."""
    look_up_worst: float
    """The 99th percentile of `get`."""
    unknown: float
    """The median time of `get` for an unknown origin."""
    put: float
    """The median time of `put` for a known origin, without waiting for the disk."""
    visit: float
    """The median time of `acquire` and `release`, without waiting for the disk."""
    visit_durable: float
    """The median time of `acquire` and `release`, waiting for the disk."""
    right: bool
    """Whether every look-up returned what was put."""

    @property
    def targets_met(self) -> bool:
        """Whether opening and looking up are within their targets."""
        return self.right and self.open < OPEN_TARGET and self.look_up <= LOOK_UP_TARGET


def origin(number: int) -> str:
    """Return the origin of a number."""
    return f"https://www.host-{number * 2_654_435_761 % 2**32:08x}.example"


def record(number: int) -> dict[str, Any]:
    """Make a record like that of a policy: values, header fields, and bytes."""
    which = number if number % DISTINCT == 0 else -(number % SHARED)
    lines = [f"Disallow: /{which}/{line}/" for line in range(20 + number % 40)]
    body = "\n".join(["User-agent: *", *lines, f"Sitemap: /sitemap{which}.xml"]).encode()
    written = NOW.isoformat()
    return {
        "form": 1,
        "url": origin(number) + "/robots.txt",
        "outcome": "success",
        "status": 200,
        "access": "rules",
        "reason": "success",
        "fetched_at": written,
        "fresh_until": written,
        "retry_at": None,
        "copy": {
            "body": body,
            "fetched_at": written,
            "fields": [["ETag", f'"{number:x}"'], ["Cache-Control", "max-age=3600"]],
        },
        "findings": [],
        "hops": [],
        "dialect": {"base": "rfc9309"},
    }


def measure(origins: int = ORIGINS) -> Figures:
    """Fill a store and measure it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        start = time.perf_counter()
        fill(path, origins)
        filled = time.perf_counter() - start
        size = path.stat().st_size
        command = [sys.executable, str(Path(__file__).resolve()), "ask", str(path), str(origins)]
        done = subprocess.run(command, check=True, capture_output=True)  # noqa: S603 -- this very file
        told = json.loads(done.stdout)
    return Figures(origins=origins, fill=filled, bytes_each=size / origins, **told)


def fill(path: Path, origins: int, batch: int = 50_000) -> None:
    """Put every origin."""
    with SQLiteStore(path, durable=False) as store:
        for first in range(0, origins, batch):
            numbers = range(first, min(first + batch, origins))
            store.put_many([(origin(number), record(number)) for number in numbers], NOW)


def ask(path: str, origins: int) -> dict[str, Any]:
    """Measure an existing store, in a process of its own."""
    chance = random.Random(1)  # noqa: S311 -- the same each time
    start = time.perf_counter()
    store = SQLiteStore(path, durable=False)
    right = store.get(origin(0)) == record(0)
    opened = time.perf_counter() - start
    numbers = [chance.randrange(origins) for _ in range(SAMPLE)]
    got, known = timed([(store.get, (origin(number),)) for number in numbers])
    right &= all(one == record(number) for one, number in zip(got, numbers, strict=True))
    absent = [(store.get, (origin(origins + number),)) for number in numbers]
    nothing, unknown = timed(absent)
    right &= not any(nothing)
    later = NOW + dt.timedelta(hours=1)
    puts = [(store.put, (origin(number), record(number), later)) for number in numbers[:LEASES]]
    _, put = timed(puts)
    visits = visit_times(store, numbers[:LEASES])
    store.close()
    with SQLiteStore(path) as durable:
        visits_durable = visit_times(durable, numbers[LEASES : LEASES + LEASES // 10])
    return {
        "open": opened,
        "look_up": statistics.median(known),
        "look_up_worst": statistics.quantiles(known, n=100)[98],
        "unknown": statistics.median(unknown),
        "put": statistics.median(put),
        "visit": statistics.median(visits),
        "visit_durable": statistics.median(visits_durable),
        "right": right,
    }


def timed(calls: list[tuple[Any, tuple[Any, ...]]]) -> tuple[list[Any], list[float]]:
    """Call a function, and return the time of each call."""
    answers, times = [], []
    for call, arguments in calls:
        start = time.perf_counter()
        answers.append(call(*arguments))
        times.append(time.perf_counter() - start)
    return answers, times


def visit_times(store: SQLiteStore, numbers: list[int]) -> list[float]:
    """Return the time of a lease, with its history and its release."""
    times = []
    ended = NOW + dt.timedelta(seconds=1)
    for number in dict.fromkeys(numbers):
        start = time.perf_counter()
        lease = store.acquire(origin(number), NOW, 60, "benchmark")
        if isinstance(lease, Lease):
            history: History = lease.history.after(PastVisit(NOW, ended, 200), Manners())
            store.release(lease, ended=ended, not_before=ended, history=history)
        times.append(time.perf_counter() - start)
    return times


def main(arguments: list[str]) -> int:
    """Print the figures; return 1 if a target is missed."""
    if arguments[:1] == ["ask"]:
        print(json.dumps(ask(arguments[1], int(arguments[2]))))
        return 0
    figures = measure(int(arguments[0]) if arguments else ORIGINS)
    for name, value in asdict(figures).items():
        print(f"{name:14} {value:.6g}")
    print(f"{'targets_met':14} {figures.targets_met}")
    return 0 if figures.targets_met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
