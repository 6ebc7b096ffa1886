"""Short-lived pages: due as soon as they say, and kept unless the crawl wants otherwise."""

from pathlib import Path
from typing import Any

import pytest

from goodbot.pace import Manners
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.memory_crawls import (
    SITE,
    crawl,
    html,
    kept,
    pages_at,
    rows,
    searched,
)
from tests.support.robot_sites import gaps

PAST = "Thu, 19 Nov 1981 08:52:00 GMT"


def site_with(expires: str, *, more: str = "") -> FakeSite:
    """Return a site whose second page has Expires."""
    fields = [("Expires", expires), ("Cache-Control", more)]
    body = html("<title>Board</title>heron", "/other").encode()
    board = Answer(body=body, headers=[*fields, ("Content-Type", "text/html")])
    return FakeSite(
        {"/": html("x", "/board"), "/board": board, "/other": html("egret")}, clock=FakeClock()
    )


@pytest.mark.parametrize("expires", [PAST, "0", "-1"])
def test_it_is_due_at_once_and_visited_at_the_pace(expires: str, tmp_path: Path) -> None:
    """Each run visits it once, not before the pause of its site is over."""
    site = site_with(expires, more="no-cache")
    for _ in range(3):
        crawl(tmp_path, site, again=True, manners=Manners())
    assert pages_at(site.visits) == ["/", "/board", "/other", "/board", "/board"]
    pages = [visit for visit in site.visits if visit.path != "/robots.txt"]
    assert min(gaps(pages)) >= 10 - 1e-5


def test_it_is_not_due_before_it_expires(tmp_path: Path) -> None:
    """With an hour to go, the next run leaves it; an hour later it is visited."""
    site = site_with("Wed, 01 Jan 2025 00:00:00 GMT")
    begun = site.clock.now()
    board: Any = site.routes["/board"]
    board.headers[0] = (
        "Expires",
        begun.replace(hour=begun.hour + 1).strftime("%a, %d %b %Y %H:%M:%S GMT"),
    )
    crawl(tmp_path, site)
    crawl(tmp_path, site, again=True)
    assert pages_at(site.visits).count("/board") == 1
    site.clock.advance(3_600)
    crawl(tmp_path, site, again=True)
    assert pages_at(site.visits).count("/board") == 2


def test_it_is_kept_unless_the_crawl_wants_otherwise(tmp_path: Path) -> None:
    """The choice is stored; an earlier copy is dropped, and links are followed all the same."""
    site = site_with(PAST)
    crawl(tmp_path, site)
    assert searched(tmp_path, "heron") == ["/board"]
    assert kept(tmp_path, f"{SITE}/board") is not None
    for choice in ({"short_lived": False}, {}):
        crawl(tmp_path, site, again=True, **choice)
        assert searched(tmp_path, "heron") == []
        assert searched(tmp_path, "egret") == ["/other"]
        assert kept(tmp_path, f"{SITE}/board") is None
        assert rows(tmp_path)[f"{SITE}/board"].reason == "short-lived"
    crawl(tmp_path, site, again=True, short_lived=True)
    assert searched(tmp_path, "heron") == ["/board"]
