"""Scrapy with `GOODBOT_FOLDER`: what it fetched and was refused, in the folder of a crawl."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import open_readonly
from goodbot.testing.steps import http
from tests.adapters.test_scrapy import RULES, crawl
from tests.support import program
from tests.support.adapter_sites import says, serving

HTML = "Content-Type: text/html"


def page(head: str, body: str) -> Any:  # noqa: ANN401  a script
    """Return a page of a site."""
    content = f"<title>T</title>{head}<p>{body}".encode()
    return lambda _: iter([http(200, content, HTML)])


PAGES = {
    "/": page("", "brass lamps <a href=/kept>a</a> <a href=/hidden>b</a> <a href=/private/x>c</a>"),
    "/kept": page("", "green herons"),
    "/hidden": page("<meta name=robots content='noindex, noarchive'>", "silver foxes"),
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, dict[str, Any]]:
    """Crawl a site by Scrapy; return the folder, the origin and what Scrapy found."""
    folder = tmp_path_factory.mktemp("scrapy") / "crawl"
    with serving(says(200, RULES), pages=PAGES) as site:
        found = crawl("ours", f"{site.origin}/", GOODBOT_FOLDER=str(folder))
        return folder, site.origin, found


def told(*words: str) -> str:
    """Return what a command prints."""
    done = program.run(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_pages_are_found_and_shown_as_far_as_they_allow(crawled: Any) -> None:  # noqa: ANN401
    """A page with noindex and noarchive is in no index, and has no copy."""
    folder, origin, found = crawled
    assert "Traceback" not in found["log"]
    assert f"{origin}/kept" in told("search", str(folder), "herons")
    assert program.run("search", str(folder), "foxes").stdout == b"no pages found for foxes\n"
    assert "green herons" in told("archive", "show", str(folder), f"{origin}/kept")
    assert program.run("archive", "show", str(folder), f"{origin}/hidden").returncode != 0


def test_each_verdict_is_evidence(crawled: Any) -> None:  # noqa: ANN401
    """What was allowed, and what was not requested, with the line of robots.txt."""
    folder, origin, _ = crawled
    assert "Disallow: /private/" in told("evidence", str(folder), f"{origin}/private/x")
    hidden = json.loads(told("evidence", str(folder), f"{origin}/hidden", "--json").splitlines()[0])
    assert "noindex" in json.dumps(hidden)


def test_other_verbs_read_it(crawled: Any, tmp_path: Path) -> None:  # noqa: ANN401
    """The report, the links and an export for replay."""
    folder, origin, _ = crawled
    assert f"{origin}/kept" in told("links", str(folder), "--from", f"{origin}/")
    told("report", str(folder))
    told("archive", "export", str(folder), "--wacz", str(tmp_path / "a.wacz"))
    assert (tmp_path / "a.wacz").stat().st_size > 1_000


def test_a_job_goes_on_in_its_folder_and_another_robot_does_not(crawled: Any) -> None:  # noqa: ANN401
    """The pages of both jobs are there; a folder of another robot is refused."""
    folder, _, _ = crawled
    with serving(says(200, RULES), pages={"/": page("", "copper kettles")}) as site:
        crawl("ours", f"{site.origin}/", GOODBOT_FOLDER=str(folder))
        assert f"{site.origin}/" in told("search", str(folder), "kettles")
        other = {"GOODBOT_FOLDER": str(folder), "USER_AGENT": "OtherBot/1.0"}
        assert (
            "is for ExampleBot/1.0, not for OtherBot/1.0"
            in crawl("ours", f"{site.origin}/", **other)["log"]
        )
    assert told("search", str(folder), "herons").count("/kept")


def test_each_request_is_recorded_whoever_takes_its_response(tmp_path: Path) -> None:
    """A redirect, a failure that is tried again, and robots.txt, of which a copy is kept."""
    tries = iter([503])
    pages: dict[str, Any] = {
        "/old": lambda _: iter([http(301, b"", "Location: /new")]),
        "/new": page("", "tin whistles"),
        "/flaky": lambda _: iter([http(next(tries, 200), b"<p>zinc tubs", HTML)]),
        "/a": page("", "a"),
    }
    rules = gzip.compress(RULES)
    with serving(says(200, rules, "Content-Encoding: gzip"), pages=pages) as site:
        urls = [f"{site.origin}{path}" for path in ("/old", "/flaky", "/a")]
        found = crawl("ours", *urls, GOODBOT_FOLDER=str(tmp_path), RETRY_ENABLED=True)
    assert "Traceback" not in found["log"]
    with open_readonly(tmp_path) as database:
        query = "SELECT url, purpose, status, bytes FROM requests"
        made = {
            (url.removeprefix(site.origin), *row)
            for url, *row in database.connection.execute(query)
        }
        settled = dict(database.connection.execute("SELECT url, reason FROM urls"))
    assert {row[:3] for row in made} == {
        ("/robots.txt", "robots-txt", 200),
        ("/old", "page", 301),
        ("/new", "page", 200),
        ("/flaky", "page", 503),
        ("/flaky", "page", 200),
        ("/a", "page", 200),
    }
    assert ("/robots.txt", "robots-txt", 200, len(rules)) in made
    assert {url.removeprefix(site.origin): why for url, why in settled.items()} == {
        "/old": "redirect",
        "/new": "fetched",
        "/flaky": "fetched",
        "/a": "fetched",
    }
    assert "Disallow: /private/" in told(
        "archive", "show", str(tmp_path), f"{site.origin}/robots.txt"
    )
    assert f"{site.origin}/flaky" in told("search", str(tmp_path), "zinc")
    assert "503" in told("evidence", str(tmp_path), f"{site.origin}/flaky")
