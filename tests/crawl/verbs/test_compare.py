"""`goodbot report compare`: two folders, or two times of one."""

import json
import shutil
from pathlib import Path

import pytest

from goodbot.testing import FakeSite
from tests.support import program
from tests.support.crawls.memory_crawls import SITE, crawl, html, site_of


def run(*words: str) -> tuple[int, str, str]:
    """Run `goodbot report compare`."""
    done = program.run("report", "compare", *words)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Crawl two versions of a site."""
    base = tmp_path_factory.mktemp("crawls")
    old = {f"/old{number}": html("old") for number in range(3)}
    robots_txt = "User-agent: *\nDisallow: /till"
    before = FakeSite({"/robots.txt": robots_txt, "/": html("", *old), **old})
    after = site_of("User-agent: *\nDisallow: /desk", home=html("", "/new"), new=html("new"))
    crawl(base / "before", before)
    crawl(base / "after", after)
    return str(base / "before"), str(base / "after")


def test_changes_are_listed_by_kind(folders: tuple[str, str]) -> None:
    """With their numbers, and the lines of robots.txt that differ."""
    status, text, _ = run(*folders)
    assert status == 0
    assert f"New URLs: 1\n  200  {SITE}/new\n" in text
    assert f"URLs that are gone: 3\n  gone  {SITE}/old0  (was 200)\n" in text
    assert "    - Disallow: /till\n    + Disallow: /desk\n" in text
    _, text, _ = run(*folders, "--limit", "1")
    assert "  and 2 more (--limit)\n" in text
    assert run(folders[0], folders[0]) == (0, "Nothing differs.\n", "")


def test_json_lines_and_the_status_for_scripts(folders: tuple[str, str]) -> None:
    """An object a change; 1 only if there is a change that --fail-on names."""
    status, text, _ = run(*folders, "--json", "--fail-on", "title", "--fail-on", "status")
    kinds = [json.loads(line)["change"] for line in text.splitlines()]
    assert (status, sorted(kinds)) == (0, ["gone", "gone", "gone", "new", "robots.txt"])
    assert run(*folders, "--fail-on", "gone")[0] == 1
    assert run(*folders, "--fail-on", "any", "--json")[0] == 1
    assert run(folders[0], folders[0], "--fail-on", "any")[0] == 0


def test_one_folder_needs_a_time(folders: tuple[str, str], tmp_path: Path) -> None:
    """The message says how to write it; everything is new since before the crawl."""
    status, _, complaint = run(folders[0])
    assert status == 2
    assert "--since 2026-11-01" in complaint
    copy = str(shutil.copytree(folders[0], tmp_path / "copy"))
    status, text, note = run(copy, "--since", "2001-01-01")
    assert status == 0
    assert text.startswith("New URLs: 4\n")
    assert note.startswith("note: titles are not compared: a crawl stores only the last title of ")
    assert run(copy, "--since", "2001-01-01", "--at", "2001-01-02")[1] == "Nothing differs.\n"
    status, _, complaint = run(copy, "--since", "lately")
    assert status == 2
    assert "'lately' is not a time; write one such as 2026-11-01" in complaint
    status, _, complaint = run(copy, "--since", "2001-01-02", "--at", "2001-01-01")
    assert (status, "swap" in complaint) == (2, True)
