"""Fetch small pages on loopback: `AiohttpFetcher` compared with bare aiohttp, on the same server.

Both have the same number of tasks and connections, and take turns. The server is a process of its
own, on another CPU if there is one, and does so little that it is faster than they are.
`Robot.visit` without pauses is shown as well. It does more, and makes only one visit to an origin
at a time, so it uses as many origins as there are tasks.

python benchmarks/net.py [ROUNDS]      print the figures
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

import clock
import goodbot
from corpus import CONTACT, INFO
from goodbot.net import AiohttpFetcher
from goodbot.pace import Manners

PROGRAM = str(Path(__file__).resolve())
PAGES = 5_000
TASKS = 32
TARGET = 0.70
"""The share of bare aiohttp's rate."""
FILLING = b"x" * 1_500
RULES = b"User-agent: *\nDisallow: /private/\n"
FIELDS = (("User-Agent", "ExampleBot/1.0"), ("From", "bot@example.com"))
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nServer: example\r\n"
    b"Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Length: %d\r\n\r\n"
)


@dataclass
class NetRow:
    """The results of one way of fetching. Times are seconds for all pages, one for each round."""

    name: str
    job: str
    walls: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Net:
    """The results of all ways: bare aiohttp, the fetcher, the robot."""

    bare: NetRow
    fetcher: NetRow
    robot: NetRow
    pages: int
    tasks: int
    wrong: Sequence[str]

    @property
    def rows(self) -> tuple[NetRow, NetRow, NetRow]:
        """All ways."""
        return self.bare, self.fetcher, self.robot

    def rate(self, row: NetRow) -> float:
        """Return the median of pages per second."""
        return self.pages / clock.median(row.walls)

    def cpu(self, row: NetRow) -> float:
        """Return the median of the client's CPU time for a page, in seconds."""
        return clock.median(row.cpus) / self.pages

    def share(self, row: NetRow) -> float:
        """Return the share of bare aiohttp's rate, by the wall clock or by CPU time: the lower one.

        If the server or another program slows both down, they would look alike by the wall clock
        alone.
        """
        by_wall = self.rate(row) / self.rate(self.bare)
        return min(by_wall, self.cpu(self.bare) / self.cpu(row))


def content(path: bytes) -> bytes:
    """Return the server's content for a path."""
    return (
        RULES
        if path == b"/robots.txt"
        else b"<!DOCTYPE html><title>%b</title>%b"
        % (
            path,
            FILLING,
        )
    )


# The server.


class Answering(asyncio.Protocol):
    """Answers every request of one connection at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        self._transport = transport
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        """Answer every complete request."""
        self._rest += data
        while b"\r\n\r\n" in self._rest:
            head, _, self._rest = self._rest.partition(b"\r\n\r\n")
            body = content(head.split(b" ", 2)[1])
            self._transport.write(HEAD % len(body) + body)  # type: ignore[attr-defined]


async def serve(ports: int) -> None:
    """Serve on a number of ports of 127.0.0.1, and print them, until standard input ends."""
    loop = asyncio.get_running_loop()
    servers = [await loop.create_server(Answering, "127.0.0.1", 0) for _ in range(ports)]
    print(*(server.sockets[0].getsockname()[1] for server in servers), flush=True)
    await asyncio.to_thread(sys.stdin.read)


@contextmanager
def server(ports: int, cpu: int | None) -> Iterator[list[str]]:
    """Run the server; yield its origins."""
    command = [sys.executable, PROGRAM, "--serve", str(ports), "" if cpu is None else str(cpu)]
    with subprocess.Popen(  # noqa: S603  this very file
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None  # noqa: S101
        assert process.stdout is not None  # noqa: S101
        yield [f"http://127.0.0.1:{port}" for port in process.stdout.readline().split()]
        process.stdin.close()


# The clients.

Fetch = Callable[[int], Awaitable[bytes]]
Bodies = dict[int, bytes]


async def fetched(pages: int, tasks: int, fetch: Fetch) -> Bodies:
    """Fetch every page; each task fetches every `tasks`-th one."""
    bodies: Bodies = {}

    async def work(first: int) -> None:
        for number in range(first, pages, tasks):
            bodies[number] = await fetch(number)

    await asyncio.gather(*(work(first) for first in range(tasks)))
    return bodies


async def by_aiohttp(origins: Sequence[str], pages: int, tasks: int) -> Bodies:
    """Fetch with a session of aiohttp's, as its documentation shows."""
    connector = aiohttp.TCPConnector(limit=tasks)
    async with aiohttp.ClientSession(connector=connector, headers=FIELDS) as session:

        async def fetch(number: int) -> bytes:
            async with session.get(f"{origins[0]}/{number}") as answer:
                return await answer.read()

        return await fetched(pages, tasks, fetch)


async def by_fetcher(origins: Sequence[str], pages: int, tasks: int) -> Bodies:
    """Fetch with goodbot's fetcher."""
    async with AiohttpFetcher(
        allow_networks=["127.0.0.0/8"], connections=tasks, connections_per_origin=tasks
    ) as fetcher:

        async def fetch(number: int) -> bytes:
            return (await fetcher.fetch(f"{origins[0]}/{number}", headers=FIELDS)).body

        return await fetched(pages, tasks, fetch)


async def by_robot(origins: Sequence[str], pages: int, tasks: int) -> Bodies:
    """Visit with a robot without pauses, each task on an origin of its own."""
    manners = Manners(floor=0.0, factor=0.0, default=0.0)
    async with goodbot.Robot(
        "ExampleBot/1.0", info_url=INFO, contact=CONTACT, manners=manners, allow_private=True
    ) as robot:

        async def fetch(number: int) -> bytes:
            visit = await robot.visit(f"{origins[number % tasks]}/{number}")
            return visit.response.body

        return await fetched(pages, tasks, fetch)


def measure(repeats: int, cpus: Sequence[int] = (), pages: int = PAGES, tasks: int = TASKS) -> Net:
    """Fetch in every way, in turns; the server is on the first CPU, the clients on the last."""
    bare = NetRow(f"aiohttp {aiohttp.__version__}", "fetch")
    fetcher = NetRow("goodbot.net.AiohttpFetcher", "fetch")
    robot = NetRow("goodbot.Robot.visit, no pace", f"visit, {tasks} origins")
    jobs = ((bare, by_aiohttp), (fetcher, by_fetcher), (robot, by_robot))
    wrong: list[str] = []
    with server(tasks, cpus[0] if len(cpus) > 1 else None) as origins:
        for _ in range(repeats):
            for row, work in jobs:
                start, start_cpu = time.perf_counter(), time.process_time()
                bodies = asyncio.run(work(origins, pages, tasks))
                row.walls.append(time.perf_counter() - start)
                row.cpus.append(time.process_time() - start_cpu)
                wrong += different(row.name, bodies, pages)
    return Net(bare, fetcher, robot, pages, tasks, wrong)


def different(name: str, bodies: Bodies, pages: int) -> list[str]:
    """Return the pages whose content differs from the server's."""
    return [
        f"{name}: page {number} differs"
        for number in range(pages)
        if bodies.get(number) != content(b"/%d" % number)
    ]


def main(arguments: Sequence[str]) -> int:
    """Print the figures; return 1 if the target is missed or a page is wrong."""
    if arguments[:1] == ["--serve"]:
        if arguments[2]:
            os.sched_setaffinity(0, [int(arguments[2])])
        asyncio.run(serve(int(arguments[1])))
        return 0
    cpus = clock.cpus()
    clock.pin(1, cpus)
    found = measure(int(arguments[0]) if arguments else 7, cpus)
    for row in found.rows:
        print(
            f"{row.name:30} {row.job:20} {found.rate(row):8.0f} pages/s"
            f" {found.cpu(row) * 1e6:6.0f} us of CPU a page, {found.share(row):.2f} of aiohttp"
        )
    print("\n".join(found.wrong[:9]) or "every page is what the server sent")
    return 1 if found.wrong or found.share(found.fetcher) < TARGET else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
