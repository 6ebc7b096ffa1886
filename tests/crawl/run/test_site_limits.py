"""Page limits for each site, sharing of a page limit among several sites, and long waits."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import Bounds, UrlSettled, WaitBegan
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.memory_crawls import OTHER, SITE, crawl, numbered, pages_at, rows


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


@pytest.mark.parametrize("workers", [1, 16])
@pytest.mark.parametrize("dead", [Answer(failure="timeout", seconds=20), Answer(status=503)])
def test_sites_that_answer_nothing_hold_up_no_others(
    workers: int, dead: Answer, tmp_path: Path
) -> None:
    """Their shares of the pages go to the others at once, and not after all their retries."""
    gone = {f"https://dead-{number}.example": dead for number in range(10)}
    site = FakeSite(
        {**{f"{origin}/robots.txt": dead for origin in gone}, **numbered(40)}, clock=FakeClock()
    )
    start = [f"{SITE}/", *(f"{origin}/" for origin in gone)]
    done = crawl(tmp_path, site, *start, bounds=Bounds(pages=20), workers=workers)
    assert (done.summary.ended, done.summary.pages) == ("page-limit", 20)
    assert site.clock.monotonic() < 10 * 20 + 20 * 3


def test_a_site_that_answers_later_has_its_share(tmp_path: Path) -> None:
    """A failure of its first request costs it nothing but the time until the next."""
    calls = []

    def robots_txt(_: object) -> Answer:
        calls.append(1)
        return Answer(failure="timeout") if len(calls) == 1 else Answer(body=b"")

    late: dict[str, Any] = {f"{OTHER}{path}": page for path, page in numbered(20).items()}
    late[f"{OTHER}/robots.txt"] = robots_txt
    slow = {"/robots.txt": "User-agent: *\nCrawl-delay: 100"}
    site = FakeSite({**late, **numbered(20), **slow}, clock=FakeClock())
    crawl(tmp_path, site, f"{SITE}/", f"{OTHER}/", bounds=Bounds(pages=12))
    visited = pages_at(site.visits)
    assert sum(one.startswith(OTHER) for one in visited) == 6


@pytest.mark.parametrize("workers", [1, 16])
@pytest.mark.parametrize(("delay", "waits"), [(100, 3), (59, 0)])
def test_a_wait_of_a_minute_or_longer_is_one_event(
    delay: int, waits: int, workers: int, tmp_path: Path
) -> None:
    """However many workers wait; shorter waits are none."""
    robots = {"/robots.txt": f"User-agent: *\nCrawl-delay: {delay}"}
    site = FakeSite({**numbered(2), **robots}, clock=FakeClock())
    done = crawl(tmp_path, site, f"{SITE}/", workers=workers)
    events = done.of(WaitBegan)
    assert len(events) == waits
    assert all(one.until - one.at > timedelta(seconds=60) and one.queued for one in events)


def test_a_result_says_when_the_next_visit_is(tmp_path: Path) -> None:
    """The summary has the first of them, and an early run visits all again."""
    site = FakeSite(numbered(3), clock=FakeClock())
    done = crawl(tmp_path, site, f"{SITE}/")
    dues = [one.due for one in done.of(UrlSettled) if one.due is not None]
    assert done.summary.next_revisit == min(dues)
    assert crawl(tmp_path, site, resume=True, again=True).summary.pages == 0
    early = crawl(tmp_path, site, resume=True, early=True).summary
    assert early.pages == done.summary.pages
    assert early.next_revisit is not None
    assert early.next_revisit >= min(dues)
