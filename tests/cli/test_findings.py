"""`goodbot findings`: a table, the pages of a code, JSON and CSV."""

import csv
import json
from collections.abc import Iterator

import pytest

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
    """Run `goodbot findings`."""
    done = program.run("findings", *words)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_codes_are_counted_with_an_example(told: tuple[str, str, str]) -> None:
    """The most severe first; nothing of a page steers the terminal."""
    origin, folder, printed = told
    status, text, _ = run(folder)
    assert status == 0
    assert "\x1b" not in text + printed
    assert f"such as {origin}/" in text
    assert "Findings on the pages of this run: " in printed
    assert f"  goodbot findings {folder}" in printed


def test_the_pages_of_a_code_are_listed(told: tuple[str, str, str]) -> None:
    """A page a line; a code that no finding has is refused, one that no page has is 1."""
    origin, folder, _ = told
    status, text, _ = run(folder, "--code", "unknown-directive")
    assert (status, text.count("\n")) == (0, 1)
    assert text.startswith(f"{origin}/  info unknown-directive, line 1: ")
    assert run(folder, "--code", "too-large")[0] == 1
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
    assert "What was odd about it:" in text
    assert "unknown-directive, line 1" in text
    plain = json.loads(program.run("evidence", folder, f"{origin}/", "--json").stdout)
    assert "unknown-directive" in [one["code"] for one in plain["asks"][-1]["findings"]]
