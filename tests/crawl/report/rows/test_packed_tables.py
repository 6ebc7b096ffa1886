"""Rows are packed as they come, and no value of theirs can end the element that holds them."""

import json
import re
import tracemalloc
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from goodbot.crawl.report.html.markup import rows_of
from goodbot.crawl.report.rows import packed_tables
from goodbot.crawl.report.rows.packed_tables import (
    PackedTable,
    Table,
    TableColumn,
    packed_texts,
)
from goodbot.display import printable
from tests.support.crawls.reports import unpacked

TABLE = Table("pages", "Pages", (TableColumn("url", "URL", "url"), TableColumn("n", "n", "number")))
ROWS = some.lists(
    some.tuples(some.none() | some.text(), some.none() | some.integers(0, 2**50)), max_size=50
)
HOSTILE = "</script><!--<script>]]>\u2028\u2029\u202e\ud800\x00"


def packed(rows: list[tuple[Any, ...]]) -> PackedTable:
    """Return a table with these rows."""
    table = PackedTable(TABLE)
    for row in rows:
        table.add(row)
    table.finish()
    return table


@given(ROWS)
def test_rows_come_back_as_they_were(rows: list[tuple[str | None, int | None]]) -> None:
    """Except that characters that do not print are written as escapes."""
    with closing(packed(rows)) as table:
        assert table.count == len(rows)
        found = unpacked("".join(table.data()))
    assert [n for _, n in found] == [n for _, n in rows]
    for (url, _), (before, _) in zip(found, rows, strict=True):
        assert (url is None) is (before is None)
        assert (url or "").isprintable()
        if (before or "").isprintable():
            assert url == before


def test_nothing_in_a_row_ends_the_element() -> None:
    """Packed rows are base64; the first rows are escaped."""
    with closing(packed([(HOSTILE, 1)] * 150)) as table:
        data = "".join(table.data())
        text = "".join(rows_of(table, "goodbot evidence 'a <b>'"))
    assert re.fullmatch(r"[A-Za-z0-9+/]+=*", data)
    assert "<script" not in text
    assert "<!--" not in text
    assert not set(text) & set("\u2028\u2029\u202e\ud800\x00")
    assert text.count("<tr>") == 1 + packed_tables.STATIC_ROWS
    assert "These are the first 100 of 150 rows." in text
    assert "<code>goodbot evidence &#x27;a &lt;b&gt;&#x27;</code>" in text


@pytest.mark.stress
def test_a_long_table_is_cut_and_takes_little_memory() -> None:
    """What is beyond the limit is counted; rows leave the memory as they come."""
    most = packed_tables.MOST_ROWS
    tracemalloc.start()
    table = PackedTable(TABLE)
    for n in range(most + 500):
        table.add((f"https://shop.example/{n * 7919 % most}/{n}", n))
    table.finish()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    with closing(table):
        assert (table.count, table.stored) == (most + 500, most)
        assert len(unpacked("".join(table.data()))) == most
        text = "".join(rows_of(table, ""))
    assert "This file has the first 100,000 of 100,500 rows." in text
    assert peak < 12_000_000


@given(some.lists(some.none() | some.text('ab"\\é\n\u2028\ud800'), min_size=1))
def test_texts_that_are_only_joined_are_the_same_json(texts: list[str | None]) -> None:
    """The quick way for most texts yields what the slow one does."""
    assert json.loads(packed_texts(texts)) == [one and printable(one) for one in texts]
