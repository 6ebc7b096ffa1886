"""A crawl obeys Conner's fields Request-rate, Visit-time and Comment (17 October 1996)."""

from pathlib import Path
from typing import TYPE_CHECKING

from goodbot.crawl import UrlSettled
from goodbot.testing import FakeClock, FakeSite
from tests.support.crawls.memory_crawls import SITE, crawl, numbered, site_of

if TYPE_CHECKING:
    from goodbot.robot import Remark

MINUTE = 60.0
MOST = 10


def test_a_crawl_keeps_a_rate(tmp_path: Path) -> None:
    """10/60 means at most 10 documents in any 60 seconds."""
    pages = numbered(40)
    rate = {"/robots.txt": "User-agent: *\nRequest-rate: 10/60\n"}
    site = FakeSite(rate | pages, clock=FakeClock())
    crawl(tmp_path, site, dialect="conner1996")
    times = [visit.monotonic for visit in site.visits if not visit.url.endswith("/robots.txt")]
    assert len(times) == len(pages)
    counts = [sum(0 <= one - start < MINUTE for one in times) for start in times]
    assert max(counts) == MOST


def test_every_comment_reaches_who_crawls(tmp_path: Path) -> None:
    """All comments of the group are reported to the operator, each once."""
    heard: list[Remark] = []
    site = site_of("User-agent: *\nComment: One.\nComment: Two.\n", home="x", a="y")
    crawl(tmp_path, site, dialect="conner1996", on_comment=heard.append)
    assert [(one.kind, one.text) for one in heard] == [("comment", "One."), ("comment", "Two.")]


def test_who_is_put_off_hears_of_the_visiting_time(tmp_path: Path) -> None:
    """A URL that waits for the visit time is not fetched, and names the line that asks for it."""
    site = site_of("User-agent: *\nVisit-time: 0600 0845\n", home="x", clock=FakeClock())
    done = crawl(tmp_path, site, dialect="conner1996")
    assert [visit.url for visit in site.visits] == [f"{SITE}/robots.txt"]
    [waits] = done.of(UrlSettled)
    assert (waits.url, waits.reason) == (f"{SITE}/", "visit-time")
    assert "robots.txt line 2" in waits.source
    assert "06:00 to 08:45 UT" in waits.source
