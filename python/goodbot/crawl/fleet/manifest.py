"""The manifest of a fleet: which segments are in its object storage, and what they have.

A segment is announced before its first object is written, and settled in the transaction that
settles its URLs. So each object is of one of three kinds:

| its segment is | the object is |
|---|---|
| settled | to be read |
| announced | being written, until the announcement has expired |
| not in the manifest | garbage, also if it is written later: its segment cannot be settled now |

Scope: the tables, and what is asked of them. `segment_publisher` writes segments, `gathering` reads
them, and `sweeping` removes garbage.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from goodbot.crawl.fleet.segments import Segment, SegmentFile, SegmentSummary
from goodbot.http.instants import instant, to_datetime
from goodbot.store.postgres_schema import PostgresTables
from goodbot.store.postgres_server import PostgresConnection, PostgresServer

__all__ = ["MANIFEST_TABLES", "Manifest", "SweptSegment"]

MANIFEST_TABLES = PostgresTables(
    "manifest",
    (
        (
            # `expires`: until when it may be settled. `settled` is NULL until it is. `first` and
            # `last`: the times of its visits. Times are microseconds, by the clock of the server.
            """CREATE TABLE {s}.segments(
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                name text COLLATE "C" NOT NULL UNIQUE, worker text NOT NULL,
                announced bigint NOT NULL, expires bigint NOT NULL, settled bigint, first bigint,
                last bigint, visits bigint NOT NULL DEFAULT 0, bytes bigint NOT NULL DEFAULT 0,
                made_with text NOT NULL)""",
            "CREATE INDEX segments_open ON {s}.segments(expires) WHERE settled IS NULL",
            """CREATE TABLE {s}.segment_files(
                segment bigint NOT NULL REFERENCES {s}.segments ON DELETE CASCADE,
                name text COLLATE "C" NOT NULL, kind text NOT NULL, bytes bigint NOT NULL,
                rows bigint, sha256 bytea NOT NULL, PRIMARY KEY(segment, name))""",
            """CREATE TABLE {s}.segment_sites(
                origin text COLLATE "C" NOT NULL,
                segment bigint NOT NULL REFERENCES {s}.segments ON DELETE CASCADE,
                PRIMARY KEY(origin, segment))""",
        ),
    ),
)
"""The segments in the object storage of a fleet."""

CLOCK = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
ANNOUNCE = (
    "INSERT INTO {s}.segments(name, worker, announced, expires, made_with) "
    f"VALUES(%s, %s, {CLOCK}, {CLOCK} + %s, %s) ON CONFLICT (name) DO NOTHING"
)
SETTLE = (
    f"UPDATE {{s}}.segments SET settled = {CLOCK}, first = %s, last = %s, visits = %s, "
    "bytes = %s WHERE name = %s AND settled IS NULL RETURNING id"
)
SETTLED = "SELECT settled FROM {s}.segments WHERE name = %s"
ADD_FILES = (
    "INSERT INTO {s}.segment_files(segment, name, kind, bytes, rows, sha256) "
    "SELECT %s, one.* FROM unnest(%s::text[], %s::text[], %s::bigint[], %s::bigint[], %s::bytea[]) "
    "AS one(name, kind, bytes, rows, sha256)"
)
ADD_SITES = (
    "INSERT INTO {s}.segment_sites(origin, segment) SELECT one, %s FROM unnest(%s::text[]) AS one"
)
FIND = (
    "SELECT id, name, worker, settled, first, last, visits FROM {s}.segments "
    "WHERE settled IS NOT NULL AND (%s::text[] IS NULL OR id IN "
    "(SELECT segment FROM {s}.segment_sites WHERE origin = ANY(%s::text[]))) "
    "AND (%s::bigint IS NULL OR last >= %s) AND (%s::bigint IS NULL OR first < %s) ORDER BY id"
)
FILES = (
    "SELECT segment, name, kind, bytes, rows, sha256 FROM {s}.segment_files "
    "WHERE segment = ANY(%s) ORDER BY segment, name"
)
EXPIRED = f"DELETE FROM {{s}}.segments WHERE settled IS NULL AND expires < {CLOCK} RETURNING name"
WITHDRAW = "DELETE FROM {s}.segments WHERE name = %s AND settled IS NULL"
NAMED = "SELECT name FROM {s}.segments WHERE name = ANY(%s)"
COUNTS = (
    "SELECT count(*) FILTER (WHERE settled IS NOT NULL), "
    "count(*) FILTER (WHERE settled IS NULL), coalesce(sum(visits), 0), "
    "coalesce(sum(bytes), 0) FROM {s}.segments"
)

EXPIRES = 3_600.0
"""Seconds within which an announced segment must be settled."""
MICROSECONDS = 1_000_000


class SweptSegment(Exception):  # noqa: N818  no error: the segment is written again
    """A segment was announced so long ago that it cannot be settled any more."""


class Manifest:
    """The manifest of a fleet.

    Args:
        server: The server with its tables.

    """

    def __init__(self, server: PostgresServer) -> None:
        """Start without questions."""
        self._server = server

    # Writing.

    def announce(self, name: str, worker: str, made_with: str) -> None:
        """Announce a segment, before its first object is written."""
        plain = worker.encode("utf-8", "replace").decode().replace("\0", "")
        self._server.rows(ANNOUNCE, (name, plain, round(EXPIRES * MICROSECONDS), made_with))

    def is_settled(self, name: str) -> bool:
        """Return whether a segment is settled."""
        return any(settled is not None for (settled,) in self._server.rows(SETTLED, (name,)))

    def withdraw(self, name: str) -> None:
        """Withdraw an announcement, because the segment will not be settled."""
        self._server.rows(WITHDRAW, (name,))

    def settle(
        self,
        connection: PostgresConnection,
        name: str,
        summary: SegmentSummary,
        files: Sequence[SegmentFile],
    ) -> bool:
        """Name a segment, within a transaction; return whether that is done for the first time.

        Raises:
            SweptSegment: It was announced too long ago.

        """
        statement = self._server.statement
        size = sum(one.bytes for one in files)
        values = (summary.first, summary.last, summary.visits, size, name)
        row = connection.execute(statement(SETTLE), values).fetchone()
        if row is None:
            known = connection.execute(statement(SETTLED), (name,)).fetchone()
            if known is not None and known[0] is not None:
                return False
            message = f"the segment {name} took longer than {EXPIRES:g} s to write; write it again"
            raise SweptSegment(message)
        columns = (
            [one.name for one in files],
            [one.kind for one in files],
            [one.bytes for one in files],
            [one.rows for one in files],
            [bytes.fromhex(one.sha256) for one in files],
        )
        connection.execute(statement(ADD_FILES), (row[0], *columns))
        connection.execute(statement(ADD_SITES), (row[0], sorted(summary.origins)))
        return True

    def name(self, name: str, summary: SegmentSummary, files: Sequence[SegmentFile]) -> None:
        """Name a segment that settles no URL."""

        def work(connection: PostgresConnection) -> None:
            with connection.transaction():
                self.settle(connection, name, summary, files)

        self._server.run(work)

    # Reading.

    def find(
        self,
        origins: Collection[str] | None = None,
        since: datetime | None = None,
        before: datetime | None = None,
    ) -> list[Segment]:
        """Return the settled segments, the earliest first.

        Args:
            origins: Only those with a visit to one of these origins.
            since: Only those with a visit at this time or later.
            before: Only those with a visit before this time.

        """
        sites = None if origins is None else sorted(origins)
        first = None if since is None else instant(since, "since")
        last = None if before is None else instant(before, "before")
        rows = self._server.rows(FIND, (sites, sites, first, first, last, last))
        files: dict[int, list[SegmentFile]] = {}
        numbers = [row[0] for row in rows]
        for number, file, kind, size, count, digest in self._server.rows(FILES, (numbers,)):
            one = SegmentFile(file, kind, size, count, bytes(digest).hex())
            files.setdefault(number, []).append(one)
        return [
            Segment(
                name,
                worker,
                time_in(settled),
                time_in(first),
                time_in(last),
                visits,
                tuple(files.get(number, ())),
            )
            for number, name, worker, settled, first, last, visits in rows
        ]

    def counts(self) -> dict[str, int]:
        """Return how many segments are settled and announced, and their visits and bytes."""
        names = ("settled", "announced", "visits", "bytes")
        return dict(zip(names, map(int, self._server.rows(COUNTS)[0]), strict=True))

    # Sweeping.

    def expire(self) -> list[str]:
        """Remove the announcements that have expired, and return the names of their segments."""
        return [name for (name,) in self._server.rows(EXPIRED)]

    def unnamed(self, names: Iterable[str]) -> set[str]:
        """Return those of some segments that are not in the manifest.

        Call it after the objects were listed: what was announced later is not among them.
        """
        found = set(names)
        return found - {name for (name,) in self._server.rows(NAMED, (sorted(found),))}


def time_in(microseconds: int | None) -> datetime | None:
    """Return a time of the manifest."""
    return None if microseconds is None else to_datetime(microseconds)
