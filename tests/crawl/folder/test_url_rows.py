"""What is known in memory of the rows of URLs, and what is not."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from goodbot.crawl.folder import url_bytes
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.key_rows import KeyRows
from goodbot.crawl.folder.shares import first_number
from goodbot.crawl.folder.url_bytes import UrlBytes
from goodbot.crawl.folder.url_rows import UrlRows

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

ADD = "INSERT INTO origins(id, origin) VALUES(?, ?)"
LAST = "SELECT max(id) FROM origins"


def test_bytes_are_those_of_a_dictionary() -> None:
    """Whatever the numbers are: of a folder, of a part of one, or of a fleet."""
    draw = random.Random(1)  # noqa: S311  the same each time
    numbers = [*range(1, 300), *range(first_number(3), first_number(3) + 300)]
    numbers += [draw.randrange(1 << 62) for _ in range(300)] + [-1, -5]
    known, expected = UrlBytes(), {}
    for number in draw.choices(numbers, k=600):
        known[number] = expected[number] = draw.randrange(256)
    assert [known[one] for one in numbers] == [expected.get(one, 0) for one in numbers]
    last = 150
    for value in range(256):
        bytes_of = {one: expected.get(one, 0) for one in numbers}
        unlike = [one for one, byte in bytes_of.items() if byte not in {0, value}]
        early = [one for one, byte in bytes_of.items() if byte == 0 and 0 <= one <= last]
        found = known.unlike([*numbers, *numbers], value, last)
        assert len(found) == len(set(found))
        assert set(found) == {*unlike, *early}


def test_without_room_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory has a bound; beyond it each URL may have rows."""
    monkeypatch.setattr(url_bytes, "MOST_PIECES", 2)
    with Database(tmp_path, create=True) as database:
        rows = UrlRows(database, LAST)
        for number in (1, 1 << 20):
            rows.add(number)
        assert (rows.may_have(1), rows.may_have(2)) == (True, False)
        rows.add(1 << 40)
        assert (rows.may_have(1), rows.may_have(2), rows.may_have(1 << 40)) == (True, True, True)


def test_rows_of_before_and_of_others_are_known(tmp_path: Path) -> None:
    """A URL may have rows if the table had some when it was opened, or others added any."""
    with Database(tmp_path, create=True) as database:
        with database.changing() as connection:
            connection.execute(ADD, (5, "https://a.example"))
        rows = UrlRows(database, LAST)
        assert [rows.may_have(number) for number in (4, 5, 6)] == [True, True, False]
        with Database(tmp_path) as other, other.changing() as connection:
            connection.execute(ADD, (8, "https://b.example"))
        with database.changing():
            assert [rows.may_have(number) for number in (6, 8, 9)] == [True, True, False]


def test_keys_of_before_and_of_others_are_not_known(tmp_path: Path) -> None:
    """Any key may have a row if the table had rows, or another connection changed the file."""
    has_rows = "SELECT EXISTS(SELECT 1 FROM origins)"
    with Database(tmp_path, create=True) as database:
        rows = KeyRows(database, has_rows)
        assert not rows.may_have("https://a.example")
        with database.changing() as connection:
            connection.execute(ADD, (5, "https://a.example"))
            rows.add("https://a.example")
        assert [rows.may_have(one) for one in ("https://a.example", b"b")] == [True, False]
        assert KeyRows(database, has_rows).may_have(b"b")
        with Database(tmp_path) as other, other.changing() as connection:
            connection.execute(ADD, (8, "https://b.example"))
        assert rows.may_have(b"b")


def test_a_table_that_others_leave_alone_is_asked_about_once(tmp_path: Path) -> None:
    """Each further question is answered from memory; for any other table, the file is asked."""
    asked: list[str] = []
    with Database(tmp_path, create=True) as database:
        for is_alone in (True, False):
            keys = KeyRows(database, "SELECT EXISTS(SELECT 1 FROM origins)", is_alone=is_alone)
            asked.clear()
            database.connection.set_trace_callback(asked.append)
            assert not any(keys.may_have(f"https://{n}.example") for n in range(50))
            database.connection.set_trace_callback(None)
            assert len(asked) == (2 if is_alone else 51)
