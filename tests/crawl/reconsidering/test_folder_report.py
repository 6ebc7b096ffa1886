"""The folder of a crawl against what sites say now."""

from pathlib import Path

import pytest

from goodbot.crawl.reconsidering.holdings import FolderHoldings, find_sources, robot_of_folder
from goodbot.crawl.reconsidering.question import HeldQuestion
from goodbot.reconsidering import Reconsidered
from tests.crawl.reconsidering.test_archive_report import NOW, Says
from tests.support.crawls.memory_crawls import SITE, crawl, html, site_of


def rows_of(folder: Path, says: bytes, robot: str | None = None) -> list[Reconsidered]:
    """Return the report on a folder."""
    found = find_sources([folder])
    name = robot or robot_of_folder(folder)
    with FolderHoldings(found) as held:
        question = HeldQuestion(
            name, ("fetch", "archive", "train"), held.then("rfc9309"), Says(says), NOW
        )
        return list(held.rows(question))


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Crawl three pages."""
    no_ai = html("sofa", head="<meta name=otherbot content=noai>")
    site = site_of(b"User-agent: *\nAllow: /", home=html("x", "/a", "/b"), a=html("lamp"), b=no_ai)
    crawl(tmp_path / "shop", site)
    return tmp_path / "shop"


def test_each_page_has_a_row_for_each_use(shop: Path) -> None:
    """By the robot of the crawl, then by the robots.txt that it obeyed."""
    rows = rows_of(shop, b"User-agent: *\nDisallow: /a\n")
    assert {(one.url, one.then, one.now, one.do) for one in rows if one.use == "fetch"} == {
        (f"{SITE}/", "allowed", "allowed", "keep"),
        (f"{SITE}/a", "allowed", "disallowed", "remove"),
        (f"{SITE}/b", "allowed", "allowed", "keep"),
    }
    assert {one.kind for one in rows} == {"page"}


def test_another_robot_is_spoken_to_by_the_copy(shop: Path) -> None:
    """What META says to it is not recorded, because it was not the robot of the crawl."""
    own = {one.now for one in rows_of(shop, b"") if one.use == "train"}
    other = {(one.url, one.now) for one in rows_of(shop, b"", "otherbot") if one.use == "train"}
    assert own == {"unmentioned"}
    assert (f"{SITE}/b", "reserved") in other


def test_without_a_copy_what_was_stored_of_the_page_speaks(tmp_path: Path) -> None:
    """A page that forbids archives has no copy; what it says to all robots is stored."""
    head = "<meta name=robots content=noarchive><meta name=otherbot content=noai>"
    site = site_of(b"User-agent: *\nAllow: /", home=html("x", "/a"), a=html("lamp", head=head))
    crawl(tmp_path / "shop", site)
    found = {
        (robot, one.use): one.now
        for robot in ("otherbot", "thirdbot")
        for one in rows_of(tmp_path / "shop", b"", robot)
        if one.url == f"{SITE}/a"
    }
    assert (found["otherbot", "archive"], found["otherbot", "train"]) == ("reserved", "reserved")
    assert (found["thirdbot", "archive"], found["thirdbot", "train"]) == ("reserved", "unmentioned")
