"""`goodbot watch`, the whole program, against a site on loopback that changes between its runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, ClassVar
from xml.etree import ElementTree as ET

import pytest

from tests.support import program
from tests.support.loopback_shop import open_shop
from tests.support.program import GOODBOT, environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OPEN = b"User-agent: *\nDisallow: /till\n"
HOME = b"<title>Shop</title><a href=/lamps>lamps</a><a href=/till>till</a>"
FAST = ("--allow-private", "--pause", "0.01", "--robot", "ExampleBot/1.0", "--no-sitemaps")


class Site(BaseHTTPRequestHandler):
    """A site whose answers a test sets."""

    pages: ClassVar[dict[str, tuple[int, bytes]]] = {}

    def do_GET(self) -> None:
        """Answer."""
        status, body = self.pages.get(self.path, (404, b""))
        self.send_response(status)
        kind = "text/plain" if self.path == "/robots.txt" else "text/html"
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "max-age=0")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        """Print nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    """Serve the site; yield its URL."""
    Site.pages = {
        "/robots.txt": (200, OPEN),
        "/": (200, HOME),
        "/lamps": (200, b"<title>Lamps</title>"),
    }
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()
    thread.join()


def watch(folder: Path, site: str, *words: str) -> tuple[int, str, str]:
    """Run `goodbot watch`."""
    done = program.run("watch", site, "shop", *words, *FAST, env=environment(), cwd=folder)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_the_second_run_reports_what_has_changed(site: str, tmp_path: Path) -> None:
    """By its exit status, its message in each form, and its feed."""
    status, text, told = watch(tmp_path, site, "--feed", "a.atom")
    assert status == 0, told
    assert text == f"{site[:-1]} is watched from now on; changes are reported by the next run.\n"
    status, text, told = watch(tmp_path, site)
    assert (status, text) == (0, f"Nothing that matters has changed at {site[:-1]}.\n"), told
    Site.pages["/lamps"] = (200, b"<meta name=robots content=noindex>")
    status, text, told = watch(tmp_path, site, "--json")
    assert status == 1, told
    found = json.loads(text)
    assert found["counts"] == {"not-indexable": 1}
    assert found["changes"][0]["source"] == "META robots, line 1: noindex"
    assert found["figures"] == {
        "urls": 3, "indexable": 1, "not_indexable": 1, "broken": 0, "disallowed": 1, "words": 1,
    }  # fmt: skip
    del Site.pages["/lamps"]
    status, text, told = watch(tmp_path, site, "--markdown", "--feed", "a.atom")
    assert status == 1, told
    assert f"## Newly broken: 1\n\n- {site}lamps: 200 \\> 404\n" in text
    entries = ET.fromstring((tmp_path / "a.atom").read_bytes())  # noqa: S314  our own
    titles = [one.findtext("{*}title") or "" for one in entries.findall("{*}entry")]
    assert [title.partition(". ")[2] for title in titles] == [
        "Newly broken: 1.", "Newly not indexable: 1.", "",
    ]  # fmt: skip


def test_it_says_for_which_robots_a_page_is_newly_not_indexable(site: str, tmp_path: Path) -> None:
    """Also if the crawl's own robot is none of them; what was so before is not new."""
    words = ("--for", "Googlebot,bingbot,GPTBot", "--json")
    bing = b"<meta name=bingbot content=noindex>"
    Site.pages["/lamps"] = (200, bing)
    status, _, told = watch(tmp_path, site, *words)
    assert status == 0, told
    Site.pages["/lamps"] = (200, bing + b"<meta name=googlebot content=noindex>")
    status, text, told = watch(tmp_path, site, *words)
    assert status == 1, told
    (change,) = json.loads(text)["changes"]
    assert (change["kind"], change["subject"]) == ("not-indexable", f"{site}lamps")
    assert change["robots"] == ["Googlebot: META googlebot, line 1: noindex"]
    Site.pages["/lamps"] = (200, b"<meta name=robots content=noindex>")
    status, text, told = watch(tmp_path, site, *words[:2])
    assert status == 1, told
    assert "GPTBot: META robots, line 1: noindex" in text
    assert "bingbot" not in text
    status, _, told = watch(tmp_path, site, *words[:2])
    assert status == 0, told
    (tmp_path / "shop" / "watch-robots.json").write_text("[]")
    status, _, told = watch(tmp_path, site, *words[:2])
    assert status == 2
    assert "watch-robots.json is damaged" in " ".join(told.split())


def test_an_owner_watches_what_robots_txt_disallows_too(site: str, tmp_path: Path) -> None:
    """Each run lists these pages and visits them again; the parts of a run are one run."""
    own = ("--own-site", "--yes")
    Site.pages["/till"] = (200, b"<title>Till</title><a href=/till/2>pay</a>")
    Site.pages["/till/2"] = (200, b"<title>Pay</title>")
    status, text, told = watch(tmp_path, site, *own)
    assert status == 0, told
    assert text.startswith(f"{site[:-1]} is watched from now on")
    assert f"  {site}till\n" in told
    status, text, told = watch(tmp_path, site, *own)
    assert (status, text) == (0, f"Nothing that matters has changed at {site[:-1]}.\n"), told
    assert f"  {site}till\n  {site}till/2\n" in told
    Site.pages["/till/2"] = (404, b"")
    Site.pages["/till"] = (200, b"<meta name=robots content=noindex><a href=/till/2>pay</a>")
    status, text, told = watch(tmp_path, site, *own, "--json")
    assert status == 1, told
    found = json.loads(text)
    changes = {(one["kind"], one["subject"].removeprefix(site)) for one in found["changes"]}
    assert changes == {("broken", "till/2"), ("not-indexable", "till")}
    assert (found["figures"]["disallowed"], found["figures"]["broken"]) == (2, 1)
    Site.pages["/robots.txt"] = (200, b"User-agent: *\nDisallow: /till/2\n")
    status, text, told = watch(tmp_path, site, *own)
    assert status == 1, told
    assert f"  {site}till\n" not in told
    assert "access is laxer" in text
    # Without the option, what was disallowed all the time is not newly so.
    status, text, told = watch(tmp_path, site)
    assert (status, text) == (0, f"Nothing that matters has changed at {site[:-1]}.\n"), told
    Site.pages["/robots.txt"] = (200, OPEN)
    status, text, told = watch(tmp_path, site, *own)
    assert status == 1, told
    assert f"Newly disallowed: 1\n  {site}till: 200 > rule-disallows (robots.txt line 2)\n" in text


def test_a_log_is_read_beside_the_crawl(site: str, tmp_path: Path) -> None:
    """What robots of a log did is judged by the robots.txt that the crawl has seen."""
    line = '192.0.2.1 - - [10/Mar/2020:08:00:00 +0000] "GET /till HTTP/1.1" 200 9 "-" "{}"\n'
    log = tmp_path / "access.log"
    log.write_text(line.format("GPTBot/1.3"), encoding="utf-8")
    assert watch(tmp_path, site, "--log", "access.log")[0] == 0
    log.write_text(line.format("GPTBot/1.3") + line.format("NewBot/1"), encoding="utf-8")
    status, text, told = watch(tmp_path, site, "--log", "access.log")
    assert status == 1, told
    assert "Robots that the log did not have before: 1\n  NewBot: 1 request\n" in text


def test_a_run_that_fails_reports_nothing(site: str, tmp_path: Path) -> None:
    """Neither a message nor a line of the history."""
    assert watch(tmp_path, site, "--json", "--markdown")[0] == 2
    status, text, told = watch(tmp_path, "mailto:a@example.com")
    assert (status, text) == (2, ""), told
    done = program.run("watch", site, "shop", "--robot", "ExampleBot/1.0", env=environment(),
                       cwd=tmp_path)  # fmt: skip
    assert (done.returncode, done.stdout) == (2, b"")
    assert not (tmp_path / "shop" / "watch.jsonl").exists()


def test_a_folder_watches_one_site(site: str, tmp_path: Path) -> None:
    """Another one is refused, and asked nothing; also if the folder has a crawl of another one."""
    other = site.replace("127.0.0.1", "localhost")
    assert watch(tmp_path, site)[0] == 0
    before = (tmp_path / "shop" / "watch.jsonl").read_bytes()
    status, text, told = watch(tmp_path, other)
    assert (status, text) == (2, "")
    assert f"shop watches {site[:-1]}; name another folder" in told
    assert (tmp_path / "shop" / "watch.jsonl").read_bytes() == before
    (tmp_path / "shop" / "watch.jsonl").unlink()
    status, text, told = watch(tmp_path, other)
    assert (status, text) == (2, "")
    assert f"shop has a crawl of {site[:-1]}; name another folder" in told
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "shop").write_text("x")
    status, _, told = watch(tmp_path / "file", site)
    assert (status, told) == (2, "Error: shop is a file; name a folder\n")
    done = program.run("watch", site, "", *FAST, env=environment(), cwd=tmp_path)
    assert (done.returncode, b"an argument is empty" in done.stderr) == (2, True)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "shop"]


def test_a_crawl_that_came_to_its_end_is_compared(site: str, tmp_path: Path) -> None:
    """Also if the message of the first run cannot be written."""
    words = ("crawl", site, "--out", "shop", "--quiet", *FAST)
    assert program.run(*words, env=environment(), cwd=tmp_path).returncode == 0
    del Site.pages["/lamps"]
    assert watch(tmp_path, site, "--feed", "nowhere/a.atom")[0] == 2
    status, text, told = watch(tmp_path, site)
    assert status == 1, told
    assert "Newly broken: 1\n" in text


@pytest.mark.parametrize("words", [(), ("--strict",)])
def test_without_a_page_nothing_is_compared(
    site: str, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Neither by the first run nor by a later one, and no run is recorded."""
    working = Site.pages
    Site.pages = dict.fromkeys(working, (503, b""))
    expected = 3 if words else 2
    status, text, told = watch(tmp_path, site, "--patience", "1", *words)
    assert (status, text) == (expected, ""), told
    assert f"no page of {site[:-1]} could be visited, so nothing was compared" in told
    assert "goodbot watch " in told
    assert not (tmp_path / "shop" / "watch.jsonl").exists()
    folder = tmp_path / "later"
    folder.mkdir()
    Site.pages = working
    assert watch(folder, site)[0] == 0
    before = (folder / "shop" / "watch.jsonl").read_bytes()
    Site.pages = dict.fromkeys(working, (503, b""))
    status, text, told = watch(folder, site, "--patience", "1", *words)
    assert (status, text) == (expected, ""), told
    assert (folder / "shop" / "watch.jsonl").read_bytes() == before


def test_urls_that_could_not_be_visited_are_counted(site: str, tmp_path: Path) -> None:
    """The rest is compared; with `--strict` the status says so."""
    Site.pages["/lamps"] = (503, b"")
    status, text, told = watch(tmp_path, site, "--patience", "1")
    assert (status, text[-10:]) == (0, "next run.\n"), told
    assert " of 3 URLs could not be visited\n" in told
    folder = tmp_path / "strict"
    folder.mkdir()
    status, text, told = watch(folder, site, "--patience", "1", "--strict")
    assert (status, text[-10:]) == (3, "next run.\n"), told


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")  # noqa: PTH110
def test_what_could_not_be_written_is_reported_again(site: str, tmp_path: Path) -> None:
    """The message, or the feed."""
    assert watch(tmp_path, site)[0] == 0
    del Site.pages["/lamps"]
    with open("/dev/full", "wb") as full:  # noqa: PTH123  a device
        done = program.run("watch", site, "shop", *FAST, env=environment(), cwd=tmp_path,
                           stdout=full)  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert watch(tmp_path, site, "--feed", "/dev/full")[0] == 2
    status, text, told = watch(tmp_path, site)
    assert status == 1, told
    assert "Newly broken: 1\n" in text
    assert watch(tmp_path, site)[0] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM ends a process in order only on POSIX")
def test_nothing_is_compared_with_a_run_that_was_cut_off(tmp_path: Path) -> None:
    """It advises to watch again, and the next run is the first."""
    links = "".join(f"<a href=/{name}>x</a>" for name in ("a", "gone", "lost")).encode()
    with open_shop({"/": links, "/a": b"<p>a"}) as shop:
        words = [f"{shop.origin}/", "shop", *FAST]
        shop.hold("/a")
        with subprocess.Popen(  # noqa: S603  our own program
            [*GOODBOT, "watch", *words, "--workers", "1"],
            env=environment(), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as process:  # fmt: skip
            try:
                assert shop.at_gate.wait(60)
                process.terminate()
                assert process.stderr is not None
                assert process.stderr.readline() == b"Finishing running requests\n"
                shop.gate.set()
                text, told = process.communicate(timeout=60)
            finally:
                process.kill()
        assert (process.returncode, text) == (130, b""), told
        assert b"\n  goodbot watch --" in told
        assert b"goodbot crawl" not in told
        status, said, advice = watch(tmp_path, f"{shop.origin}/")
        expected = f"{shop.origin} is watched from now on; changes are reported by the next run.\n"
        assert (status, said) == (0, expected), advice
        assert watch(tmp_path, f"{shop.origin}/")[0] == 0


def test_a_name_that_is_probably_mistyped_has_a_note(site: str, tmp_path: Path) -> None:
    """Before the site is asked."""
    status, _, told = watch(tmp_path, site, "--for", "GTPBot,Googlebot")
    assert status == 0, told
    assert "GTPBot is not a known robot and is looked up by this name; did you mean GPTBot?" in told
