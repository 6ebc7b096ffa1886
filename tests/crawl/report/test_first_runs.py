"""What a report says of the first run of a crawl, and of its sites."""

import asyncio
import datetime as dt
from contextlib import closing
from pathlib import Path

from goodbot.crawl.folder.database import Database
from goodbot.crawl.report.report import report_on
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.memory_crawls import SITE, crawl, html

NOW = dt.datetime(2026, 1, 2, tzinfo=dt.timezone.utc)


def title_and_text(folder: Path) -> tuple[str, str]:
    """Return the title of the report of a crawl, and the whole page."""
    with closing(Database(folder)) as database, closing(report_on(database, NOW)) as report:
        page = "".join(report)
    return page.partition("<h1>")[2].partition("</h1>")[0], page


def test_all_sites_are_counted(tmp_path: Path) -> None:
    """However many they are, and however many URLs each has."""
    start = [f"https://s{number}.example/{path}" for path in "ab" for number in range(120)]
    site = FakeSite({"/robots.txt": "", "/a": "x", "/b": "y"}, clock=FakeClock())
    crawl(tmp_path, site, *start)
    title, page = title_and_text(tmp_path)
    assert title == "s0.example and 119 more sites"
    assert "requests to 120 sites" in page


def test_a_first_run_that_failed_makes_no_page_a_change(tmp_path: Path) -> None:
    """A change is a difference from what was there, and nothing was."""
    dead = Answer(failure="refused")
    clock = FakeClock()
    down = FakeSite({"/robots.txt": dead, "/": dead}, clock=clock)
    crawl(tmp_path, down, f"{SITE}/", patience=1)
    up = FakeSite({"/robots.txt": "", "/": html("home", "/a"), "/a": html("a")}, clock=clock)
    crawl(tmp_path, up, resume=True, patience=None)
    assert 'id="changes"' not in title_and_text(tmp_path)[1]
    asyncio.run(clock.sleep(60))
    crawl(tmp_path, up, resume=True, early=True)
    assert 'id="changes"' in title_and_text(tmp_path)[1]
