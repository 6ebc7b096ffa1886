"""`goodbot crawl --own-site`, the whole program, against a site on loopback."""

from __future__ import annotations

import inspect
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, ClassVar

import pytest

import goodbot
from goodbot.crawl import Crawl, ProcessCrawl
from tests.support import program
from tests.support.program import environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FAST = ("--allow-private", "--pause", "0.01", "--robot", "ExampleBot/1.0", "--no-sitemaps", "-q")
PAGES = {
    "/robots.txt": b"User-agent: *\nDisallow: /drafts/\nDisallow: /till\n",
    "/": b"<title>Shop</title><a href=/drafts/1>draft</a><a href=/till>till</a>",
    "/drafts/1": b"<title>Draft</title><meta name=robots content=noindex>"
    b"<form method=post action=/drafts/sent><input name=a></form>",
    "/till": b"<title>Till</title>",
}


class Site(BaseHTTPRequestHandler):
    """A site that notes what it is asked."""

    asked: ClassVar[list[str]] = []

    def answer(self) -> None:
        """Answer, and note the method and the path."""
        self.asked.append(f"{self.command} {self.path}")
        body = PAGES.get(self.path)
        self.send_response(404 if body is None else 200)
        kind = "text/plain" if self.path == "/robots.txt" else "text/html"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = answer  # noqa: N815  of the base class

    def log_message(self, *_words: object) -> None:
        """Print nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    """Serve the site; yield its URL."""
    Site.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()
    thread.join()


def goodbot_in(folder: Path, *words: str, given: bytes = b"") -> tuple[int, str, str]:
    """Run the program; return its status, and what it prints on both streams."""
    env = environment(XDG_CONFIG_HOME=str(folder / "config"))
    done = program.run(*words, given=given, env=env, cwd=folder)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_list_a_question_and_what_the_evidence_says(site: str, tmp_path: Path) -> None:
    """Only GET is used; the evidence and the inventory name the permission and the line."""
    own = ("crawl", site, "--own-site", "--exclude", "/till", *FAST)
    status, _, told = goodbot_in(tmp_path, *own, given=b"n\n")
    assert status == 0, told
    assert Site.asked == ["GET /robots.txt", "GET /"]
    assert f"  {site}drafts/1\n" in told
    assert "till" not in told
    again = ("crawl", "--resume", "--own-site", "--allow-private", "--json")
    status, text, told = goodbot_in(tmp_path, *again, given=b"y\n")
    assert status == 0, told
    assert Site.asked[2:] == ["GET /robots.txt", "GET /drafts/1"]
    settled = [one for one in map(json.loads, text.splitlines()) if one["event"] == "settled"]
    assert (settled[-1]["url"], settled[-1]["reason"]) == (f"{site}drafts/1", "own-site")
    _, text, _ = goodbot_in(tmp_path, "evidence", "crawl", f"{site}drafts/1", "--json")
    ask = json.loads(text)["asks"][-1]
    assert ask["verdicts"][0]["allowed"] is False
    assert ask["permission"].startswith(
        f"by permission of the owner of {site[:-1]} (--own-site), proven by its loopback address at"
    )
    _, text, _ = goodbot_in(tmp_path, "evidence", "crawl", "--export", "-")
    visits = [one for one in map(json.loads, text.splitlines()) if one["url"].endswith("drafts/1")]
    assert [one.get("permission", "")[:13] for one in visits] == ["", "", "by permission"]
    assert [(one["declared"], one.get("served")) for one in visits] == [
        ("disallowed", None), ("disallowed", None), ("disallowed", "served"),
    ]  # fmt: skip
    _, text, _ = goodbot_in(tmp_path, "inventory", "--findings", "crawl")
    assert "warning hidden-noindex" in text
    assert "META robots, line 1: noindex, and robots that robots.txt line 2 keeps away" in text
    _, text, _ = goodbot_in(tmp_path, "search", "crawl", "Draft")
    assert "drafts" not in text


def test_without_the_option_nothing_is_different(site: str, tmp_path: Path) -> None:
    """A later run without it obeys robots.txt again, and asks nothing."""
    assert goodbot_in(tmp_path, "crawl", site, "--own-site", "--yes", *FAST)[0] == 0
    assert {"GET /drafts/1", "GET /till"} <= set(Site.asked)
    count = len(Site.asked)
    status, _, told = goodbot_in(tmp_path, "crawl", "--again", "--allow-private", "-q")
    assert (status, told) == (0, "")
    assert set(Site.asked[count:]) == {"GET /robots.txt", "GET /"}


def test_wrong_arguments_are_refused_before_anything_is_requested(
    site: str, tmp_path: Path
) -> None:
    """Each message says what to do."""
    for words, message in (
        (("--yes",), "--yes answers the question of --own-site"),
        (("--own-site", "--store", "a.sqlite"), "omit --store"),
        (("--own-site", "--processes", "2"), "omit --store and --processes"),
        (("--own-site", "--any-origin"), "in place of --any-origin"),
    ):
        status, _, told = goodbot_in(tmp_path, "crawl", site, *words, *FAST)
        assert status == 2
        assert message in " ".join(told.split())
    (tmp_path / "goodbot.toml").write_text("[crawl]\nown-site = true\n")
    status, _, told = goodbot_in(tmp_path, "crawl", site, *FAST)
    assert status == 2
    assert "permissions are yours to give" in " ".join(told.split())
    assert Site.asked == []


def test_it_is_no_argument_of_the_library() -> None:
    """No call of a program can overrule robots.txt."""
    for call in (Crawl, ProcessCrawl, Crawl.run, goodbot.Robot, goodbot.Robot.visit):
        names = set(inspect.signature(call).parameters)
        assert not {name for name in names if "own" in name or "permi" in name}
