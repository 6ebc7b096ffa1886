"""Bounds that change from run to run: what comes into them is visited, what leaves them goes."""

from pathlib import Path

from goodbot.testing import FakeClock, FakeSite
from tests.support.memory_crawls import OTHER, SITE, crawl, html, paths, searched


def test_a_site_that_is_added_later_is_visited(tmp_path: Path) -> None:
    """Its URLs were met and skipped; nobody need meet them again."""
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
