"""What the operator of a robot decides: its hours and its bandwidth, at real sites on loopback."""

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from tests.support import program
from tests.support.loopback_shop import PAGES, ROBOT, crawl, open_shop

LARGE = b"<title>Large</title><a href=/lamps>Lamps</a>" + b" word" * 20_000


def crawled(*words: str | Path) -> tuple[int, dict[str, Any]]:
    """Crawl, and return the exit status and the summary."""
    status, told, complaints = crawl(*map(str, words), "--json")
    assert not complaints
    return status, json.loads(told.splitlines()[-1])


def hours_from(begin: int) -> str:
    """Return a window of an hour that begins so many hours from now."""
    now = datetime.now(timezone.utc)
    first, end = (now + timedelta(hours=hours) for hours in (begin, begin + 1))
    return f"{first:%H}:00-{end:%H}:00"


def test_outside_its_hours_a_robot_makes_no_request(tmp_path: Path) -> None:
    """Nor when it goes on; other hours replace those of before."""
    with open_shop() as shop:
        begun = (f"{shop.origin}/", *ROBOT, "--out", tmp_path / "c", "--patience", "60")
        assert crawled(*begun, "--hours", hours_from(9))[1]["ended"] == "waiting"
        on = ("--resume", "--allow-private", "--patience", "60", "--out", tmp_path / "c")
        assert crawled(*on)[1]["ended"] == "waiting"
        assert shop.asked == []
        assert crawled(*on, "--hours", "00:00-24:00")[1]["ended"] == "nothing-left"
        assert shop.asked[:2] == ["/robots.txt", "/"]


def test_behind_a_large_answer_a_robot_waits(tmp_path: Path) -> None:
    """So that it takes no more bytes a second of the site than it is to, also when it goes on."""
    with open_shop(PAGES | {"/": LARGE}) as shop:
        begun = (f"{shop.origin}/", *ROBOT, "--out", tmp_path / "c", "--patience", "60")
        assert crawled(*begun, "--bandwidth", "100")[1]["ended"] == "waiting"
        on = ("--resume", "--allow-private", "--patience", "60", "--out", tmp_path / "c")
        assert crawled(*on)[1]["ended"] == "waiting"
        assert shop.asked == ["/robots.txt", "/"]


def test_a_site_has_no_more_pages_than_it_is_to_have(tmp_path: Path) -> None:
    """The other site goes on; the summary and `skipped` say why, and another run goes on."""
    with open_shop() as shop, open_shop() as other:
        begun = (f"{shop.origin}/", f"{other.origin}/", *ROBOT, "--out", tmp_path / "c")
        _, summary = crawled(*begun, "--max-pages-per-site", "2")
        assert (summary["ended"], summary["pages"]) == ("site-page-limit", 4)
        told = program.run(
            "report", "skipped", str(tmp_path / "c"), "--reason", "site-page-limit", "--urls"
        )
        assert told.stdout.count(b"site-page-limit") == 2
        on = ("--resume", "--allow-private", "--out", tmp_path / "c")
        assert crawled(*on)[1]["pages"] == 2, "the two others answer with 404, and are no pages"
        assert [len(site.asked) for site in (shop, other)] == [5, 5]
        assert crawled(*on)[1]["ended"] == "nothing-left"


def test_hours_that_are_none_are_refused(tmp_path: Path) -> None:
    """Before anything is made; the message says what hours are."""
    for hours in ("22-6", "25:00-06:00", "06:00-06:00"):
        words = ("https://a.example/", *ROBOT, "--out", str(tmp_path / "c"), "--hours", hours)
        status, _, complaints = crawl(*words)
        assert status == 2
        assert hours in complaints
    assert not (tmp_path / "c").exists()
