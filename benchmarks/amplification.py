"""What small responses can cost a crawler: memory, disk, and time on the event loop."""

import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from amplification_clients import MEMORY_LIMIT, PROGRAM
from attacks import ATTACKS, MIB, Attack, Served, served
from drawing import Target, at_most, table

CLIENTS = ("goodbot", "Scrapy")
SECONDS = 90.0
"""The number of seconds after which a crawl is stopped."""
LOOK_EVERY = 0.05
OPEN_FILES = 4096


@dataclass
class Cost:
    """What an attack cost a client."""

    client: str
    attack: Attack
    wire: int = 0
    """The bytes that the site sent."""
    requests: int = 0
    memory: int = 0
    """The peak of resident memory in bytes, beyond that before the crawl."""
    disk: int = 0
    """The maximum size of the folder in bytes."""
    held: float = 0.0
    """The longest time in seconds for which nothing else could run on the event loop."""
    seconds: float = 0.0
    stopped: str = ""
    """Why it did not complete, in words; empty if it did."""


def measure(
    clients: Sequence[str] = CLIENTS, *, scale: float = 1.0, seconds: float = SECONDS
) -> list[Cost]:
    """Run each attack on each client."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, OPEN_FILES), hard))
    costs = []
    for attack in ATTACKS:
        for client in clients:
            if client == "Scrapy" and not attack.spider:
                continue
            with served(attack, scale) as site, tempfile.TemporaryDirectory() as folder:
                costs.append(run(client, attack, site, folder, seconds))
    return costs


def run(client: str, attack: Attack, site: Served, folder: str, seconds: float) -> Cost:
    """Run one attack on one client, and watch its process and its folder."""
    cost = Cost(client, attack)
    pages = str(attack.pages * len(site.origins))
    start = time.monotonic()
    process = subprocess.Popen(  # noqa: S603  our own program
        [sys.executable, PROGRAM, client, folder, attack.name, pages],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None  # noqa: S101  they are pipes
    assert process.stdout is not None  # noqa: S101
    text = site.pages["/robots.txt"].partition(b"\r\n\r\n")[2] if not attack.is_crawl else b""
    process.stdin.write("\n".join(site.origins).encode() + b"\n\n" + text)
    process.stdin.close()
    lines: list[bytes] = []
    reader = threading.Thread(target=lines.extend, args=(process.stdout,))
    reader.start()
    most = 0
    while process.poll() is None:
        most = max(most, resident(process.pid))
        cost.disk = max(cost.disk, size_of(folder))
        if time.monotonic() - start > seconds:
            cost.stopped = f"over {seconds:g} s"
            process.kill()
            process.wait()
        time.sleep(LOOK_EVERY)
    reader.join()
    process.stdout.close()
    told = [json.loads(one) for one in lines]
    cost.held = max((one["held"] for one in told if "held" in one), default=0.0)
    peak = max([most, *(one["peak"] for one in told if "peak" in one)])
    cost.memory = max(peak - told[0]["before"], 0) if told else 0
    cost.disk = max(cost.disk, size_of(folder))
    cost.seconds = time.monotonic() - start
    cost.wire, cost.requests = site.sent or len(text), site.requests
    if process.returncode and not cost.stopped:
        cost.stopped = f"ended by {-process.returncode}" if process.returncode < 0 else "failed"
    return cost


def resident(pid: int) -> int:
    """Return the peak resident memory of a process in bytes; 0 if the process is gone."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def size_of(folder: str) -> int:
    """Return the size of the files in a folder in bytes."""
    total = 0
    for path in Path(folder).rglob("*"):
        with suppress(OSError):
            total += path.stat().st_size
    return total


# What is said of it.

HOLD = 0.05
"""Seconds for which no document may hold the event loop."""


def section(costs: Sequence[Cost]) -> str:
    """Write the part of the report, without its table of targets."""
    head = ("attack", "client", "wire", "memory", "disk", "loop held", "time", "came to its end")
    rows = [
        (
            cost.attack.name,
            cost.client,
            f"{cost.wire / 1e3:,.1f} KB",
            f"{cost.memory / MIB:,.1f} MiB",
            f"{cost.disk / MIB:,.1f} MiB" if cost.disk else "nothing",
            f"{cost.held * 1e3:,.0f} ms",
            f"{cost.seconds:.1f} s",
            cost.stopped or "yes",
        )
        for cost in costs
    ]
    meanings = "".join(f"- {attack.name}: {attack.meaning}.\n" for attack in ATTACKS)
    return f"{MEANING}\n{table(head, rows)}\n{meanings}"


MEANING = f"""\
What a site can make a crawler spend by sending little, all on loopback. `wire` is what the site
sent; `memory` the peak resident memory of the crawler's process beyond what it had when it began;
`disk` the maximum size of its folder (Scrapy keeps its queue in memory and stores nothing); `loop
held` the longest time for which nothing else could run on the event loop. Each crawl has at most
{MEMORY_LIMIT >> 30} GiB of address space and {SECONDS:g} seconds, and ends after 20 pages for each
origin. `plain page` shows what every crawl takes.
Scrapy has ROBOTSTXT_OBEY, its `LinkExtractor` or `SitemapSpider`, and otherwise its defaults.
"""


def targets(costs: Sequence[Cost]) -> list[Target]:
    """Return the targets for goodbot."""
    held = max((cost.held for cost in costs if cost.client == "goodbot"), default=0.0)
    return [at_most("event loop held by any attack", held * 1e3, HOLD * 1e3, " ms")]


def wrong(costs: Sequence[Cost]) -> list[str]:
    """Return each attack under which goodbot did not complete, as a sentence."""
    return [
        f"amplification: {cost.attack.name}: {cost.stopped}"
        for cost in costs
        if cost.client == "goodbot" and cost.stopped
    ]
