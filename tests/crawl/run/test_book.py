"""What the HTTP book says of fetching robots.txt, kept by a crawl (its robots chapter, 2002)."""

from pathlib import Path

import pytest

from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.memory_crawls import OTHER, SITE, crawl, html, paths, searched, site_of

PORT = "http://a.example:8080"


def test_each_host_and_port_has_its_own_robots_txt(tmp_path: Path) -> None:
    """One file for a host name and a port, asked for first; none in a directory."""
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


@pytest.mark.parametrize("status", [401, 403])
def test_where_robots_txt_is_restricted_the_site_is(tmp_path: Path, status: int) -> None:
    """In the dialect of the draft of 1996, which the book describes."""
    site = site_of(Answer(status=status), home="x")
    crawl(tmp_path, site, dialect="draft1996")
    assert paths(tmp_path, "done") == []
    assert {visit.url for visit in site.visits} == {f"{SITE}/robots.txt"}


def test_visits_are_deferred_until_robots_txt_can_be_had(tmp_path: Path) -> None:
    """After two failures it is there: only then is a page asked for, by its rules."""
    rules = Answer(body=b"User-agent: *\nDisallow: /no")
    answers = iter([Answer(status=503), Answer(status=503), rules])
    site = site_of(lambda _: next(answers, rules), home=html("x", "/no", "/yes"), yes="y", no="n")
    crawl(tmp_path, site, dialect="draft1996")
    asked = [visit.url.removeprefix(SITE) for visit in site.visits]
    assert asked == ["/robots.txt", "/robots.txt", "/robots.txt", "/", "/yes"]


def test_a_document_that_is_disregarded_is_found_by_nothing(tmp_path: Path) -> None:
    """NOINDEX: fetched, and then found neither by its own words nor by those of a link to it."""
    shut = html("heron", head='<META NAME="ROBOTS" CONTENT="NOINDEX">')
    site = site_of(home='<p>egret <a href="/shut">kingfisher</a>', shut=shut)
    crawl(tmp_path, site, page_dialect="meta1996")
    assert paths(tmp_path, "done") == ["/", "/shut"]
    assert searched(tmp_path, "heron") == []
    assert searched(tmp_path, "kingfisher") == ["/"]
