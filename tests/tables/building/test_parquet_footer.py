"""The footer of a Parquet file: each sound one is read, each damaged one refused or harmless."""

import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goodbot.tables.building.parquet_footer import check_content, check_footer, parquet_file
from goodbot.tables.building.thrift_compact import CompactReader, DamagedFooterError
from tests.support.work import lines_run

TABLE = pa.table(
    {
        "url": ["https://a.example/", None, "https://b.example/"] * 50,
        "status": pa.array([200, 404, None] * 50, pa.int16()),
        "fields": [[{"name": "a", "value": b"b"}], [], None] * 50,
        "pairs": pa.array([[("a", 1)], None, []] * 50, pa.map_(pa.string(), pa.int8())),
        "nested": [{"a": {"b": [[1, 2], []]}}] * 150,
        "time": pa.array([0, 1, None] * 50, pa.timestamp("us", "UTC")),
        "place": pa.array(["x", "y", "x"] * 50).dictionary_encode(),
        "truth": [True, False, None] * 50,
        "half": [0.5, None, 1.5] * 50,
    }
)
FLAT = TABLE.drop_columns(["fields", "pairs", "nested"])
WRITERS: dict[str, Callable[[str], Any]] = {
    "pyarrow": lambda path: pq.write_table(TABLE, path),
    "row groups": lambda path: pq.write_table(TABLE, path, row_group_size=7),
    "no rows": lambda path: pq.write_table(TABLE.slice(0, 0), path),
    "no columns": lambda path: pq.write_table(pa.table({}), path),
    "first version": lambda path: pq.write_table(TABLE, path, version="1.0"),
    "plain": lambda path: pq.write_table(TABLE, path, use_dictionary=False, compression="none"),
    "with indexes": lambda path: pq.write_table(
        TABLE, path, write_page_index=True, write_page_checksum=True, data_page_version="2.0"
    ),
    "sorted": lambda path: pq.write_table(
        FLAT, path, sorting_columns=[pq.SortingColumn(0)], store_schema=False
    ),
    "Polars": lambda path: pl.DataFrame(FLAT).write_parquet(path),
    "DuckDB": lambda path: duckdb.from_arrow(FLAT).write_parquet(path),
    "pandas": lambda path: FLAT.to_pandas().to_parquet(path),
    "an index of pandas": lambda path: pd.DataFrame({"a": [1]}, index=["b"]).to_parquet(path),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_sound_footer_is_no_obstacle(tmp_path: Path, writer: str) -> None:
    """By every writer."""
    path = tmp_path / "a.parquet"
    WRITERS[writer](str(path))
    with parquet_file(path) as file:
        assert file.read().equals(pq.read_table(path))


def footer_of(path: Path) -> tuple[bytes, int]:
    """Return the footer of a file, and where it begins."""
    content = path.read_bytes()
    length = int.from_bytes(content[-8:-4], "little")
    return content[-8 - length : -8], len(content) - 8 - length


def test_numbers_that_cannot_be_are_refused(tmp_path: Path) -> None:
    """Each number of the metadata is compared with the file, or with another."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"url": ["https://a.example/"] * 9}), path)
    content = path.read_bytes()
    _, start = footer_of(path)
    refused = 0
    for place in range(start, len(content) - 8):
        for value in (0, 1, 0x7F, 0x80, 0xFF):
            changed = bytearray(content)
            changed[place] = value
            path.write_bytes(changed)
            try:
                check_footer(path)
            except pa.ArrowInvalid as error:
                assert "its footer is damaged: " in str(error)  # noqa: PT017  of those that raise
                refused += 1
    assert refused > 300


@pytest.mark.parametrize(
    "footer",
    [
        b"", b"\x19\xfc\xff\xff\xff\xff\x0f", b"\x1c" * 100, b"\x19\x9c" * 100, b"\x0f",
        b"\x18\xff\x7f", b"\x1b\xff\xff\xff\x0f\x55", b"\x16" + b"\xff" * 20,
        b"\x29\x1c\x15\x00\x00\x16\x00\x19\x0c\x00",
        b"\x36\x02\x19\x0c\x00", b"\x00",
    ],
)  # fmt: skip
def test_what_is_no_metadata_is_refused(footer: bytes) -> None:
    """Also what promises more than it has, or is nested without an end."""
    with pytest.raises((DamagedFooterError, IndexError)):
        check_content(CompactReader(footer), 1_000)


def test_any_bytes_take_as_many_steps_as_there_are() -> None:
    """Whatever the footer promises."""
    chance = random.Random(1)  # noqa: S311  data

    def check(footer: bytes) -> None:
        with suppress(DamagedFooterError, IndexError):
            check_content(CompactReader(footer), 1_000)

    likely = b"\x00\x15\x16\x18\x19\x1c\x29\x2c\x9c\xff"
    for number in range(300):
        footer = bytes(chance.choices(likely, k=number))
        assert lines_run(partial(check, footer)) < 60 * (len(footer) + 10)
