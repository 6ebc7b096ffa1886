"""`goodbot crawl --store`: crawls, and other verbs, that share a store, as whole programs."""

import json
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from goodbot.store import SQLiteStore
from goodbot.testing.steps import always
from tests.support import program
from tests.support.live_sites import ask, open_site
from tests.support.program import GOODBOT, environment
from tests.support.waiting import HANGS

RULES = b"User-agent: *\nCrawl-delay: 1\nDisallow: /private/\n"
ROBOT = ("--robot", "ExampleBot/1.0", "--allow-private", "--quiet", "--json")
SOON = ("--patience", "0")
HOME = b"<a href=/a>a</a> <a href=/private/b>b</a>"


def crawled(here: Path, *words: str) -> tuple[int, str, str]:
    """Run `goodbot crawl` in a folder."""
    done = program.run("crawl", *words, *ROBOT, env=environment(), cwd=here)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("processes", ["1", "2"])
def test_crawls_and_other_verbs_share_a_store(processes: str, tmp_path: Path) -> None:
    """One robots.txt, and a second between any two requests."""
    pages = {"/": always(200, HOME, "Content-Type: text/html")}
    pages["/a"] = always(200, b"a", "Content-Type: text/html")
    with open_site(always(200, RULES, "Content-Type: text/plain"), pages) as site:
        words = ("--store", "sqlite:///robots.db", "--processes", processes)
        for out in ("one", "two"):
            status, told, complaints = crawled(tmp_path, f"{site.origin}/", "--out", out, *words)
            assert status == 0, complaints
            summary = json.loads(told.splitlines()[-1])
            assert summary["urls"] == {"done": 2, "disallowed": 1}
        checked = ask(
            *("check", "--allow-private", "--store", "robots.db", f"{site.origin}/private/"),
            cwd=str(tmp_path),
        )
        assert (checked[0], "robots.db, fetched" in checked[1]) == (1, True)
        visits = [visit.target for visit in site.visits]
    assert visits == ["/robots.txt", "/", "/a", "/", "/a"]
    with SQLiteStore(tmp_path / "robots.db") as store:
        starts = sorted(store.visits(site.origin).starts)
    assert len(starts) == 5
    assert all(after - before >= 1_000_000 for before, after in pairwise(starts))


@pytest.mark.stress
def test_crawls_in_two_processes_pace_one_site(tmp_path: Path) -> None:
    """By the site's own log: a second between any two requests, of whichever process."""
    pages = {path: always(200, HOME, "Content-Type: text/html") for path in ("/", "/a")}
    with open_site(always(200, RULES, "Content-Type: text/plain"), pages) as site:
        words = [*GOODBOT, "crawl", f"{site.origin}/", *ROBOT, "--store", "robots.db", "--out"]
        started = [
            subprocess.Popen(  # noqa: S603  our own program
                [*words, out], cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL
            )
            for out in ("one", "two", "three")
        ]
        assert [one.wait(HANGS) for one in started] == [0, 0, 0]
        visits = [visit.target for visit in site.visits]
    assert sorted(visits) == ["/", "/", "/", "/a", "/a", "/a", "/robots.txt"]
    with SQLiteStore(tmp_path / "robots.db") as store:
        starts = sorted(store.visits(site.origin).starts)
    assert len(starts) == len(visits)
    assert all(after - before >= 1_000_000 for before, after in pairwise(starts))


def test_a_crawl_is_resumed_with_its_store(tmp_path: Path) -> None:
    """The message has the command; what a store cannot be is refused before anything is made."""
    url = "http://127.0.0.1:1/"
    assert crawled(tmp_path, url, "--out", "c", "--store", "robots.db", *SOON)[0] == 0
    status, told, complaints = crawled(tmp_path, "--resume", "--out", "c")
    assert (status, told) == (2, "")
    complaint = " ".join(complaints.split())
    path = str(tmp_path / "robots.db")
    assert f"shares the store {path}, whose pace it must keep; add it:" in complaint
    assert f"--store {path}" in complaint.partition("add it:")[2]
    status, _, complaints = crawled(tmp_path, "--resume", "--out", "c", "--store", "other.db")
    assert status == 2
    complaint = " ".join(complaints.split())
    assert f"was started with --store ({path}), and {tmp_path / 'other.db'} is another" in complaint
    assert crawled(tmp_path, "--resume", "--out", "c", "--store", "robots.db", *SOON)[0] == 0
    for store, cure in (
        ("redis://robot:secret@host", "there is no store for redis://"),
        ("memory:a", "write memory: alone"),
    ):
        status, _, complaints = crawled(tmp_path, url, "--out", "d", "--store", store)
        assert (status, cure in " ".join(complaints.split())) == (2, True), complaints
        assert "secret" not in complaints
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("../robots.db", "leaves the current directory"),
        ("file:///etc/robots.db", "leaves the current directory"),
        ("redis://robot:secret@host", "names a server, which only a command may do"),
        ("memory:a", "write memory: alone"),
    ],
)
def test_a_config_file_names_a_store_of_its_folder(text: str, cure: str, tmp_path: Path) -> None:
    """Someone else may have written it, so that it may not lead elsewhere."""
    url = "http://127.0.0.1:1/"
    config = tmp_path / "goodbot.toml"
    config.write_text(f'[crawl]\nstart = ["{url}"]\nout = "c"\nstore = "{text}"\n')
    status, _, complaints = crawled(tmp_path)
    assert (status, cure in " ".join(complaints.split())) == (2, True), complaints
    assert "secret" not in complaints
    config.write_text(f'[crawl]\nstart = ["{url}"]\nout = "c"\nstore = "robots.db"\n')
    assert crawled(tmp_path, *SOON)[0] == 0
    assert (tmp_path / "robots.db").is_file()
