"""What goodbot makes says which goodbot made it, and as of when it knew the documents."""

import json
from pathlib import Path

import pytest

import goodbot
from goodbot.knowledge import KNOWN_AS_OF, MOST_STAMPS, stamp, with_stamp
from tests.support import program
from tests.support.example_sites import crawl_two_shops

URL = "http://127.0.0.1:8300/private/ledger.html"


def run(folder: Path, *words: str) -> str:
    """Run a verb in a folder, and return what it prints."""
    done = program.run(*words, cwd=folder)
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout.decode()


def test_the_stamp_has_the_version_and_the_date() -> None:
    """Both decide what an answer can know."""
    assert stamp() == f"goodbot {goodbot.__version__}, knowledge of {KNOWN_AS_OF}"


def test_stamps_of_several_runs_follow_one_another() -> None:
    """Each is named once, the newest last, and there is a bound."""
    older = "goodbot 0.1.0, knowledge of 2026-11-21"
    assert with_stamp(older) == f"{older}; {stamp()}"
    assert with_stamp(with_stamp(older)) == with_stamp(older)
    many = "; ".join(f"goodbot 0.0.{number}, knowledge of 2026-11-21" for number in range(50))
    assert len(with_stamp(many).split("; ")) == MOST_STAMPS + 1


def test_evidence_and_report_of_a_crawl_name_it(tmp_path: Path) -> None:
    """It is stored with the crawl, so that a later goodbot does not claim its verdicts."""
    crawl_two_shops(tmp_path)
    assert json.loads(run(tmp_path, "evidence", "shops", URL, "--json"))["made_with"] == stamp()
    assert f"Made with {stamp()}." in run(tmp_path, "evidence", "shops", URL)
    lines = run(tmp_path, "evidence", "shops", "--export", "-").splitlines()
    assert {json.loads(line)["made_with"] for line in lines} == {stamp()}
    run(tmp_path, "evidence", "shops", "--export", "all.parquet")
    table = pytest.importorskip("pyarrow.parquet").read_table(tmp_path / "all.parquet")
    assert table["made_with"].unique().to_pylist() == [stamp()]
    run(tmp_path, "report", "shops", "-o", "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "made with" in page
    assert stamp() in page


def test_an_audit_names_it(tmp_path: Path) -> None:
    """In JSON, at the foot of its page, and as the last line of its text."""
    log = '192.0.2.1 - - [01/Jan/2026:12:00:00 +0000] "GET /a HTTP/1.1" 200 9 "-" "GPTBot/1.0"\n'
    (tmp_path / "access.log").write_text(log)
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /b\n")
    words = (
        "audit",
        "access.log",
        "--site",
        "https://example.com",
        "--policy",
        "robots.txt@2025-12-31",
    )
    assert json.loads(run(tmp_path, *words, "--json"))["made_with"] == stamp()
    assert run(tmp_path, *words).splitlines()[-1] == f"Made with {stamp()}."
    run(tmp_path, *words, "--html", "audit.html")
    assert stamp() in (tmp_path / "audit.html").read_text(encoding="utf-8")
