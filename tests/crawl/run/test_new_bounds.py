"""Bounds that change between runs: new URLs within them are visited, others are removed."""

from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import Bounds, Started
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.memory_crawls import (
    OTHER,
    SITE,
    Crawled,
    crawl,
    html,
    kept,
    moved,
    paths,
    rows,
    searched,
    site_of,
)

A = f"{SITE}/a"


def test_a_site_that_is_added_later_is_visited(tmp_path: Path) -> None:
    """Its URLs were found and skipped before; they need not be found again."""
    site = FakeSite(
        {f"{SITE}/": html("x", f"{OTHER}/a", "/b"), f"{OTHER}/a": html("lamp"), f"{SITE}/b": "b"},
        clock=FakeClock(),
    )
    crawl(tmp_path, site, bounds={"exclude": ["/b"]})
    assert paths(tmp_path, "skipped") == ["/b", f"{OTHER}/a"]
    crawl(tmp_path, site, resume=True, bounds={"origins": [OTHER]})
    assert searched(tmp_path, "lamp") == [f"{OTHER}/a"]
    assert paths(tmp_path, "skipped") == ["/b"]
    crawl(tmp_path, site, resume=True, bounds={"exclude": []})
    assert paths(tmp_path, "skipped") == []


# What leaves the bounds.


def excluded(folder: Path, site: FakeSite, *, remove: bool = False) -> Crawled:
    """Crawl again when everything is due, with one page outside the bounds."""
    site.clock.advance(31 * 86_400)
    bounds = {"exclude": ["/a"]}
    return crawl(folder, site, again=True, remove=remove, resume=True, bounds=bounds)


def found(folder: Path, site: FakeSite) -> list[str]:
    """Return the results of a search."""
    return searched(folder, "lamp", site.clock.now())


def test_what_is_excluded_later_is_still_visited(tmp_path: Path) -> None:
    """It stays as long as its site allows; its links are not followed."""
    site = site_of(home=html("x", "/a"), a=html("lamp"), new=html("lamp"))
    crawl(tmp_path, site)
    head = '<link rel=canonical href="/new">'
    site.routes["/a"] = html("brass lamp", "/new", head=head)
    excluded(tmp_path, site)
    assert len(site.visits_to(A)) == 2
    assert searched(tmp_path, "brass", site.clock.now()) == found(tmp_path, site) == ["/a"]
    assert f"{SITE}/new" not in rows(tmp_path)


@pytest.mark.parametrize(
    "then",
    [
        410,
        404,
        moved("/new"),
        html("lamp", head="<meta name=robots content='noindex, noarchive'>"),
        Answer(body=b"lamp", headers=[("X-Robots-Tag", "noindex, noarchive")]),
        "Disallow",
    ],
)
def test_what_may_not_be_kept_any_more_goes(then: Any, tmp_path: Path) -> None:  # noqa: ANN401
    """It is visited only for that; afterwards it is not visited again."""
    site = site_of(home=html("x", "/a"), a=html("lamp"), new=html("lamp"))
    crawl(tmp_path, site)
    if then == "Disallow":
        site.routes["/robots.txt"] = "User-agent: *\nDisallow: /a"
    else:
        site.routes["/a"] = then
    excluded(tmp_path, site)
    assert found(tmp_path, site) == []
    assert kept(tmp_path, A) is None
    assert f"{SITE}/new" not in rows(tmp_path)
    visits = len(site.visits_to(A))
    excluded(tmp_path, site)
    excluded(tmp_path, site)
    excluded(tmp_path, site)
    assert (rows(tmp_path)[A].state, rows(tmp_path)[A].reason) == ("skipped", "excluded")
    assert len(site.visits_to(A)) == visits


def test_what_was_never_kept_is_not_visited(tmp_path: Path) -> None:
    """The same holds, for example, for a URL that waits in the queue."""
    site = site_of(home=html("x", "/a", "/b"), a=html("lamp"), b=html("lamp"))
    crawl(tmp_path, site, bounds=Bounds(pages=1))
    crawl(tmp_path, site, resume=True, bounds={"exclude": ["/a"], "pages": None})
    assert site.visits_to(A) == []
    assert found(tmp_path, site) == ["/b"]


def test_a_site_that_is_dropped_is_revisited_or_removed(tmp_path: Path) -> None:
    """It is outside the bounds, as an excluded page is."""
    site = FakeSite(
        {f"{SITE}/": html("x", f"{OTHER}/a"), f"{OTHER}/a": html("lamp", "/deep")},
        clock=FakeClock(),
    )
    both = Bounds(origins=frozenset({SITE, OTHER}))
    for number, remove in enumerate((False, True)):
        folder = tmp_path / str(number)
        crawl(folder, site, bounds=both)
        site.clock.advance(31 * 86_400)
        only = Bounds(origins=frozenset({SITE}))
        crawl(folder, site, resume=True, again=True, remove=remove, bounds=only)
        assert found(folder, site) == ([] if remove else [f"{OTHER}/a"])


def test_what_is_out_of_bounds_can_be_removed_at_once(tmp_path: Path) -> None:
    """No request is made; the page returns when it is within the bounds again."""
    site = site_of(home=html("x", "/a"), a=html("lamp"))
    crawl(tmp_path, site)
    before = len(site.visits_to(A))
    done = excluded(tmp_path, site, remove=True)
    assert [event.removed for event in done.of(Started)] == [1]
    assert found(tmp_path, site) == []
    assert kept(tmp_path, A) is None
    assert paths(tmp_path, "skipped") == ["/a"]
    assert len(site.visits_to(A)) == before
    crawl(tmp_path, site, resume=True, bounds={"exclude": []})
    assert found(tmp_path, site) == ["/a"]
