"""What pages load is visited if its type is asked for, and a broken image is in a list."""

from contextlib import closing
from pathlib import Path

import pytest

from goodbot.crawl import Database, find_links, inventory_rows, site_findings
from goodbot.crawl.links.reading import inlink_counts
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.memory_crawls import SITE, crawl, pages_at

HOME = (
    "<link rel=stylesheet href=/s.css><script src=/j.js></script><img src=/i.png>"
    "<img src=/gone.png><img src=https://b.example/other.png><img src=/both.png>"
    "<a href=/both.png>the picture</a><a href=/a>a page</a>"
)
ALL = {"/s.css", "/j.js", "/i.png", "/gone.png"}


def site_with_pictures(home: str = HOME) -> FakeSite:
    """Return a site whose page loads a style sheet, a script and images, of which one is broken."""
    image = Answer(body=b"\x89PNG", headers=[("Content-Type", "image/png")])
    return FakeSite(
        {
            "/robots.txt": "",
            "/": home,
            "/a": "<img src=/gone.png>",
            "/s.css": Answer(body=b"p {}", headers=[("Content-Type", "text/css")]),
            "/j.js": Answer(body=b"0", headers=[("Content-Type", "text/javascript")]),
            "/i.png": image,
            "/both.png": image,
        },
        clock=FakeClock(),
    )


@pytest.mark.parametrize(
    ("types", "visited"),
    [
        (["html", "xml", "text"], set()),
        (["html", "image"], {"/i.png", "/gone.png"}),
        (["html", "css", "javascript"], {"/s.css", "/j.js"}),
        (["html", "image/png"], {"/i.png", "/gone.png"}),
        (["all"], ALL),
    ],
)
def test_what_pages_load_is_visited_if_it_is_asked_for(
    types: list[str], visited: set[str], tmp_path: Path
) -> None:
    """By its type, and never at another site; `text` asks for no style sheet."""
    site = site_with_pictures()
    crawl(tmp_path, site, types=types)
    seen = {url.removeprefix(SITE) for url in pages_at(site.visits)}
    assert seen == {"/", "/a", "/both.png"} | visited


def test_a_broken_image_is_in_the_lists(tmp_path: Path) -> None:
    """With every page that loads it; it is no link that readers follow."""
    crawl(tmp_path, site_with_pictures(), types=["html", "image"])
    with closing(Database(tmp_path)) as database:
        now = FakeClock().now()
        found = list(find_links(database, ["broken"], now=now))
        assert [(one.page, one.url, one.kind, one.status) for one in found] == [
            (f"{SITE}/", f"{SITE}/gone.png", "resource", 404),
            (f"{SITE}/a", f"{SITE}/gone.png", "resource", 404),
        ]
        rows = {row.url: row for row in inventory_rows(database, now)}
        gone = rows[f"{SITE}/gone.png"]
        assert "page-missing" in {one.code for one in site_findings(gone)}
        counts = inlink_counts(database)
        assert gone.url_id not in counts
        assert counts[rows[f"{SITE}/both.png"].url_id] == 1
        kinds = {one.kind for one in find_links(database, to=f"{SITE}/both.png", now=now)}
        assert kinds == {"link"}


def test_a_page_that_must_not_be_followed_leads_to_nothing(tmp_path: Path) -> None:
    """Neither to links nor to what it loads."""
    site = site_with_pictures("<meta name=robots content=nofollow>" + HOME)
    crawl(tmp_path, site, types=["all"])
    assert pages_at(site.visits) == ["/"]


def test_a_page_without_links_may_load_something(tmp_path: Path) -> None:
    """Its resources are stored although it has no link."""
    crawl(tmp_path, site_with_pictures("<img src=/gone.png>"), types=["html", "image"])
    with closing(Database(tmp_path)) as database:
        (one,) = find_links(database, now=FakeClock().now())
        assert (one.url, one.kind, one.text, one.line) == (
            f"{SITE}/gone.png",
            "resource",
            None,
            None,
        )
