"""Columns copied as they are stored: what is written reads as what decoding and encoding writes."""

import datetime as dt
import io
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goodbot.errors import MisuseError
from goodbot.tables.writing import UrlColumns, job, stored_columns, write_verdicts
from goodbot.tables.writing.answering import answer_part
from goodbot.tables.writing.job import Job, job_of
from goodbot.tables.writing.parquet_footer import footer_bytes, read_footer
from goodbot.tables.writing.stored_columns import copy_pages
from tests.support.columns.captures import ROBOTS, TIMES, URLS, UTC, policies

ROWS = len(URLS)
COPIED = ["url", "fetched", "day", "kind", "share", "raw", "truth"]


@pytest.fixture(autouse=True)
def _any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copy row groups of any size, and make parts of two."""
    monkeypatch.setattr(stored_columns, "LEAST_ROWS", 1)
    monkeypatch.setattr(job, "PART_ROWS", 2 * ROWS)


def table() -> pa.Table:
    """Return URLs with columns of many types, some of them nested."""
    return pa.table(
        {
            "hops": [[number] * (number % 3) for number in range(ROWS)],
            "url": pa.array(URLS, pa.string()),
            "head": [{"status": number, "server": "x"} for number in range(ROWS)],
            "fetched": pa.array(TIMES, UTC),
            "day": [dt.date(2025, 1, 1 + number % 28) for number in range(ROWS)],
            "kind": pa.array([f"kind {number % 3}" for number in range(ROWS)]).dictionary_encode(),
            "share": [number / 7 for number in range(ROWS)],
            "raw": [bytes([number % 256]) for number in range(ROWS)],
            "truth": [None if number % 3 == 0 else number % 2 == 0 for number in range(ROWS)],
        }
    )


def three_times(path: Path, **options: Any) -> None:  # noqa: ANN401
    """Write the table three times, each as a row group."""
    pq.write_table(pa.concat_tables([table()] * 3), path, row_group_size=ROWS, **options)


def by_duckdb(path: Path) -> None:
    """Write the table with DuckDB, from PyArrow's file."""
    first = path.with_suffix(".first")
    three_times(first)
    duckdb.execute(f"COPY (FROM read_parquet('{first}')) TO '{path}' (FORMAT parquet)")


WRITERS: dict[str, Any] = {
    "as written by default": three_times,
    "with an index of pages and Bloom filters": lambda path: three_times(
        path,
        write_page_index=True,
        data_page_size=64,
        bloom_filter_options={"url": {"ndv": 100, "fpp": 0.1}},
    ),
    "without statistics": lambda path: three_times(path, write_statistics=False),
    "without dictionaries, in gzip": lambda path: three_times(
        path, use_dictionary=False, compression="gzip"
    ),
    "with pages of version 2": lambda path: three_times(
        path, version="1.0", data_page_version="2.0", compression="none"
    ),
    "with times of Impala": lambda path: three_times(path, use_deprecated_int96_timestamps=True),
    "by DuckDB": by_duckdb,
    "by Polars": lambda path: pl.DataFrame(pa.concat_tables([table()] * 3)).write_parquet(
        path, row_group_size=ROWS
    ),
}


def job_in(folder: Path, *files: str, **options: Any) -> Job:  # noqa: ANN401
    """Return what a run does on files of a folder."""
    pq.write_table(policies(), folder / "policies.parquet")
    given: dict[str, Any] = {"explain": True, "sample": None, **options}
    copied = given.pop("copied", COPIED)
    columns = UrlColumns(at=given.pop("at", "fetched"), copied=copied)
    names = [folder / one for one in files]
    return job_of(
        names, folder / "policies.parquet", ROBOTS, folder / "out.parquet", columns, **given
    )


def written(job: Job) -> list[pa.Table]:
    """Return the parts of a run."""
    found = []
    for units in job.parts:
        file = answer_part(job, units).file
        assert file is not None
        with file:
            found.append(pq.read_table(file))
    return found


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_it_reads_as_if_it_was_encoded(tmp_path: Path, writer: Any) -> None:  # noqa: ANN401
    """Types and values are those of the way that decodes and encodes."""
    writer(tmp_path / "a.parquet")
    stored = job_in(tmp_path, "a.parquet")
    assert stored.as_stored
    expected = written(stored._replace(as_stored=False))
    for found, one in zip(written(stored), expected, strict=True):
        found.validate(full=True)
        assert found.to_pylist() == one.to_pylist()
        assert found.column_names == one.column_names


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_other_libraries_read_it(tmp_path: Path, writer: Any) -> None:  # noqa: ANN401
    """DuckDB and Polars read all rows, also where they look for some by statistics."""
    writer(tmp_path / "a.parquet")
    out = tmp_path / "out.parquet"
    assert job_in(tmp_path, "a.parquet").as_stored
    columns = UrlColumns(at="fetched", copied=COPIED)
    write_verdicts(
        tmp_path / "a.parquet", tmp_path / "policies.parquet", ROBOTS, out, columns=columns
    )
    whole = pq.read_table(out)
    assert whole["url"].to_pylist() == URLS * 3
    url = next(url for url in URLS if url)
    assert pq.read_table(out, filters=[("url", "==", url)]).num_rows == 3 * URLS.count(url)
    assert pl.read_parquet(out)["url"].to_list() == URLS * 3
    lazy = pl.scan_parquet(out).filter(pl.col("url") == url).collect()
    assert lazy.height == 3 * URLS.count(url)
    with duckdb.connect() as connection:
        asked = f"SELECT count(*), count(kind) FROM '{out}' WHERE url = ?"  # noqa: S608
        count = 3 * URLS.count(url)
        assert connection.execute(asked, [url]).fetchone() == (count, count)


def test_statistics_that_are_stored_are_kept(tmp_path: Path) -> None:
    """Readers skip row groups of the output by the statistics of the input."""
    three_times(tmp_path / "a.parquet")
    made = job_in(tmp_path, "a.parquet")
    file = answer_part(made, made.parts[0]).file
    assert file is not None
    with file:
        group = pq.ParquetFile(file).metadata.row_group(0)
        assert group.column(0).statistics.max == max(url for url in URLS if url)
        assert group.total_byte_size == sum(
            group.column(place).total_uncompressed_size for place in range(group.num_columns)
        )


def test_when_columns_are_encoded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nested columns, other types in another file, samples and sizes out of bounds are encoded."""
    three_times(tmp_path / "a.parquet")
    three_times(tmp_path / "b.parquet", coerce_timestamps="ms")
    assert job_in(tmp_path, "a.parquet").as_stored
    assert not job_in(tmp_path, "a.parquet", copied=["url", "hops"]).as_stored
    assert not job_in(tmp_path, "a.parquet", copied=["head"]).as_stored
    assert not job_in(tmp_path, "a.parquet", "b.parquet").as_stored
    assert job_in(tmp_path, "a.parquet", "b.parquet", copied=["url"]).as_stored
    assert not job_in(tmp_path, "a.parquet", sample=3).as_stored
    with monkeypatch.context() as patched:
        patched.setattr(stored_columns, "LEAST_ROWS", ROWS + 1)
        assert not job_in(tmp_path, "a.parquet").as_stored
    with monkeypatch.context() as patched:
        patched.setattr(stored_columns, "MOST_VALUES", 5 * ROWS)
        assert not job_in(tmp_path, "a.parquet").as_stored
    mixed = job_in(tmp_path, "a.parquet", "b.parquet")
    assert [one["url"].to_pylist() for one in written(mixed)] == [URLS * 2] * 3


def test_a_writer_with_faults_is_not_trusted(tmp_path: Path) -> None:
    """Files of old parquet-mr are read by rules of their own, which the output would not state."""
    three_times(tmp_path / "a.parquet")
    data = (tmp_path / "a.parquet").read_bytes()
    with (tmp_path / "a.parquet").open("rb") as file:
        footer = read_footer(file, len(data))
    before = len(footer_bytes(footer))
    old = [
        one._replace(value=b"parquet-mr version 1.6.0 (build a)") if one.number == 6 else one
        for one in footer
    ]
    (tmp_path / "a.parquet").write_bytes(data[:-before] + footer_bytes(old))
    assert not job_in(tmp_path, "a.parquet").as_stored


def test_a_file_that_shrinks_meanwhile_is_named(tmp_path: Path) -> None:
    """What is missing is not written as if it was there."""
    three_times(tmp_path / "a.parquet")
    file = job_in(tmp_path, "a.parquet").files[0]
    columns = stored_columns.locate_columns(file, ("url",))
    assert columns is not None
    pages = columns.groups[0].columns[0]
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with (tmp_path / "a.parquet").open("rb") as source:  # noqa: SIM117  one line is what raises
        with pytest.raises(MisuseError, match=r"a.parquet was changed while it was read"):
            copy_pages(source, pages, io.BytesIO())
