"""The answers of DNS on disk, with their dates, in the cache of the user.

Scope: one SQLite file. Answers of earlier days are kept: they hold for the logs of those days.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from goodbot.errors import StoreUnavailableError, WrongValueError
from goodbot.files.user_folders import cache_folder
from goodbot.site.audit.identity.dns_record import DnsRecord

MOST_RECORDS = 1_000_000
"""The most answers that are kept; the oldest go first."""

SOME = 500
"""How many addresses are asked for in one query."""

TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    address TEXT NOT NULL, asked TEXT NOT NULL, record TEXT NOT NULL,
    PRIMARY KEY (address, asked)
) WITHOUT ROWID
"""


class DnsCache:
    """The answers of DNS in a file.

    Args:
        path: The file; by default `dns.sqlite` in the user's cache. It is made when the first
            answer is written.

    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = cache_folder() / "dns.sqlite" if path is None else Path(path)

    def records(self, addresses: Iterable[str]) -> Iterator[DnsRecord]:
        """Yield the answers about some addresses, of every day; those that cannot be read are none.

        Args:
            addresses: The addresses, in their one spelling.

        Raises:
            StoreUnavailableError: The file cannot be read; the message names it.

        """
        if not self.path.exists():
            return
        wanted = list(dict.fromkeys(addresses))
        with self._open() as database:
            for start in range(0, len(wanted), SOME):
                some = wanted[start : start + SOME]
                marks = ",".join("?" * len(some))
                query = f"SELECT record FROM answers WHERE address IN ({marks}) ORDER BY 1"  # noqa: S608  marks alone
                found = (read_record(text) for (text,) in database.execute(query, some).fetchall())
                yield from (record for record in found if record is not None)

    def add(self, records: Iterable[DnsRecord]) -> None:
        """Write answers: all of them, or none. A failure is no answer, and is not kept.

        Args:
            records: The answers.

        Raises:
            StoreUnavailableError: The file cannot be written; the message names it.

        """
        rows = [make_row(record) for record in records if is_kept(record)]
        if not rows:
            return
        with self._open() as database, database:
            database.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", rows)
            (count,) = database.execute("SELECT count(*) FROM answers").fetchone()
            if count > MOST_RECORDS:
                database.execute(
                    "DELETE FROM answers WHERE (address, asked) IN "
                    "(SELECT address, asked FROM answers ORDER BY asked LIMIT ?)",
                    (count - MOST_RECORDS,),
                )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the file, and close it."""
        database = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            database = sqlite3.connect(self.path, timeout=30)
            database.execute(TABLE)
            yield database
        except (sqlite3.Error, OSError) as error:
            message = (
                f"the cache {self.path} cannot be used ({error}); make it writable, remove it, or "
                "name another folder with XDG_CACHE_HOME"
            )
            raise StoreUnavailableError(message) from error
        finally:
            if database is not None:
                database.close()


def read_record(text: str) -> DnsRecord | None:
    """Return the answer of a row; `None` if it cannot be read."""
    try:
        return DnsRecord.from_record(json.loads(text))
    except (ValueError, RecursionError, WrongValueError):
        return None


def is_kept(record: DnsRecord) -> bool:
    """Return whether an answer is whole."""
    return record.status != "failed" and all(answer.status != "failed" for answer in record.forward)


def make_row(record: DnsRecord) -> tuple[str, str, str]:
    """Return an answer as a row."""
    plain = record.as_record()
    return record.address, plain["asked"], json.dumps(plain)
