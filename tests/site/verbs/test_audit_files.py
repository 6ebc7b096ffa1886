"""The files of `goodbot audit`: every judged request, and the page."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from goodbot.site.audit import OUTCOMES, REASONS, REQUEST_COLUMNS
from goodbot.site.audit.files.request_files import SCHEMA_VERSION, VERSION_KEY
from tests.support.paths import ROOT
from tests.support.program import bare_environment, run

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "<script>document.title='run'</script>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the example."""
    shutil.copytree(ROOT / "examples" / "audit", tmp_path / "example")
    return tmp_path / "example"


def audit(folder: Path, *words: str) -> tuple[int, str]:
    """Audit the example; return the status and the messages."""
    env = bare_environment(XDG_CACHE_HOME=str(folder / "cache"))
    given = ("access.log", "--policy", "robots", "--site", "https://example.com", "--unknown")
    lists = ("--addresses", "GPTBot=gptbot.txt")
    done = run("audit", *given, *lists, *words, env=env, cwd=folder)
    return done.returncode, done.stderr.decode()


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_both_files_have_every_judged_request(folder: Path) -> None:
    """Parquet and JSON lines say the same, with the documented columns, in the order of time."""
    assert audit(folder, "--requests", "a.parquet") == (0, "")
    assert audit(folder, "--requests", "a.jsonl") == (0, "")
    table, lines = pq.read_table(folder / "a.parquet"), lines_of(folder / "a.jsonl")
    assert table.column_names == [one.name for one in REQUEST_COLUMNS] == list(lines[0])
    assert table.schema.metadata[VERSION_KEY.encode()] == SCHEMA_VERSION.encode()
    rows = table.to_pylist()
    assert [{**row, "time": row["time"].isoformat()} for row in rows] == lines
    assert [row["time"] for row in rows] == sorted(row["time"] for row in rows)
    # As the summary counts: 153 requests of robots, and 12 under a spoofed name.
    assert len(rows) == 153 + 12
    assert sum(row["outcome"] == "violation" for row in rows) == 11
    assert sum(row["identity"] == "spoofed" for row in rows) == 12
    assert {row["outcome"] for row in rows} <= OUTCOMES.keys()
    assert all(REASONS[row["reason"]].outcome == row["outcome"] for row in rows)
    assert {row["operator"] for row in rows if row["robot"] == "GPTBot"} == {"OpenAI"}
    assert all(row["rule_line"] and row["policy"] for row in rows if row["outcome"] == "violation")
    # As the summary says: 24 of 25 requests of DashBot, the first in line 102.
    fast = [(row["robot"], row["line"]) for row in rows if row["too_fast"] == "crawl-delay"]
    assert len(fast) == 24
    assert fast[0] == ("DashBot", 102)
    assert {robot for robot, _ in fast} == {"DashBot"}


def test_addresses_are_shortened_unless_they_are_asked_for(folder: Path) -> None:
    """Each is a network; in full it is what the log has."""
    assert audit(folder, "--requests", "short.jsonl")[0] == 0
    assert audit(folder, "--requests", "whole.jsonl", "--whole-addresses")[0] == 0
    short, whole = lines_of(folder / "short.jsonl"), lines_of(folder / "whole.jsonl")
    assert all(row["address"].endswith(("/24", "/48")) for row in short)
    log = (folder / "access.log").read_text(encoding="utf-8").splitlines()
    assert all(log[row["line"] - 1].startswith(f"{row['address']} ") for row in whole)


def test_the_name_of_the_file_says_its_form(folder: Path) -> None:
    """Another ending is refused before anything is read, and nothing is written."""
    status, told = audit(folder, "--requests", "a.csv")
    assert status == 2
    assert ".parquet or .jsonl" in told
    assert not (folder / "a.csv").exists()


def test_the_page_has_both_lines_of_a_violation_and_no_address(folder: Path) -> None:
    """What the log has is text in it, whatever it looks like."""
    log = folder / "access.log"
    with log.open("a", encoding="utf-8") as file:
        file.write(
            f'203.0.113.200 - - [08/Mar/2026:17:50:00 +0000] "GET /reviews/{HOSTILE} HTTP/1.1" '
            f'200 5 "-" "{HOSTILE}Bot/1.0 (+https://a.example/bot)"\n'
            '203.0.113.200 - - [08/Mar/2026:17:51:00 +0000] "GET /reviews/<img/src=x/onerror=a> '
            'HTTP/1.1" 200 5 "-" "GrazeBot/1.0 (+https://grazebot.example/)"\n'
        )
    assert audit(folder, "--html", "a.html") == (0, "")
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert "of robots are violations of robots.txt." in page
    assert "<code>Disallow: /reviews/</code>" in page
    assert "line 3 of robots.txt 2923af13b743" in page
    assert "&lt;img/src=x/onerror=a&gt;" in page
    assert "<img" not in page
    assert HOSTILE not in page
    assert "203.0.113." not in page
