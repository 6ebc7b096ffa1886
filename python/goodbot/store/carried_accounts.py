"""Accounts that one process carries in memory for a while, in the tables of a store in PostgreSQL.

Scope: what is written of them, so that no crash lets anybody visit a site earlier. Who carries what
is decided elsewhere: by a lease, whose end everybody knows.

While an account is carried, its row has the number of the carrier, and the *cover*: the longest
pause that the carrier may be keeping without having written it. When the lease of a carrier has
ended, its accounts are abandoned: nothing is granted before the end of the lease plus the cover. A
carrier that needs a longer pause writes it first; see `is_covered`.

Another process may need such an account, for example because robots.txt of another site redirects
to it. It marks the row as wanted, and the carrier writes the account back when it sees that.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple
from uuid import uuid4

from goodbot.http.instants import SECOND
from goodbot.pace.history import STARTS_KEPT
from goodbot.store.account import NEVER, Account
from goodbot.store.packing import read_account
from goodbot.store.postgres_server import PostgresConnection, PostgresServer

__all__ = ["Carried", "CarriedAccounts", "abandoned_by", "in_hands", "is_covered", "with_block"]

STATEMENTS: dict[str, str] = {
    # In the same order everywhere, so that no two changes wait for each other.
    "carry": "INSERT INTO {s}.accounts(origin, revision, account, carrier, cover) "
    "SELECT one.origin, %s, %s, %s, %s FROM unnest(%s::text[]) AS one(origin) ORDER BY 1 "
    "ON CONFLICT (origin) DO UPDATE SET revision = excluded.revision, carrier = excluded.carrier, "
    "cover = excluded.cover, is_wanted = false "
    "WHERE accounts.carrier IS NULL OR accounts.carrier = excluded.carrier "
    "RETURNING origin, account",
    "known": "SELECT origin FROM {s}.origins WHERE origin = ANY(%s)",
    "wanted": "SELECT origin FROM {s}.accounts WHERE carrier = %s AND is_wanted",
    "lock": "SELECT origin, CASE WHEN is_wanted THEN account END FROM {s}.accounts "
    "WHERE carrier = %s AND origin = ANY(%s) ORDER BY origin FOR UPDATE",
    "write": "UPDATE {s}.accounts SET revision = %s, account = one.account, cover = one.cover "
    "FROM unnest(%s::text[], %s::text[], %s::bigint[]) AS one(origin, account, cover) "
    "WHERE accounts.origin = one.origin AND carrier = %s",
    "give": "UPDATE {s}.accounts SET revision = %s, account = one.account, carrier = NULL, "
    "is_wanted = false FROM unnest(%s::text[], %s::text[]) AS one(origin, account) "
    "WHERE accounts.origin = one.origin AND carrier = ANY(%s)",
    "of the gone": "SELECT origin, account, carrier, cover FROM {s}.accounts "
    "WHERE carrier = ANY(%s) ORDER BY origin FOR UPDATE",
}

MOST_LEASES = 1 << 32
"""More leases than a carrier grants without writing the number of the last."""
HOLDER = "a worker of a fleet"
ASK_AGAIN = 10 * SECOND
"""When another process asks again for an account that is carried."""


class Carried(NamedTuple):
    """An account as its carrier has it."""

    account: Account
    cover: int
    """The longest pause that is kept without being written, in microseconds."""


def is_covered(before: Account, after: Account, now: int, cover: int) -> bool:
    """Return whether the end of a visit may be written later.

    If the carrier vanishes, nobody visits before the end of its lease plus the cover. So only a
    longer wait must be written, and what makes later waits longer: failures, and a block.

    Args:
        before: The account as it is written.
        after: The account after the visit.
        now: When the visit ended.
        cover: The longest pause that is kept without being written.

    """
    history, known = after.history, before.history
    is_as_well = (history.failures, history.row, history.block) == (
        known.failures,
        known.row,
        known.block,
    )
    due = now if before.held else before.due
    return (
        is_as_well
        and after.due <= max(due, now + cover)
        and after.block <= max(before.block, now + cover)
    )


def in_hands(account: Account) -> Account:
    """Return a carried account as other processes see it: it is leased, and not by any of them."""
    return account._replace(
        number=-1, held=1, holder=HOLDER, expires=NEVER, pause=ASK_AGAIN, due=NEVER
    )


def abandoned_by(account: Account, ended: int, cover: int) -> Account:
    """Return the account whose carrier is gone, so that nobody visits earlier than it would have.

    It may have made visits until the end of its lease, as many as a rate allows.

    Args:
        account: The account as it was written last.
        ended: When the lease of the carrier ended, and its last request was over.
        cover: The longest pause that it kept without writing it.

    """
    until = min(ended + cover, NEVER)
    history = replace(
        account.history,
        end=ended if account.history.end is None else max(account.history.end, ended),
        starts=(ended,) * STARTS_KEPT,
    )
    is_longer = account.block > until
    return account._replace(
        number=account.number + MOST_LEASES,
        held=0,
        # While a lease is held, this is when another one would be granted if its holder vanished.
        due=until if account.held else max(account.due, until),
        reason="lost" if account.held or account.due < until else account.reason,
        block=account.block if is_longer else until,  # robots.txt waits for a block only
        blocked_by=account.blocked_by if is_longer else "lost",
        history=history,
    )


class CarriedAccounts:
    """The statements about carried accounts; each is part of a transaction of the caller.

    Args:
        server: The server of the store.

    """

    def __init__(self, server: PostgresServer) -> None:
        """Prepare the statements."""
        self._statements = {name: server.statement(text) for name, text in STATEMENTS.items()}

    def carry(
        self, connection: PostgresConnection, carrier: int, keys: Collection[str], cover: int
    ) -> dict[str, Account]:
        """Carry those of some accounts that no other process carries; return them.

        Repeating it changes nothing.
        """
        values = (uuid4(), written(Account()), carrier, cover, [*keys])
        rows = connection.execute(self._statements["carry"], values)
        return {key: read_account(text, key) for key, text in rows}

    def without_policy(self, connection: PostgresConnection, keys: Collection[str]) -> set[str]:
        """Return those of some keys that are no origin with a stored policy."""
        rows = connection.execute(self._statements["known"], ([*keys],))
        return {*keys}.difference(row[0] for row in rows)

    def write(
        self, connection: PostgresConnection, carrier: int, accounts: Mapping[str, Carried]
    ) -> dict[str, Account]:
        """Write accounts that stay with their carrier; return them with the blocks of others.

        Those that it does not carry any more are not in the result.
        """
        merged = self._locked(connection, carrier, {key: accounts[key].account for key in accounts})
        if merged:
            texts = [written(one) for one in merged.values()]
            covers = [accounts[key].cover for key in merged]
            values = (uuid4(), [*merged], texts, covers, carrier)
            connection.execute(self._statements["write"], values)
        return merged

    def wanted(self, connection: PostgresConnection, carrier: int) -> list[str]:
        """Return the keys of the accounts that other processes want."""
        rows = connection.execute(self._statements["wanted"], (carrier,))
        return [row[0] for row in rows]

    def give(
        self, connection: PostgresConnection, carrier: int, accounts: Mapping[str, Account]
    ) -> None:
        """Write accounts back; nobody carries them afterwards."""
        merged = self._locked(connection, carrier, accounts)
        if merged:
            self._give(connection, merged, [carrier])

    def _locked(
        self, connection: PostgresConnection, carrier: int, accounts: Mapping[str, Account]
    ) -> dict[str, Account]:
        """Lock the rows of accounts; return those that are still carried, with blocks of others."""
        rows = connection.execute(self._statements["lock"], (carrier, [*accounts]))
        return {
            key: accounts[key]
            if text is None
            else with_block(accounts[key], read_account(text, key))
            for key, text in rows
        }

    def _give(
        self, connection: PostgresConnection, accounts: Mapping[str, Account], carriers: list[int]
    ) -> None:
        texts = [written(one) for one in accounts.values()]
        values = (uuid4(), [*accounts], texts, carriers)
        connection.execute(self._statements["give"], values)

    def abandon(self, connection: PostgresConnection, ended: Mapping[int, int]) -> None:
        """Write back the accounts of carriers that are gone; see `abandoned_by`.

        Args:
            connection: A connection, within a transaction.
            ended: By carrier, when its lease ended and its last request was over.

        """
        rows = connection.execute(self._statements["of the gone"], ([*ended],)).fetchall()
        if rows:
            accounts = {
                key: abandoned_by(read_account(text, key), ended[carrier], cover)
                for key, text, carrier, cover in rows
            }
            self._give(connection, accounts, [*ended])


def with_block(mine: Account, theirs: Account) -> Account:
    """Return an account of a carrier with the block that others have set meanwhile."""
    if mine.block >= theirs.block:
        return mine
    return mine._replace(block=theirs.block, blocked_by=theirs.blocked_by)


def written(account: Account) -> str:
    """Return an account as it is stored."""
    return json.dumps(account.as_dict())
