"""PostgreSQL servers for tests, each in a folder of its own and on a socket of its own.

`GOODBOT_POSTGRES` names the folder with the programs of another version; without it they are those
of the newest version that is installed (Debian: `apt-get install postgresql`).
"""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

MISSING = (
    "PostgreSQL is not installed (on Debian: apt-get install postgresql), and GOODBOT_POSTGRES "
    "names no folder with its programs"
)
ROLE = "robot"
"""The superuser of the servers."""
NUMBERS = itertools.count(1)
PARTITIONS = 2
"""Of the queues of most tests: to make sixteen takes a tenth of a second."""


def programs() -> Path | None:
    """Return the folder with `initdb` and `pg_ctl`; `None` if there is none."""
    named = os.environ.get("GOODBOT_POSTGRES")
    found = (
        [Path(named)] if named else sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=newest)
    )
    which = shutil.which("initdb")
    found += [] if which is None or named else [Path(which).resolve().parent]
    return next((one for one in reversed(found) if (one / "initdb").exists()), None)


def newest(folder: Path) -> int:
    """Return the version of a folder of Debian."""
    return int(folder.parent.name)


class PostgresCluster:
    """A server, which a test may stop, kill and start again."""

    def __init__(self, programs: Path, folder: Path) -> None:
        """Make its files, and start it."""
        self.programs, self.folder = programs, folder
        self.data = folder / "data"
        # PostgreSQL refuses to run as root.
        self.user = "nobody" if os.geteuid() == 0 else None
        if self.user is not None:
            who = pwd.getpwnam(self.user)
            os.chown(folder, who.pw_uid, who.pw_gid)
        self.run("initdb", "-D", self.data, "-U", ROLE, "--auth=trust", "-E", "UTF8", "-N")
        with (self.data / "postgresql.conf").open("a", encoding="utf-8") as settings:
            # A crash of the server loses nothing without fsync; one of the machine would.
            settings.write(
                f"listen_addresses = ''\nunix_socket_directories = '{folder}'\nfsync = off\n"
                "max_connections = 60\nshared_buffers = 32MB\n"
            )
        self.start()

    def run(self, program: str, *arguments: str | Path) -> None:
        """Run one of PostgreSQL's programs."""
        done = subprocess.run(  # noqa: S603  ours
            [self.programs / program, *arguments],
            user=self.user,
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        assert done.returncode == 0, done.stdout.decode()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.run("pg_ctl", "-D", self.data, "-l", self.folder / "log", "-w", "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop it; with `immediate` as a crash does."""
        self.run("pg_ctl", "-D", self.data, "-m", mode, "-w", "stop")

    def restart(self, mode: str = "immediate") -> None:
        """Stop it and start it again."""
        self.stop(mode)
        self.start()

    def url(self, schema: str = "", *, user: str = ROLE, database: str = "postgres") -> str:
        """Return the URL of a schema."""
        ending = f"&schema={schema}" if schema else ""
        return f"postgresql://{user}@/{database}?host={quote(str(self.folder), safe='')}{ending}"

    def new_url(self) -> str:
        """Return the URL of a schema that does not exist yet."""
        return self.url(f"robots_{next(NUMBERS)}")

    def new_queue_url(self) -> str:
        """Return the URL of a new schema with an empty queue, a small one that is quickly made."""
        from goodbot.crawl.frontier.postgres_tables import queue_tables  # noqa: PLC0415  an extra
        from goodbot.store.postgres_server import PostgresServer  # noqa: PLC0415  as above

        url = self.new_url()
        PostgresServer(url, (queue_tables(PARTITIONS),)).close()
        return url


@contextmanager
def running_cluster() -> Iterator[PostgresCluster]:
    """Run a server; skip the test if PostgreSQL is not installed."""
    found = programs()
    if found is None:
        pytest.skip(MISSING)
    # Not below the folder of the test: the path of a socket has at most 107 bytes.
    with tempfile.TemporaryDirectory(prefix="goodbot-pg-", ignore_cleanup_errors=True) as folder:
        cluster = PostgresCluster(found, Path(folder))
        try:
            yield cluster
        finally:
            cluster.stop("immediate")


@pytest.fixture(scope="module")
def cluster() -> Iterator[PostgresCluster]:
    """Run a server for the tests of a module."""
    pytest.importorskip("psycopg_pool", reason="needs the extra postgres")
    with running_cluster() as server:
        yield server
        # A pool that is left open would look for its server during the tests of other modules.
        left = [one.name for one in threading.enumerate() if one.name.startswith("goodbot-")]
        assert not left, f"a test left connections open: {left}"
