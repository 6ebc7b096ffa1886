"""A table that is built from WARC files has the policies that an import of the same files has."""

import gzip
import signal
import subprocess
import sys
import threading
import zipfile
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot import MisuseError
from goodbot.crawl.imports.file_timelines import FileTimelines
from goodbot.crawl.imports.survey import Survey
from goodbot.history import PolicyTimeline
from goodbot.tables.building import (
    build_policies,
    building,
    merge_policies,
    open_policies,
    policy_timeline,
    sorted_runs,
)
from goodbot.tables.building.building import build_table
from goodbot.tables.columns import allows, verdicts
from goodbot.tables.columns.fact_rows import Reckoned
from goodbot.tables.columns.reckoning import reckon_columns
from tests.support.examples import examples
from tests.tables.building.warc_text import record, response, write_warc

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
    """It is counted and is a row; a target that was captured a day later does not count."""
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
    rows = pq.read_table(tmp_path / "o.parquet").to_pylist()
    assert short(rows) == [
        (B, NOON + 24 * HOUR, "rules", "found"),
        (A, NOON, "unknown", "not-captured"),
        ("https://c.example", NOON, "unknown", "not-captured"),
    ]
    assert [row["hops"] for row in rows[1:]] == [[f"{B}/robots.txt"], ["https://c.example/nowhere"]]
    assert rows[1]["final_url"] == f"{B}/robots.txt"
    facts = ("status", "failure", "body", "stale", "failing_since")
    assert [rows[1][name] for name in facts] == [None, "not-captured", None, False, None]


LOST = [("Location", f"{B}/robots.txt")]


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "koster1994"])
def test_after_a_redirect_that_is_lost_nothing_is_known(tmp_path: Path, dialect: str) -> None:
    """Neither an older policy nor a later outage permits anything, until an answer is known.

    RFC 9309 section 2.3.1.2: what the target says counts. What is unknown is no permission.
    """
    rules = b"User-agent: *\nDisallow: /p\n"
    records = [
        robots(A, 0, 200, rules), robots(A, 2, 301, headers=LOST), robots(A, 9, 200, rules),
        robots(A, 10, 302, headers=LOST), robots(A, 11, 503),
    ]  # fmt: skip
    warc = write_warc(tmp_path / "x.warc.gz", records)
    build_policies([warc], tmp_path / "o.parquet", dialect=dialect)
    timeline = policy_timeline(tmp_path / "o.parquet", A)
    urls, hours = [f"{A}/x", f"{A}/p"], (1, 2, 5, 9.5, 10.5, 12)
    expected = [True, False, None, None, None, None, True, False, None, None, False, False]
    policies = open_policies(tmp_path / "o.parquet")
    at = [NOON + hour * HOUR for hour in hours for _ in urls]
    found = verdicts(urls * len(hours), policies, "ExampleBot", at, explain=True).to_pydict()
    assert found["ExampleBot"] == expected
    assert found["ExampleBot:reason"][2:4] == ["unknown", "unknown"]
    assert found["ExampleBot:policy"][2:4] == [1, 1]
    assert found["age"][4] == 3 * HOUR
    for time, url, allowed in zip(at, urls * len(hours), expected, strict=True):
        one = timeline.at(time).may_fetch(url, "ExampleBot")
        assert (None if one is None else one.allowed) is allowed


def test_a_lost_redirect_stays_one_when_tables_are_merged(tmp_path: Path) -> None:
    """And in another dialect, and read by another library."""
    records = [robots(A, 0, 200, OPEN), robots(A, 2, 301, headers=LOST)]
    build_policies([write_warc(tmp_path / "x.warc.gz", records)], tmp_path / "o.parquet")
    merge_policies([tmp_path / "o.parquet"] * 2, tmp_path / "m.arrow", dialect="google")
    assert policy_timeline(tmp_path / "m.arrow", A).unknown_from == (NOON + 2 * HOUR,)
    table = open_policies(tmp_path / "m.arrow")
    at = [NOON + HOUR, NOON + 3 * HOUR]
    for robot in ("ExampleBot", "YandexBot"):
        assert allows([f"{A}/x"] * 2, table, robot, at).tolist() == [True, None]


def test_a_lost_redirect_beside_an_answer_of_the_same_time(tmp_path: Path) -> None:
    """What the answer forbids counts; what it permits does not, as nobody knows which came last."""
    rules = b"User-agent: *\nDisallow: /p\n"
    records = [robots(A, 0, 301, headers=LOST), robots(A, 0, 200, rules), robots(A, 1, 200, rules)]
    build_policies([write_warc(tmp_path / "x.warc.gz", records)], tmp_path / "o.parquet")
    table = open_policies(tmp_path / "o.parquet")
    then = policy_timeline(tmp_path / "o.parquet", A).at(NOON)
    for path, allowed in (("/x", None), ("/p", False)):
        assert allows([f"{A}{path}"], table, "ExampleBot", NOON).tolist() == [allowed]
        one = then.may_fetch(f"{A}{path}", "ExampleBot")
        assert (None if one is None else one.allowed) is allowed


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
    """A cut line is dropped, a failed transfer allows nothing; reading goes on behind damage."""
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
        ("https://d.example", "cut-short"),
    ]
    assert rows[2]["body"] == b"User-agent: *\nDisallow: /a\n"
    assert rows[2]["truncated"]


def coded(content: bytes, coding: str, **more: Any) -> bytes:  # noqa: ANN401  those of `response`
    """Return the record of a robots.txt that says it is coded, two hours after noon."""
    return robots(A, 2, 200, content, headers=[("Content-Encoding", coding)], **more)


UNREADABLE = {
    "a gzip that is cut": (coded(gzip.compress(CLOSED * 50)[:-12], "gzip"), "cut-short"),
    "a zstd that is none": (coded(b"\x28\xb5\x2f\xfdgarbage", "zstd"), "cut-short"),
    "an unknown coding": (coded(CLOSED, "compress"), "cut-short"),
    "a length": (robots(A, 2, 200, OPEN, headers=[("Content-Length", "5000")]), "cut-short"),
    "a 404 with a length": (robots(A, 2, 404, b"", headers=[("Content-Length", "9")]), "not-found"),
    "a status 0": (robots(A, 2, 0, OPEN), "stale-copy"),
    "no HTTP": (
        record(f"{A}/robots.txt", NOON + 2 * HOUR, b"hello", kind="response"),
        "stale-copy",
    ),
}


@pytest.mark.parametrize(("damaged", "reason"), UNREADABLE.values(), ids=UNREADABLE)
def test_an_answer_that_cannot_be_read_is_a_row(
    tmp_path: Path, damaged: bytes, reason: str
) -> None:
    """Without it, an older policy would go on permitting (RFC 9309 sections 2.3.1.4 and 2.4)."""
    warc = write_warc(tmp_path / "x.warc.gz", [robots(A, 0, 200, OPEN), damaged])
    summary = build_policies([warc], tmp_path / "o.parquet")
    assert (summary.rows, summary.unreadable) == (2, 1)
    last = policy_timeline(tmp_path / "o.parquet", A).learned[-1]
    assert (last.at, last.policy.reason) == (NOON + 2 * HOUR, reason)


def test_after_a_revisit_of_what_is_not_in_the_file_nothing_is_known(tmp_path: Path) -> None:
    """It says that there was another answer: an older policy must not go on permitting."""
    lost = record(
        f"{A}/robots.txt", NOON + HOUR, b"HTTP/1.1 200 OK\r\n\r\n", kind="revisit",
        fields="WARC-Payload-Digest: sha1:B\r\n",
    )  # fmt: skip
    warc = write_warc(tmp_path / "x.warc.gz", [robots(A, 0, 200, OPEN), lost])
    summary = build_policies([warc], tmp_path / "o.parquet")
    assert (summary.rows, summary.unreadable) == (2, 1)
    table = open_policies(tmp_path / "o.parquet")
    times = [NOON + hours * HOUR for hours in (0.5, 1.5)]
    found = verdicts([f"{A}/a"] * 2, table, "ExampleBot", times, explain=True).to_pydict()
    assert found["ExampleBot"] == [True, None]
    assert found["ExampleBot:reason"] == ["no-rule-matches", "unknown"]


@pytest.mark.parametrize("coding", ["gzip", "GZIP", "x-gzip", "zstd"])
def test_a_content_that_was_decoded_is_read_as_it_is(tmp_path: Path, coding: str) -> None:
    """Some crawlers decode it, and keep the field."""
    (row,) = built(tmp_path, coded(CLOSED, coding))
    assert (row["reason"], row["body"]) == ("found", CLOSED)


def test_an_answer_without_a_time_is_counted(tmp_path: Path) -> None:
    """It can be in no row; answers of other URLs are not counted."""
    dateless = [
        robots(A, 0, 200, OPEN), response(f"{B}/page", NOON, 200, OPEN)
    ]  # fmt: skip
    damaged = [
        gzip.compress(gzip.decompress(one).replace(b"2025-06-02T12:00:00Z", b"20250602120000"))
        for one in dateless
    ]
    warc = write_warc(tmp_path / "x.warc.gz", [*damaged, robots(B, 0, 404)])
    summary = build_policies([warc], tmp_path / "o.parquet")
    assert (summary.rows, summary.unreadable) == (1, 1)


def test_behind_a_damaged_member_nothing_is_read_and_that_is_counted(tmp_path: Path) -> None:
    """Where the next record begins is unknown there."""
    damaged = bytearray(robots(A, 0, 200, OPEN))
    damaged[-6] ^= 0xFF
    records = [robots(B, 0, 404), bytes(damaged), robots(B, 1, 410)]
    warc = write_warc(tmp_path / "x.warc.gz", records)
    summary = build_policies([warc], tmp_path / "o.parquet")
    assert (summary.rows, summary.unread) == (1, len(records[1]) + len(records[2]))


@pytest.mark.stress
def test_every_damaged_file_is_named(tmp_path: Path) -> None:
    """Also one in a WACZ file, with the reason, whatever reads them; whole files are not."""
    whole = write_warc(tmp_path / "1.warc.gz", [robots(A, 0, 404)])
    cut = write_warc(tmp_path / "2.warc.gz", [robots(A, 1, 404), robots(B, 0, 404)])
    cut.write_bytes(cut.read_bytes()[:-9])
    with zipfile.ZipFile(tmp_path / "3.wacz", "w") as package:
        package.writestr("archive/x.warc.gz", whole.read_bytes())
        package.writestr("datapackage.json", '{"resources": []}')
    summary = build_policies([whole, cut, tmp_path / "3.wacz"], tmp_path / "o.parquet")
    assert [(one.file, one.unread, one.why) for one in summary.damaged] == [
        (
            str(cut), len(robots(B, 0, 404)) - 9,
            "a record is damaged or incomplete; fetch the file again",
        ),
        (
            f"{tmp_path / '3.wacz'}/archive/x.warc.gz", whole.stat().st_size,
            "datapackage.json does not list it",
        ),
    ]  # fmt: skip
    assert summary.unread == sum(one.unread for one in summary.damaged)


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
    assert not last.may_fetch(f"{A}/x", "ExampleBot")


@pytest.mark.parametrize(
    ("status", "fields"),
    [(403, ("cf-mitigated", "challenge")), (200, ("Cache-Control", "max-age=60"))],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_answers_of_one_second_differ_in_their_fields(
    tmp_path: Path, status: int, fields: tuple[str, str], *, is_first: bool
) -> None:
    """Both must allow a URL, in whatever order they are in the file."""
    records = [robots(A, 0, status, OPEN), robots(A, 0, status, OPEN, headers=[fields])]
    warc = write_warc(tmp_path / "x.warc.gz", records if is_first else records[::-1])
    build_policies([warc], tmp_path / "o.parquet")
    with closing(Survey([warc])) as survey:
        survey.read()
        timelines = [
            policy_timeline(tmp_path / "o.parquet", A),
            FileTimelines(survey, "rfc9309").of(A),
        ]
    for timeline in timelines:
        assert len(timeline.learned) == 2
    then = timelines[0].at(NOON + 2 * HOUR)
    assert not then.may_fetch(f"{A}/x", "ExampleBot")


TARGETS = [f"{A}/robots.txt", f"{B}/robots.txt", f"{B}/r.txt", "/r.txt", "/robots.txt", "ftp://x/"]
HEADERS = st.lists(
    st.sampled_from(
        [
            ("ETag", '"a"'),
            ("Cache-Control", "max-age=60"),
            ("Retry-After", "60"),
            ("cf-mitigated", "challenge"),
        ]
    ),
    max_size=1,
)
RECORDS = st.lists(
    st.tuples(
        st.sampled_from([f"{A}/robots.txt", f"{B}/robots.txt", f"{B}/r.txt", f"{A}/r.txt"]),
        st.integers(0, 200),
        st.sampled_from([200, 200, 301, 302, 304, 404, 503, 403]),
        st.sampled_from([OPEN, CLOSED, CLOSED.replace(b"*", b"a"), b"", b"<html>"]),
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

    # An import finds targets behind redirects.
    order = sorted(found, key=lambda one: (one[1], one[0].endswith("r.txt"), one[2] // 100 != 3))
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
        # Without an answer there is no table, and in the import no policy.
        rows = build_table([warc], table).rows
        survey = Survey([warc])
        try:
            survey.read()
            policies = FileTimelines(survey, "rfc9309")
            for origin in (A, B):
                of_table = policy_timeline(table, origin) if rows else PolicyTimeline(())
                of_import = policies.of(origin)
                assert by_time(of_table.learned) == by_time(of_import.learned)
                assert set(of_table.unknown_from) == set(of_import.unknown_from)
        finally:
            survey.close()


def by_time(learned: Any) -> dict[datetime, list[Reckoned]]:  # noqa: ANN401  of a timeline
    """Return what held from each time on, each once, in any order."""
    found: dict[datetime, list[Reckoned]] = {}
    for one in learned:
        here = found.setdefault(one.at, [])
        if reckon_columns(one.policy) not in here:
            here.append(reckon_columns(one.policy))
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
        ("x.txt", b"User-agent: *", "name WARC, ARC or WACZ files"),
        ("x.warc.gz", b"PK\x03\x04zip", "fetch it again, or name other WARC, ARC or WACZ files"),
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
    no_answers = [
        record(f"{A}/robots.txt", NOON, b"GET / HTTP/1.1\r\n\r\n", kind="request"),
        record("dns:a.example", NOON, b"1.2.3.4"),
        response(f"{A}/page", NOON, 200, OPEN),
    ]
    assert len(built(tmp_path, *no_answers, robots(A, 0, 404))) == 1
    with pytest.raises(MisuseError, match="no source has an answer"):
        built(tmp_path, *no_answers)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="Windows has no signal masks")
@pytest.mark.parametrize("by_thread", [False, True])
def test_ctrl_c_does_not_reach_a_process_that_begins(*, by_thread: bool) -> None:
    """It would print what it imports; here it comes when the process has begun.

    Any thread of this process may receive it, such as one of pyarrow's.
    """
    stopping = threading.Event()
    thread = threading.Thread(target=stopping.wait, daemon=True)
    thread.start()
    code = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))"
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    has_ended = False
    with pytest.raises(KeyboardInterrupt), building.block_interrupts():  # noqa: PT012
        signal.pthread_kill((by_thread and thread.ident) or threading.get_ident(), signal.SIGINT)
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-c", code], capture_output=True, check=True
        )
        assert done.stdout == b"True\n"
        has_ended = True
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before
    assert has_ended
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    stopping.set()
    thread.join()
