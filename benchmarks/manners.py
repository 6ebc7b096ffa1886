"""Run crawlers on misbehaving sites, and count the requests that they should not have made.

The sites are those of `goodbot.testing.BEHAVIOURS`, real servers on loopback; the judge is the one
that goodbot's tests use, `goodbot.testing.judged`. Each client crawls each site in a process of its
own, in real time, and is stopped after a limit of seconds or of memory.

python benchmarks/manners.py [ROW ...]     print the table, or only the rows that are named
"""

import asyncio
import json
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crawlers import CLIENTS, Client, Plan, plan_of
from drawing import table
from goodbot.testing import BEHAVIOURS, Behaviour, Judgement, LoopbackSite, LoopbackVisit, judged
from goodbot.testing.judging import may_read

PROGRAM = str(Path(__file__).resolve())
LIMIT = 30.0
"""The number of seconds after which a client is stopped."""
MEMORY_LIMIT = 2 * 1024**3
AT_A_TIME = 3
"""The number of clients that run at the same time; they mostly wait."""


@dataclass(frozen=True)
class Stay:
    """The results of one client on one site."""

    client: Client
    behaviour: Behaviour
    judgement: Judgement
    read: int
    """The number of pages it requested, of those it was sent to and allowed to fetch."""
    readable: int
    stopped: str
    """Why it did not complete; empty if it did."""


def measure(
    rows: Sequence[Behaviour] = BEHAVIOURS, clients: Sequence[Client] = CLIENTS
) -> list[Stay]:
    """Send every client to every site."""
    return asyncio.run(all_stays(rows, [one for one in clients if one.version]))


async def all_stays(rows: Sequence[Behaviour], clients: Sequence[Client]) -> list[Stay]:
    """Send some clients at a time."""
    places = asyncio.Semaphore(AT_A_TIME)

    async def one_stay(one: Behaviour, client: Client) -> Stay:
        async with places:
            return await stay(one, client)

    return await asyncio.gather(*(one_stay(one, client) for one in rows for client in clients))


async def stay(one: Behaviour, client: Client) -> Stay:
    """Send a client to a site, and check its visits."""
    async with LoopbackSite(one) as site:
        plan = plan_of(one, site.origin)
        stopped = await crawled(client, plan)
        visits = list(site.visits)
    readable = {path for path in plan.paths if may_read(one, path)}
    read = {visit.target for visit in visits} & readable
    return Stay(client, one, judged(one, visits), len(read), len(readable), stopped)


async def crawled(client: Client, plan: Plan) -> str:
    """Run a client in a process of its own; return why it did not complete."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        PROGRAM,
        "--crawl",
        client.name,
        json.dumps([plan.origin, plan.paths, plan.follows]),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, said = await asyncio.wait_for(process.communicate(), LIMIT)
    except asyncio.TimeoutError:
        process.kill()
        await process.wait()
        return f"stopped after {LIMIT:g} s"
    if process.returncode == 0:
        return ""
    last = (said.decode(errors="replace").strip().splitlines() or ["died"])[-1]
    return last.partition(":")[0].rpartition(".")[2]


# The report.


def sums(stays: Sequence[Stay], client: Client) -> tuple[int, int, int]:
    """Count the requests of a client that were bad, early, or open to choice."""
    own = [one.judgement for one in stays if one.client is client]
    return (
        sum(len(one.bad) for one in own),
        sum(len(one.early) for one in own),
        sum(len(one.open) for one in own),
    )


def cell(one: Stay) -> str:
    """Return the cell with the results of a client."""
    judgement = one.judgement
    kinds = (("bad", judgement.bad), ("early", judgement.early), ("open", judgement.open))
    faults = [f"{len(visits)} {name}" for name, visits in kinds if visits]
    read = f"{one.read} of {one.readable} read" if one.readable else ""
    return ", ".join(filter(None, [*faults, read, one.stopped])) or "-"


def drawn(stays: Sequence[Stay]) -> str:
    """Return the table."""
    clients = [one for one in CLIENTS if any(stay.client is one for stay in stays)]
    rows = [
        [name, *(cell(one) for client in clients for one in of_row if one.client is client)]
        for name, of_row in by_row(stays).items()
    ]
    total = [", ".join(map(str, sums(stays, client))) for client in clients]
    rows.append(["all: bad, early, open", *total])
    return table(["site", *(f"{one.name} {one.version}" for one in clients)], rows)


def by_row(stays: Sequence[Stay]) -> dict[str, list[Stay]]:
    """Group the results by site."""
    rows: dict[str, list[Stay]] = {}
    for one in stays:
        rows.setdefault(one.behaviour.name, []).append(one)
    return rows


def wrong(stays: Sequence[Stay]) -> list[str]:
    """Return every row in which goodbot did something wrong, or too little."""
    return [
        f"{one.behaviour.name}: goodbot: {cell(one)}"
        for one in stays
        if one.client.name == "goodbot"
        and (one.judgement or one.judgement.open or one.stopped or one.read < one.readable)
    ]


def told(visits: Sequence[LoopbackVisit]) -> str:
    """Return a description of visits, for the details of a row."""
    return " ".join(f"{visit.target}@{visit.at:.2f}" for visit in visits)


def main(arguments: Sequence[str]) -> int:
    """Print the table; return 1 if goodbot did something wrong."""
    if arguments[:1] == ["--crawl"]:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
        client = next(one for one in CLIENTS if one.name == arguments[1])
        client.crawl(Plan(*json.loads(arguments[2])))
        return 0
    start = time.monotonic()
    stays = measure([one for one in BEHAVIOURS if not arguments or one.name in arguments])
    print(drawn(stays))
    for client in CLIENTS:
        print(f"- {client.name} {client.version or '(not installed)'}: {client.settings}.")
    if arguments:
        for one in stays:
            parts = (one.judgement.bad, one.judgement.early, one.judgement.open)
            print(one.behaviour.name, one.client.name, *(f"[{told(part)}]" for part in parts))
    print(f"\nIt took {time.monotonic() - start:.0f} seconds.")
    print("\n".join(wrong(stays)))
    return 1 if wrong(stays) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
