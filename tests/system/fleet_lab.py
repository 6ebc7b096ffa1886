"""Machines for tests of a fleet: network namespaces, and sites that log who requested what, when.

The sites are on the loopback device of one namespace, and each machine is a namespace with a link
to it, so a site sees from which machine a request comes. For each request a site asks the database,
before it answers, whether a worker of that machine holds the site at that moment.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.support.fault_record import FaultRecord
from tests.support.other_machine import words_for
from tests.support.paths import ROOT

if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Iterator, Sequence

    from tests.support.postgres import PostgresCluster

MISSING = "network namespaces need root and the program ip (on Debian: apt-get install iproute2)"
NETWORK = "198.18.0.0/15"
"""Addresses for tests between networks (RFC 2544)."""
HOSTS = ("198.18.0.1", "198.18.0.2")
"""The sites of the first are single; those of the second are one server group."""
NEW_NETWORK = 0x40000000
HELD = (
    "SELECT count(*) FROM {s}.groups JOIN {s}.workers ON workers.id = holder "
    "WHERE groups.id IN (SELECT group_id FROM {s}.urls WHERE origin = %s) AND workers.name = %s "
    "AND ends > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
)

CRASHES = "SELECT url, crashes FROM {s}.urls WHERE crashes > 0"


class LabVisit(NamedTuple):
    """One request, as a site saw it."""

    site: str
    path: str
    machine: str
    began: float
    """When its head had come, by a clock that all machines share."""
    ended: float
    """When it began to write the answer: the machine has it later."""
    is_held: bool | None
    """Whether a worker of the machine held the site; `None` if the database did not answer."""


class Lab:
    """Machines, and their workers on one database.

    Args:
        namespaces: The machines.
        cluster: The server of the database.
        folder: The folder of all workers.
        lease: The length of a lease, in seconds.
        words: Options of every worker.

    """

    def __init__(
        self,
        namespaces: Namespaces,
        cluster: PostgresCluster,
        folder: Path,
        *,
        lease: float,
        words: Sequence[str] = (),
    ) -> None:
        """Start nothing yet."""
        self.namespaces, self.cluster, self.folder = namespaces, cluster, folder
        self.url = cluster.new_url()
        self.schema = self.url.rpartition("schema=")[2]
        self.words = ["--json", "--lease", str(lease), "--workers", "4", "--timeout", "1", *words]
        self.urls: dict[int, str] = {}
        """By which URL a machine reaches the database, if not by that of all."""
        self.clocks: dict[int, dict[str, float]] = {}
        """How the clock of a machine is wrong; see `tests.support.other_machine`."""
        self.running: dict[int, asyncio.subprocess.Process] = {}
        self.ended: list[int | None] = []
        self.restarts = asyncio.Event()
        """Whether `keep_running` starts workers again; set at first."""
        self.restarts.set()

    def address(self, machine: int) -> str:
        """Return the address of a machine, which is the name of its worker, too."""
        return f"198.18.{machine + 1}.2"

    def is_held(self, origin: str, address: str) -> bool | None:
        """Whether a worker of a machine holds a site, by the database."""
        import psycopg  # noqa: PLC0415  an extra

        from goodbot.store.postgres_schema import in_schema  # noqa: PLC0415  as above

        try:
            with psycopg.connect(self.cluster.url(), autocommit=True) as connection:
                held = connection.execute(in_schema(HELD, self.schema), (origin, address))
                row = held.fetchone()
                return None if row is None else bool(row[0])
        except psycopg.Error:
            return None

    def crashes(self) -> dict[str, int]:
        """Return the URLs during whose visits workers ended, and how many."""
        import psycopg  # noqa: PLC0415  an extra

        from goodbot.store.postgres_schema import in_schema  # noqa: PLC0415  as above

        with psycopg.connect(self.cluster.url()) as connection:
            found = connection.execute(in_schema(CRASHES, self.schema)).fetchall()
            return dict(found)

    async def start(self, machine: int) -> asyncio.subprocess.Process:
        """Start the worker of a machine, in its namespace and its folder."""
        name = self.namespaces.machines[machine]
        words = ["fleet", "work", self.urls.get(machine, self.url)]
        words += ["--out", str(self.folder / f"{machine}"), *self.words]
        words += ["--allow-network", NETWORK, "--name", self.address(machine)]
        wrong = self.clocks.get(machine)
        if wrong is None:
            words = [sys.executable, "-m", "goodbot", *words]
        else:
            words = words_for(f"machine-{machine}", *words, **wrong)
        with (self.folder / f"{machine}.log").open("ab") as log:
            self.running[machine] = await asyncio.create_subprocess_exec(
                *("ip", "netns", "exec", name), *words, stdout=log, stderr=log, cwd=ROOT
            )
        return self.running[machine]

    async def keep_running(self, machine: int) -> None:
        """Start the worker of a machine again whenever it ends, until it has ended in order."""
        while True:
            one = await self.start(machine)
            self.ended.append(await one.wait())
            if self.ended[-1] == 0:
                return
            await self.restarts.wait()

    def kill(self, machine: int, number: signal.Signals) -> bool:
        """Send a signal to the worker of a machine, if it runs."""
        one = self.running.get(machine)
        with suppress(ProcessLookupError):
            if one is not None and one.returncode is None:
                one.send_signal(number)
                return True
        return False


class Namespaces:
    """The namespaces of a test, with names of their own; use `running_namespaces`."""

    def __init__(self, machines: int) -> None:
        """Make them."""
        self.hub = f"gb{os.getpid()}"
        self.machines = [f"{self.hub}m{number}" for number in range(1, machines + 1)]
        ip("netns", "add", self.hub)
        ip("-n", self.hub, "link", "set", "lo", "up")
        for host in HOSTS:
            ip("-n", self.hub, "address", "add", f"{host}/32", "dev", "lo")
        for number, name in enumerate(self.machines, 1):
            ip("netns", "add", name)
            link = ("link", "add", f"to{number}", "netns", self.hub, "type", "veth")
            ip(*link, "peer", "name", "up0", "netns", name)
            ip("-n", self.hub, "address", "add", f"198.18.{number}.1/30", "dev", f"to{number}")
            ip("-n", self.hub, "link", "set", f"to{number}", "up")
            ip("-n", name, "address", "add", f"198.18.{number}.2/30", "dev", "up0")
            ip("-n", name, "link", "set", "up0", "up")
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "route", "add", "default", "via", f"198.18.{number}.1")

    def remove(self) -> None:
        """Remove them, with their links."""
        for name in (self.hub, *self.machines):
            with suppress(subprocess.CalledProcessError):
                ip("netns", "delete", name)

    @contextmanager
    def in_hub(self) -> Iterator[None]:
        """Make what sockets this thread makes be of the namespace of the sites."""
        libc = ctypes.CDLL(None, use_errno=True)
        with Path("/proc/thread-self/ns/net").open("rb") as own:
            with Path(f"/run/netns/{self.hub}").open("rb") as hub:
                assert libc.setns(hub.fileno(), NEW_NETWORK) == 0
            try:
                yield
            finally:
                assert libc.setns(own.fileno(), NEW_NETWORK) == 0


def ip(*words: str) -> None:
    """Run the program `ip`."""
    subprocess.run(["ip", *words], check=True, capture_output=True)  # noqa: S603, S607  a test


@contextmanager
def running_namespaces(machines: int) -> Iterator[Namespaces]:
    """Make namespaces; skip the test where that is not possible."""
    try:
        made = Namespaces(machines)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"{MISSING}: {error}")
    try:
        yield made
    finally:
        made.remove()


@dataclass
class LabSites:
    """Sites in the namespace of the sites, of pages that link to each other and to other sites."""

    pages: int
    """How many pages a site has beside its first, at least; see `is_growing`."""
    delay: float
    is_held: Callable[[str, str], bool | None]
    """Whether a worker of a machine holds a site."""
    is_growing: bool = True
    """Whether each page that is fetched leads to one more: until the test has seen what it waits
    for, on however slow a machine, there is something left to visit."""
    added: Counter[int] = field(default_factory=Counter)
    """By how many pages a site has grown."""
    origins: list[str] = field(default_factory=list)
    visits: list[LabVisit] = field(default_factory=list)
    servers: list[asyncio.Server] = field(default_factory=list)
    groups: dict[str, str] = field(default_factory=dict)
    """The server group of those sites that have one."""
    overloaded: dict[str, int] = field(default_factory=dict)
    """The sites that answer their next page with 429, and with how many seconds of Retry-After."""
    waits: dict[str, tuple[float, float]] = field(default_factory=dict)
    """When each of them answered that, and until when it asked to wait."""

    async def open(self, namespaces: Namespaces, single: int, grouped: int) -> None:
        """Open some single sites, and some of one group."""
        hosts = [HOSTS[0]] * single + [HOSTS[1]] * grouped
        for number, host in enumerate(hosts):
            with namespaces.in_hub():
                server = await asyncio.start_server(self.answerer(number), host, 0)
            self.servers.append(server)
            self.origins.append(f"http://{host}:{server.sockets[0].getsockname()[1]}")
        self.groups = dict.fromkeys(self.origins[single:], HOSTS[1])

    def close(self) -> None:
        """Close them."""
        for server in self.servers:
            server.close()

    def answerer(self, number: int) -> Callable[..., Any]:
        """Return what serves the connections of one site."""

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(OSError, asyncio.IncompleteReadError):
                while True:
                    head = await reader.readuntil(b"\r\n\r\n")
                    await self.answer(number, head.split(b" ", 2)[1].decode(), writer)
            writer.close()

        return serve

    async def answer(self, number: int, path: str, writer: asyncio.StreamWriter) -> None:
        """Answer one request, and log it."""
        began, origin = time.monotonic(), self.origins[number]
        machine = writer.get_extra_info("peername")[0]
        is_held = await asyncio.to_thread(self.is_held, origin, machine)
        kind, content = "text/html", self.content(number)
        if path == "/robots.txt":
            kind, content = "text/plain", f"User-agent: *\nCrawl-delay: {self.delay}\n"
        status, seconds = "200 OK", 0
        if path != "/robots.txt" and origin in self.overloaded:
            status, seconds = "429 Too Many Requests", self.overloaded.pop(origin)
        ended = time.monotonic()
        if seconds:
            self.waits[origin] = (ended, ended + seconds)
            status = f"{status}\r\nRetry-After: {seconds}"
        writer.write(
            f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n\r\n"
            f"{content}".encode()
        )
        self.visits.append(LabVisit(origin, path, machine, began, ended, is_held))
        await writer.drain()

    def content(self, number: int) -> str:
        """Return a page: links to all pages of its site, and to the first of the next one."""
        self.added[number] += self.is_growing
        links = "".join(f"<a href=/{page}>x</a>" for page in range(self._pages(number)))
        return f"<title>x</title>{links}<a href={self.origins[number - 1]}/>y</a>"

    def _pages(self, number: int) -> int:
        """Return how many pages a site has beside its first."""
        return self.pages + self.added[number]

    def everything(self) -> set[tuple[str, str]]:
        """Return the sites and paths of all pages."""
        return {
            (site, path)
            for number, site in enumerate(self.origins)
            for path in ("/", *(f"/{page}" for page in range(self._pages(number))))
        }

    def machines(self) -> set[str]:
        """Return the machines that have visited."""
        return {one.machine for one in self.visits}

    def seen(self) -> Counter[str]:
        """Return how often each URL was requested."""
        return Counter(f"{one.site}{one.path}" for one in self.visits)

    def record(self, title: str) -> FaultRecord:
        """Return what the sites saw, but for the pauses, which are those of the test."""
        unleased = sum(one.is_held is False for one in self.visits)
        return FaultRecord(title, requests=len(self.visits), unleased=unleased)

    def repeated(self, paths: Sequence[str] = ()) -> int:
        """Return how often a page was fetched again; or the given paths."""
        counts = Counter((one.site, one.path) for one in self.visits)
        some = {(site, path): n for (site, path), n in counts.items() if path in (paths or [path])}
        return sum(some.values()) - len(some)

    def gaps(self, by_group: dict[str, str] | None = None) -> list[float]:
        """Return the pauses between requests to each site, or to each of some groups of sites."""
        lines: dict[str, list[LabVisit]] = {}
        for one in sorted(self.visits, key=lambda visit: visit.began):
            name = one.site if by_group is None else by_group.get(one.site)
            if name is not None:
                lines.setdefault(name, []).append(one)
        return [
            after.began - before.ended
            for line in lines.values()
            for before, after in pairwise(line)
        ]
