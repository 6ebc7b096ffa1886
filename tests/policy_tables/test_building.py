"""A table that is built from WARC files has the policies that an import of the same files has."""

import gzip
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot import MisuseError
from goodbot.columns.fact_rows import Reckoned
from goodbot.columns.reckoning import reckoned
from goodbot.crawl.imports.file_policies import FilePolicies
from goodbot.crawl.imports.survey import Survey
from goodbot.policy_tables import build_policies, policy_timeline, sorted_runs
from tests.policy_tables.warc_text import record, response, write_warc
from tests.support.examples import examples

NOON = datetime(2025, 6, 2, 12, tzinfo=timezone.utc)
HOUR = timedelta(hours=1)
A, B = "https://a.example", "http://b.example:8080"
OPEN, CLOSED = b"User-agent: *\nDisallow:\n", b"User-agent: *\nDisallow: /\n"


def built(tmp_path: Path, *records: bytes, name: str = "x.warc.gz") -> list[dict[str, Any]]:
    """Return the rows of a table that is built from records."""
    warc, table = write_warc(tmp_path / name, records), tmp_path / "policies.parquet"
    build_policies([warc], table)
    rows: list[dict[str, Any]] = pq.read_table(table).to_pylist()
    return rows


def short(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return what is compared most."""
    return [(row["origin"], row["valid_from"], row["access"], row["reason"]) for row in rows]


def robots(origin: str, hours: float, status: int, body: bytes = b"", **more: Any) -> bytes:  # noqa: ANN401  those of `response`
    """Return the record of an answer for a robots.txt."""
    return response(f"{origin}/robots.txt", NOON + hours * HOUR, status, body, **more)


def test_a_policy_that_changed_has_two_rows_in_order(tmp_path: Path) -> None:
    """Whatever the order in the file; the times are those of the captures."""
    rows = built(tmp_path, robots(B, 0, 404), robots(A, 30, 200, CLOSED), robots(A, 0, 200, OPEN))
    assert short(rows) == [
        (B, NOON, "allow-all", "not-found"),
        (A, NOON, "rules", "found"),
        (A, NOON + 30 * HOUR, "rules", "found"),
    ]
    assert [row["body"] for row in rows] == [None, OPEN, CLOSED]


def test_an_outage_leaves_the_copy_in_force_and_is_a_row(tmp_path: Path) -> None:
    """A 304 confirms the copy; an outage without a copy disallows everything."""
    rows = built(
        tmp_path,
        robots(A, 0, 200, CLOSED, headers=[("ETag", '"a"')]),
        robots(A, 25, 304, headers=[("ETag", '"a"')]),
        robots(A, 50, 503),
        robots(B, 0, 503),
    )
    assert [(row["reason"], row["stale"], row["body"]) for row in rows] == [
        ("service-unavailable", False, None),
        ("found", False, CLOSED),
        ("not-modified", False, CLOSED),
        ("stale-copy", True, CLOSED),
    ]


def test_a_redirect_has_the_file_of_its_target_from_when_it_was_asked(tmp_path: Path) -> None:
    """The chain is a fact of the row; the target may be in the file of another host."""
    rows = built(
        tmp_path,
        robots(A, 0, 301, headers=[("Location", f"{B}/moved.txt")]),
        response(f"{B}/moved.txt", NOON + HOUR / 60, 302, headers=[("Location", "/r.txt")]),
        response(f"{B}/r.txt", NOON + HOUR / 30, 200, CLOSED),
    )
    assert short(rows) == [(A, NOON, "rules", "found")]
    assert rows[0]["hops"] == [f"{B}/moved.txt", f"{B}/r.txt"]
    assert rows[0]["final_url"] == f"{B}/r.txt"
    assert rows[0]["answered"] == NOON + HOUR / 30


def test_a_redirect_whose_target_is_not_in_the_files_makes_nothing_known(tmp_path: Path) -> None:
    """It is counted; a target that was captured a day later does not count."""
    warc = write_warc(
        tmp_path / "x.warc.gz",
        [
            robots(A, 0, 301, headers=[("Location", f"{B}/robots.txt")]),
            robots(B, 24, 200, CLOSED),
            robots("https://c.example", 0, 302, headers=[("Location", "/nowhere")]),
        ],
    )
    summary = build_policies([warc], tmp_path / "o.parquet")
    assert summary.lost_redirects == 2
    assert summary.origins == 1


def test_a_loop_of_redirects_is_a_row(tmp_path: Path) -> None:
    """It is what the policy layer makes of it."""
    rows = built(
        tmp_path,
        robots(A, 0, 301, headers=[("Location", f"{B}/robots.txt")]),
        robots(B, 0, 301, headers=[("Location", f"{A}/robots.txt")]),
    )
    assert {row["reason"] for row in rows} == {"redirect-loop"}
    assert len(rows) == 2


def test_a_date_of_the_server_is_not_believed_outside_of_the_span_of_the_file(
    tmp_path: Path,
) -> None:
    """The answer came at some time in the span; a date that is not the server's is believed."""
    wrong = NOON - timedelta(days=400)
    date = [("Date", f"{wrong:%a, %d %b %Y %H:%M:%S} GMT")]
    span = "CC-MAIN-20250602110000-20250602140000-00000.warc.gz"
    rows = built(
        tmp_path,
        response(f"{A}/robots.txt", wrong, 200, CLOSED, date),
        response(f"{B}/robots.txt", wrong, 200, CLOSED),
        name=span,
    )
    assert [(row["origin"], row["asked"], row["answered"]) for row in rows] == [
        (B, None, wrong),
        (A, NOON - HOUR, NOON + 2 * HOUR),
    ]


def test_truncated_and_damaged_records_permit_nothing_that_was_cut(tmp_path: Path) -> None:
    """A cut line is dropped; a transfer that failed is no answer; reading goes on behind damage."""
    cut = response(
        f"{A}/robots.txt", NOON, 200, b"User-agent: *\nDisallow: /a\nDisallow: /b",
        fields="WARC-Truncated: length\r\n",
    )  # fmt: skip
    short_of = robots("https://d.example", 0, 200, OPEN, headers=[("Content-Length", "1000")])
    broken = gzip.compress(b"WARC/9 nonsense\r\n\r\n")
    rows = built(tmp_path, robots(B, 0, 404), cut, broken, short_of, robots(B, 1, 410))
    assert [(row["origin"], row["reason"]) for row in rows] == [
        (B, "not-found"),
        (B, "gone"),
        (A, "found"),
    ]
    assert rows[2]["body"] == b"User-agent: *\nDisallow: /a\n"
    assert rows[2]["truncated"]


def test_behind_a_damaged_member_nothing_is_read_and_that_is_counted(tmp_path: Path) -> None:
    """Where the next record begins is unknown there."""
    damaged = bytearray(robots(A, 0, 200, OPEN))
    damaged[-6] ^= 0xFF
    records = [robots(B, 0, 404), bytes(damaged), robots(B, 1, 410)]
    warc = write_warc(tmp_path / "x.warc.gz", records)
    summary = build_policies([warc], tmp_path / "o.parquet")
    assert (summary.rows, summary.unread) == (1, len(records[1]) + len(records[2]))


def test_too_many_answers_for_one_url_allow_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are omitted, and from the earliest of them on nothing is allowed."""
    monkeypatch.setattr(sorted_runs, "MOST_OF_ONE", 2_000)
    records = [robots(A, hours, 200, b"#" * 500 + OPEN) for hours in range(8)]
    warc = write_warc(tmp_path / "x.warc.gz", records)
    summary = build_policies([warc], tmp_path / "o.parquet")
    assert summary.omitted == 6
    last = policy_timeline(tmp_path / "o.parquet", A).at(NOON + 2 * HOUR)
    assert not last.verdict(f"{A}/x", "ExampleBot")


TARGETS = [f"{A}/robots.txt", f"{B}/robots.txt", f"{B}/r.txt", "/r.txt", "/robots.txt", "ftp://x/"]
HEADERS = st.lists(
    st.sampled_from([("ETag", '"a"'), ("Cache-Control", "max-age=60"), ("Retry-After", "60")]),
    max_size=1,
)
RECORDS = st.lists(
    st.tuples(
        st.sampled_from([f"{A}/robots.txt", f"{B}/robots.txt", f"{B}/r.txt", f"{A}/r.txt"]),
        st.integers(0, 200),
        st.sampled_from([200, 200, 301, 302, 304, 404, 503, 403]),
        st.sampled_from([OPEN, CLOSED, b"", b"<html>"]),
        HEADERS,
        st.sampled_from(TARGETS),
    ),
    max_size=10,
)


@examples(120)
@given(RECORDS)
def test_a_table_has_the_policies_that_an_import_has(found: list[Any]) -> None:
    """The same files: every policy at every time, also of redirects, ties, outages and 304s."""
    import tempfile  # noqa: PLC0415  hypothesis refuses tmp_path

    order = sorted(found, key=lambda one: one[1])  # an import finds targets behind redirects
    with tempfile.TemporaryDirectory() as folder:
        records = [
            response(
                url, NOON + timedelta(minutes=10 * at), status, body,
                [*headers, *([("Location", target)] if status in {301, 302} else [])],
            )
            for url, at, status, body, headers, target in order
        ]  # fmt: skip
        warc = write_warc(Path(folder, "robotstxt", "x.warc.gz"), records)
        table = Path(folder, "o.parquet")
        build_policies([warc], table)
        survey = Survey([warc])
        try:
            survey.read()
            policies = FilePolicies(survey, "rfc9309")
            for origin in (A, B):
                assert by_time(policy_timeline(table, origin).learned) == by_time(
                    policies.of(origin).learned
                )
        finally:
            survey.close()


def by_time(learned: Any) -> dict[datetime, list[Reckoned]]:  # noqa: ANN401  of a timeline
    """Return what held from each time on, each once, in any order."""
    found: dict[datetime, list[Reckoned]] = {}
    for one in learned:
        here = found.setdefault(one.at, [])
        if reckoned(one.policy) not in here:
            here.append(reckoned(one.policy))
    return {at: sorted(here, key=str) for at, here in found.items()}


def test_many_runs_and_ranges_give_the_same_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However little memory there is, and however many processes read."""
    records = [
        robots(f"https://s{number % 97}.example", number, 200 if number % 5 else 404, CLOSED)
        for number in range(500)
    ]
    files = [write_warc(tmp_path / f"{part}.warc.gz", records[part::3]) for part in range(3)]
    build_policies(files, tmp_path / "a.parquet")
    monkeypatch.setattr(sorted_runs, "RUN_BYTES", 10_000)
    monkeypatch.setattr(sorted_runs, "BATCH_BYTES", 500)
    monkeypatch.setattr(sorted_runs, "RANGE_BATCHES", 3)
    build_policies(files, tmp_path / "b.parquet", workers=1)
    first, second = (pq.read_table(tmp_path / f"{name}.parquet") for name in "ab")
    assert first.num_rows == 500
    assert first.to_pylist() == second.to_pylist()


@pytest.mark.parametrize(
    ("name", "content", "cure"),
    [
        ("x.txt", b"User-agent: *", "name WARC or WACZ files"),
        ("x.warc.gz", b"PK\x03\x04zip", "name WARC or WACZ files"),
    ],
)
def test_a_wrong_source_is_refused_and_leaves_no_file(
    tmp_path: Path, name: str, content: bytes, cure: str
) -> None:
    """The message says how to fix it, and nothing of the table remains."""
    source = tmp_path / name
    source.write_bytes(content)
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(MisuseError, match=cure):
        build_policies([source], out / "o.parquet")
    assert list(out.iterdir()) == []


def test_what_is_no_capture_is_skipped(tmp_path: Path) -> None:
    """Records of requests, without a date, or of other URLs are not answers."""
    rows = built(
        tmp_path,
        record(f"{A}/robots.txt", NOON, b"GET / HTTP/1.1\r\n\r\n", kind="request"),
        record("dns:a.example", NOON, b"1.2.3.4"),
        response(f"{A}/page", NOON, 200, OPEN),
    )
    assert rows == []
