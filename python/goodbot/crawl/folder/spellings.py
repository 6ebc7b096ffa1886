"""Merge URLs that differ only in their escapes, which older versions stored as several.

Scope: the change that version 10 of the tables makes, in one transaction.
"""

import sqlite3

from goodbot._core import read_address

__all__ = ["OTHER_SPELLING", "one_spelling"]

OTHER_SPELLING = "other-spelling"
"""The reason for skipping a URL that is another URL written with different escapes."""

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
"""Statements that retire a duplicate URL. The texts of links to it move to the other URL. Its own
copies are deleted, because the other URL has copies of its own or will be visited."""


def one_spelling(connection: sqlite3.Connection) -> None:
    """Normalize every URL; if two become equal, keep the one that was normalized already."""
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
        if state == "skipped":  # the duplicate was not, so the URL may be visited
            connection.execute(QUEUE, (other_id,))
