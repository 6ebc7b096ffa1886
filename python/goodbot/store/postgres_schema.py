"""The tables of a store in PostgreSQL, and how a schema of an older goodbot is upgraded.

Scope: tables with their versions. Several groups of tables may be in one schema of the database,
each with a version of its own, as in a SQLite file (`goodbot.store.versions`). To change a table,
add a step.

Statements contain `{s}` in place of the quoted name of the schema. They name every column: after
`ADD COLUMN`, a prepared `SELECT *` fails for as long as its connection lives.
"""

from goodbot.errors import NotAStoreError, StoreVersionError
from goodbot.lazy_dataclass import dataclass
from goodbot.missing import needs

with needs("postgres"):
    from psycopg import Connection, sql

__all__ = ["STORE_TABLES", "PostgresTables", "in_schema", "upgrade_schema"]


@dataclass(frozen=True, slots=True)
class PostgresTables:
    """A group of tables with a version number of its own."""

    name: str
    """What the tables are, for messages: `store`."""
    steps: tuple[tuple[str, ...], ...]
    """The statements that lead from each version to the next; the first makes the tables."""
    readable_from: int = 1
    """The oldest version whose goodbot can still use tables of the newest version, because later
    steps only add what may be missing. Programs of two neighbouring versions then run side by
    side."""

    @property
    def newest(self) -> int:
        """The version that this goodbot writes."""
        return len(self.steps)


STORE_TABLES = PostgresTables(
    "store",
    (
        (
            # A row that a change of the history of an origin locks first.
            'CREATE TABLE {s}.origins(origin text COLLATE "C" PRIMARY KEY)',
            # Bytes by their SHA-256: a robots.txt that many origins share is stored once.
            "CREATE TABLE {s}.bodies(sha256 bytea PRIMARY KEY, body bytea NOT NULL)",
            # A policy and the time for which it was seen, in microseconds since 1970. `put` is the
            # change that wrote it last, so that one whose answer was lost is not made twice.
            """CREATE TABLE {s}.policies(
                origin text COLLATE "C" NOT NULL, first bigint NOT NULL, last bigint NOT NULL,
                state bytea NOT NULL, bodies bytea[] NOT NULL, record text NOT NULL,
                put uuid NOT NULL, PRIMARY KEY(origin, first))""",
            # An account as JSON in ASCII, because holders and reasons may contain NUL, which text
            # of PostgreSQL cannot. `revision` is new with each change. `carrier` and the rest: see
            # `goodbot.store.carried_accounts`.
            """CREATE TABLE {s}.accounts(
                origin text COLLATE "C" PRIMARY KEY, revision uuid NOT NULL, account text NOT NULL,
                carrier bigint, cover bigint NOT NULL DEFAULT 0,
                is_wanted boolean NOT NULL DEFAULT false) WITH (fillfactor = 70)""",
            "CREATE INDEX accounts_carried ON {s}.accounts(carrier) WHERE carrier IS NOT NULL",
            # From when each start of a machine counts its time, by the clock of the server.
            "CREATE TABLE {s}.zeros(boot text PRIMARY KEY, zero bigint NOT NULL)",
            # What the operator has decided, each as JSON.
            """CREATE TABLE {s}.holds(
                scope text COLLATE "C" NOT NULL, kind text NOT NULL, hold text NOT NULL,
                PRIMARY KEY(scope, kind))""",
        ),
    ),
)
"""Policies, budgets, the zeros of time and the decisions of the operator."""

MAKE_VERSIONS = (
    "CREATE TABLE IF NOT EXISTS {s}.versions(name text PRIMARY KEY, version integer NOT NULL, "
    "readable_from integer NOT NULL)"
)
HAS_SCHEMA = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = %s"
HAS_VERSIONS = (
    "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = %s AND c.relname = 'versions'"
)
VERSION = "SELECT version, readable_from FROM {s}.versions WHERE name = %s"
SET_VERSION = (
    "INSERT INTO {s}.versions(name, version, readable_from) VALUES(%s, %s, %s) ON CONFLICT (name) "
    "DO UPDATE SET version = excluded.version, readable_from = excluded.readable_from"
)
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
"""Taken for the transaction, so that it ends with it, whatever happens to the connection."""


def in_schema(statement: str, schema: str) -> bytes:
    """Return a statement about the tables in a schema.

    >>> in_schema("SELECT origin FROM {s}.origins", "my robots")
    b'SELECT origin FROM "my robots".origins'
    """
    return sql.SQL(statement).format(s=sql.Identifier(schema)).as_bytes(None)


def upgrade_schema(
    connection: Connection[tuple[object, ...]],
    schema: str,
    where: str,
    tables: tuple[PostgresTables, ...],
) -> None:
    """Make the tables that are missing and upgrade the older ones: all of it, or nothing.

    Another program may do the same at the same time: one waits for the other, and finds nothing
    left to do. Nothing is changed, and no right to change tables is needed, if all are current.

    Args:
        connection: A connection in autocommit mode.
        schema: The schema of the database; it is created if missing.
        where: How to show the database, for messages.
        tables: What the schema is to have.

    Raises:
        NotAStoreError: No goodbot wrote the tables.
        StoreVersionError: A newer goodbot wrote them, and this one cannot use them.

    """
    if is_current(connection, schema, where, tables):
        return
    with connection.transaction():
        connection.execute(LOCK, (f"goodbot: tables of {schema}",))
        if is_current(connection, schema, where, tables):
            return
        if connection.execute(HAS_SCHEMA, (schema,)).fetchone() is None:
            connection.execute(in_schema("CREATE SCHEMA {s}", schema))
        connection.execute(in_schema(MAKE_VERSIONS, schema))
        for one in tables:
            for step in one.steps[version_of(connection, schema, where, one) :]:
                for statement in step:
                    connection.execute(in_schema(statement, schema))
            values = (one.name, one.newest, one.readable_from)
            connection.execute(in_schema(SET_VERSION, schema), values)


def is_current(
    connection: Connection[tuple[object, ...]],
    schema: str,
    where: str,
    tables: tuple[PostgresTables, ...],
) -> bool:
    """Whether a schema has all tables, in versions that this goodbot can use."""
    if connection.execute(HAS_VERSIONS, (schema,)).fetchone() is None:
        return False
    return all(version_of(connection, schema, where, one) >= one.newest for one in tables)


def version_of(
    connection: Connection[tuple[object, ...]], schema: str, where: str, tables: PostgresTables
) -> int:
    """Return the version of some tables; 0 if they are missing.

    Raises:
        NotAStoreError: No goodbot wrote it.
        StoreVersionError: A newer goodbot wrote it, and this one cannot use it.

    """
    row = connection.execute(in_schema(VERSION, schema), (tables.name,)).fetchone()
    if row is None:
        return 0
    version, readable_from = row
    if not isinstance(version, int) or not isinstance(readable_from, int) or version < 1:
        message = (
            f"the schema {schema} of {where} has the {tables.name} format {version}, which no "
            "goodbot writes; restore it from a copy"
        )
        raise NotAStoreError(message)
    if version > tables.newest and readable_from > tables.newest:
        message = (
            f"the schema {schema} of {where} was written by a newer goodbot: its {tables.name} "
            f"format is {version}, and this goodbot reads up to {tables.newest}; upgrade goodbot, "
            "or name another schema with ?schema=NAME"
        )
        raise StoreVersionError(message)
    return version
