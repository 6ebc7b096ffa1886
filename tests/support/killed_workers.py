"""Workers of a fleet that kill themselves at enumerated moments, one after the other.

python -m tests.support.killed_workers URL FOLDER [OPTION]... MOMENT...

A moment is `at:N`, the Nth point between two writes since the start of the worker, or `after:S`,
some seconds. Before and after each write is a point: each statement that changes the database of
the fleet, each of its commits, each commit of the folder, each record of the archive. After the
last moment a worker runs to its end, unless `--kills-only` is given. What each came to is printed:
`killed`, or its exit status.

One process forks all workers, so that each begins at once; it has no thread and no connection.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import threading
import traceback
from typing import TYPE_CHECKING, Any

import aiohttp  # noqa: F401  loaded once for all workers
import psycopg

from goodbot.crawl.archive import place
from goodbot.crawl.fleet.fleet_worker import FleetWorker
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier import postgres
from goodbot.errors import GoodbotError

if TYPE_CHECKING:
    from collections.abc import Callable

READS = (b"SELECT", b"BEGIN")


class Points:
    """Counts the points between writes, and ends the process at one of them."""

    def __init__(self, last: int) -> None:
        """Wrap everything that writes; 0: without an end."""
        self.last, self.count = last, 0
        self.wrap(psycopg.Connection, "execute", self.changes)
        self.wrap(psycopg.Transaction, "__exit__", lambda *_: True)
        self.wrap(Database, "commit", lambda *_: True)
        self.wrap(place, "write", lambda *_: True)

    def changes(self, _: object, statement: object, *__: object) -> bool:
        """Whether a statement changes anything."""
        return not (isinstance(statement, bytes) and statement.startswith(READS))

    def wrap(self, owner: Any, name: str, is_write: Callable[..., bool]) -> None:  # noqa: ANN401  a class or module
        """Count the points before and after the calls of a function that are writes."""
        inner = getattr(owner, name)

        def outer(*values: Any, **options: Any) -> Any:  # noqa: ANN401  as the function has them
            if not is_write(*values):
                return inner(*values, **options)
            self.pass_one()
            done = inner(*values, **options)
            self.pass_one()
            return done

        setattr(owner, name, outer)

    def pass_one(self) -> None:
        """Pass a point."""
        self.count += 1
        if self.count == self.last:
            os.kill(os.getpid(), signal.SIGKILL)


# They wait for each other all the time.
postgres.LOOK_AGAIN, postgres.GENEROUS, postgres.IDLE_FOR = 0.1, 0.3, 0.2
# It is not the fault of a page that a worker ends during its visit.
postgres.MOST_CRASHES = 1_000_000  # type: ignore[attr-defined]


def work(options: argparse.Namespace, moment: str) -> int:
    """Run a worker; return its exit status."""
    kind, _, value = moment.partition(":")
    Points(int(value) if kind == "at" else 0)
    if kind == "after":
        timer = threading.Timer(float(value), os.kill, (os.getpid(), signal.SIGKILL))
        timer.daemon = True
        timer.start()
    worker = FleetWorker(
        options.url,
        options.folder,
        name=options.name,
        workers=4,
        lease_seconds=options.lease,
        margin=options.lease / 4,
        timeout=2.0,  # of a machine that does much else
        allow_networks=["127.0.0.0/8"],
    )
    try:
        asyncio.run(worker.run())
    except GoodbotError as error:  # its leases have ended, or the server was away for too long
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return 2
    return 0


def main(words: list[str]) -> None:
    """Fork one worker after the other."""
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("folder")
    parser.add_argument("--name", default="worker")
    parser.add_argument("--lease", type=float, default=1.0)
    parser.add_argument("--kills-only", action="store_true")
    parser.add_argument("moments", nargs="*")
    options = parser.parse_intermixed_args(words)
    moments = [*options.moments]
    while moments or not options.kills_only:
        child = os.fork()
        if not child:
            status = 1
            try:
                status = work(options, moments[0] if moments else "")
            except BaseException:  # noqa: BLE001  this process ends here
                traceback.print_exc()
            finally:
                os._exit(status)
        _, ended = os.waitpid(child, 0)
        is_killed = os.WIFSIGNALED(ended)
        said = "killed" if is_killed else os.WEXITSTATUS(ended)
        sys.stdout.write(f"{said}\n")
        sys.stdout.flush()
        if not is_killed and os.WEXITSTATUS(ended) != 2:
            return
        del moments[: is_killed or not moments]


if __name__ == "__main__":
    main(sys.argv[1:])
