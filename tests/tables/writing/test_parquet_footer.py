"""Footers of Parquet files: read, moved, and written so that every library reads the whole."""

import io
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.errors import NotAStoreError
from goodbot.tables.building.thrift_compact import CompactReader, signed, unsigned
from goodbot.tables.writing.parquet_footer import footer_bytes, merge_footers, read_footer


def encoded(table: pa.Table, **options: object) -> bytes:
    """Return a table as a Parquet file."""
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def table_of(first: int, rows: int) -> pa.Table:
    """Return a table with columns of many types."""
    numbers = range(first, first + rows)
    return pa.table(
        {
            "text": [f"{number}ü" for number in numbers],
            "truth": [None if number % 3 == 0 else number % 2 == 0 for number in numbers],
            "reason": pa.array([f"reason {number % 4}" for number in numbers]).dictionary_encode(),
            "number": pa.array(numbers, pa.int64()),
            "share": [number / 7 for number in numbers],
            "list": [[number] * (number % 3) for number in numbers],
        }
    )


OPTIONS: dict[str, dict[str, object]] = {
    "as written by default": {},
    "with an index of pages": {"write_page_index": True, "data_page_size": 512},
    "with sorted columns and no statistics": {
        "write_statistics": False,
        "sorting_columns": [pq.SortingColumn(3)],
    },
    "without dictionaries": {"use_dictionary": False, "compression": "snappy"},
    "with another version": {"version": "1.0", "data_page_version": "2.0"},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_a_footer_is_written_as_it_was_read(options: dict[str, object]) -> None:
    """Nothing of a footer is lost, whatever it has."""
    file = encoded(table_of(0, 100), row_group_size=17, **options)
    footer = read_footer(io.BytesIO(file), len(file))
    written = footer_bytes(footer)
    assert file.endswith(written)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_files_behind_each_other_become_one(options: dict[str, object], tmp_path: Path) -> None:
    """PyArrow, DuckDB and Polars read all rows of all parts, also by their statistics."""
    parts = [
        encoded(table_of(100 * place, 100), row_group_size=40, **options) for place in range(5)
    ]
    data, places = b"", []
    for part in parts:
        places.append((len(data), read_footer(io.BytesIO(part), len(part))))
        data += part
    path = tmp_path / "whole.parquet"
    path.write_bytes(data + footer_bytes(merge_footers(places)))
    whole = pa.concat_tables(
        [table_of(100 * place, 100) for place in range(5)], promote_options="default"
    )
    assert pq.read_table(path).to_pylist() == whole.to_pylist()
    assert pq.ParquetFile(path).metadata.num_row_groups == 15
    assert pq.read_table(path, filters=[("number", "==", 321)])["text"].to_pylist() == ["321ü"]
    assert pl.read_parquet(path)["number"].to_list() == list(range(500))
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT sum(number), count(reason) FROM '{path}'").fetchone()  # noqa: S608
    assert found == (sum(range(500)), 500)


def test_what_is_no_footer_is_refused() -> None:
    """Damaged bytes raise an error that says what to do."""
    whole = encoded(table_of(0, 10))
    for spoilt in (b"", b"PAR1", b"\xff" * 64, whole[:-40] + b"\xff" * 32 + whole[-8:]):
        with pytest.raises(NotAStoreError, match="begin again"):
            read_footer(io.BytesIO(spoilt), len(spoilt))


@given(st.integers(-(2**63), 2**63 - 1))
def test_numbers(number: int) -> None:
    """A number is read as it was written."""
    assert CompactReader(signed(number)).number() == number
    assert CompactReader(unsigned(abs(number))).unsigned() == abs(number)
