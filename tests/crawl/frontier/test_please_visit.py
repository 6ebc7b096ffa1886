"""PleaseVisit (Koster's reply of 4 June 1996): URLs that robots.txt asks to visit are queued."""

from pathlib import Path

from goodbot.crawl.frontier.please_visit import MOST_ASKED, asked_for
from tests.support.crawls.memory_crawls import (
    OTHER,
    SITE,
    crawl,
    html,
    paths,
    rows,
    searched,
    site_of,
)

NEW = "User-agent: *\nDisallow: /no\nPleaseVisit: /new"


def test_what_robots_txt_asks_to_visit_is_queued(tmp_path: Path) -> None:
    """URLs may be absolute or relative; rules and bounds apply to them as to those of sitemaps."""
    asked = ["whole", f"{SITE}/whole", "/no", f"{OTHER}/x", "/out", "a b\t"]
    lines = "\n".join(f"PleaseVisit: {one}" for one in asked)
    site = site_of(
        f"{NEW}\n{lines}", home="home", new=html("lamp"), whole=html("lamp"), no="x", out="x"
    )
    crawl(tmp_path, site, bounds={"exclude": ["/out"]})
    assert rows(tmp_path)[f"{SITE}/new"].depth == 1
    assert searched(tmp_path, "lamp") == ["/new", "/whole"]
    assert paths(tmp_path, "disallowed") == ["/no"]
    assert paths(tmp_path, "skipped") == ["/out"]
    assert f"{OTHER}/x" not in rows(tmp_path)


def test_it_says_nothing_where_sitemaps_are_left_out(tmp_path: Path) -> None:
    """`--no-sitemaps` ignores all hints in robots.txt; other dialects do not have the field."""
    site = site_of(NEW, home="home", new=html("lamp"))
    crawl(tmp_path / "a", site, sitemaps=False)
    crawl(tmp_path / "b", site, dialect="google")
    assert searched(tmp_path / "a", "lamp") == searched(tmp_path / "b", "lamp") == []


def test_no_more_is_queued_than_is_stated() -> None:
    """A hostile robots.txt can have any number of lines."""
    assert len(asked_for([f"/{number}" for number in range(60_000)], SITE)) == MOST_ASKED
