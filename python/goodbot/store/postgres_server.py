"""A PostgreSQL server as goodbot uses it: connections, and failures that are waited out.

Scope: the URL, the pool of connections, and what is repeated after which failure. What is in the
tables, their users know.

| what fails | what happens |
|---|---|
| the connection breaks, the server restarts or is replaced, or is full | the call is repeated |
| two changes are in each other's way | the call is repeated |
| the server has no memory left, or no room for further locks | the call is repeated |
| a prepared statement is out of date (SQLSTATE 0A000) | the statements are prepared anew |
| anything else, or one of these for longer than `patience` | `StoreError` is raised |

No call returns as if the store were empty.

The next user of a pooled connection inherits what the last call left in its session: settings,
channels, advisory locks. So no call leaves any: settings are those of the beginning of the session,
and locks are those of transactions. This spares the round trip of a `reset=`.

A call may take effect although its answer is lost. So what is repeated must find out whether it
took effect before: that is the task of the caller of `run`.
"""

import logging
import os
import threading
import time as clock
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from goodbot.errors import (
    NotAStoreError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
    WrongValueError,
)
from goodbot.http.instants import checked_seconds
from goodbot.missing import needs
from goodbot.store.postgres_schema import PostgresTables, in_schema, upgrade_schema
from goodbot.store.url_names import url_name

with needs("postgres"):
    import psycopg
    from psycopg import errors
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
    from psycopg_pool import ConnectionPool, PoolClosed

__all__ = ["PostgresConnection", "PostgresServer"]

PostgresConnection: TypeAlias = psycopg.Connection[tuple[Any, ...]]
"""A connection whose rows are tuples."""

Result = TypeVar("Result")

DEFAULT_SCHEMA = "goodbot"
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0
"""Seconds between attempts."""
MOST_AT_ONCE = 1.0
"""Seconds for which an attempt waits for a connection of the pool."""
MOST_CONNECTIONS = 8

DEFAULTS: dict[str, str] = {
    "application_name": "goodbot",
    "connect_timeout": "10",
    # A connection that was cut without a word is noticed in 30 seconds, not in two hours.
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "4",
    "tcp_user_timeout": "30000",
    # Where several hosts are named, the one that takes over is the one that can be written.
    "target_session_attrs": "read-write",
}
"""Settings of libpq, for which the URL may name other values."""

SESSION = r"-c synchronous_commit=on -c default_transaction_isolation=read\ committed"
"""What the session must have, whatever the role or the database prefers.

Without the first, an immediate restart of the server loses the commits of up to three times
`wal_writer_delay`, and with them leases that were granted
(https://www.postgresql.org/docs/current/wal-async-commit.html). With a stricter level of isolation,
what is read after waiting for a lock would be the state before it."""

# The pool logs each attempt to connect, which Python prints if there is no handler.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())

PASSING: tuple[type[psycopg.Error], ...] = (
    errors.DiskFull,
    errors.DeadlockDetected,
    errors.SerializationFailure,
    errors.ReadOnlySqlTransaction,  # a server that another has replaced
    psycopg.OperationalError,  # also when it has no memory left, or no room for further locks
    psycopg.InterfaceError,
)
"""Failures that may be over soon."""

LOCKS = "max_locks_per_transaction"
"""The setting that the server names if it has no room for further locks."""


class PostgresServer:
    """A schema of a database with tables of ours, for threads that share connections.

    Args:
        url: `postgresql://user@host/database`, with the options of libpq after `?`, and the option
            `schema` for the schema of the tables.
        tables: What the schema is to have; the schema is made only for them.
        patience: Seconds to wait for the server in each call.
        session: Further settings of each session, as options of libpq.

    Raises:
        StoreError: It cannot be opened; see `goodbot.store.PostgresStore`.
        WrongTypeError: `patience` is not a number.
        WrongValueError: `patience` is negative, or the URL is none of PostgreSQL.

    """

    def __init__(
        self,
        url: str,
        tables: tuple[PostgresTables, ...],
        *,
        patience: float = 60.0,
        session: str = "",
    ) -> None:
        """Connect, and make the tables that are missing."""
        self.url = url
        self.name = url_name(url)
        self._settings, self.schema = divide_url(url, self.name, session)
        if self.schema != DEFAULT_SCHEMA:
            self.name += f"?schema={quote(self.schema)}"
        self._patience = checked_seconds(patience, "patience")
        self._process = os.getpid()
        self._is_closed = threading.Event()
        self.waits = 0
        """How often a call had to wait for the server."""
        if tables:
            self.make_tables(tables)
        self._pool: ConnectionPool[PostgresConnection] = ConnectionPool(
            self._settings,
            min_size=1,
            max_size=MOST_CONNECTIONS,
            open=True,
            name="goodbot",
            num_workers=1,
            # The pool itself would wait longer and longer between attempts, also when the server is
            # back. Without its attempts, the next call tries at once.
            reconnect_timeout=0,
            kwargs={"autocommit": True},
        )
        try:
            self._pool.wait(self._patience)
        except psycopg.Error as error:
            self._pool.close()
            raise self._failure(error) from error

    def make_tables(self, tables: tuple[PostgresTables, ...]) -> None:
        """Make tables that are missing, and upgrade older ones: all of it, or nothing.

        Raises:
            StoreError: See `goodbot.store.PostgresStore`.

        """
        try:
            with psycopg.connect(self._settings, autocommit=True) as connection:
                upgrade_schema(connection, self.schema, self.name, tables)
        except psycopg.Error as error:
            raise self._failure(error) from error

    def statement(self, text: str) -> bytes:
        """Return a statement, with the name of the schema for `{s}`."""
        return in_schema(text, self.schema)

    def close(self) -> None:
        """Close all connections. Closing again does nothing; calls raise `StoreError` then."""
        self._is_closed.set()
        if self._process == os.getpid():
            self._pool.close()

    def run(self, work: Callable[[PostgresConnection], Result]) -> Result:
        """Do some work with a connection, again and again if the server fails for a while.

        Args:
            work: Gets a connection in autocommit mode. It may be called several times, and an
                earlier call may have taken effect.

        Raises:
            StoreFullError: The disk of the server stays full.
            StoreUnavailableError: The server cannot be reached, or refuses the work.
            StoreError: The store is closed, or was opened in another process.

        """
        if self._process != os.getpid():
            message = (
                f"the store {self.name} was opened in another process; open it in each process for "
                "itself"
            )
            raise StoreError(message)
        ends = clock.monotonic() + self._patience
        pause = FIRST_PAUSE
        while True:
            try:
                return self._attempt(work, max(ends - clock.monotonic(), FIRST_PAUSE))
            except PASSING as error:
                left = ends - clock.monotonic()
                if isinstance(error, PoolClosed) or left <= 0:
                    raise self._failure(error) from error
            except psycopg.Error as error:
                raise self._failure(error) from error
            self.waits += 1
            if self._is_closed.wait(min(pause, left)):
                message = f"the store {self.name} is closed; open it again"
                raise StoreError(message)
            pause = min(2 * pause, LONGEST_PAUSE)

    def rows(
        self, statement: str, values: Sequence[object] | Mapping[str, object] = ()
    ) -> list[tuple[Any, ...]]:
        """Execute a statement, with the name of the schema for `{s}`, and return its rows.

        Raises:
            StoreError: See `run`.

        """

        def work(connection: PostgresConnection) -> list[tuple[Any, ...]]:
            done = connection.execute(self.statement(statement), values)
            return done.fetchall() if done.description else []

        return self.run(work)

    def _attempt(self, work: Callable[[PostgresConnection], Result], timeout: float) -> Result:
        """Do some work once; twice, if a statement was prepared for earlier columns."""
        with self._pool.connection(min(timeout, MOST_AT_ONCE)) as connection:
            try:
                return work(connection)
            except errors.FeatureNotSupported:
                connection.execute("DEALLOCATE ALL")
                return work(connection)

    def _failure(self, error: psycopg.Error) -> StoreError:
        """Return the exception for an error of the driver."""
        if isinstance(error, PoolClosed):
            return StoreError(f"the store {self.name} is closed; open it again")
        said = " ".join(str(error).split())[:300].replace(self.url, self.name)
        if isinstance(error, errors.DiskFull):
            message = (
                f"there is no room for the store {self.name}; make room on the disk of its server, "
                "and repeat the last step"
            )
            return StoreFullError(message)
        if isinstance(error, errors.OutOfMemory) and LOCKS in said:
            message = (
                f"the server of {self.name} has no room for further locks ({said}); raise {LOCKS} "
                "in its postgresql.conf and restart it, or make fleets with fewer partitions"
            )
            return StoreUnavailableError(message)
        if isinstance(error, errors.InsufficientPrivilege):
            message = (
                f"the role of {self.name} lacks a right ({said}); grant it, or open the store once "
                "as the owner of its tables"
            )
            return StoreUnavailableError(message)
        if isinstance(error, (errors.UndefinedTable, errors.UndefinedColumn)):
            message = (
                f"the schema {self.schema} of {self.name} lacks a part of the store ({said}); "
                "restore it from a copy, or name another with ?schema=NAME"
            )
            return NotAStoreError(message)
        message = (
            f"the store {self.name} cannot be used ({said}); check its URL, and that its server "
            "runs"
        )
        return StoreUnavailableError(message)


def divide_url(url: str, name: str, session: str = "") -> tuple[str, str]:
    """Return the settings of libpq, and the schema.

    Raises:
        WrongValueError: It is no URL of PostgreSQL.

    """
    how = "write postgresql://user@host/database, with ?schema=NAME for another schema"
    parts = urlsplit(url)
    words = parts.query.split("&")
    schemas = [unquote(one.partition("=")[2]) for one in words if one.startswith("schema=")]
    rest = "&".join(one for one in words if not one.startswith("schema="))
    if len(schemas) > 1 or (schemas and not is_schema(schemas[0])):
        message = f"{name} names no schema; {how}"
        raise WrongValueError(message)
    try:
        given = conninfo_to_dict(urlunsplit(parts._replace(query=rest)))
    except psycopg.Error:
        # Its text may contain the password.
        message = f"{name} is no URL that libpq reads; {how}"
        raise WrongValueError(message) from None
    options = {**DEFAULTS, **{key: str(value) for key, value in given.items()}}
    options["options"] = f"{given.get('options') or ''} {SESSION} {session}".strip()
    return make_conninfo("", **options), schemas[0] if schemas else DEFAULT_SCHEMA


def is_schema(name: str) -> bool:
    """Whether a name can be that of a schema: PostgreSQL cuts names after 63 bytes."""
    return 0 < len(name.encode()) <= 63 and "\0" not in name and not name.startswith("pg_")  # noqa: PLR2004
