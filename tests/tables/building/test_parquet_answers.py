"""Parquet files as sources of policies: the types that they may have, and what is refused."""

import re
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goodbot import MisuseError
from goodbot.tables.building import build_policies
from tests.support.live_sites import ask

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
SITE = "https://a.example"
URL = f"{SITE}/robots.txt"
BODY = b"User-agent: *\nDisallow: /p\n"
DAY = timedelta(days=1)


def source(tmp_path: Path, **columns: Any) -> Path:  # noqa: ANN401
    """Write a file with one answer, some columns in another form."""
    rows = {"url": [URL], "time": [NOON], "status": [200], "body": [BODY], **columns}
    path = tmp_path / "captures.parquet"
    pq.write_table(pa.table(rows), path)
    return path


def built(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a table that is built from a file."""
    build_policies([path], path.parent / "policies.parquet")
    rows: list[dict[str, Any]] = pq.read_table(path.parent / "policies.parquet").to_pylist()
    return rows


@pytest.mark.parametrize(
    "status",
    [
        pa.array([200], pa.int16()), pa.array([200], pa.uint64()),
        pa.array([200.0]), pa.array(["200"]), pa.array([" 200"], pa.large_string()),
        pa.array(["200"]).dictionary_encode(),
    ],
    ids=str,
)  # fmt: skip
def test_every_form_of_a_status(tmp_path: Path, status: pa.Array) -> None:
    """Floats are what pandas makes of integers beside nulls; texts are what CSV files have."""
    (row,) = built(source(tmp_path, status=status))
    assert (row["status"], row["access"], row["body"]) == (200, "rules", BODY)


def test_statuses_of_pandas_beside_missing_ones(tmp_path: Path) -> None:
    """A missing one means that no answer came."""
    frame = pd.DataFrame(
        {"url": [URL, "https://b.example/robots.txt"], "time": [NOON] * 2, "status": [200, None],
         "body": [BODY, None]}
    )  # fmt: skip
    frame.to_parquet(tmp_path / "captures.parquet")
    one, other = built(tmp_path / "captures.parquet")
    assert (one["status"], one["access"], one["body"]) == (200, "rules", BODY)
    assert (other["status"], other["failure"]) == (None, "protocol-error")


@pytest.mark.parametrize("value", [200.5, float("inf"), "OK", "", "-1", "2OO", "²"])
def test_a_status_that_is_no_integer_is_refused(tmp_path: Path, value: object) -> None:
    """Read as a failure, it would disallow everything."""
    path = source(tmp_path, status=[value])
    with pytest.raises(MisuseError, match=r"the column 'status' of .*captures.parquet has .*"):
        built(path)


HEADERS: dict[str, pa.Array] = {
    "structs": pa.array([[{"name": "Cache-Control", "value": "max-age=7200"}]]),
    "a map": pa.array(
        [[("Cache-Control", "max-age=7200")]], pa.map_(pa.string(), pa.string())
    ),
    "a map of bytes": pa.array(
        [[(b"Cache-Control", b"max-age=7200")]], pa.map_(pa.binary(), pa.binary())
    ),
    "more fields": pa.array(
        [[{"name": "Cache-Control", "value": "max-age=7200", "n": 1}, {"name": "Age"}, None]]
    ),
}  # fmt: skip


@pytest.mark.parametrize("headers", HEADERS.values(), ids=HEADERS)
def test_every_form_of_headers(tmp_path: Path, headers: pa.Array) -> None:
    """A map is what DuckDB writes."""
    (row,) = built(source(tmp_path, headers=headers))
    assert row["valid_until"] == NOON + timedelta(hours=2)


@pytest.mark.parametrize(
    "headers", [pa.nulls(1), pa.array([[]]), pa.array([None], pa.list_(pa.null()))]
)
def test_no_headers(tmp_path: Path, headers: pa.Array) -> None:
    """They may be missing."""
    (row,) = built(source(tmp_path, headers=headers))
    assert row["valid_until"] == NOON + DAY


def test_what_duckdb_writes(tmp_path: Path) -> None:
    """Its MAP, its TIMESTAMPTZ and its BLOB."""
    path = tmp_path / "captures.parquet"
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(
            f"COPY (SELECT '{URL}' AS url, TIMESTAMPTZ '2026-01-01 12:00:00Z' AS time, "
            "200 AS status, 'User-agent: *'::BLOB AS body, "
            f"MAP {{'cache-control': 'max-age=7200'}} AS headers) TO '{path}' (FORMAT parquet)"
        )
    (row,) = built(path)
    assert (row["valid_from"], row["valid_until"]) == (NOON, NOON + timedelta(hours=2))


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "url": ({"url": [7]}, "the column 'url' of .* is int64; it must be a string"),
    "time": ({"time": [NOON.replace(tzinfo=None)]}, "the column 'time' .* with a time zone"),
    "status": ({"status": [True]}, "the column 'status' of .* is bool; it must be an integer"),
    "body": ({"body": [7]}, "the column 'body' of .* is int64; it must be binary or a string"),
    "headers as text": ({"headers": ["a: b"]}, "the column 'headers' of .* is string; .* a map"),
    "headers as struct": ({"headers": [{"a": "b"}]}, "the column 'headers' of .* is struct"),
    "headers as other structs": ({"headers": [[{"a": "b"}]]}, "the column 'headers' of .* is list"),
    "failure": ({"failure": [1]}, "the column 'failure' of .* is int64; it must be a string"),
    "a far time": (
        {"time": pa.array([2**62], pa.int64()).cast(pa.timestamp("us", "UTC"))},
        "the column 'time' of .* not within the years 1 to 9999",
    ),
    "a time of long ago": (
        {"time": pa.array([-(2**62)], pa.int64()).cast(pa.timestamp("us", "UTC"))},
        "not within the years 1 to 9999",
    ),
}


@pytest.mark.parametrize(("columns", "cure"), WRONG.values(), ids=WRONG)
def test_another_type_is_refused(tmp_path: Path, columns: dict[str, Any], cure: str) -> None:
    """The message names the file and the column."""
    with pytest.raises(MisuseError, match=cure):
        built(source(tmp_path, **columns))
    assert not (tmp_path / "policies.parquet").exists()


def test_a_damaged_file_and_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    """They are named."""
    path = tmp_path / "captures.parquet"
    path.write_bytes(b"PAR1 and nothing else PAR1")
    with pytest.raises(MisuseError, match=r"captures.parquet cannot be read as Parquet"):
        built(path)
    names = ["url", "time", "status", "body", "url"]
    twice = [pa.array(one) for one in ([URL], [NOON], [200], [BODY], [URL])]
    pq.write_table(pa.table(twice, names), path)
    with pytest.raises(MisuseError, match="several columns 'url'"):
        built(path)


def test_nanoseconds_are_rounded_down(tmp_path: Path) -> None:
    """As everywhere."""
    at = pa.array([1_767_268_800_000_000_999], pa.int64()).cast(pa.timestamp("ns", "UTC"))
    (row,) = built(source(tmp_path, time=at))
    assert row["valid_from"] == NOON


@pytest.mark.parametrize(
    "url",
    ["HTTPS://A.example:443/robots.txt", f"{URL}#x", f"{SITE}/%72obots.txt",
     f"{SITE}/x/../robots.txt", "https://u:p@a.example/robots.txt", SITE, f" {URL}\n"],
)  # fmt: skip
def test_a_url_in_another_spelling_is_that_of_robots_txt(tmp_path: Path, url: str) -> None:
    """As in a WARC file: the normal form counts."""
    (row,) = built(source(tmp_path, url=[url]))
    assert (row["origin"], row["body"]) == (SITE, BODY)


def test_rows_that_are_no_answers_are_counted(tmp_path: Path) -> None:
    """And the program prints why they do not count."""
    urls = [
        URL,
        None,
        None,
        "a.example/robots.txt",
        "ftp://a.example/robots.txt",
        f"{SITE}/page",
        URL,
    ]
    times = [NOON] * 6 + [None]
    path = source(tmp_path, url=urls, time=times, status=[200] * 7, body=[BODY] * 7)
    summary = build_policies([path], tmp_path / "policies.parquet")
    counts = (summary.no_url, summary.no_time, summary.other_scheme, summary.other_urls)
    assert (summary.rows, summary.records, counts) == (1, 7, (2, 1, 2, 1))
    _, printed, _ = ask("tables", "build", str(path), "-o", "out.parquet", cwd=str(tmp_path))
    said = " ".join(printed.split())
    assert "2 rows without a URL skipped. 1 row without a time skipped." in said
    assert "2 rows with a URL that is not an absolute one of http or https skipped." in said
    assert "1 row of other URLs than a robots.txt" in said


def as_text(values: list[bytes], kind: pa.DataType) -> pa.Array:
    """Return bytes as a column of texts, whatever they are."""
    texts = pa.array(values, pa.large_binary() if kind == pa.large_string() else pa.binary())
    return texts.view(kind)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_urls_and_contents_may_be_any_bytes(tmp_path: Path, kind: pa.DataType) -> None:
    """Not every writer checks its texts. A byte of a URL that is no UTF-8 is sent as an escape."""
    body = b"User-agent: *\nDisallow: /\xff\n"
    urls = [f"{SITE}/\xff".encode("latin-1"), URL.encode()]
    path = source(
        tmp_path, url=as_text(urls, kind), time=[NOON] * 2, status=[200, 301],
        body=as_text([body, b""], kind), headers=[None, [{"name": "Location", "value": "/%FF"}]],
    )  # fmt: skip
    (row,) = built(path)
    assert (row["final_url"], row["access"], row["body"]) == (f"{SITE}/%FF", "rules", body)


def test_other_texts_must_be_utf_8(tmp_path: Path) -> None:
    """The message names the column."""
    path = source(tmp_path, failure=as_text([b"\xff"], pa.string()))
    with pytest.raises(MisuseError, match=r"the column 'failure' .* not UTF-8; write it as binary"):
        built(path)


@pytest.mark.parametrize(
    "time",
    [
        pa.array([NOON.replace(tzinfo=None)], pa.timestamp("us")),
        pa.array([NOON.replace(tzinfo=None)], pa.timestamp("ns")),
        pa.array([NOON.replace(tzinfo=None).isoformat()]),
        pa.array([f"{NOON:%Y-%m-%dT%H:%M:%SZ}"], pa.large_string()),
        pa.array([int(NOON.timestamp())]),
    ],
    ids=["us", "ns", "text", "text with Z", "seconds"],
)
def test_the_conversion_of_times_without_a_zone_works(tmp_path: Path, time: pa.Array) -> None:
    """What the message says can be copied: then the file is read."""
    path = source(tmp_path, time=time)
    with pytest.raises(MisuseError, match="To convert it") as caught:
        built(path)
    [sql] = re.findall(r'duckdb -c "(.*)"', str(caught.value))
    with duckdb.connect() as base:
        base.execute(sql)
    (row,) = built(tmp_path / "captures-utc.parquet")
    assert row["valid_from"] == NOON
