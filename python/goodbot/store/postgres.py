"""A store in PostgreSQL, for robots on many machines.

Scope: its statements. The decisions are in `account` and `packing`, the server and its failures in
`postgres_server`, the tables in `postgres_schema`.

An account that a worker of a fleet carries in memory is left to it; see `carried_accounts`.

Any other account is changed without a lock: it is read with its revision, and written if it still
has it. The revision is a random number of the change. So a change whose answer was lost finds its
own number when it is repeated, and is made once.
"""

import json
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar
from uuid import UUID, uuid4

from goodbot.closing import Closing
from goodbot.errors import NotAStoreError
from goodbot.http.instants import EPOCH, MICROSECOND, instant
from goodbot.pace import History
from goodbot.policy.holds import Hold, HoldKind, scope_of
from goodbot.store.account import (
    SLACK,
    Account,
    LeaseRequest,
    Release,
    blocked,
    granted,
    known,
    released,
)
from goodbot.store.carried_accounts import in_hands, with_block
from goodbot.store.packing import (
    REPAIR,
    Blob,
    Packed,
    Span,
    key_of,
    pack,
    placed,
    read_account,
    read_hold,
    seen,
)
from goodbot.store.postgres_schema import STORE_TABLES
from goodbot.store.postgres_server import PostgresConnection, PostgresServer
from goodbot.store.protocols import Later, Lease, Record, StoredPolicy

__all__ = ["PostgresStore", "row_key"]

Answer = TypeVar("Answer")

COLUMNS = "SELECT first, last, record, bodies FROM {s}.policies WHERE origin = %s"
STATEMENTS: dict[str, str] = {
    "newest": COLUMNS + " ORDER BY first DESC LIMIT 1",
    "newest at": COLUMNS + " AND first <= %s ORDER BY first DESC LIMIT 1",
    "oldest first": COLUMNS + " ORDER BY first",
    "bodies": "SELECT sha256, body FROM {s}.bodies WHERE sha256 = ANY(%s)",
    # Always in the same order, so that no two changes wait for each other.
    "name origins": "INSERT INTO {s}.origins(origin) SELECT * FROM unnest(%s::text[]) "
    "ON CONFLICT DO NOTHING",
    "lock origins": "SELECT origin FROM {s}.origins WHERE origin = ANY(%s) "
    "ORDER BY origin FOR UPDATE",
    "was put": "SELECT 1 FROM {s}.policies WHERE origin = ANY(%s) AND put = %s LIMIT 1",
    "states": "SELECT DISTINCT ON (origin) origin, first, last, state FROM {s}.policies "
    "WHERE origin = ANY(%s) ORDER BY origin, first DESC",
    "keep bodies": "INSERT INTO {s}.bodies(sha256, body) "
    "SELECT * FROM unnest(%s::bytea[], %s::bytea[]) ON CONFLICT DO NOTHING",
    # Arrays of different lengths cannot be the rows of one array; so they come as text.
    "keep policy": "INSERT INTO {s}.policies(origin, first, last, state, bodies, record, put) "
    "SELECT origin, first, last, state, bodies::bytea[], record, put FROM unnest(%s::text[], "
    "%s::bigint[], %s::bigint[], %s::bytea[], %s::text[], %s::text[], %s::uuid[]) "
    "AS one(origin, first, last, state, bodies, record, put) ON CONFLICT (origin, first) "
    "DO UPDATE SET last = excluded.last, record = excluded.record, put = excluded.put",
    "account": "SELECT account, revision, carrier, is_wanted FROM {s}.accounts WHERE origin = %s",
    "new account": "INSERT INTO {s}.accounts(account, revision, origin) VALUES(%s, %s, %s) "
    "ON CONFLICT DO NOTHING",
    "change account": "UPDATE {s}.accounts SET account = %s, revision = %s, "
    "is_wanted = carrier IS NOT NULL WHERE origin = %s AND revision = %s",
    # `now()` would stand still within a transaction.
    "keep zero": "INSERT INTO {s}.zeros(boot, zero) VALUES(%s, "
    "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint - %s) ON CONFLICT DO NOTHING",
    "zero": "SELECT zero FROM {s}.zeros WHERE boot = %s",
    "now": "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint",
    "holds": "SELECT hold FROM {s}.holds",
    "keep hold": "INSERT INTO {s}.holds(scope, kind, hold) VALUES(%s, %s, %s) "
    "ON CONFLICT (scope, kind) DO UPDATE SET hold = excluded.hold",
    "lift hold": "DELETE FROM {s}.holds WHERE scope = %s AND kind = %s",
}
LONGEST_NAME = 1000
"""The longest text that is a key itself: an index of PostgreSQL takes rows of up to 2,704 bytes."""


class StoredAccount(NamedTuple):
    """An account as it is stored."""

    account: Account
    revision: UUID | None = None
    """The number of its last change; `None` if there is no row."""
    carrier: int | None = None
    """Who carries it; see `goodbot.store.carried_accounts`."""
    is_wanted: bool = False

    @property
    def is_to_ask(self) -> bool:
        """Whether its carrier is to be asked for it."""
        return self.carrier is not None and not self.is_wanted

    def decided(
        self, decide: Callable[[Account], tuple[Account, Answer]]
    ) -> tuple[Account, Answer]:
        """Return the account after a decision, and the answer; a carried one is only blocked."""
        if self.carrier is None:
            return decide(self.account)
        changed, answer = decide(in_hands(self.account))
        return with_block(self.account, changed), answer


class PostgresStore(Closing):
    """Policies, budgets and decisions in PostgreSQL, for any number of machines and threads.

    It implements `PolicyStore`, `Budget`, `Timekeeper` and `HoldKeeper`. Robots count their time
    from the clock of the server, so that the clocks of their machines need not agree. Every change
    is one transaction, and durable when its call returns.

    If the connection breaks, or the server restarts or is replaced by another, a call waits and is
    repeated, and takes effect once; no visit is granted meanwhile. A call waits, so asynchronous
    code makes it in a thread, `asyncio.to_thread(store.acquire, ...)`, as a robot does. Each
    process opens the store for itself; within a process, threads may share it.

    Requires `pip install 'goodbot[postgres]'`.

    Args:
        url: `postgresql://user@host/database`, with the options of libpq after `?`, and
            `?schema=NAME` for another schema than `goodbot`. Passwords are best in a password file
            (`~/.pgpass`). Missing tables are created, and older ones upgraded.
        patience: Seconds to wait for the server in each call; opening the store waits for nothing.

    Raises:
        NotAStoreError: The schema has tables that no goodbot wrote.
        StoreUnavailableError: The server cannot be reached, or refuses the role.
        StoreVersionError: A newer goodbot made the tables.
        WrongTypeError: `patience` is not a number.
        WrongValueError: `patience` is negative, or `url` is no URL of PostgreSQL.

    """

    def __init__(self, url: str, *, patience: float = 60.0) -> None:
        """Connect, and make the tables that are missing."""
        self.url = url
        """The URL, with which a crawl knows the store again."""
        self._server = PostgresServer(url, (STORE_TABLES,), patience=patience)
        self._statements = {name: self._server.statement(text) for name, text in STATEMENTS.items()}

    def __repr__(self) -> str:
        """Show where it is."""
        return f"<PostgresStore {self._server.name}>"

    @property
    def server(self) -> PostgresServer:
        """The server, for those who use its tables in larger changes."""
        return self._server

    def close(self) -> None:
        """Close all connections. Closing again does nothing; calls raise `StoreError` then."""
        self._server.close()

    # Policies.

    def get(self, origin: str) -> dict[str, Any] | None:
        """Return the record that was put last; `None` if there is none."""
        rows = self._read("newest", origin)
        return rows[0].record if rows else None

    def put(self, origin: str, record: Record, now: datetime) -> None:
        """Store a record."""
        self.put_many([(origin, record)], now)

    def put_many(self, records: Iterable[tuple[str, Record]], now: datetime) -> None:
        """Store many records: all of them or, if one raises, none."""
        at = instant(now, "now")
        # Before the transaction, so that nobody waits for the caller's own work.
        ready = [(row_key(key_of(origin)), pack(record)) for origin, record in records]
        if ready:
            put = uuid4()
            self._server.run(lambda connection: self._put(connection, ready, at, put))

    def _put(
        self,
        connection: PostgresConnection,
        ready: list[tuple[str, Packed]],
        at: int,
        put: UUID,
    ) -> None:
        """Store records in one transaction, unless that has been done."""
        statements = self._statements
        keys = sorted({key for key, _ in ready})
        with connection.transaction(), connection.cursor() as cursor:
            cursor.execute(statements["name origins"], (keys,))
            cursor.execute(statements["lock origins"], (keys,))
            if cursor.execute(statements["was put"], (keys, put)).fetchone():
                return
            spans: dict[str, Span] = {}
            for row in cursor.execute(statements["states"], (keys,)):
                spans[row[0]] = Span(*row[1:])
            rows: dict[tuple[str, int], tuple[object, ...]] = {}
            blobs: dict[bytes, bytes] = {}
            for key, packed in ready:
                span, _ = placed(spans.get(key), packed, at)
                spans[key] = span
                blobs.update(packed.blobs)
                addresses = ",".join(f'"\\\\x{address.hex()}"' for address, _ in packed.blobs)
                rows[key, span.first] = (key, *span, f"{{{addresses}}}", packed.text, put)
            if blobs:
                pairs = sorted(blobs.items())
                texts = [one for one, _ in pairs], [other for _, other in pairs]
                cursor.execute(statements["keep bodies"], texts)
            columns = [list(column) for column in zip(*rows.values(), strict=True)]
            cursor.execute(statements["keep policy"], columns)

    def history(self, origin: str) -> list[StoredPolicy]:
        """Return every policy ever seen, oldest first."""
        return self._read("oldest first", origin)

    def in_force(self, origin: str, at: datetime) -> StoredPolicy | None:
        """Return the policy that was in force at a time; `None` if there was none yet."""
        rows = self._read("newest at", origin, instant(at, "at"))
        return rows[0] if rows else None

    def _read(self, statement: str, origin: str, *values: int) -> list[StoredPolicy]:
        """Return entries of the history of an origin, with their bytes."""
        key = row_key(key_of(origin))

        def work(connection: PostgresConnection) -> list[StoredPolicy]:
            rows = connection.execute(self._statements[statement], (key, *values)).fetchall()
            wanted = sorted({bytes(one) for row in rows for one in row[3]})
            blobs: dict[bytes, Blob] = {}
            if wanted:
                for blob in connection.execute(self._statements["bodies"], (wanted,)):
                    blobs[blob[0]] = (blob[0], blob[1])
            if len(blobs) < len(wanted):
                message = f"the bytes of a record are missing; {REPAIR}"
                raise NotAStoreError(message)
            return [seen(row[0], row[1], row[2], [blobs[one] for one in row[3]]) for row in rows]

        return self._server.run(work)

    # Budgets.

    def keep_time(self, boot: str, wall: datetime, counted: timedelta) -> datetime:
        """Record the time of a clock by that of the server; see `Timekeeper`."""
        instant(wall, "wall")
        count, key = counted // MICROSECOND, row_key(boot)

        def work(connection: PostgresConnection) -> int:
            if not boot:
                return int(self._one(connection, "now") - count)
            connection.execute(self._statements["keep zero"], (key, count))
            return int(self._one(connection, "zero", key))

        return EPOCH + self._server.run(work) * MICROSECOND

    def _one(self, connection: PostgresConnection, statement: str, *values: object) -> Any:  # noqa: ANN401  a value of a row
        row = connection.execute(self._statements[statement], values).fetchone()
        return None if row is None else row[0]

    def acquire(
        self,
        origin: str,
        now: datetime,
        lease_seconds: float,
        holder: str,
        *,
        pause: float = 10.0,
        for_robots_txt: bool = False,
    ) -> Lease | Later:
        """Request a lease, the right to make one visit."""
        asked = LeaseRequest.of(key_of(origin), now, lease_seconds, holder, pause, for_robots_txt)

        def decide(before: Account) -> tuple[Account, Lease | Later]:
            account = before.no_later_than(asked.now, SLACK)
            changed, answer = granted(account, asked)
            return (account if changed is None else changed), answer

        return self._change(asked.origin, decide)

    def release(
        self,
        lease: Lease,
        *,
        ended: datetime,
        not_before: datetime | None,
        reason: str = "released",
        history: History | None = None,
    ) -> bool:
        """Release a lease; return whether it was still valid."""
        given = Release.of(ended, not_before, reason, history)
        at = instant(ended, "ended")
        return self._change(
            lease.origin, lambda account: released(account.no_later_than(at, SLACK), lease, given)
        )

    def block(self, origin: str, until: datetime, reason: str = "blocked") -> None:
        """Grant nothing before a time; an earlier block that lasts longer stays."""
        key, at = key_of(origin), instant(until, "until")
        self._change(key, lambda account: (blocked(account, at, reason), None))

    def visits(self, origin: str) -> History:
        """Return the history of visits; `History()` if there was none."""
        key = key_of(origin)
        return known(self._server.run(lambda connection: self._account(connection, key).account))

    def _account(self, connection: PostgresConnection, key: str) -> StoredAccount:
        """Load an account; an empty one without revision if there is none."""
        row = connection.execute(self._statements["account"], (row_key(key),)).fetchone()
        if row is None:
            return StoredAccount(Account())
        return StoredAccount(read_account(row[0], key), *row[1:])

    def _change(self, key: str, decide: Callable[[Account], tuple[Account, Answer]]) -> Answer:
        """Change an account once, and return what was decided with the change."""
        mine = uuid4()
        answers: list[Answer] = []

        def work(connection: PostgresConnection) -> Answer:
            while True:
                stored = self._account(connection, key)
                if stored.revision == mine:  # it took effect, and its answer was lost
                    return answers[-1]
                changed, answer = stored.decided(decide)
                if changed is stored.account and not stored.is_to_ask:
                    return answer
                answers.append(answer)
                values = (json.dumps(changed.as_dict()), mine, row_key(key))
                if stored.revision is None:
                    done = connection.execute(self._statements["new account"], values)
                else:
                    statement = self._statements["change account"]
                    done = connection.execute(statement, (*values, stored.revision))
                if done.rowcount:
                    return answer

        return self._server.run(work)

    # Decisions of the operator.

    def holds(self) -> list[Hold]:
        """Return every decision of the operator; see `HoldKeeper`."""

        def work(connection: PostgresConnection) -> list[str]:
            return [row[0] for row in connection.execute(self._statements["holds"])]

        found = [read_hold(hold_row(text), self._server.name) for text in self._server.run(work)]
        return sorted(found, key=lambda hold: (hold.scope, hold.kind))

    def keep_hold(self, hold: Hold) -> None:
        """Store a decision."""
        text = json.dumps(
            {
                "scope": hold.scope,
                "kind": hold.kind,
                "why": hold.why,
                "by": hold.by,
                "at": instant(hold.at, "at"),
            }
        )
        values = (row_key(hold.scope), hold.kind, text)
        self._server.run(
            lambda connection: connection.execute(self._statements["keep hold"], values) and None
        )

    def lift_hold(self, place: str, kind: HoldKind) -> bool:
        """Remove a decision; return whether there was one."""
        values = (row_key(scope_of(place)[1]), kind)
        statement = self._statements["lift hold"]
        return (
            self._server.run(lambda connection: connection.execute(statement, values).rowcount) > 0
        )


def row_key(key: str) -> str:
    r"""Return the key of a row: a text itself, if PostgreSQL can store and index it.

    >>> row_key("https://example.com"), row_key("group:\0")[:11]
    ('https://example.com', 'sha256:c565')
    """
    if len(key) <= LONGEST_NAME and key.isascii() and key.isprintable():
        return key
    return f"sha256:{sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()}"


def hold_row(text: str) -> tuple[Any, ...]:
    """Return the parts of a decision of the operator; nothing if it is damaged."""
    try:
        found = json.loads(text)
        return tuple(found[name] for name in ("scope", "kind", "why", "by", "at"))
    except (KeyError, TypeError, ValueError):
        return ()
