"""Stores, crawls, folders and Parquet files become the same rows as their answers."""

import errno
import subprocess
import sys
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goodbot import MisuseError, Policy
from goodbot.crawl import Database
from goodbot.errors import StoreError, StoreFullError
from goodbot.store import SQLiteStore
from goodbot.tables.building import (
    build_policies,
    merge_policies,
    open_policies,
    open_table,
    policy_timeline,
    sorted_runs,
)
from goodbot.tables.columns import allows
from goodbot.tables.columns.reckoning import reckon_columns
from goodbot.tables.columns.schema import VERSION_KEY, arrow_schema
from tests.support.waiting import HANGS
from tests.tables.building.warc_text import response, write_warc

NOON = datetime(2025, 6, 2, 12, tzinfo=timezone.utc)
DAY = timedelta(days=1)
ORIGIN = "https://a.example"
ADDRESS = f"{ORIGIN}/robots.txt"
OPEN, CLOSED = b"User-agent: *\nDisallow:\n", b"User-agent: *\nDisallow: /\n"


def rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a table."""
    found: list[dict[str, Any]] = open_table(path).to_pylist()
    return found


def policies_of_a_robot() -> list[Policy]:
    """Return what a robot learned: a file, its confirmation, an outage, another file, a 404."""
    first = Policy.from_response(ADDRESS, 200, {"ETag": '"a"'}, CLOSED, now=NOON)
    again = Policy.from_response(ADDRESS, 304, {}, b"", now=NOON + DAY, previous=first)
    down = Policy.from_failure(ADDRESS, "timeout", now=NOON + 2 * DAY, previous=again)
    still = Policy.from_response(ADDRESS, 503, {}, b"", now=NOON + 3 * DAY, previous=down)
    other = Policy.from_response(ADDRESS, 200, {}, OPEN, now=NOON + 4 * DAY, previous=still)
    gone = Policy.from_response(
        ADDRESS, 404, {"Cache-Control": "max-age=600"}, b"", now=NOON + 5 * DAY, previous=other
    )
    return [first, again, down, still, other, gone]


def test_a_store_has_what_held_and_since_when(tmp_path: Path) -> None:
    """An entry of a store has its last record only: the file when it came, and the last answer."""
    found = policies_of_a_robot()
    with SQLiteStore(tmp_path / "policies.db") as store:
        for one in found:
            store.put(ORIGIN, one.as_record(), one.fetched_at)
    build_policies([tmp_path / "policies.db"], tmp_path / "o.arrow")
    first, _, _, still, other, gone = found
    assert [row["reason"] for row in rows(tmp_path / "o.arrow")] == [
        "found",
        "stale-copy",
        "found",
        "not-found",
    ]
    learned = policy_timeline(tmp_path / "o.arrow", ORIGIN).learned
    assert [reckon_columns(one.policy) for one in learned] == [
        reckon_columns(one) for one in (first, still, other, gone)
    ]
    assert [one.at for one in learned] == [one.fetched_at for one in (first, still, other, gone)]


def test_a_folder_of_a_crawl_has_what_its_robot_learned(tmp_path: Path) -> None:
    """As a store has it."""
    with closing(Database(tmp_path / "crawl", create=True)) as crawl:
        policy = Policy.from_response(ADDRESS, 503, {"Retry-After": "7200"}, b"", now=NOON)
        crawl.store.put(ORIGIN, policy.as_record(), NOON)
    build_policies([tmp_path / "crawl"], tmp_path / "o.parquet")
    learned = policy_timeline(tmp_path / "o.parquet", ORIGIN).learned
    assert [reckon_columns(one.policy) for one in learned] == [reckon_columns(policy)]


def test_a_folder_of_files_by_host_and_time(tmp_path: Path) -> None:
    """The layout that a site's owner or a home-made script has."""
    for name, body in {
        "a.example/2025-06-02T120000Z.txt": CLOSED,
        "a.example/2025-06-05.txt": OPEN,
        "http+b.example+8080/2025-06-02T12:00Z.txt": OPEN,
    }.items():
        path = tmp_path / "history" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    build_policies([tmp_path / "history"], tmp_path / "o.parquet")
    found = rows(tmp_path / "o.parquet")
    assert [(row["origin"], row["valid_from"], row["body"]) for row in found] == [
        ("http://b.example:8080", NOON, OPEN),
        (ORIGIN, NOON, CLOSED),
        (ORIGIN, NOON + 2.5 * DAY, OPEN),
    ]
    (tmp_path / "history" / "a.example" / "robots.txt").write_bytes(OPEN)
    with pytest.raises(MisuseError, match="rename it as in"):
        build_policies([tmp_path / "history"], tmp_path / "o.parquet")


def test_a_file_without_its_content_is_no_permission(tmp_path: Path) -> None:
    """What a 200 brought is unknown if there is no body; an answer that has none is whole."""
    table = pa.table(
        {
            "url": [f"https://{name}.example/robots.txt" for name in "abcd"],
            "time": pa.array([NOON] * 4, pa.timestamp("ms", tz="UTC")),
            "status": pa.array([200, 200, 204, 404], pa.int64()),
            "body": pa.array([None, b"", None, None], pa.binary()),
        }
    )
    pq.write_table(table, tmp_path / "in.parquet")
    build_policies([tmp_path / "in.parquet"], tmp_path / "o.parquet")
    found = [(row["access"], row["reason"]) for row in rows(tmp_path / "o.parquet")]
    assert found[0] == ("disallow-all", "cut-short")
    assert [access for access, _ in found[1:]] == ["rules", "rules", "allow-all"]


def test_the_table_is_none_of_its_sources(tmp_path: Path) -> None:
    """A link to it is the same file."""
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({"url": pa.array([], pa.string())}), source)
    (tmp_path / "link.parquet").symlink_to(source)
    before = source.read_bytes()
    for name in ("in.parquet", "link.parquet"):
        with pytest.raises(MisuseError, match="is read as well"):
            build_policies([source], tmp_path / name)
    assert source.read_bytes() == before


def test_a_parquet_file_with_url_time_status_and_body(tmp_path: Path) -> None:
    """Rows without a URL or time are skipped; without a status, no answer came."""
    times = pa.array([NOON, NOON + DAY, NOON, None], pa.timestamp("ms", tz="UTC"))
    table = pa.table(
        {
            "url": [ADDRESS, ADDRESS, "https://b.example/robots.txt", ADDRESS],
            "time": times,
            "status": pa.array([200, None, 404, 200], pa.int64()),
            "body": [CLOSED, None, b"gone", CLOSED],
        }
    )
    pq.write_table(table, tmp_path / "in.parquet")
    build_policies([tmp_path / "in.parquet"], tmp_path / "o.parquet")
    assert [(row["origin"], row["reason"]) for row in rows(tmp_path / "o.parquet")] == [
        (ORIGIN, "found"),
        (ORIGIN, "stale-copy"),
        ("https://b.example", "not-found"),
    ]
    pq.write_table(table.drop_columns(["body"]), tmp_path / "in.parquet")
    with pytest.raises(MisuseError, match="no column 'body'"):
        build_policies([tmp_path / "in.parquet"], tmp_path / "o.parquet")


def test_tables_are_merged_across_the_seam(tmp_path: Path) -> None:
    """An outage in one table has the copy that the other one saw; equal rows are there once."""
    first = write_warc(tmp_path / "1.warc.gz", [response(ADDRESS, NOON, 200, CLOSED)])
    second = write_warc(
        tmp_path / "2.warc.gz",
        [response(ADDRESS, NOON, 200, CLOSED), response(ADDRESS, NOON + DAY, 503)],
    )
    down = write_warc(tmp_path / "3.warc.gz", [response(ADDRESS, NOON + DAY, 503)])
    for number, warc in enumerate((first, second, down), 1):
        build_policies([warc], tmp_path / f"{number}.parquet")
    merge_policies([tmp_path / "1.parquet", tmp_path / "3.parquet"], tmp_path / "m.arrow")
    merge_policies([tmp_path / f"{number}.parquet" for number in (3, 2, 1)], tmp_path / "n.arrow")
    assert [row["reason"] for row in rows(tmp_path / "3.parquet")] == ["service-unavailable"]
    for name in ("m", "n"):
        found = rows(tmp_path / f"{name}.arrow")
        assert [(row["reason"], row["stale"]) for row in found] == [
            ("found", False),
            ("stale-copy", True),
        ]


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_an_opened_table_answers_as_its_timeline(tmp_path: Path, ending: str) -> None:
    """Both forms, in the dialect of the table and in another one."""
    warc = write_warc(
        tmp_path / "1.warc.gz",
        [response(ADDRESS, NOON, 200, CLOSED), response(ADDRESS, NOON + DAY, 404)],
    )
    path = tmp_path / f"o.{ending}"
    build_policies([warc], path)
    times = [NOON - DAY, NOON, NOON + DAY + timedelta(minutes=9), NOON + 3 * DAY]
    timeline = policy_timeline(path, ORIGIN)
    urls = pa.array([f"{ORIGIN}/x"] * len(times))
    at = pa.array(times, pa.timestamp("us", tz="UTC"))
    for robot in ("ExampleBot", "Googlebot"):
        found = pa.array(allows(urls, open_policies(path), robot, at)).to_pylist()
        then = [timeline.at(time).may_fetch(f"{ORIGIN}/x", robot) for time in times]
        assert found == [None if one is None else one.allowed for one in then]
        assert found == [None, False, True, None]


def test_tables_without_a_row_are_not_merged(tmp_path: Path) -> None:
    """An older table stays as it is."""
    pq.write_table(arrow_schema().empty_table(), tmp_path / "none.parquet")
    old = tmp_path / "old.parquet"
    old.write_bytes(b"old")
    with pytest.raises(MisuseError, match=r"have no rows, so .* was not written"):
        merge_policies([tmp_path / "none.parquet"], old)
    assert old.read_bytes() == b"old"


def test_a_folder_that_cannot_be_read_says_what_to_do(tmp_path: Path) -> None:
    """Times without a zone, Parquet files, and nothing."""
    (tmp_path / "a.example").mkdir()
    with pytest.raises(MisuseError, match="no WARC files, no crawl and no HOST/TIME"):
        build_policies([tmp_path], tmp_path / "o.parquet")
    dated = tmp_path / "a.example" / "2026-01-01T000000.txt"
    dated.write_bytes(OPEN)
    with pytest.raises(MisuseError, match=r"has no zone; rename it to 2026-01-01T000000Z\.txt"):
        build_policies([tmp_path], tmp_path / "o.parquet")
    dated.rename(tmp_path / "a.example" / "x.parquet")
    with pytest.raises(MisuseError, match=r"named one by one or as a pattern: '.*/\*\.parquet'"):
        build_policies([tmp_path], tmp_path / "o.parquet")


def test_a_table_of_another_version_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    """The message says how to fix it, whatever the form."""
    warc = write_warc(tmp_path / "1.warc.gz", [response(ADDRESS, NOON, 200, CLOSED)])
    for ending in ("parquet", "arrow"):
        path = tmp_path / f"o.{ending}"
        build_policies([warc], path)
        table = open_table(path)
        newer = table.replace_schema_metadata({**table.schema.metadata, VERSION_KEY: b"2"})
        path.unlink()
        if ending == "parquet":
            pq.write_table(newer, path)
        else:
            with pa.ipc.new_file(str(path), newer.schema) as file:
                file.write_table(newer)
        with pytest.raises(MisuseError, match="install a newer goodbot"):
            policy_timeline(path, ORIGIN)
        path.write_bytes(b"garbage")
        with pytest.raises(MisuseError, match="build it again"):
            merge_policies([path], tmp_path / "n.parquet")


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it is full while sorting or while writing the table; an older table stays."""
    warc = write_warc(tmp_path / "1.warc.gz", [response(ADDRESS, NOON, 200, CLOSED)])
    out = tmp_path / "out"
    out.mkdir()
    (out / "o.parquet").write_bytes(b"older")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sorted_runs.RunWriter, "finish", full)
    with pytest.raises(StoreFullError, match="the disk is full"):
        build_policies([warc], out / "o.parquet")
    assert [one.name for one in out.iterdir()] == ["o.parquet"]
    with pytest.raises(StoreError):
        build_policies([warc], tmp_path / "no" / "o.parquet")


INTERRUPTED = """
import sys
from goodbot.tables.building import build_policies

def interrupt(step, done, total):
    if step == "files" and done:
        raise KeyboardInterrupt

if __name__ == "__main__":
    try:
        build_policies(sys.argv[2:], sys.argv[1], progress=interrupt)
    except KeyboardInterrupt:
        print("stopped")
"""


@pytest.mark.stress
def test_ctrl_c_stops_the_other_processes_and_leaves_nothing(tmp_path: Path) -> None:
    """Also while several processes read."""
    warcs = [
        write_warc(tmp_path / f"{n}.warc.gz", [response(ADDRESS, NOON + n * DAY, 200, OPEN)])
        for n in range(3)
    ]
    out, script = tmp_path / "out", tmp_path / "script.py"
    out.mkdir()
    script.write_text(INTERRUPTED)
    done = subprocess.run(  # noqa: S603  our own program
        [sys.executable, script, out / "o.parquet", *warcs],
        capture_output=True, check=False, timeout=HANGS,
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == (b"stopped", b"")
    assert list(out.iterdir()) == []
