"""Rows that wait for the end of their change."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from goodbot.crawl.folder.added_rows import AddedRows
from goodbot.crawl.folder.database import Database

if TYPE_CHECKING:
    from pathlib import Path

ADD = "INSERT INTO anchors(source, target, text) VALUES(?, ?, ?)"
ALL = "SELECT source, target, text FROM anchors ORDER BY 1, 2"


def test_rows_wait_until_they_are_asked_for(tmp_path: Path) -> None:
    """What reads the rows of one page does not write those of others."""
    with Database(tmp_path, create=True) as database:
        rows = AddedRows(database, ADD)
        with database.changing() as connection:
            rows.add_all(1, [(1, 2, "b"), (1, 3, "c")])
            rows.write_of(7)
            assert connection.execute(ALL).fetchall() == []
            rows.write_of(1)
            assert connection.execute(ALL).fetchall() == [(1, 2, "b"), (1, 3, "c")]
            rows.add((7, 2, "b"))
        assert database.connection.execute(ALL).fetchall()[2:] == [(7, 2, "b")]


def test_a_row_without_a_change_is_one(tmp_path: Path) -> None:
    """It is there at once."""
    with Database(tmp_path, create=True) as database:
        AddedRows(database, ADD).add((1, 2, "b"))
        assert database.connection.execute(ALL).fetchall() == [(1, 2, "b")]


def test_rows_of_a_change_that_fails_are_dropped(tmp_path: Path) -> None:
    """The next change does not write them."""
    with Database(tmp_path, create=True) as database:
        rows = AddedRows(database, ADD)
        with suppress(OSError), database.changing():
            rows.add((1, 2, "b"))
            raise OSError
        rows.add((1, 3, "c"))
        assert database.connection.execute(ALL).fetchall() == [(1, 3, "c")]
