"""The report's pages by robots: counts, a table to filter, and comparisons of two robots."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.inventory.robot_access import robot_access
from goodbot.crawl.report.report import report_on
from goodbot.crawl.report.rows import finding_table
from goodbot.crawl.report.rows.robot_tables import MOST_ROBOTS, USUAL_ROBOTS, word_for
from tests.support.crawls.reports import unpacked
from tests.support.program import run
from tests.support.shop_site.crawled import path_of
from tests.support.shop_site.expected import ROBOTS_APART

if TYPE_CHECKING:
    from tests.support.shop_site.crawled import ShopCrawl

NOW = datetime(2026, 1, 2, tzinfo=timezone.utc)
ROBOTS = ("ExampleBot", *USUAL_ROBOTS)


@pytest.fixture(scope="module")
def report(shop_crawl: ShopCrawl) -> tuple[str, dict[str, list[tuple[Any, ...]]]]:
    """Return the page of the shop, and the rows of its tables on robots."""
    with open_readonly(shop_crawl.folder) as database, closing(report_on(database, NOW)) as found:
        tables = {name: unpacked("".join(found.tables[name].data()))
                  for name in ("robots", "robots-closed")}  # fmt: skip
        return "".join(found), tables


def test_each_page_has_a_word_for_each_robot(
    report: tuple[str, dict[str, list[tuple[Any, ...]]]], shop_crawl: ShopCrawl
) -> None:
    """The words are those of the rows of the inventory, and are counted."""
    page, tables = report
    with open_readonly(shop_crawl.folder) as database:
        rows = list(robot_access(database, ROBOTS, NOW))
    words = {
        (row.url, place % len(ROBOTS)): word_for(row.fetch, row.index, row.snippet)
        for place, row in enumerate(rows)
    }
    found = {(url, place): word for url, *row in tables["robots"] for place, word in enumerate(row)}
    assert found == words
    for place, name in enumerate(ROBOTS):
        counts = Counter(word for (_, at), word in words.items() if at == place)
        assert f"<td>{name}</td>" in page
        assert counts["indexed"] > 100
        assert f">{counts['indexed']:,}</td>" in page


def test_what_a_robot_may_not_use_has_its_statement(
    report: tuple[str, dict[str, list[tuple[Any, ...]]]],
) -> None:
    """And robots that a page addresses are apart from the others."""
    rows = {(path_of(url), robot): rest for url, robot, *rest in report[1]["robots-closed"]}
    for (path, robot), (fetch, index, _, source) in ROBOTS_APART.items():
        if "disallowed" in {fetch, index}:
            assert rows[path, robot][0] == source
            assert rows[path, robot][2:4] == [fetch, index]
    assert ("/marked/for-google", "bingbot") not in rows


def test_two_robots_are_compared_by_a_link(
    report: tuple[str, dict[str, list[tuple[Any, ...]]]],
) -> None:
    """It filters the table by both columns."""
    page, tables = report
    assert 'data-where="robot-1=indexed&amp;robot-3=not+indexed"' in page
    apart = [url for url, *words in tables["robots"] if words[1] == "indexed"
             and words[3] == "not indexed"]  # fmt: skip
    assert [path_of(url) for url in apart] == ["/marked/for-gptbot"]
    assert "Googlebot indexed, GPTBot not indexed: 1<" in page
    assert "Googlebot indexed, bingbot not fetched" not in page, "no page would be listed"


def test_the_robots_are_those_that_are_named(shop_crawl: ShopCrawl) -> None:
    """At most so many as have room."""
    words = ("report", str(shop_crawl.folder), "-o", "-")
    page = run(*words, "--for", "Yandex,CCBot").stdout.decode()
    assert ">CCBot</th>" in page
    assert ">GPTBot</th>" not in page
    every = run(*words, "--for", "all").stdout.decode()
    assert f'data-name="robot-{MOST_ROBOTS - 1}"' in every
    assert f'data-name="robot-{MOST_ROBOTS}"' not in every


def test_a_large_crawl_compares_only_robots_that_are_named(
    shop_crawl: ShopCrawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it names the command."""
    for module in ("goodbot.crawl.report.report", finding_table.__name__):
        monkeypatch.setattr(f"{module}.MOST_CHECKED", 10)
    with open_readonly(shop_crawl.folder) as database:
        with closing(report_on(database, NOW)) as found:
            assert not found.tables["robots"].count
            assert "robots are not compared here unless you name them" in "".join(found)
        with closing(report_on(database, NOW, robots=["GPTBot"])) as found:
            assert found.tables["robots"].count > 100
