"""A table of policies that another library wrote, without the metadata, is read as the original."""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goodbot import MisuseError
from goodbot.tables.building import (
    build_policies,
    merge_policies,
    open_policies,
    open_table,
    policy_rows,
    received_timelines,
)
from goodbot.tables.building.origin_rows import PolicyRow
from goodbot.tables.columns import verdicts
from goodbot.tables.columns.schema import VERSION_KEY
from goodbot.tables.writing import write_verdicts
from tests.support.live_sites import ask
from tests.tables.building.warc_text import response, write_warc

NOON = datetime(2025, 6, 2, 12, tzinfo=timezone.utc)
DAY = timedelta(days=1)
A, B = "https://a.example", "https://b.example"
CLOSED = b"User-agent: *\nDisallow: /private\n"
URLS = [f"{A}/private", f"{A}/", f"{B}/"]
TIMES = [NOON + timedelta(days=2, hours=1)] * 3


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return a table with rules, a missing file, an outage, a lost redirect and header fields."""
    address, other = f"{A}/robots.txt", f"{B}/robots.txt"
    records = [
        response(address, NOON, 404),
        response(address, NOON + 2 * DAY, 200, CLOSED, [("Cache-Control", "max-age=7200")]),
        response(address, NOON + 3 * DAY, 503, headers=[("Retry-After", "60")]),
        response(other, NOON, 302, headers=[("Location", "https://c.example/x")]),
        response(other, NOON + 2 * DAY, 301, headers=[("Location", f"{B}/r")]),
        response(f"{B}/r", NOON + 2 * DAY, 200, CLOSED),
        response("https://c.example/robots.txt", NOON, 200, b"\xff\x00Disallow: /\n"),
    ]
    build_policies([write_warc(tmp_path / "x.warc.gz", records)], tmp_path / "built.parquet")
    return tmp_path / "built.parquet"


def by_polars(table: Path, folder: Path) -> Path:
    """Write a table again with Polars."""
    pl.read_parquet(table).write_parquet(folder / "o.parquet")
    return folder / "o.parquet"


def by_polars_as_ipc(table: Path, folder: Path) -> Path:
    """Write it as IPC, whose strings are views, also those of dictionaries."""
    pl.read_parquet(table).write_ipc(folder / "o.arrow")
    return folder / "o.arrow"


def by_polars_as_old_ipc(table: Path, folder: Path) -> Path:
    """Write it as IPC with large strings, compressed."""
    oldest = pl.CompatLevel.oldest()
    pl.read_parquet(table).write_ipc(folder / "o.arrow", compression="zstd", compat_level=oldest)
    return folder / "o.arrow"


def by_duckdb(table: Path, folder: Path) -> Path:
    """Write it again with DuckDB."""
    duckdb.sql(f"COPY (FROM '{table}') TO '{folder}/o.parquet'")
    return folder / "o.parquet"


def by_pandas(table: Path, folder: Path) -> Path:
    """Write it again with pandas, in which statuses with nulls are floats."""
    pd.read_parquet(table).to_parquet(folder / "o.parquet")
    return folder / "o.parquet"


def in_nanoseconds(table: Path, folder: Path) -> Path:
    """Write it with times in nanoseconds, as older pandas does."""
    return in_unit("ns", table, folder)


def in_milliseconds(table: Path, folder: Path) -> Path:
    """Write it with times in milliseconds."""
    return in_unit("ms", table, folder)


def in_unit(unit: str, table: Path, folder: Path) -> Path:
    """Write it with times in a unit."""
    given = pq.read_table(table).replace_schema_metadata(None)
    for place, field in enumerate(given.schema):
        if pa.types.is_timestamp(field.type):
            column = given.column(place).cast(pa.timestamp(unit, "UTC"))
            given = given.set_column(place, field.name, column)
    pq.write_table(given, folder / "o.parquet")
    return folder / "o.parquet"


WAYS = [
    by_polars, by_polars_as_ipc, by_polars_as_old_ipc, by_duckdb, by_pandas, in_nanoseconds,
    in_milliseconds,
]  # fmt: skip
Way = Callable[[Path, Path], Path]


def rows_in(path: Path, site: str) -> list[tuple[Any, ...]]:
    """Return what the rows of a site say."""

    def facts(row: PolicyRow) -> tuple[Any, ...]:
        policy = row.policy
        found = None if policy is None else (policy.access, policy.reason, policy.fresh_until)
        return row.number, row.at, row.source, found

    return [facts(one) for one in policy_rows(path, site)]


@pytest.mark.parametrize("way", WAYS)
def test_a_table_that_another_library_wrote_is_read(table: Path, tmp_path: Path, way: Way) -> None:
    """The same rows and the same verdicts, also of a dialect in which it is evaluated again."""
    path = way(table, tmp_path)
    assert VERSION_KEY not in (open_table(path).schema.metadata or {})
    for site in (A, B, "https://c.example", "https://none.example"):
        assert rows_in(path, site) == rows_in(table, site)
    assert len(rows_in(path, A)) == 3
    for robot in ("ExampleBot", "Googlebot"):
        found, expected = (
            pa.table(verdicts(URLS, open_policies(one), robot, at=TIMES, explain=True))
            for one in (path, table)
        )
        assert found.to_pydict() == expected.to_pydict()
    merged = [merge_policies([one], tmp_path / f"{one.stem}-m.parquet") for one in (path, table)]
    assert merged[0].rows == merged[1].rows == 6
    first, second = (open_table(tmp_path / f"{one}-m.parquet") for one in ("o", "built"))
    assert first.to_pydict() == second.to_pydict()


@pytest.mark.parametrize("way", WAYS)
def test_the_command_reads_it(table: Path, tmp_path: Path, way: Way) -> None:
    """Of `goodbot tables show` and `goodbot tables verdicts`, and as known policies of an audit."""
    path = way(table, tmp_path)
    shown = [ask("tables", "show", str(one), A) for one in (path, table)]
    assert shown[0] == shown[1]
    urls = tmp_path / "urls.parquet"
    pq.write_table(pa.table({"url": URLS, "at": TIMES}), urls)
    found = [write_verdicts(urls, one, "ExampleBot", None, sample=3) for one in (path, table)]
    assert found[0].robots == found[1].robots
    [history], [expected] = (received_timelines([one], [A]) for one in (path, table))
    assert history == expected


def test_a_table_without_its_dialect_needs_it(table: Path, tmp_path: Path) -> None:
    """It is passed to `open_policies`, or is the dialect of the merged table."""
    path = tmp_path / "o.parquet"
    pl.read_parquet(table).drop("dialect").write_parquet(path)
    for read in (open_policies, lambda one: policy_rows(one, A)):
        with pytest.raises(MisuseError, match=r"o\.parquet has no column 'dialect'"):
            read(path)
    assert open_policies(path, dialect="koster1994").dialect == "koster1994"
    with pytest.raises(MisuseError, match="no column 'dialect'"):
        merge_policies([path], tmp_path / "m.parquet")
    assert merge_policies([path], tmp_path / "m.parquet", dialect="rfc9309").rows == 6


@pytest.mark.parametrize("values", [["rfc9309", "google"], ["rfc9309", None]])
def test_rows_of_several_dialects_are_refused(
    table: Path, tmp_path: Path, values: list[str | None]
) -> None:
    """Somebody put two tables one behind the other."""
    path = tmp_path / "o.parquet"
    whole = pl.read_parquet(table)
    column = pl.Series("dialect", values * (len(whole) // 2))
    whole.with_columns(column).write_parquet(path)
    with pytest.raises(MisuseError, match="merge tables with `goodbot tables merge`"):
        open_policies(path)


@pytest.mark.parametrize("name", ["origin", "valid_until", "stale", "body"])
def test_what_lacks_a_column_is_named(table: Path, tmp_path: Path, name: str) -> None:
    """Also a file that is something else."""
    path = tmp_path / "o.parquet"
    pl.read_parquet(table).drop(name).write_parquet(path)
    for read in (open_policies, lambda one: policy_rows(one, A)):
        with pytest.raises(MisuseError, match=rf"o\.parquet is not .* no column '{name}'; make"):
            read(path)


def test_lookups_need_no_other_facts(table: Path, tmp_path: Path) -> None:
    """What evaluates rows again does, and names the column."""
    path = tmp_path / "o.parquet"
    pl.read_parquet(table).drop("headers").write_parquet(path)
    assert len(open_policies(path)) == 6
    with pytest.raises(MisuseError, match=r"o\.parquet is not whole: .* no column 'headers'"):
        policy_rows(path, A)


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_table_with_metadata_may_lack_a_column(table: Path, tmp_path: Path, ending: str) -> None:
    """What is reckoned again is not needed; what is needed is named for anyone who asks."""
    whole, path = pq.read_table(table), tmp_path / f"o.{ending}"
    write_table(whole.drop_columns(["valid_until"]), path)
    assert policy_rows(path, A) == policy_rows(table, A)
    assert merge_policies([path], tmp_path / "merged.parquet").rows == whole.num_rows
    with pytest.raises(MisuseError, match=r"no column '?valid_until"):
        open_policies(path)
    write_table(whole.drop_columns(["body"]), path)
    with pytest.raises(MisuseError, match=r"no column '?body"):
        open_policies(path)
    with pytest.raises(MisuseError, match=r"is not whole: .* no column 'body'"):
        policy_rows(path, A)


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("kind", [pa.list_(pa.string()), pa.struct([("a", pa.string())])])
def test_origins_that_are_no_texts_are_named(
    table: Path,
    tmp_path: Path,
    kind: Any,  # noqa: ANN401  pyarrow's
    ending: str,
) -> None:
    """Parquet names only the columns inside of lists and structs."""
    whole, path = pq.read_table(table), tmp_path / f"o.{ending}"
    write_table(whole.set_column(0, "origin", pa.nulls(whole.num_rows, kind)), path)
    for read in (
        lambda: policy_rows(path, A),
        lambda: merge_policies([path], tmp_path / "m.arrow"),
    ):
        with pytest.raises(MisuseError, match=r"o\.\w+ .*'origin' is .*; write it as strings"):
            read()


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_contents_that_are_lists_are_named(table: Path, tmp_path: Path, ending: str) -> None:
    """They are not read as a dictionary, which Parquet has of plain columns only."""
    whole, path = pq.read_table(table), tmp_path / f"o.{ending}"
    place, lists = whole.schema.get_field_index("body"), pa.list_(pa.string())
    write_table(whole.set_column(place, "body", pa.nulls(whole.num_rows, lists)), path)
    with pytest.raises(MisuseError, match="body"):
        open_policies(path)


def write_table(table: Any, path: Path) -> None:  # noqa: ANN401  pyarrow's
    """Write a table, with its metadata, as its name says."""
    if path.suffix == ".parquet":
        pq.write_table(table, path)
        return
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)


def test_a_column_of_another_type_is_named(table: Path, tmp_path: Path) -> None:
    """And the type that it needs."""
    path = tmp_path / "o.parquet"
    frame = pl.read_parquet(table)
    frame.with_columns(status=pl.lit("fine")).write_parquet(path)
    with pytest.raises(MisuseError, match=r"'status' of .* cannot be read as int16; write"):
        open_policies(path)


def test_rows_are_found_in_many_parts_and_any_order(table: Path, tmp_path: Path) -> None:
    """The number of a row is its place in the file."""
    frame = pl.read_parquet(table).reverse()
    frame.write_parquet(tmp_path / "o.parquet", row_group_size=2)
    frame.write_ipc(tmp_path / "o.arrow", record_batch_size=2)
    for name in ("o.parquet", "o.arrow"):
        found = [(len(frame) - 1 - one[0], *one[1:]) for one in rows_in(tmp_path / name, A)]
        assert found == rows_in(table, A)
