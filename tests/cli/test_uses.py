"""`goodbot page uses`, as a whole program: for a page on loopback, and for a downloaded one."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from goodbot.cli.page_view import live_uses
from goodbot.cli.shared.options import SiteOptions
from goodbot.pace import Manners
from tests.support.live_sites import ask
from tests.support.program import bare_environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from goodbot.content_use import Uses

RSL = (
    '<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>'
    '<permits type="usage">ai-input search</permits><payment type="crawl">'
    '<amount currency="USD">0.015</amount></payment></license></content></rsl>'
)
ROBOTS = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nDisallow: /private\n"
HTML = "<meta name=robots content=noarchive><p>Welcome"
URL = "https://example.com/page"
Files = dict[str, tuple[str, str]]


@contextmanager
def open_site(files: Files) -> Iterator[tuple[str, list[str]]]:
    """Serve files on loopback; yield the origin, and the list of paths that are requested."""
    requested: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Answer with a file, or 404."""
            requested.append(self.path)
            kind, text = files.get(self.path, ("text/html", "no"))
            self.send_response(200 if self.path in files else 404)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(text.replace("ORIGIN", origin).encode())

        def log_message(self, *_arguments: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    origin = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield origin, requested
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


POLICY = """{"@type": "Offer", "profile": "http://www.w3.org/ns/tdmrep",
"uid": "https://example.com/p", "assigner": {"vcard:fn": "Example"},
"permission": [{"action": "tdm:mine", "duty": [{"action": "compensate"}]}]}"""
SITE: Files = {
    "/robots.txt": ("text/plain", f"{ROBOTS}License: ORIGIN/license.xml\n"),
    "/page": ("text/html", HTML),
    "/private": ("text/html", HTML),
    "/.well-known/tdmrep.json": (
        "application/json",
        '[{"location": "/", "tdm-reservation": 1, "tdm-policy": "ORIGIN/policy.json"}]',
    ),
    "/policy.json": ("application/ld+json", POLICY),
    "/license.xml": ("application/rsl+xml", RSL),
    "/llms.txt": ("text/plain", "# Welcome"),
}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Visit without the pause of a second, for which no test waits."""
    monkeypatch.setattr(live_uses, "MANNERS", Manners(default=0.0, factor=0.0))


def ask_site(url: str, robot: str = "ExampleBot") -> Uses:
    """Return the answers for a page of a site, which may be on loopback."""
    options = SiteOptions("https://example.com/bot", "bot@example.com", None, True, 10.0)  # noqa: FBT003
    return live_uses.ask_site(url, robot, "google", options)[0].uses


def test_everything_that_belongs_to_a_page_is_fetched() -> None:
    """robots.txt first, then the page, tdmrep.json and licences of the same site."""
    with open_site(SITE) as (origin, requested):
        answer = ask_site(f"{origin}/page")
    assert requested[:2] == ["/robots.txt", "/page"]
    assert set(requested[2:]) == {
        "/.well-known/tdmrep.json", "/ai.txt", "/llms.txt", "/license.xml", "/policy.json",
    }  # fmt: skip
    assert {use: one.status for use, one in answer.verdicts.items()} == {
        "train": "reserved",
        "ground": "licensed",
        "search": "licensed",
        "archive": "reserved",
        "preview": "licensed",
    }
    assert answer.ground.terms is not None
    assert answer.ground.terms.price == "USD 0.015 per crawl"
    assert answer.train.terms is not None
    assert answer.train.terms.conditions == ("mining must be paid for",)
    assert answer.reported == ("llms.txt is there; it decides nothing",)
    assert answer.not_consulted == ()
    assert answer.ground.expires is not None


def test_what_robots_txt_disallows_is_not_fetched() -> None:
    """The answer then rests on the files of the site, and says that the page was not read."""
    with open_site(SITE) as (origin, requested):
        answer = ask_site(f"{origin}/private")
    assert "/private" not in requested
    assert not answer.access
    assert answer.not_consulted == ("the page",)
    assert answer.train.status == "reserved"


def test_a_licence_of_another_site_is_not_requested() -> None:
    """Its terms are unknown, so every use needs a licence."""
    files = SITE | {"/robots.txt": ("text/plain", "License: https://other.example/l.xml")}
    with open_site(files) as (origin, requested):
        answer = ask_site(f"{origin}/page")
    assert "/license.xml" not in requested
    assert answer.search.reason == "license-not-read"
    assert answer.not_consulted == ("https://other.example/l.xml",)


def test_a_page_that_says_there_is_no_file_is_none() -> None:
    """HTML in place of tdmrep.json, of a licence or of ai.txt is no such file."""
    html = ("text/html", "<p>Not found")
    files = SITE | {"/.well-known/tdmrep.json": html, "/ai.txt": html, "/license.xml": html}
    with open_site(files) as (origin, _requested):
        answer = ask_site(f"{origin}/page")
    assert answer.reported == ("llms.txt is there; it decides nothing",)
    assert answer.not_consulted == (f"{origin}/license.xml",)
    assert [one.place for one in answer.train.agreeing] == []


def test_a_live_site_as_a_whole_program() -> None:
    """A site that disallows everything sees one request, and the answer rests on robots.txt."""
    robots = "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /"
    with open_site({"/robots.txt": ("text/plain", robots)}) as (origin, requested):
        words = ("page", "uses", f"{origin}/page", "--allow-private", "--use", "train")
        status, output, complaints = ask(*words)
    assert (status, complaints, requested) == (1, "", ["/robots.txt"])
    lines = [line.split() for line in output.splitlines()]
    assert lines[1][:2] == ["fetch", "Disallowed:"]
    assert lines[2][:2] == ["train", "reserved"]
    assert lines[3] == ["not", "consulted:", "the", "page,", "tdmrep.json"]


def test_a_live_site_needs_an_identity() -> None:
    """The page is fetched, so the site must see who visits."""
    status, _output, complaints = ask("page", "uses", URL, env=bare_environment())
    assert status == 2
    assert "GOODBOT_INFO_URL" in complaints


def files_in(folder: Path) -> dict[str, str]:
    """Write what belongs to a downloaded page, and return the paths."""
    texts = {
        "page.html": HTML,
        "robots.txt": f"{ROBOTS}License: https://example.com/license.xml\n",
        "tdmrep.json": SITE["/.well-known/tdmrep.json"][1].replace("ORIGIN", "https://example.com"),
        "policy.json": POLICY,
        "license.xml": RSL,
        "headers.txt": "HTTP/1.1 200 OK\nContent-Usage: ai-use=y\n\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {name: str(folder / name) for name in texts}


def test_a_downloaded_page(tmp_path: Path) -> None:
    """Files say the same as a live site, and nothing is requested."""
    files = files_in(tmp_path)
    status, output, complaints = ask(
        "page", "uses", files["page.html"], "-u", URL, "-H", f"@{files['headers.txt']}",
        "--robots-txt", files["robots.txt"], "--tdmrep", files["tdmrep.json"],
        "--license", f"https://example.com/license.xml={files['license.xml']}",
        "--tdm-policy", f"https://example.com/policy.json={files['policy.json']}", "--json",
    )  # fmt: skip
    assert (status, complaints) == (1, "")
    plain = json.loads(output)
    assert {use: one["status"] for use, one in plain["uses"].items()} == {
        "train": "reserved",
        "ground": "licensed",
        "search": "licensed",
        "archive": "reserved",
        "preview": "licensed",
    }
    assert plain["uses"]["ground"]["terms"]["price"] == "USD 0.015 per crawl"
    assert plain["uses"]["train"]["terms"]["conditions"] == ["mining must be paid for"]
    assert plain["asks_as"] is None


def test_the_level_of_use_is_told(tmp_path: Path) -> None:
    """The level that Cloudflare's managed files state is printed, in text and in JSON."""
    page, robots = tmp_path / "page.html", tmp_path / "robots.txt"
    page.write_text("<p>text", encoding="utf-8")
    managed = "User-agent: *\nContent-Signal: search=yes,ai-train=no,use=reference\nAllow: /\n"
    robots.write_text(managed, encoding="utf-8")
    words = ("page", "uses", str(page), "-u", URL, "--robots-txt", str(robots), "--use", "search")
    status, output, _ = ask(*words)
    assert status == 0
    assert "level    reference  robots.txt, line 2: use=reference: at most index it" in output
    assert json.loads(ask(*words, "--json")[1])["level"] == {
        "level": "reference",
        "place": "robots.txt, line 2",
        "meaning": "index it, excerpt it and link back",
    }


@pytest.mark.parametrize(
    ("asked", "status"), [("search", 0), ("archive", 1), ("train", 1), ("ground", 2)]
)
def test_exit_statuses(asked: str, status: int, tmp_path: Path) -> None:
    """0 the use is allowed, 1 it is not, 2 nobody says."""
    page, robots = tmp_path / "page.html", tmp_path / "robots.txt"
    page.write_text(HTML, encoding="utf-8")
    robots.write_text(ROBOTS, encoding="utf-8")
    words = ("page", "uses", str(page), "-u", URL, "--robots-txt", str(robots), "--use", asked)
    assert ask(*words)[0] == status


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("page.html",), "name the URL of the page"),
        (("page.html", "-u", URL, "--allow-private"), "--allow-private is for a live site"),
        ((URL, "--tdmrep", "tdmrep.json"), "--tdmrep is for a downloaded page"),
        (("page.html", "-u", URL, "--license", "license.xml"), "write --license as URL=FILE"),
    ],
)
def test_misuse_has_a_message(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    """What contradicts itself is refused, with a message that says how to fix it."""
    files_in(tmp_path)
    status, _output, complaints = ask("page", "uses", *words, cwd=str(tmp_path))
    assert status == 2
    assert message in complaints
