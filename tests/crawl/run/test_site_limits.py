"""Page limits for each site, and sharing of a page limit among several sites."""

from pathlib import Path

import pytest

from goodbot.crawl import Bounds
from goodbot.testing import FakeClock, FakeSite
from tests.support.memory_crawls import OTHER, SITE, crawl, numbered, pages_at, rows


@pytest.mark.parametrize("workers", [1, 16])
def test_a_site_has_so_many_pages_a_run(workers: int, tmp_path: Path) -> None:
    """The other sites continue; another run visits as many more pages of each."""
    site = FakeSite({f"{OTHER}/": "Home", **numbered(9)}, clock=FakeClock())
    start = [f"{SITE}/", f"{OTHER}/"]
    done = crawl(tmp_path, site, *start, bounds=Bounds(pages_per_site=4), workers=workers)
    assert (done.summary.ended, done.summary.pages) == ("site-page-limit", 5)
    assert done.summary.urls == {"done": 5, "queued": 6}
    waits = [row.reason for row in rows(tmp_path).values() if row.state == "queued"]
    assert sorted(waits) == [*[""] * 5, "site-page-limit"]
    more = crawl(tmp_path, site, resume=True, workers=workers)
    assert (more.summary.ended, more.summary.pages) == ("site-page-limit", 4)
    last = crawl(tmp_path, site, resume=True, workers=workers)
    assert (last.summary.ended, last.summary.pages) == ("nothing-left", 2)
    assert len(set(pages_at(site.visits))) == len(pages_at(site.visits)) == 11


@pytest.mark.parametrize("workers", [1, 16])
@pytest.mark.parametrize(("small", "pages"), [(9, [6, 6]), (2, [9, 3])])
def test_several_sites_share_a_bound_on_pages(
    workers: int, small: int, pages: list[int], tmp_path: Path
) -> None:
    """A slow site gets its share; what one site does not use goes to the other."""
    slow = {f"{OTHER}{path}": page for path, page in numbered(small).items()}
    slow |= {f"{OTHER}/robots.txt": "User-agent: *\nCrawl-delay: 100"}
    site = FakeSite({**slow, **numbered(20)}, clock=FakeClock())
    bounds = Bounds(pages=12)
    done = crawl(tmp_path, site, f"{SITE}/", f"{OTHER}/", bounds=bounds, workers=workers)
    visited = pages_at(site.visits)
    slow_pages = [one for one in visited if one.startswith(OTHER)]
    assert [len(visited) - len(slow_pages), len(slow_pages)] == pages
    assert done.summary.ended == "page-limit"
