"""A crawl fetches robots.txt as the HTTP book describes it (chapter on robots, 2002)."""

from pathlib import Path
from typing import Any

import pytest

import goodbot
from goodbot.crawl import Database
from goodbot.crawl.evidence.history import history_of
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.memory_crawls import (
    OTHER,
    SITE,
    crawl,
    html,
    kept,
    moved,
    pages_at,
    paths,
    searched,
    site_of,
)

PORT = "http://a.example:8080"


def test_each_host_and_port_has_its_own_robots_txt(tmp_path: Path) -> None:
    """There is one file for each host name and port, requested first; none in directories."""
    site = FakeSite(
        {
            f"{SITE}/robots.txt": "User-agent: *\nDisallow: /p",
            f"{OTHER}/robots.txt": 404,
            f"{PORT}/robots.txt": 404,
            f"{SITE}/": html("x", "/p", "/dir/q", f"{OTHER}/p", f"{PORT}/p"),
            f"{SITE}/dir/q": "q",
            f"{SITE}/dir/robots.txt": "User-agent: *\nDisallow: /",
            f"{OTHER}/p": "p",
            f"{PORT}/p": "p",
        },
        clock=FakeClock(),
    )
    crawl(tmp_path, site, f"{SITE}/", f"{OTHER}/p", f"{PORT}/p")
    asked = [visit.url for visit in site.visits]
    assert sorted(asked) == sorted(
        [
            *(f"{origin}/robots.txt" for origin in (SITE, OTHER, PORT)),
            f"{SITE}/",
            f"{SITE}/dir/q",
            f"{OTHER}/p",
            f"{PORT}/p",
        ]
    )
    for origin in (SITE, OTHER, PORT):
        of_origin = [url for url in asked if url.startswith(f"{origin}/")]
        assert of_origin[0] == f"{origin}/robots.txt"


def test_every_request_of_a_crawl_says_who_asks(tmp_path: Path) -> None:
    """Pages, robots.txt, sitemaps and the hops of redirects are requested with both fields."""
    home = html("x", "/moved")
    text = f"User-agent: *\nSitemap: {SITE}/map.txt"
    routes: dict[str, Any] = {"/robots.txt": text, "/": home, "/moved": moved("/new")}
    routes["/new"] = html("y")
    listed: dict[str, Any] = {"/map.txt": f"{SITE}/listed\n", "/listed": "z"}
    site = FakeSite({**routes, **listed}, clock=FakeClock())
    crawl(tmp_path, site)
    paths_asked = {visit.path for visit in site.visits}
    assert paths_asked == {"/robots.txt", "/", "/moved", "/new", "/map.txt", "/listed"}
    for visit in site.visits:
        sent = dict(visit.headers)
        assert sent["User-Agent"] == "ExampleBot/1.0 (+https://example.com/bot)"
        assert sent["From"] == "bot@example.com"


@pytest.mark.parametrize("status", [401, 403])
def test_where_robots_txt_is_restricted_the_site_is(tmp_path: Path, status: int) -> None:
    """It uses the dialect of the draft of 1996, which the book describes."""
    site = site_of(Answer(status=status), home="x")
    crawl(tmp_path, site, dialect="draft1996")
    assert paths(tmp_path, "done") == []
    assert {visit.url for visit in site.visits} == {f"{SITE}/robots.txt"}


def test_visits_are_deferred_until_robots_txt_can_be_had(tmp_path: Path) -> None:
    """After two failures robots.txt is available; only then is a page requested, by its rules."""
    rules = Answer(body=b"User-agent: *\nDisallow: /no")
    answers = iter([Answer(status=503), Answer(status=503), rules])
    site = site_of(lambda _: next(answers, rules), home=html("x", "/no", "/yes"), yes="y", no="n")
    crawl(tmp_path, site, dialect="draft1996")
    asked = [visit.url.removeprefix(SITE) for visit in site.visits]
    assert asked == ["/robots.txt", "/robots.txt", "/robots.txt", "/", "/yes"]


def test_a_document_that_is_disregarded_is_found_by_nothing(tmp_path: Path) -> None:
    """A page with NOINDEX is fetched, but not found by its words or those of links to it."""
    shut = html("heron", head='<META NAME="ROBOTS" CONTENT="NOINDEX">')
    site = site_of(home='<p>egret <a href="/shut">kingfisher</a>', shut=shut)
    crawl(tmp_path, site, page_dialect="meta1996")
    assert paths(tmp_path, "done") == ["/", "/shut"]
    assert searched(tmp_path, "heron") == []
    assert searched(tmp_path, "kingfisher") == ["/"]


SENTENCE = "the quick heron fished over the lazy lake"
HEAD_OF_PARTS = '<link rel="schema.RobotExclusion" href="http://example.org/.../">'
NO_COPY = {
    "noarchive": ('<meta name="robots" content="noarchive">', "<p>{}"),
    "noindex": ('<meta name="robots" content="noindex">', "<p>{}"),
    "both": ('<meta name="robots" content="noindex,noarchive">', "<p>{}"),
    "a part": (HEAD_OF_PARTS, '<p>egret<p class="robots-noarchive">{}'),
    "another": ('<meta name="URL" content="https://a.example/">', "<p>{}"),
}


@pytest.mark.parametrize("mark", NO_COPY)
@pytest.mark.parametrize("before", [True, False])
def test_no_whole_text_is_kept_where_no_copy_may_be(
    mark: str, tmp_path: Path, *, before: bool
) -> None:
    """Neither in the archive nor in the index; nor the one that stood there before (NOARCHIVE)."""
    head, body = NO_COPY[mark]
    shut = f"<html><head>{head}</head><body>{body.format(SENTENCE)}"
    site = site_of(home=html("x", "/shut"), shut=html(SENTENCE) if before else shut)
    crawl(tmp_path, site)
    assert (SENTENCE.encode() in (tmp_path / "crawl.db").read_bytes()) is before
    site.routes["/shut"] = shut
    crawl(tmp_path, site, again=True, early=True)
    found = ["/shut"] if mark in {"noarchive", "a part"} else []
    for query in ("heron", '"heron fished"', f'"{SENTENCE}"', "lazy-lake"):
        assert searched(tmp_path, query) == found
    for query in ('"fished heron"', f'"{SENTENCE} heron"', 'title:"heron fished"'):
        assert searched(tmp_path, query) == []
    assert SENTENCE.encode() not in (tmp_path / "crawl.db").read_bytes()
    if mark != "noindex":  # in the dialect of Google it forbids no copy
        assert SENTENCE.encode() not in (kept(tmp_path, f"{SITE}/shut") or b"")


@pytest.mark.parametrize(
    ("mark", "around", "described"),
    [
        ('<meta name="robots" content="noarchive">', "<p>{}", True),
        (HEAD_OF_PARTS, '<p class="robots-noarchive">{}', True),
        (HEAD_OF_PARTS, '<p class="robots-noarchive robots-noindex">{}', False),
    ],
)
def test_what_names_a_page_is_kept_without_a_copy(
    mark: str, around: str, tmp_path: Path, *, described: bool
) -> None:
    """The text of a link describes its target, and nothing else of the part is kept."""
    link = f'{SENTENCE} <a href="/other">red kite</a> {SENTENCE}'
    home = f"<html><head>{mark}<title>egret</title></head><body>{around.format(link)}"
    crawl(tmp_path, site_of(home=home, other=html("gull")))
    stored = (tmp_path / "crawl.db").read_bytes()
    assert (b"red kite" in stored) is described
    assert searched(tmp_path, 'anchor:"red kite"') == ["/other"] * described
    assert searched(tmp_path, "title:egret") == ["/"]
    assert SENTENCE.encode() not in stored
    assert b"red kite" not in (kept(tmp_path, f"{SITE}/") or b"")


def test_one_page_in_several_spellings_is_one(tmp_path: Path) -> None:
    """A tilde equals %7E, and a letter its escape, but %2F is not a slash (table 9-3).

    The same holds for the queue, the index and the archive (RFC 3986 sections 6.2.2.1 and 6.2.2.2).
    """
    links = ["/%7efred", "/~fred", "/%7Efred", "/%62", "/b", "/a%2fb", "/a%2Fb", "/a/b"]
    pages = {"/~fred": html("x"), "/b": html("x"), "/a%2Fb": html("x"), "/a/b": html("x")}
    site = FakeSite({"/": html("y", *links), **pages}, clock=FakeClock())
    crawl(tmp_path, site)
    assert searched(tmp_path, "x") == ["/a%2Fb", "/a/b", "/b", "/~fred"]
    assert paths(tmp_path, "done") == ["/", "/a%2Fb", "/a/b", "/b", "/~fred"]
    assert len(pages_at(site.visits)) == 5
    for link in links:
        with Database(tmp_path) as database:
            assert history_of(database, SITE + link) is not None
    assert kept(tmp_path, f"{SITE}/~fred") is not None


@pytest.mark.parametrize("rule", ["/b", "/%62"])
@pytest.mark.parametrize("how", ["link", "redirect", "sitemap", "asked"])
def test_either_spelling_forbids(rule: str, how: str, tmp_path: Path) -> None:
    """Because dialects differ on escapes, both the linked URL and the one sent are checked."""
    hint = {"sitemap": f"\nSitemap: {SITE}/map.txt", "asked": "\nPleaseVisit: /%62"}.get(how, "")
    home = {"link": html("x", "/%62"), "redirect": html("x", "/r")}.get(how, "x")
    routes: dict[str, Any] = {
        "/robots.txt": f"User-agent: *\nDisallow: {rule}{hint}",
        "/": home,
        "/b": html("y"),
    }
    routes |= {"/map.txt": f"{SITE}/%62\n", "/r": moved("/%62")}
    dialect = goodbot.dialect("rfc9309").replace(escapes=goodbot.dialect("lwp").choices["escapes"])
    site = FakeSite(routes, clock=FakeClock())
    crawl(tmp_path, site, dialect=dialect)
    assert paths(tmp_path, "disallowed") == ["/b"]
    assert site.visits_to(f"{SITE}/b") == []
    with Database(tmp_path) as database:
        history = history_of(database, f"{SITE}/%62")
        assert history is not None
        assert history.asks[-1].confirmed
