"""Skipped URLs, and the export of all evidence: complete, typed, and written atomically."""

import datetime as dt
import errno
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from goodbot.crawl.evidence import export, policy_at, skipped
from goodbot.errors import (
    MissingExtraError,
    StoreFullError,
    StoreUnavailableError,
)
from goodbot.files import atomic_file
from goodbot.history.values_by_time import TimelineCache
from goodbot.knowledge import KNOWN_AS_OF
from tests.support.crawls.sample_crawl import (
    BUSY,
    DOWN,
    HOSTILE,
    NEWS,
    NOON,
    SHOP,
    SHOP_RULES,
    SampleCrawl,
    sample,
)


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SampleCrawl]:
    """Yield the sample crawl, which no test changes."""
    made = sample(tmp_path_factory.mktemp("crawl"))
    yield made
    made.database.close()


# Skipped.


def test_skipped_urls_are_grouped_with_who_says_so(crawl: SampleCrawl) -> None:
    """Disallowed, failed, skipped and unreached URLs each form a group with an example."""
    found = {
        (one.origin, one.state, one.reason): (one.count, one.example, one.source, one.sources)
        for one in skipped.skipped_groups(crawl.database)
    }
    diary = f"{SHOP}/private/diary"
    assert found[SHOP, "disallowed", "rule-disallows"] == (2, diary, "robots.txt line 4", 2)
    assert found[SHOP, "skipped", "too-deep"] == (1, f"{SHOP}/deep", "bounds: depth 3", 1)
    assert found[SHOP, "queued", "not-reached"] == (1, f"{SHOP}/later", "", 1)
    assert found[BUSY, "queued", "retry-after"][0] == 1
    assert found[NEWS, "failed", "timeout"][0] == 1
    assert found[DOWN, "disallowed", "failure-refused"][0] == 1
    assert {one.url for one in skipped.skipped_urls(crawl.database, "rule-disallows")} == {
        diary,
        f"{SHOP}/till",
        f"{NEWS}/drafts/1",
    }
    everything = list(skipped.skipped_urls(crawl.database))
    assert len(everything) == sum(count for count, *_ in found.values())


# Export.


def test_the_export_has_a_row_for_each_url_and_act(crawl: SampleCrawl, tmp_path: Path) -> None:
    """The table has the same rows as the library, with every URL and every column."""
    table = tmp_path / "all.parquet"
    count = export.export_evidence(crawl.database, table)
    rows = [json.loads(export.json_line(row)) for row in export.rows(crawl.database)]
    assert len(rows) == count
    names = [one.name for one in export.COLUMNS]
    assert all(list(row) == names for row in rows)
    (urls,) = crawl.database.connection.execute("SELECT count(*) FROM urls").fetchone()
    assert len({row["url"] for row in rows}) == urls
    asked = [(row["url"], row["act"], row["at"]) for row in rows]
    assert len(set(asked)) == count
    assert as_json(table) == rows


def test_json_has_a_line_for_each_visit(crawl: SampleCrawl, tmp_path: Path) -> None:
    """It has all that the rows have; acts with one verdict are together, and nulls are omitted."""
    path = tmp_path / "all.jsonl"
    count = export.export_evidence(crawl.database, path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(lines) == count
    rows = [json.loads(export.json_line(row)) for row in export.rows(crawl.database)]
    assert sorted(as_rows(lines), key=str) == sorted(rows, key=str)


def as_rows(lines: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the rows of lines, as a reader of them would."""
    once = {one.name for one in export.COLUMNS if one.of == "fetch"}
    for line in lines:
        for verdict in line.pop("verdicts"):
            for act in verdict.pop("acts"):
                found = line | verdict | {"act": act}
                row = {one.name: found.get(one.name) for one in export.COLUMNS}
                yield row if act == "fetch" else row | dict.fromkeys(once)


def as_json(table: Path) -> list[dict[str, Any]]:
    """Read a Parquet file, with times as in JSON."""
    from pyarrow import parquet  # noqa: PLC0415  of the tests of this form alone

    found = parquet.read_table(table)
    kinds = {str(field.type) for field in found.schema}
    assert kinds == {"string", "int64", "bool", "timestamp[us, tz=UTC]"}
    return [
        {
            name: value.isoformat() if isinstance(value, dt.datetime) else value
            for name, value in row.items()
        }
        for row in found.to_pylist()
    ]


def test_rows_say_who_decided(crawl: SampleCrawl) -> None:
    """Each row has the verdict, the reason, the line and the digest of robots.txt."""
    found = {(row["url"], row["act"]): row for row in export.rows(crawl.database)}
    row = found[f"{SHOP}/private/diary", "fetch"]
    assert (row["allowed"], row["reason"], row["line"]) == (False, "rule-disallows", 4)
    assert row["robots_txt_sha256"] == hashlib.sha256(SHOP_RULES.encode()).hexdigest()
    row = found[f"{SHOP}/secret", "archive"]
    assert (row["allowed"], row["source_kind"], row["text"]) == (False, "meta", "noarchive")
    assert found[f"{SHOP}/lamps", "snippet"]["parts_left_out"] == 1
    row = found[f"{SHOP}/deep", "fetch"]
    assert (row["event"], row["allowed"], row["reason"]) == ("skipped", None, "too-deep")
    assert found[HOSTILE, "index"]["text"] == "noindex"


CASES: dict[str, tuple[str, str, object]] = {
    "url": (f"{SHOP}/secret", "archive", f"{SHOP}/secret"),
    "origin": (f"{SHOP}/secret", "archive", SHOP),
    "how": (f"{SHOP}/secret", "fetch", "start"),
    "depth": (f"{SHOP}/secret", "fetch", 0),
    "state": (f"{SHOP}/private/diary", "fetch", "disallowed"),
    "at": (f"{SHOP}/secret", "archive", NOON.replace(hour=0, second=15, microsecond=3)),
    "event": (f"{NEWS}/slow", "fetch", "failed"),
    "status": (f"{SHOP}/gone", "index", 404),
    "declared": (f"{SHOP}/private/diary", "fetch", "disallowed"),
    "served": (f"{SHOP}/secret", "archive", "served"),
    "act": (f"{SHOP}/secret", "archive", "archive"),
    "allowed": (f"{SHOP}/secret", "archive", False),
    "reason": (f"{SHOP}/secret", "archive", "directive-forbids"),
    "source": (f"{SHOP}/secret", "archive", "META robots, line 2: noarchive"),
    "source_kind": (f"{SHOP}/private/diary", "fetch", "robots.txt"),
    "line": (f"{SHOP}/private/diary", "fetch", 4),
    "text": (f"{SHOP}/private/diary", "fetch", "Disallow: /private"),
    "parts_left_out": (f"{SHOP}/lamps", "snippet", 1),
    "parts": (f"{SHOP}/lamps", "snippet", 4),
    "sentence": (f"{NEWS}/slow", "fetch", "the request timed out"),
    "until": (f"{BUSY}/b", "fetch", NOON.replace(hour=0, minute=3, second=40, microsecond=10)),
    "findings": (
        HOSTILE,
        "fetch",
        (
            '{"findings": [{"code": "unknown-directive", "severity": "info", "line": null, '
            '"message": '
            "\"the directive '<script>alert(2)</script>' in X-Robots-Tag is not known to goodbot "
            f'as of {KNOWN_AS_OF}; it has no effect"}}], '
            '"not_listed": {}}'
        ),
    ),
    "payment": (f"{NEWS}/archive", "fetch", "USD 0.01 was charged"),
    "permission": (f"{NEWS}/archive", "fetch", "by permission of the owner of the site"),
    "robot": (f"{SHOP}/secret", "index", "ExampleBot"),
    "dialect": (f"{SHOP}/secret", "index", "google"),
    "robots_txt_sha256": (
        f"{SHOP}/secret",
        "index",
        hashlib.sha256(SHOP_RULES.encode()).hexdigest(),
    ),
    "robots_txt_first_seen": (f"{SHOP}/secret", "index", NOON.replace(hour=0)),
    "robots_txt_last_seen": (f"{SHOP}/secret", "index", NOON.replace(hour=0)),
    "made_with": (f"{SHOP}/secret", "index", "goodbot 0.1.0, knowledge of 2026-11-21"),
}
"""For each column a row of the sample, by URL and act, and the expected value."""
KINDS = {"text": str, "time": dt.datetime, "number": int, "truth": bool}


@pytest.mark.parametrize("column", export.COLUMNS, ids=lambda column: column.name)
def test_each_column_has_its_case(crawl: SampleCrawl, column: export.Column) -> None:
    """A column without a case fails here, and so does one with values of a wrong type."""
    assert column.name in CASES, f"{column.name} has no case; add one to CASES"
    url, act, expected = CASES[column.name]
    found = {(row["url"], row["act"]): row[column.name] for row in export.rows(crawl.database)}
    assert found[url, act] == expected
    assert {type(value) for value in found.values()} - {type(None)} == {KINDS[column.kind]}


def test_a_url_that_was_never_asked_about_has_one_row(crawl: SampleCrawl) -> None:
    """A URL without a visit has no values for one."""
    (row,) = [row for row in export.rows(crawl.database) if row["url"] == f"{SHOP}/later"]
    filled = {name: value for name, value in row.items() if value is not None}
    assert filled == {
        "url": f"{SHOP}/later",
        "origin": SHOP,
        "how": "start",
        "depth": 0,
        "state": "queued",
        "event": "queued",
        "declared": "unknown",
        "act": "fetch",
        "reason": "queued",
        "made_with": "goodbot 0.1.0, knowledge of 2026-11-21",
    }


class FullDisk:
    """A file on a disk that is full after a few bytes."""

    def __init__(self, file: BinaryIO) -> None:
        """Wrap a file."""
        self.file = file
        self.left = 100

    def write(self, data: bytes) -> int:
        """Write until the disk is full."""
        self.left -= len(data)
        if self.left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self.file.write(data)


def test_a_full_disk_leaves_what_was_there(crawl: SampleCrawl, tmp_path: Path) -> None:
    """No partial file remains, the old file is kept, and the message says how to fix it."""
    path = tmp_path / "all.jsonl"
    path.write_text("before")
    with (
        pytest.raises(StoreFullError, match="make room"),
        atomic_file.atomic_file(path) as file,
    ):
        export.write_json_lines(crawl.database, FullDisk(file))  # type: ignore[arg-type]
    assert [one.name for one in tmp_path.iterdir()] == ["all.jsonl"]
    assert path.read_text() == "before"


@pytest.mark.parametrize("name", ["missing/all.jsonl", "folder.jsonl"])
def test_a_file_that_cannot_be_written_is_told(
    crawl: SampleCrawl, tmp_path: Path, name: str
) -> None:
    """The message names the file."""
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(StoreUnavailableError, match="cannot be written"):
        export.export_evidence(crawl.database, tmp_path / name)


def test_parquet_without_pyarrow_says_what_to_install(
    crawl: SampleCrawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error is raised before anything is written."""
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r"goodbot\[parquet\]"):
        export.export_evidence(crawl.database, tmp_path / "all.parquet")
    assert not list(tmp_path.iterdir())


def test_the_export_is_a_stream(crawl: SampleCrawl) -> None:
    """A row can be read before the others are produced."""
    found = export.rows(crawl.database)
    assert next(found)["act"] == "fetch"
    assert next(found)["act"] == "index"


def test_histories_remember_a_bounded_number_of_origins(crawl: SampleCrawl) -> None:
    """The origin used least recently is dropped, and read again when it is needed."""
    reads: list[str] = []

    def keep(seen: Any) -> str:  # noqa: ANN401  of any kind
        reads.append(seen.record["url"])
        return str(seen.record["url"])

    known = TimelineCache(
        lambda origin: policy_at.stored_timeline(crawl.database, origin, keep), most=1
    )
    for origin in (SHOP, SHOP, NEWS, SHOP):
        assert known.of(origin).at(NOON) == f"{origin}/robots.txt"
    assert len(reads) == 3
    assert known.of(SHOP).at(NOON.replace(year=1999)) is None
