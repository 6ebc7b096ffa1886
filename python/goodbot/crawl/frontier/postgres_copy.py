"""What a queue in PostgreSQL knows of its URLs, copied into a crawl folder.

Scope: reading the queue, and writing its URLs into a folder; the queue stays as it is.
"""

from collections.abc import Callable, Collection, Iterable
from functools import partial
from itertools import islice
from typing import Any

from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.postgres import url_key
from goodbot.store.postgres_server import PostgresConnection, PostgresServer

__all__ = ["copy_known", "copy_queue"]

COLUMNS = (
    "urls.number, urls.url, urls.origin, urls.depth, urls.hops, urls.how, urls.source, "
    "urls.spelling, CASE urls.state WHEN 'leased' THEN 'queued' ELSE urls.state END, urls.reason, "
    "urls.due, urls.status, urls.visited, urls.target, urls.attempts, urls.crashes"
)
ALL = f"SELECT {COLUMNS} FROM {{s}}.urls"
OF_ORIGINS = (
    f"{ALL} WHERE group_id = ANY(SELECT id FROM {{s}}.groups WHERE name = ANY(%s)) "
    "AND origin = ANY(%s)"
)
KNOWN = (
    f"SELECT {COLUMNS} FROM unnest(%s::text[], %s::uuid[]) AS one(name, wanted) "
    "JOIN {s}.groups ON groups.name = one.name "
    "JOIN {s}.urls ON group_id = groups.id AND key = wanted"
)
ORIGIN = "INSERT OR IGNORE INTO origins(origin) VALUES(?)"
STATE = (
    "INSERT INTO urls(id, url, origin, depth, hops, how, source, spelling, state, reason, due, "
    "status, visited, target, attempts, crashes) "
    "SELECT ?1, ?2, id, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16 "
    "FROM origins WHERE origin = ?3 ON CONFLICT(url) DO UPDATE SET depth = excluded.depth, "
    "hops = excluded.hops, how = excluded.how, source = excluded.source, "
    "spelling = excluded.spelling, state = excluded.state, reason = excluded.reason, "
    "due = excluded.due, status = excluded.status, visited = excluded.visited, "
    "target = excluded.target, attempts = excluded.attempts, crashes = excluded.crashes "
    "ON CONFLICT DO NOTHING"
)
IN_FOLDER = (
    "SELECT urls.id, url, origins.origin FROM urls JOIN origins ON origins.id = urls.origin "
    "WHERE urls.id > ? ORDER BY urls.id LIMIT ?"
)
BATCH = 2_000
"""How many URLs are read and written at once."""


def copy_queue(
    server: PostgresServer,
    database: Database,
    origins: Collection[str] | None = None,
    group_of: Callable[[str], str] = str,
) -> None:
    """Write the URLs of a queue into a folder, with their states.

    Args:
        server: The server with the queue.
        database: The database of the folder.
        origins: Only those of these origins; `None` for all.
        group_of: Returns the server group of an origin; see `PostgresFrontier`.

    """
    statement = server.statement(ALL if origins is None else OF_ORIGINS)
    values = None if origins is None else ([*{*map(group_of, origins)}], [*origins])

    def work(connection: PostgresConnection) -> None:
        # The server keeps the rows that are not read yet.
        with connection.transaction(), connection.cursor("goodbot_copy") as cursor:
            cursor.itersize = BATCH
            rows = iter(cursor.execute(statement, values))
            while batch := list(islice(rows, BATCH)):
                write(database, batch)

    server.run(work)


def copy_known(
    server: PostgresServer, database: Database, group_of: Callable[[str], str] = str
) -> None:
    """Bring the states of the URLs in a folder up to date with the queue.

    A URL of which only the beginning is kept stays as it is: the queue knows it by all of it.

    Args:
        server: The server with the queue.
        database: The database of the folder.
        group_of: Returns the server group of an origin; see `PostgresFrontier`.

    """
    statement = server.statement(KNOWN)
    last = 0
    while batch := read_batch(database, last):
        last = batch[-1][0]
        groups = [group_of(origin) for _, _, origin in batch]
        values = (groups, [url_key(url) for _, url, _ in batch])
        write(database, server.run(partial(rows_of, statement, values)))


def read_batch(database: Database, last: int) -> list[tuple[int, str, str]]:
    """Return the URLs in a folder with the next numbers after one, each with its origin."""
    with database.reading() as connection:
        return connection.execute(IN_FOLDER, (last, BATCH)).fetchall()


def rows_of(
    statement: bytes, values: tuple[object, ...], connection: PostgresConnection
) -> list[tuple[Any, ...]]:
    """Return the rows of a statement."""
    return connection.execute(statement, values).fetchall()


def write(database: Database, rows: Iterable[tuple[Any, ...]]) -> None:
    """Write URLs as the queue has them."""
    found = list(rows)
    with database.changing() as connection:
        connection.executemany(ORIGIN, {(row[2],) for row in found})
        connection.executemany(STATE, found)
