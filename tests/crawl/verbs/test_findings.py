"""`goodbot report findings`: a table, the pages of a code, JSON and CSV."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from goodbot.crawl import TRAPS
from goodbot.page import finding_codes
from tests.support import program
from tests.support.loopback_shop import ROBOT, crawl, open_shop

HOSTILE = b"<meta name=robots content='=\x1b[31mevil()'><title>Shop</title><a href=/xml>x</a>"
PAGES = {
    "/robots.txt": b"User-agent: *\nCrawl-delay: 0\n",
    "/": HOSTILE,
    "/xml": b'<?xml version="1.0"?><?robots index="none"?><d/>',
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, str]]:
    """Crawl the site; give its origin, the folder, and what was printed."""
    folder = str(tmp_path_factory.mktemp("odd") / "crawl")
    with open_shop(PAGES) as shop:
        status, printed, _ = crawl(shop.origin, *ROBOT, "--out", folder)
        assert status == 0
        yield shop.origin, folder, printed


def run(*words: str) -> tuple[int, str, str]:
    """Run `goodbot report findings`."""
    done = program.run("report", "findings", *words)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_codes_are_counted_with_an_example(told: tuple[str, str, str]) -> None:
    """The most severe first; nothing of a page steers the terminal."""
    origin, folder, printed = told
    status, text, _ = run(folder)
    assert status == 0
    assert "\x1b" not in text + printed
    assert f"for example {origin}/" in text
    assert text.splitlines()[-1].startswith("Findings: ")
    assert "Findings within the pages of this run: " in printed
    assert f"  goodbot report findings {folder}" in printed


def test_the_pages_of_a_code_are_listed(told: tuple[str, str, str]) -> None:
    """A page a line; a code that no finding has is refused, one that no page has is 1."""
    origin, folder, _ = told
    status, text, _ = run(folder, "--code", "unknown-directive")
    assert (status, text.count("\n")) == (0, 1)
    assert text.startswith(f"{origin}/  info unknown-directive, line 1: ")
    assert run(folder, "--code", "too-large")[0] == 1
    assert "did you mean too-large?" in run(folder, "--code", "toolarge")[2]
    status, _, complaint = run(folder, "--code", "no-such-code")
    assert status == 2
    assert "unknown-directive" in complaint


def test_json_and_csv_have_the_same_rows(told: tuple[str, str, str]) -> None:
    """Of a cell that a spreadsheet would compute the first character is a quote."""
    _, folder, _ = told
    objects = [json.loads(line) for line in run(folder, "--json")[1].splitlines()]
    head, *rows = csv.reader(run(folder, "--csv")[1].splitlines())
    assert head == list(objects[0])
    assert len(rows) == len(objects)
    for row, one in zip(rows, objects, strict=True):
        assert row[:4] == [one["url"], one["at"], one["code"], one["severity"]]
        assert not row[5].startswith(("=", "+", "-", "@"))
    assert run(folder, "--json", "--csv")[0] == 2


def test_the_evidence_of_a_page_has_its_findings(told: tuple[str, str, str]) -> None:
    """In words and as JSON."""
    origin, folder, _ = told
    text = program.run("evidence", folder, f"{origin}/").stdout.decode()
    assert "Findings on the page:" in text
    assert "unknown-directive, line 1" in text
    plain = json.loads(program.run("evidence", folder, f"{origin}/", "--json").stdout)
    assert "unknown-directive" in [one["code"] for one in plain["asks"][-1]["findings"]]


SESSIONS = {
    "/robots.txt": b"User-agent: *\nCrawl-delay: 0\n",
    "/": b"<title>Shop</title><a href=/p?sid=1>x</a><a href=/p?sid=2>x</a><a href=/p?sid=3>x</a>",
    "/p?sid=1": b"<title>One</title>",
    "/p?sid=2": b"<title>Two</title>",
    "/p?sid=3": b"<title>Three</title>",
}


@pytest.mark.parametrize("options", [(), ("--traps", "session-id")])
def test_traps_are_findings(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Links into a trap are reported, followed or skipped; the same in every output."""
    folder = str(tmp_path / "crawl")
    with open_shop(SESSIONS) as shop:
        status, printed, _ = crawl(shop.origin, *ROBOT, *options, "--out", folder)
        assert status == 0
        example, first = f"{shop.origin}/p?sid=2", f"{shop.origin}/p?sid=1"
    why = f"the same as {first} except for the session id"
    assert "Links into possible traps: 2 session-id." in printed
    assert f"  goodbot report findings {folder}" in printed
    table = " ".join(run(folder)[1].split())
    told = f"2 links at 1 site: warning session-id for example {example} possible trap: {why}"
    assert told in table
    assert "Nothing is odd" not in table
    line = f"{example}  warning session-id, 2 links: {why}\n"
    assert run(folder, "--code", "session-id") == (0, line, "")
    row = {
        "url": example,
        "at": None,
        "code": "session-id",
        "severity": "warning",
        "line": None,
        "message": f"links into a possible trap: {why}",
        "count": 2,
    }
    assert [json.loads(run(folder, "--json", "--code", "session-id")[1])] == [row]
    assert row in [json.loads(one) for one in run(folder, "--json")[1].splitlines()]
    _, *rows = csv.reader(run(folder, "--csv", "--code", "session-id")[1].splitlines())
    assert rows == [["" if cell is None else str(cell) for cell in row.values()]]
    cure = "goodbot crawl --resume --out {} --traps repeated-path,session-id --allow-private\n"
    skipped = program.run("report", "skipped", folder).stdout.decode()
    assert (cure.format(folder) in skipped) == (not options)


def test_a_trap_that_was_not_met_is_not_listed(told: tuple[str, str, str]) -> None:
    """In no form; asked for by its name, the status is 1."""
    _, folder, printed = told
    assert "possible trap" not in printed + run(folder)[1]
    status, text, _ = run(folder, "--code", "calendar")
    assert (status, text) == (
        1,
        "No page has this finding, and no link leads into this trap.\n",
    )
    assert run(folder, "--json", "--code", "calendar") == (1, "", "")


def test_no_trap_has_the_code_of_a_finding() -> None:
    """So that `--code` names one of them alone."""
    assert not set(TRAPS) & {code for code, _, _ in finding_codes()}
