"""In which dialect a page is read, when a robot's uses of it are asked for: one at every door."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING

import pytest

import goodbot
from goodbot.page import PAGE_DIALECTS
from tests.support.program import run

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://example.com/a"
HTML = "<meta name=robots content=noarchive><p>Sea"


def statuses(uses: goodbot.content_use.Uses) -> tuple[str, str]:
    """Return what is said of training and grounding."""
    return uses.train.status, uses.ground.status


@pytest.mark.parametrize(
    ("robot", "dialect", "expected"),
    [
        ("bingbot", None, "reserved"),
        ("Mozilla/5.0 (compatible; bingbot/2.0)", None, "reserved"),
        ("bingbot", "google", "unknown"),
        ("Googlebot", None, "unknown"),
        ("Googlebot", "bing", "reserved"),
        ("ExampleBot", None, "unknown"),
        ("*", None, "unknown"),
    ],
)
def test_every_door_reads_a_page_as_the_robot_does(
    tmp_path: Path, robot: str, dialect: str | None, expected: str
) -> None:
    """Bing reads NOARCHIVE as a word on models; a dialect that is named counts instead."""
    page = goodbot.Page(URL, HTML, robot=robot, dialect=dialect)
    assert statuses(goodbot.uses(URL, page)) == (expected, expected)
    assert statuses(goodbot.uses(URL, pickle.loads(pickle.dumps(page)))) == (expected, expected)  # noqa: S301  what was made here
    (tmp_path / "a.html").write_text(HTML)
    words = ("-r", robot, *(("-d", dialect) if dialect else ()))
    done = run("page", "uses", "a.html", "-u", URL, *words, "--json", cwd=tmp_path)
    said = json.loads(done.stdout)["uses"]
    assert (said["train"]["status"], said["ground"]["status"]) == (expected, expected)


def test_header_fields_are_read_as_the_robot_does() -> None:
    """Without a page, the robot decides, too."""
    header = {"X-Robots-Tag": "noarchive"}
    assert goodbot.uses(URL, headers=header, robot="bingbot").train.status == "reserved"
    assert goodbot.uses(URL, headers=header, robot="Googlebot").train.status == "unknown"


def test_the_robot_that_is_asked_about_decides() -> None:
    """A page that was read for any robot is read again for the one that is named."""
    page = goodbot.Page(URL, HTML)
    assert goodbot.uses(URL, page, robot="bingbot").train.status == "reserved"


@pytest.mark.parametrize("dialect", PAGE_DIALECTS)
def test_a_page_read_again_is_the_page_of_that_dialect(dialect: str) -> None:
    """It has the same content, and the names that the dialect gives its robot."""
    body = "<meta name=robots content='noarchive nosnippet'><meta name=msnbot content=noindex>"
    page = goodbot.Page(URL, body, robot="bingbot")
    again = page.read_in(dialect)
    assert again == goodbot.Page(URL, body, robot="bingbot", dialect=dialect)
    assert again.as_dict() == goodbot.Page(URL, body, robot="bingbot", dialect=dialect).as_dict()
    assert (page.has_chosen_dialect, again.has_chosen_dialect) == (False, True)
