"""URLs that an older version took for several, as their escapes differ: each becomes one.

What may live here: the change of the tables that version 10 makes, in one transaction.
"""

import sqlite3

from goodbot._core import read_address

__all__ = ["OTHER_SPELLING", "one_spelling"]

OTHER_SPELLING = "other-spelling"
"""The reason of a URL that is skipped because it is another one, written with other escapes."""

ESCAPED = "SELECT id, url FROM urls WHERE instr(url, '%') AND NOT instr(url, '…') ORDER BY id"
SAME = "SELECT id, state FROM urls WHERE url = ?"
RENAME = "UPDATE urls SET url = ?, spelling = ? WHERE id = ?"
RENAME_COPIES = "UPDATE kept SET address = ? WHERE url = ?"
QUEUE = "UPDATE urls SET state = 'queued', due = 0, reason = '', source = '' WHERE id = ?"
LEAVE = (
    """UPDATE urls SET state = 'skipped', reason = :reason, source = :source, due = NULL,
        target = NULL WHERE id = :id""",
    "UPDATE urls SET target = :other WHERE target = :id",
    "DELETE FROM words WHERE rowid = :id",
    "DELETE FROM documents WHERE id = :id",
    "DELETE FROM kept WHERE url = :id",
    "DELETE FROM anchors WHERE source = :id",
    "UPDATE OR IGNORE anchors SET target = :other WHERE target = :id",
    "DELETE FROM anchors WHERE target = :id",
    "UPDATE documents SET stale = 1 WHERE id = :other AND stale = 0",
)
"""What becomes of a URL that is there twice: the other one has what links say of it. What was kept
of it goes; the other one has its own, or is visited."""


def one_spelling(connection: sqlite3.Connection) -> None:
    """Write every URL in its normal form; of two that are one then, the one that had it stays."""
    for url_id, url in connection.execute(ESCAPED).fetchall():
        address, _ = read_address(url) if isinstance(url, str) else (None, "")
        if address is None or address[1] == url:
            continue
        other = connection.execute(SAME, (address[1],)).fetchone()
        if other is None:
            connection.execute(RENAME, (address[1], url, url_id))
            connection.execute(RENAME_COPIES, (address[1], url_id))
            continue
        other_id, state = other
        values = {"id": url_id, "other": other_id, "source": address[1], "reason": OTHER_SPELLING}
        for statement in LEAVE:
            connection.execute(statement, values)
        if state == "skipped":  # this one may be visited
            connection.execute(QUEUE, (other_id,))
