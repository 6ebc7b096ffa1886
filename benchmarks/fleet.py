"""Crawl a small site on loopback in one folder, and by one and two workers of a fleet, by turns.

The site is on many origins, as the sites of a fleet are. Each crawl is made by processes of its
own. CPU time of a worker is that of its process from when it begins to crawl; that of PostgreSQL
is that of all its processes; statements are counted by its extension pg_stat_statements, with BEGIN
and COMMIT. It needs PostgreSQL (Debian: apt-get install postgresql).

python benchmarks/fleet.py [ROUNDS [PAGES [ORIGINS]]]      print the figures
"""

import asyncio
import json
import os
import pwd
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp  # noqa: F401  the clock starts after all imports
import psycopg

import clock
import crawl_site
from corpus import CONTACT, INFO
from crawl_site import PAGES
from goodbot.crawl import Bounds, Crawl
from goodbot.crawl.fleet import fleet as fleets
from goodbot.crawl.fleet.fleet_worker import FleetWorker
from goodbot.crawl.run.settings import GivenSettings
from goodbot.pace import Manners

PROGRAM = str(Path(__file__).resolve())
ROUNDS = 3
ORIGINS = 64
WORKERS = 16
FOLDER, ONE, TWO = "one folder", "one worker", "two workers"
CPU_TARGET = 1.25
"""CPU time of a worker for a page, as a multiple of that of a crawl in a folder."""
SERVER_TARGET = 0.15e-3
"""Seconds of CPU time of PostgreSQL for a page."""
STATEMENTS_TARGET = 0.25
"""Statements for a page."""
TWO_TARGET = 0.85
"""Pages for a second of CPU time of two workers, as a multiple of those of one."""
LIMIT = 600.0
"""The number of seconds after which a crawl is stopped."""
TICKS = os.sysconf("SC_CLK_TCK")


def programs() -> Path | None:
    """Return the folder with the programs of PostgreSQL; `None` if there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda one: int(one.parts[4]))
    named = os.environ.get("GOODBOT_POSTGRES")
    return Path(named) if named else next(reversed(found), None)


class Cluster:
    """A PostgreSQL server in a folder of its own."""

    def __init__(self, folder: Path, settings: str = "") -> None:
        """Make it and start it, with further lines of its configuration."""
        found = programs()
        if found is None:
            message = "PostgreSQL is not installed (on Debian: apt-get install postgresql)"
            raise FileNotFoundError(message)
        self.programs, self.folder = found, folder
        self.user = "nobody" if os.geteuid() == 0 else None
        if self.user is not None:
            who = pwd.getpwnam(self.user)
            os.chown(folder, who.pw_uid, who.pw_gid)
        self.run("initdb", "-D", "data", "-U", "robot", "--auth=trust", "-E", "UTF8", "-N")
        with (folder / "data" / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(
                f"listen_addresses = ''\nunix_socket_directories = '{folder}'\nfsync = off\n"
                "shared_preload_libraries = 'pg_stat_statements'\nshared_buffers = 128MB\n"
                f"{settings}"
            )
        self.run("pg_ctl", "-D", "data", "-l", "log", "-w", "start")
        self.name = f"postgresql://robot@/postgres?host={quote(str(folder), safe='')}"
        self.do("CREATE EXTENSION pg_stat_statements")

    def run(self, program: str, *words: str) -> None:
        """Run one of its programs."""
        subprocess.run(  # noqa: S603  ours
            [self.programs / program, *words],
            user=self.user,
            cwd=self.folder,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )

    def do(self, statement: str) -> list[tuple[Any, ...]]:
        """Execute a statement."""
        with psycopg.connect(self.name, autocommit=True) as connection:
            done = connection.execute(statement.encode())
            return done.fetchall() if done.description else []

    @property
    def cpu(self) -> float:
        """The seconds of CPU time of all its processes, also of those that have ended."""
        postmaster = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        below = f"/proc/{postmaster}/task/{postmaster}/children"
        ticks = sum(map(int, stat_of(postmaster)[13:17]))
        for one in Path(below).read_text().split():
            with suppress(FileNotFoundError):  # it ends at this moment
                ticks += sum(map(int, stat_of(int(one))[13:15]))
        return ticks / TICKS


def stat_of(process: int) -> list[str]:
    """Return the fields of a process; see proc(5)."""
    text = Path(f"/proc/{process}/stat").read_text()
    return ["", "", *text.rpartition(")")[2].split()]


@contextmanager
def cluster(settings: str = "") -> Iterator[Cluster]:
    """Run a server, with further lines of its configuration."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = Cluster(Path(folder), settings)
        try:
            yield server
        finally:
            server.run("pg_ctl", "-D", "data", "-m", "immediate", "-w", "stop")


@dataclass
class FleetRow:
    """The results of one way to crawl, for each round."""

    name: str
    cpus: list[float] = field(default_factory=list)
    """CPU time of all workers."""
    walls: list[float] = field(default_factory=list)
    servers: list[float] = field(default_factory=list)
    """CPU time of PostgreSQL."""
    statements: list[int] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def options_for(origins: Sequence[str]) -> dict[str, Any]:
    """Return the settings of every crawl."""
    return {
        "info_url": INFO,
        "contact": CONTACT,
        "bounds": Bounds(origins=frozenset(origins)),
        "manners": Manners(floor=0.0, factor=0.0, default=0.0),
    }


def crawl(database: str, folder: str, origins: Sequence[str]) -> dict[str, float]:
    """Crawl in a folder or as a worker; return what it took."""
    if database:
        worker = FleetWorker(database, folder, workers=WORKERS, allow_private=True)
        run = worker.run()
    else:
        start = [crawl_site.url_of(0, origins)]
        run = Crawl(
            folder,
            "ExampleBot/1.0",
            start=start,
            workers=WORKERS,
            allow_private=True,
            **options_for(origins),
        ).run()
    wall, cpu = time.perf_counter(), time.process_time()
    summary = asyncio.run(run)
    return {
        "pages": summary.pages,
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
    }


def prepare(database: str, origins: Sequence[str]) -> None:
    """Make a fleet whose first URL is due at once."""
    fleets.DELAY = 0.0
    with fleets.Fleet(database) as fleet:
        fleet.make(GivenSettings(robot="ExampleBot/1.0", **options_for(origins)))
        fleet.add([(origins[0], crawl_site.url_of(0, origins))])


def one_round(row: FleetRow, server: Cluster, number: int, pages: int, origins: int) -> None:
    """Crawl once, with a new site."""
    count = 2 if row.name == TWO else 1
    with crawl_site.served(pages, origins, None) as site, tempfile.TemporaryDirectory() as folder:
        database = ""
        if row.name != FOLDER:
            database = f"{server.name}&schema=crawl_{count}_{number}"
            prepare(database, site.origins)
        server.do("SELECT pg_stat_statements_reset()")
        before, running = server.cpu, []
        for one in range(count):
            words = ["crawl", database, f"{folder}/{one}", *site.origins]
            running.append(subprocess.Popen([sys.executable, PROGRAM, *words], stdout=-1))  # noqa: S603  ours
        said = [json.loads(one.communicate(timeout=LIMIT)[0]) for one in running]
        row.servers.append(server.cpu - before)
        ((statements,),) = server.do("SELECT sum(calls)::bigint FROM pg_stat_statements")
    row.statements.append(statements)
    row.cpus.append(sum(one["cpu"] for one in said))
    row.walls.append(max(one["wall"] for one in said))
    row.wrong += [f"{row.name}: {one}" for one in site.amiss(pages)]
    if os.environ.get("SHOW"):
        for line in server.do(
            "SELECT calls, round(total_exec_time::numeric, 1), left(query, 150) "
            "FROM pg_stat_statements ORDER BY calls DESC LIMIT 30"
        ):
            print(line)


def measure(rounds: int = ROUNDS, pages: int = PAGES, origins: int = ORIGINS) -> list[FleetRow]:
    """Crawl in each way by turns."""
    rows = [FleetRow(FOLDER), FleetRow(ONE), FleetRow(TWO)]
    with cluster() as server:
        for number in range(rounds):
            for row in rows:
                one_round(row, server, number, pages, origins)
    return rows


def times(row: FleetRow, first: FleetRow) -> float:
    """Return CPU time as a multiple of that of another row: the median of the rounds."""
    pairs = zip(row.cpus, first.cpus, strict=True)
    return clock.median([one / other for one, other in pairs])


def main(arguments: Sequence[str]) -> int:
    """Print the figures; return 1 if a target is missed or an answer is wrong."""
    if arguments[:1] == ["crawl"]:
        print(json.dumps(crawl(arguments[1], arguments[2], arguments[3:])))
        return 0
    given = [*map(int, arguments), *(ROUNDS, PAGES, ORIGINS)[len(arguments) :]]
    rows = measure(*given)
    pages = given[1]
    for row in rows:
        print(
            f"{row.name:11} {pages / clock.median(row.walls):5.0f} pages/s"
            f" {clock.median(row.cpus) / pages * 1e3:6.2f} ms of CPU a page"
            f" ({times(row, rows[0]):.2f} times), of PostgreSQL"
            f" {clock.median(row.servers) / pages * 1e3:6.3f} ms,"
            f" {clock.median(row.statements) / pages:6.3f} statements"
        )
    wrong = [sentence for row in rows for sentence in row.wrong]
    print("\n".join(wrong[:9]) or "every page was fetched once")
    folder, one, two = rows
    is_met = (
        times(one, folder) <= CPU_TARGET
        and clock.median(one.servers) / pages <= SERVER_TARGET
        and clock.median(one.statements) / pages <= STATEMENTS_TARGET
        and 1 / times(two, one) >= TWO_TARGET
    )
    return int(bool(wrong) or not is_met)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
