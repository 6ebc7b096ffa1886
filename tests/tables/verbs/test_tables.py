"""`goodbot tables`: a table is built, shown and merged as its help says."""

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.support.live_sites import ask
from tests.tables.building.warc_text import response, write_warc

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
    status, printed, told = goodbot("tables", "build", warc, "-o", out)
    assert status == 0, told
    assert "3 policies of 2 sites, from 3 records" in printed
    assert "1 redirect of robots.txt led to what is not in the sources" in printed
    return out


def test_show_prints_each_policy_and_with_a_time_the_one_that_held(table: Path) -> None:
    """Also how old it was, and whether it was current; 1 if none was known yet."""
    _, printed, _ = goodbot("tables", "show", table, "https://a.example/page")
    assert [line.split("  ")[0] for line in printed.splitlines() if line[0] != " "] == [
        "2025-06-02 12:00:00 UTC",
        "2025-06-04 12:00:00 UTC",
    ]
    _, printed, _ = goodbot(
        "tables", "show", table, "https://a.example", "--at", "2025-06-02T13:00:00Z", "--json"
    )
    found = json.loads(printed)
    assert (found["reason"], found["age_seconds"], found["is_current"]) == ("not-found", 3600, True)
    before = goodbot("tables", "show", table, "https://a.example", "--at", "2025-06-01")
    assert before[:2] == (1, "")
    assert "is known before 2025-06-02" in before[2]
    wrong = goodbot("tables", "show", table, "https://a.example", "--at", "noon")
    assert (wrong[0], "2026-01-31T12:00:00Z" in wrong[2]) == (2, True)
    for other in ("ftp://a.example", "a.example"):
        wrong = goodbot("tables", "show", table, other)
        assert (wrong[0], "is not an absolute http or https URL" in wrong[2]) == (2, True)


def test_show_says_where_nothing_is_known(table: Path) -> None:
    """A redirect to what is not in the sources is a line; nothing holds after it."""
    b = "https://b.example"
    status, printed, _ = goodbot("tables", "show", table, b)
    assert status == 0
    assert printed.splitlines()[0] == "2025-06-02 12:00:00 UTC  unknown (not-captured)"
    _, printed, _ = goodbot("tables", "show", table, b, "--json")
    found = json.loads(printed)
    assert (found["access"], found["reason"], found["status"]) == ("unknown", "not-captured", None)
    after = goodbot("tables", "show", table, b, "--at", "2025-06-03")
    assert after[:2] == (1, "")
    assert "is known then: robots.txt redirected to what is not in the sources" in after[2]
    before = goodbot("tables", "show", table, b, "--at", "2025-06-01")
    assert (before[0], "is known before 2025-06-02" in before[2]) == (1, True)


def test_merge_writes_each_row_once_in_another_form(table: Path, tmp_path: Path) -> None:
    """The numbers are printed as JSON."""
    out = tmp_path / "both.arrow"
    status, printed, _ = goodbot("tables", "merge", table, table, "-o", out, "--json")
    found = json.loads(printed)
    assert (status, found["rows"], found["origins"], found["records"]) == (0, 3, 2, 6)
    shown = [goodbot("tables", "show", one, "https://a.example")[1] for one in (table, out)]
    assert shown[0] == shown[1]


def test_a_wrong_name_or_source_ends_with_2_and_a_cure(tmp_path: Path) -> None:
    """Nothing is left behind."""
    status, _, told = goodbot("tables", "build", tmp_path, "-o", tmp_path / "x.csv")
    assert (status, ".parquet" in told) == (2, True)
    status, _, told = goodbot("tables", "build", tmp_path, "-o", tmp_path / "x.parquet")
    assert (status, "HOST/TIME.txt" in told) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_sources_that_are_damaged_or_have_nothing_end_with_2(tmp_path: Path) -> None:
    """What could be read is written; a script learns that it is not all, or that it is nothing."""
    out = tmp_path / "out.parquet"
    whole = write_warc(tmp_path / "x.warc.gz", [response(ADDRESS, NOON, 404)] * 2)
    content = whole.read_bytes()
    whole.write_bytes(content[:-5])
    status, printed, told = goodbot("tables", "build", whole, "-o", out)
    assert (status, "1 policy of 1 site" in printed) == (2, True)
    lost = len(content) // 2 - 5
    assert f"{whole}: {lost} bytes not read, because a record is damaged or incomplete; " in told
    assert "fetch the file again" in told
    status, printed, told = goodbot("tables", "build", whole, "-o", out, "--json")
    found = json.loads(printed)
    assert [(one["file"], one["unread"]) for one in found["damaged"]] == [(str(whole), lost)]
    assert (status, found["unread"]) == (2, lost)


@pytest.mark.parametrize("begin", [None, 20, 0])
def test_where_no_source_has_an_answer_the_old_table_stays(
    table: Path, tmp_path: Path, begin: int | None
) -> None:
    """Of pages, of the beginning of a file, and of an empty one: the message says what to name."""
    before = table.read_bytes()
    pages = write_warc(tmp_path / "p.warc.gz", [response("https://a.example/", NOON, 200, b"x")])
    pages.write_bytes(pages.read_bytes()[:begin])
    status, printed, told = goodbot("tables", "build", pages, "-o", table)
    assert (status, printed, table.read_bytes() == before) == (2, "", True)
    assert "no source has an answer for a robots.txt" in told
    assert "Common Crawl those of the set robotstxt" in told
    assert (f"{pages} (20 bytes: a record is damaged" in told) == (begin == 20)
    assert (f"{pages} (0 bytes: it is empty)" in told) == (begin == 0)
    status, printed, _ = goodbot("tables", "build", pages, "-o", tmp_path / "n.arrow", "--json")
    assert (status, json.loads(printed)["rows"]) == (2, 0)
    assert not (tmp_path / "n.arrow").exists()


def test_a_source_without_an_answer_among_others_is_named(tmp_path: Path) -> None:
    """The table has the others, and the status is 0."""
    some = write_warc(tmp_path / "some.warc.gz", [response(ADDRESS, NOON, 404)])
    none = write_warc(tmp_path / "none.warc.gz", [response("https://a.example/", NOON, 200)])
    status, printed, told = goodbot("tables", "build", some, none, "-o", tmp_path / "o.arrow")
    assert (status, "1 policy of 1 site" in printed) == (0, True)
    assert f"no answer for a robots.txt in {none}; the table has the others" in told


def test_patterns_name_sources(tmp_path: Path) -> None:
    """Also in quotes, where the shell does not expand them."""
    for number in range(2):
        records = [response(ADDRESS, NOON + timedelta(days=number), 404)]
        write_warc(tmp_path / f"{number}.warc.gz", records)
    pattern, out = f"{tmp_path}/*.warc.gz", tmp_path / "o.parquet"
    status, printed, _ = goodbot("tables", "build", pattern, "-o", out)
    assert (status, "2 policies of 1 site" in printed) == (0, True)
    status, _, told = goodbot("tables", "build", f"{tmp_path}/*.wacz", "-o", out)
    assert (status, "name a file, a folder or a pattern of files" in told) == (2, True)


def test_a_table_that_is_not_there_is_not_looked_for_in_standard_input(tmp_path: Path) -> None:
    """It is no text file: the message says what makes one."""
    none = tmp_path / "none.parquet"
    for words in (("show", none, "https://a.example"), ("merge", none, "-o", tmp_path / "o.arrow")):
        status, _, told = goodbot("tables", *words)
        assert (status, f"there is no {none}; 'goodbot tables build'" in told) == (2, True)
        assert "standard input" not in told


def test_show_has_the_row_and_where_it_is_from(table: Path) -> None:
    """The number is that of the column `policy` of verdicts; also where nothing is known."""
    sites = {"https://a.example": [0, 1], "https://b.example": [2]}
    for site, numbers in sites.items():
        found = goodbot("tables", "show", table, site, "--json")[1].splitlines()
        assert [json.loads(one)["row"] for one in found] == numbers
        assert {json.loads(one)["source"] for one in found} == {"x.warc.gz"}
        printed = goodbot("tables", "show", table, site)[1].splitlines()
        assert [line for line in printed if "row" in line] == [
            f"    row {number}, from x.warc.gz" for number in numbers
        ]


def test_show_says_why_an_expired_policy_is_current(tmp_path: Path) -> None:
    """The same file was seen again later."""
    times = [NOON, NOON + timedelta(days=5)]
    warc = write_warc(tmp_path / "x.warc.gz", [response(ADDRESS, at, 200, CLOSED) for at in times])
    out = tmp_path / "o.parquet"
    assert goodbot("tables", "build", warc, "-o", out)[0] == 0
    show = ("tables", "show", out, "https://a.example", "--at")
    between = goodbot(*show, "2025-06-05T12:00:00Z")[1]
    assert "3 days old; the same file was seen again on 2025-06-07 12:00:00 UTC, so it" in between
    found = json.loads(goodbot(*show, "2025-06-05T12:00:00Z", "--json")[1])
    assert (found["is_current"], found["seen_again"]) == (True, "2025-06-07T12:00:00+00:00")
    fresh = goodbot(*show, "2025-06-02T13:00:00Z")[1]
    assert ("old, current" in fresh, "seen again" in fresh) == (True, False)
    expired = json.loads(goodbot(*show, "2025-06-09", "--json")[1])
    assert (expired["is_current"], expired["seen_again"]) == (False, None)


def test_what_permits_nothing_does_not_permit_until(tmp_path: Path) -> None:
    """The time says when it is to be requested again."""
    out = tmp_path / "out.parquet"
    warc = write_warc(tmp_path / "x.warc.gz", [response(ADDRESS, NOON, 503)])
    assert goodbot("tables", "build", warc, "-o", out)[0] == 0
    printed = goodbot("tables", "show", out, "https://a.example")[1]
    assert "disallow-all (service-unavailable), to be requested again from 2025-06-02" in printed
    assert "permits" not in printed
