"""Alerts to the operator: each is raised once, as long as it applies."""

from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import SiteAlert
from goodbot.crawl.run import alerts as alerts_module
from goodbot.crawl.run.alerts import AlertWatch
from goodbot.robot import Failed
from goodbot.testing import Answer, FakeClock
from tests.support.crawls.memory_crawls import SITE, Crawled, crawl, html, site_of

BROKEN = Answer(status=500)
OPEN = "User-agent: *\nDisallow: /till\n"


def kinds(done: Crawled) -> list[tuple[str, str]]:
    """Return the origin and the kind of each alert."""
    return [(one.origin, one.kind) for one in done.of(SiteAlert)]


def test_a_site_that_fails_at_three_urls_in_a_row_is_told_once(tmp_path: Path) -> None:
    """Two failures raise no alert; more than three raise no second one."""
    pages: dict[str, Any] = {f"p{number}": BROKEN for number in range(6)}
    done = crawl(tmp_path / "six", site_of(OPEN, **pages), *(f"{SITE}/{name}" for name in pages))
    assert kinds(done) == [(SITE, "failing")]
    few: dict[str, Any] = {"p0": BROKEN, "p1": html("fine"), "p2": BROKEN}
    done = crawl(tmp_path / "two", site_of(OPEN, **few), *(f"{SITE}/{name}" for name in few))
    assert kinds(done) == []


def test_a_robots_txt_that_cannot_be_had_is_told(tmp_path: Path) -> None:
    """Nothing can be visited then, and without an alert no one would notice."""
    done = crawl(tmp_path, site_of(Answer(status=503)), patience=60)
    assert kinds(done)[:1] == [(SITE, "failing")]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("User-agent: *\nDisallow: /\n", [(SITE, "disallows-all")]),
        (Answer(status=401), []),
        ("User-agent: *\nDisallow: /\nAllow: /p\n", []),
        ("User-agent: *\nDisallow: /p\nDisallow: /$\n", []),
        ("User-agent: OtherBot\nDisallow: /\n", []),
    ],
)
def test_a_site_that_forbids_everything_is_told(
    tmp_path: Path, rules: object, expected: list[tuple[str, str]]
) -> None:
    """There is no alert if a path remains allowed, or the rules are for another robot."""
    assert kinds(crawl(tmp_path, site_of(rules, home=html("a lamp")))) == expected


def test_a_robots_txt_that_changes_is_told(tmp_path: Path) -> None:
    """The next process notices too; neither the same file nor a failure is a change."""
    site = site_of(OPEN, clock=FakeClock(), home=html("a lamp"))
    assert kinds(crawl(tmp_path, site)) == []
    for answer, expected in (
        (OPEN, []),
        (Answer(status=503), ["failing"]),
        (OPEN + "Disallow: /more\n", ["robots-txt-changed"]),
        (Answer(status=404), ["robots-txt-changed"]),
    ):
        site.routes["/robots.txt"] = answer
        site.clock.advance(86_400 * 40)
        done = crawl(tmp_path, site, again=True, patience=60)
        assert [kind for _, kind in kinds(done)] == expected, answer


def test_a_comment_is_told_once_a_folder(tmp_path: Path) -> None:
    """Only a new message raises an alert."""
    site = site_of(OPEN + "Comment: Write to us.\n", home=html("a lamp"))
    done = crawl(tmp_path, site, dialect="conner1996")
    (alert,) = done.of(SiteAlert)
    assert (alert.kind, alert.text) == ("message", "Write to us.")
    site.clock.advance(86_400 * 40)
    assert kinds(crawl(tmp_path, site, again=True)) == []


def test_what_is_remembered_of_sites_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The site without events for the longest time is dropped."""
    monkeypatch.setattr(alerts_module, "MOST_ORIGINS", 2)
    watch, now = AlertWatch("ExampleBot"), FakeClock().now()

    def failed(site: int, page: int) -> SiteAlert | None:
        url = f"https://{site}.example/{page}"
        return watch.hear(Failed(url, now, "timeout", "page", now))

    assert [bool(failed(1, page)) for page in range(4)] == [False, False, True, False]
    assert not any(failed(site, 0) for site in (2, 3))
    assert [bool(failed(1, page)) for page in range(3)] == [False, False, True]


def test_the_summary_counts_what_each_site_answered(tmp_path: Path) -> None:
    """The counts name the site and the status, unlike a bare `no-success 19`."""
    site = site_of(OPEN, home=html("home", "/a", "/b", "/c"), a=404, b=410, c=404)
    done = crawl(tmp_path, site)
    assert done.summary.answers == {SITE: {"404": 2, "200": 1, "410": 1}}
