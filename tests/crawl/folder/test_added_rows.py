"""Rows that wait for the end of their change."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing, suppress
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import pytest

from goodbot.crawl.folder.added_rows import AddedRows, execute_rows
from goodbot.crawl.folder.database import Database
from goodbot.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

ADD = "INSERT INTO anchors(source, target, text) VALUES(?, ?, ?)"
ALL = "SELECT source, target, text FROM anchors ORDER BY 1, 2"
ORIGIN = "INSERT INTO origins(origin) VALUES(?)"
ORIGINS = "SELECT origin FROM origins"
GOOD = (1, 2, "b")


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


def test_rows_are_stored_as_sqlite3_itself_stores_them(tmp_path: Path) -> None:
    """Whatever is None, bytes or a truth value in them, and in their order."""
    draw = random.Random(1)  # noqa: S311  the same each time
    values = [
        None,
        b"\0a",
        b"",
        True,
        False,
        0,
        -(2**63),
        2**63 - 1,
        0.5,
        "",
        "a?\0é",
        bytearray(b"b"),
    ]
    rows = [(*draw.choices(values, k=4),) for _ in range(500)]
    rows[100:100] = [(1, 2, 3, 4)] * 3
    statement = "INSERT INTO {}(a, b, c, d) VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING"
    typed = "SELECT id, a, typeof(a), b, typeof(b), c, typeof(c), d, typeof(d) FROM {} ORDER BY id"
    with closing(sqlite3.connect(tmp_path / "rows")) as connection:
        for name in ("ours", "theirs"):
            connection.execute(f"CREATE TABLE {name}(id INTEGER PRIMARY KEY, a, b, c, d)")
        execute_rows(connection, statement.format("ours"), rows)
        connection.executemany(statement.format("theirs"), rows)
        found = [connection.execute(typed.format(name)).fetchall() for name in ("ours", "theirs")]
    assert found[0] == found[1]
    assert len(found[0]) == len(rows)


def test_what_is_no_row_is_refused(tmp_path: Path) -> None:
    """Nothing is written then."""
    with closing(sqlite3.connect(tmp_path / "rows")) as connection:
        connection.execute("CREATE TABLE rows(a)")
        with pytest.raises(TypeError):
            execute_rows(connection, "INSERT INTO rows VALUES(?)", [(1,), [2]])  # type: ignore[list-item]
        assert connection.execute("SELECT count(*) FROM rows").fetchone() == (0,)
        execute_rows(connection, "INSERT INTO rows VALUES(?)", [])


def change(
    database: Database, origins: AddedRows, rows: AddedRows, last: tuple[object, ...]
) -> None:
    """Make one change in two tables."""
    with database.changing():
        origins.add(("https://a.example",))
        rows.add_all(1, [(1, 4, "d"), last])


@pytest.mark.parametrize("gathers", [False, True])
@pytest.mark.parametrize("bad", [(1, 3, "\ud800"), (1, 2**63, "c"), (1, -(2**63) - 1, "c")])
def test_a_value_that_cannot_be_stored_undoes_its_change_alone(
    tmp_path: Path, bad: tuple[object, ...], *, gathers: bool
) -> None:
    """It raises before a row is added that could not be removed again by itself."""
    with Database(tmp_path, create=True) as database:
        if gathers:
            database.gather(datetime(2026, 1, 1, tzinfo=timezone.utc))
        rows, origins = AddedRows(database, ADD), AddedRows(database, ORIGIN)
        rows.add(GOOD)
        with pytest.raises((UnicodeEncodeError, OverflowError)):
            change(database, origins, rows, bad)
        rows.add((1, 5, "e"))
        assert database.connection.execute(ALL).fetchall() == [GOOD, (1, 5, "e")]
        assert database.connection.execute(ORIGINS).fetchall() == []
    with closing(sqlite3.connect(tmp_path / "crawl.db")) as connection:
        assert connection.execute(ALL).fetchall() == [GOOD, (1, 5, "e")]


def test_a_row_that_the_file_refuses_undoes_all_that_is_not_committed(tmp_path: Path) -> None:
    """Only a fault of the file can do that: it is as if the commit had failed."""
    with Database(tmp_path, create=True) as database:
        database.gather(datetime(2026, 1, 1, tzinfo=timezone.utc))
        rows, origins = AddedRows(database, ADD), AddedRows(database, ORIGIN)
        rows.add(GOOD)
        database.commit()
        rows.add((1, 3, "c"))
        with pytest.raises(StoreError):
            change(database, origins, rows, (1, 3, "c"))
        assert database.connection.execute(ALL).fetchall() == [GOOD]
        assert database.connection.execute(ORIGINS).fetchall() == []
        rows.add((1, 5, "e"))
    with closing(sqlite3.connect(tmp_path / "crawl.db")) as connection:
        assert connection.execute(ALL).fetchall() == [GOOD, (1, 5, "e")]


def test_a_first_change_that_the_file_refuses_is_undone(tmp_path: Path) -> None:
    """It needs no savepoint: the transaction begins with it."""
    with Database(tmp_path, create=True) as database:
        rows = AddedRows(database, ADD)
        rows.add(GOOD)
        with pytest.raises(StoreError):
            rows.add(GOOD)
        rows.add((1, 3, "c"))
        assert database.connection.execute(ALL).fetchall() == [GOOD, (1, 3, "c")]


def test_rows_whose_addition_is_interrupted_come_with_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the end of a change and its last rows, an interrupt tears nothing apart."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with Database(tmp_path, create=True) as database:
        database.gather(datetime(2026, 1, 1, tzinfo=timezone.utc))
        rows = AddedRows(database, ADD)
        rows.add(GOOD)
        with monkeypatch.context() as patch:
            patch.setattr(Database, "_add_rows_for_good", interrupted)
            with pytest.raises(KeyboardInterrupt):
                rows.add((1, 3, "c"))
    with closing(sqlite3.connect(tmp_path / "crawl.db")) as connection:
        assert connection.execute(ALL).fetchall() == [GOOD, (1, 3, "c")]
