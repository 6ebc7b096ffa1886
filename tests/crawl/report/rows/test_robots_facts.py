"""The report on robots.txt: mistakes, what rules keep away, what another file would change."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest

import goodbot
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.frontier.reading import brief_urls
from goodbot.crawl.report.report import report_on
from goodbot.crawl.report.rows import robots_facts
from goodbot.crawl.watching.robots_trial import try_robots_txt
from goodbot.errors import MisuseError
from goodbot.testing import Answer
from tests.support.crawls.memory_crawls import SITE as SMALL_SITE
from tests.support.crawls.memory_crawls import crawl, crawl_at, html, site_of
from tests.support.crawls.memory_crawls import run as finish
from tests.support.program import run
from tests.support.shop_site.crawled import path_of
from tests.support.shop_site.expected import BLOCKED_RESOURCES, KEPT_AWAY, ROBOTS_TXT_CODES
from tests.support.shop_site.serving import SITE

if TYPE_CHECKING:
    from pathlib import Path

    from goodbot.crawl.report.rows.robots_facts import RobotsFacts
    from tests.support.shop_site.crawled import ShopCrawl

NOW = datetime(2026, 1, 2, tzinfo=timezone.utc)
NEW = b"""\
User-agent: GPTBot
Disallow: /lamps

User-agent: *
Disallow: /checkout
Disallow: /assets/
"""
ROBOTS = ("GPTBot", "Googlebot", "ExampleBot")


def facts_of(folder: Path) -> tuple[RobotsFacts, str]:
    """Return what the report on a crawl has of robots.txt, and its page."""
    with open_readonly(folder) as database, closing(report_on(database, NOW)) as report:
        return report.summary.robots_facts, "".join(report)


@pytest.fixture(scope="module")
def shop(shop_crawl: ShopCrawl) -> tuple[RobotsFacts, str]:
    """Return them for the shop."""
    return facts_of(shop_crawl.folder)


def test_lint_finds_the_mistakes_of_the_file_that_was_crawled(
    shop: tuple[RobotsFacts, str],
) -> None:
    """Also those that only the sitemaps show."""
    facts, page = shop
    [site] = facts.sites
    assert site.origin == SITE
    assert {(one.code, one.line) for one in site.findings} == ROBOTS_TXT_CODES.keys()
    assert all(code in page for code, _ in ROBOTS_TXT_CODES)
    assert facts.problems == len(ROBOTS_TXT_CODES)


def test_rules_are_counted_by_what_they_keep_away(shop: tuple[RobotsFacts, str]) -> None:
    """Each with its line, its number of URLs and examples, those with the most first."""
    rules = shop[0].kept_away
    found = {one.rule: (int(one.source.rsplit(" ", 1)[1]), one.urls) for one in rules}
    assert found == KEPT_AWAY
    assert list(found) == list(KEPT_AWAY)
    assert path_of(rules[0].examples[0]) == "/search?q=lamp"


def test_blocked_resources_have_their_pages_and_lines(shop: tuple[RobotsFacts, str]) -> None:
    """They are those that the pages need."""
    resources = shop[0].blocked_resources
    found = {path_of(one.url): path_of(one.page) for one in resources}
    expected = {url: page for page, urls in BLOCKED_RESOURCES.items() for url in urls}
    assert found == expected
    assert {one.source for one in resources} == {"robots.txt line 5"}
    assert all(one.pages == 1 for one in resources)


def test_findings_on_sitemaps_are_beside_those_on_robots_txt(tmp_path: Path) -> None:
    """A sitemap that is none is named, with its code."""
    sitemap = Answer(body=b"<html>", headers=[("Content-Type", "text/html")])
    pages: dict[str, Any] = {"home": html(""), "sitemap.xml": sitemap}
    crawl(tmp_path, site_of(f"Sitemap: {SMALL_SITE}/sitemap.xml", **pages))
    facts, page = facts_of(tmp_path)
    assert {(one.url, one.found.code) for one in facts.sitemaps} == {
        (f"{SMALL_SITE}/sitemap.xml", "no-sitemap")
    }
    assert "Findings on sitemaps" in page
    assert "No rule keeps this robot away" in page


def test_orders_of_the_operator_are_no_rules(tmp_path: Path) -> None:
    """A URL that the operator blocked is not kept away by robots.txt."""
    site = site_of(home=html("<a href=/a>a</a>"), a=html(""))
    at_work = crawl_at(tmp_path, site)
    at_work.block(f"{SMALL_SITE}/a", "asked")
    finish(at_work.run())
    with open_readonly(tmp_path) as database:
        assert {one.state for one in brief_urls(database)} == {"done", "disallowed"}
    assert not facts_of(tmp_path)[0].kept_away


def test_the_bounds_hold(shop_crawl: ShopCrawl, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more rules than are counted, the first are."""
    monkeypatch.setattr(robots_facts, "MOST_RULES", 1)
    facts, _ = facts_of(shop_crawl.folder)
    assert len(facts.rules) == len(facts.resources) == 1


def test_another_file_is_tried_on_every_url_of_the_crawl(shop_crawl: ShopCrawl) -> None:
    """Twin: the counts are those of each URL alone, by both files."""
    with open_readonly(shop_crawl.folder) as database:
        trial = try_robots_txt(database, SITE, NEW, ROBOTS, source="new.txt")
        urls = [one.url for one in brief_urls(database) if one.origin == SITE]
        record = database.store.get(SITE)
    assert record is not None
    before = goodbot.Policy.from_record(record).robots_txt
    assert before is not None
    after = goodbot.RobotsTxt(NEW)
    for one in trial.robots:
        files = [
            [bool(goodbot.verdict(file, url, one.robot)) for url in urls]
            for file in (before, after)
        ]
        pairs = list(zip(*files, strict=True))
        assert one.urls == len(urls)
        assert one.allowed == sum(was for was, _ in pairs)
        assert one.newly_disallowed == sum(was and not now for was, now in pairs)
        assert one.newly_allowed == sum(now and not was for was, now in pairs)
    by_name = {one.robot: one for one in trial.robots}
    assert by_name["GPTBot"].newly_disallowed
    assert by_name["Googlebot"].newly_allowed == KEPT_AWAY["Disallow: /search"][1]
    assert trial.comparison.effect == "both"


def test_the_command_tries_a_file_for_robots_and_sets(
    shop_crawl: ShopCrawl, tmp_path: Path
) -> None:
    """The report has the numbers, and every difference over all paths."""
    (tmp_path / "new.txt").write_bytes(NEW)
    words = ("report", str(shop_crawl.folder), "-o", "-", "--try", "new.txt")
    done = run(*words, "--for", "Googlebot,ai", cwd=tmp_path)
    page = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert "Tried: new.txt" in page
    assert "<td>GPTBot</td>" in page
    assert "Every difference, over all paths" in page
    assert "line 2: Disallow: /lamps" in page
    plain = run(*words, cwd=tmp_path).stdout.decode()
    assert "<td>ExampleBot</td>" in plain


def test_what_cannot_be_tried_is_refused(shop_crawl: ShopCrawl, tmp_path: Path) -> None:
    """The message says what to do."""
    with open_readonly(shop_crawl.folder) as database, pytest.raises(MisuseError, match="crawl"):
        try_robots_txt(database, "https://unknown.example", b"", ["GPTBot"], source="a")
    (tmp_path / "new.txt").write_bytes(NEW)
    words = ("report", str(shop_crawl.folder), "-o", "-")
    odd = run(*words, "--try", "new.txt", "--for", "https://example.com/", cwd=tmp_path)
    assert (odd.returncode, odd.stdout) == (2, b"")
    (tmp_path / "new.txt").write_bytes(b"<!DOCTYPE html><title>Not found</title>")
    odd = run(*words, "--try", "new.txt", cwd=tmp_path)
    assert (odd.returncode, odd.stdout) == (2, b"")
    assert b"looks like HTML" in odd.stderr
    (tmp_path / "new.txt").write_bytes(b"")
    odd = run(*words, "--try", "new.txt", cwd=tmp_path)
    assert odd.returncode == 0
    assert b"the robots.txt file is empty" in odd.stderr
    (tmp_path / "new.txt").write_bytes(bytes(range(256)) * 8)
    odd = run(*words, "--try", "new.txt", cwd=tmp_path)
    assert (odd.returncode, odd.stdout) == (2, b""), odd.stderr


def test_a_name_that_is_probably_mistyped_has_one_note(
    shop_crawl: ShopCrawl, tmp_path: Path
) -> None:
    """Wherever robots are named whose pages a crawl has."""
    folder = str(shop_crawl.folder)
    (tmp_path / "new.txt").write_bytes(NEW)
    for words in (
        ("report", folder, "-o", "-", "--for", "GTPBot", "--try", "new.txt"),
        ("inventory", folder, "--for", "GTPBot"),
        ("reconsider", folder, "--robot", "GTPBot", "--policies", "new.txt"),
    ):
        told = run(*words, cwd=tmp_path).stderr
        assert told.count(b"GTPBot is not a known robot") == 1, (words, told)
        assert b"did you mean GPTBot?" in told
