"""Who sent the requests of a crawl: which worker, on which machine, and what its clock showed.

Scope: the table. In a crawl on one machine nothing of it is stored; in a fleet
(`goodbot.crawl.fleet`) a request has the number of its sender, so that it costs two small numbers.
Requests are timed by the clock of the server, and a sender has by how much that of its machine
differed; once the machine's clock is set, its process is another sender.
"""

import sqlite3
from typing import Any, NamedTuple

from goodbot.crawl.evidence.reading import RequestRow
from goodbot.crawl.folder.database import Database

__all__ = [
    "THIS_MACHINE",
    "RequestSender",
    "SenderNumbers",
    "SentBy",
    "read_senders",
    "sender_values",
]


class RequestSender(NamedTuple):
    """A process that sent requests."""

    worker: str
    """The name of the worker."""
    machine: str = ""
    """The name of its machine; empty if it is not known."""
    process: int = 0
    """The number of its process there; 0 if it is not known."""
    ahead: int = 0
    """By how many microseconds the clock of the machine was ahead of that of the server."""


THIS_MACHINE = RequestSender("this machine")
"""Who sent the requests of a crawl that is no fleet: the machine with its folder."""


class SentBy(NamedTuple):
    """Who sent one request."""

    sender: RequestSender
    lease: int | None = None
    """The number of the lease of its site; `None` if the worker had none, because the site only has
    a robots.txt to which another one redirects."""


ADD = "INSERT OR IGNORE INTO senders(worker, machine, process, ahead) VALUES(?, ?, ?, ?)"
NUMBER = "SELECT id FROM senders WHERE worker = ? AND machine = ? AND process = ? AND ahead = ?"
READ = "SELECT id, worker, machine, process, ahead FROM senders"


class SenderNumbers:
    """The numbers of senders in the folder of a crawl.

    Args:
        database: The database of the crawl.

    """

    def __init__(self, database: Database) -> None:
        """Know none yet."""
        self._database = database
        self._known: dict[RequestSender, int] = {}

    def number_of(self, sender: RequestSender) -> int:
        """Return the number of a sender, after adding it if it is new; only within a change."""
        number = self._known.get(sender)
        if number is None:
            self._database.at_end(self)
            with self._database.changing() as connection:
                connection.execute(ADD, sender)
                (number,) = connection.execute(NUMBER, sender).fetchone()
            self._known[sender] = int(number)
        return int(number)

    def complete(self, connection: sqlite3.Connection) -> None:
        """Write nothing: what is new is in the change."""

    def drop(self) -> None:
        """Forget all numbers, because some were assigned in a change that is undone."""
        self._known.clear()


def read_senders(database: Database) -> dict[int | None, RequestSender]:
    """Return all who sent requests of a crawl, by number; that of this machine is `None`."""
    rows = database.connection.execute(READ).fetchall()
    return {None: THIS_MACHINE, **{row[0]: RequestSender._make(row[1:]) for row in rows}}


def sender_values(senders: dict[int | None, RequestSender], request: RequestRow) -> dict[str, Any]:
    """Return who sent a request, by the names that exports have.

    Args:
        senders: Those of the crawl, from `read_senders`.
        request: The request.

    Returns:
        The `worker`, the `machine`, the `process` and the `lease`, each `None` if it is not known;
        and `machine_started`: when the request began by the clock of the machine, in microseconds
        since 1970.

    """
    sender = senders.get(request.sender, THIS_MACHINE)
    return {
        "worker": sender.worker,
        "machine": sender.machine or None,
        "process": sender.process or None,
        "lease": request.lease,
        "machine_started": request.started + sender.ahead,
    }
