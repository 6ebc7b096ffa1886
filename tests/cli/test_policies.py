"""`goodbot policies`: a table is built, shown and merged as its help says."""

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.policy_tables.warc_text import response, write_warc
from tests.support.live_sites import ask

NOON = datetime(2025, 6, 2, 12, tzinfo=timezone.utc)
ADDRESS = "https://a.example/robots.txt"
CLOSED = b"User-agent: *\nDisallow: /\n"


def goodbot(*args: str | Path) -> tuple[int, str, str]:
    """Run the command; return its status, output and messages."""
    return ask(*map(str, args))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return a table with two policies."""
    warc = write_warc(
        tmp_path / "x.warc.gz",
        [
            response(ADDRESS, NOON, 404),
            response(ADDRESS, NOON + timedelta(days=2), 200, CLOSED),
            response("https://b.example/robots.txt", NOON, 302, headers=[("Location", "/x")]),
        ],
    )
    out = tmp_path / "policies.parquet"
    status, printed, told = goodbot("policies", "build", warc, "-o", out)
    assert status == 0, told
    assert "3 policies of 2 sites, from 3 records" in printed
    assert "1 redirect of robots.txt led to what is not in the sources" in printed
    return out


def test_show_prints_each_policy_and_with_a_time_the_one_that_held(table: Path) -> None:
    """Also how old it was, and whether it was current; 1 if none was known yet."""
    _, printed, _ = goodbot("policies", "show", table, "https://a.example/page")
    assert [line.split("  ")[0] for line in printed.splitlines() if line[0] != " "] == [
        "2025-06-02 12:00:00 UTC",
        "2025-06-04 12:00:00 UTC",
    ]
    _, printed, _ = goodbot(
        "policies", "show", table, "https://a.example", "--at", "2025-06-02T13:00:00Z", "--json"
    )
    found = json.loads(printed)
    assert (found["reason"], found["age_seconds"], found["is_current"]) == ("not-found", 3600, True)
    before = goodbot("policies", "show", table, "https://a.example", "--at", "2025-06-01")
    assert before[:2] == (1, "")
    assert "is known before 2025-06-02" in before[2]
    wrong = goodbot("policies", "show", table, "https://a.example", "--at", "noon")
    assert (wrong[0], "2026-01-31T12:00:00Z" in wrong[2]) == (2, True)
    for other in ("ftp://a.example", "a.example"):
        wrong = goodbot("policies", "show", table, other)
        assert (wrong[0], "is not an absolute http or https URL" in wrong[2]) == (2, True)


def test_show_says_where_nothing_is_known(table: Path) -> None:
    """A redirect to what is not in the sources is a line; nothing holds after it."""
    b = "https://b.example"
    status, printed, _ = goodbot("policies", "show", table, b)
    assert status == 0
    assert printed.splitlines()[0] == "2025-06-02 12:00:00 UTC  unknown (not-captured)"
    _, printed, _ = goodbot("policies", "show", table, b, "--json")
    found = json.loads(printed)
    assert (found["access"], found["reason"], found["status"]) == ("unknown", "not-captured", None)
    after = goodbot("policies", "show", table, b, "--at", "2025-06-03")
    assert after[:2] == (1, "")
    assert "is known then: robots.txt redirected to what is not in the sources" in after[2]
    before = goodbot("policies", "show", table, b, "--at", "2025-06-01")
    assert (before[0], "is known before 2025-06-02" in before[2]) == (1, True)


def test_merge_writes_each_row_once_in_another_form(table: Path, tmp_path: Path) -> None:
    """The numbers are printed as JSON."""
    out = tmp_path / "both.arrow"
    status, printed, _ = goodbot("policies", "merge", table, table, "-o", out, "--json")
    found = json.loads(printed)
    assert (status, found["rows"], found["origins"], found["records"]) == (0, 3, 2, 6)
    shown = [goodbot("policies", "show", one, "https://a.example")[1] for one in (table, out)]
    assert shown[0] == shown[1]


def test_a_wrong_name_or_source_ends_with_2_and_a_cure(tmp_path: Path) -> None:
    """Nothing is left behind."""
    status, _, told = goodbot("policies", "build", tmp_path, "-o", tmp_path / "x.csv")
    assert (status, ".parquet" in told) == (2, True)
    status, _, told = goodbot("policies", "build", tmp_path, "-o", tmp_path / "x.parquet")
    assert (status, "HOST/TIME.txt" in told) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_sources_that_are_damaged_or_have_nothing_end_with_2(tmp_path: Path) -> None:
    """What could be read is written; a script learns that it is not all, or that it is nothing."""
    out = tmp_path / "out.parquet"
    whole = write_warc(tmp_path / "x.warc.gz", [response(ADDRESS, NOON, 404)] * 2)
    content = whole.read_bytes()
    whole.write_bytes(content[:-5])
    status, printed, _ = goodbot("policies", "build", whole, "-o", out)
    assert (status, "1 policy of 1 site" in printed, "damaged" in printed) == (2, True, True)
    for begin, lost in (
        (content[:20], "Not read, because files are damaged: 20 bytes"),
        (b"", None),
    ):
        whole.write_bytes(begin)
        status, printed, told = goodbot("policies", "build", whole, "-o", out)
        assert (status, "no source has an answer for a robots.txt" in told) == (2, True)
        assert ("Not read" in printed) == (lost is not None)
        assert lost is None or lost in printed


def test_what_permits_nothing_does_not_permit_until(tmp_path: Path) -> None:
    """The time says when it is to be requested again."""
    out = tmp_path / "out.parquet"
    warc = write_warc(tmp_path / "x.warc.gz", [response(ADDRESS, NOON, 503)])
    assert goodbot("policies", "build", warc, "-o", out)[0] == 0
    printed = goodbot("policies", "show", out, "https://a.example")[1]
    assert "disallow-all (service-unavailable), to be requested again from 2025-06-02" in printed
    assert "permits" not in printed
