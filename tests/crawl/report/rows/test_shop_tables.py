"""The report on the shop of 130 pages: what is broken and where, blocked, slow, the same twice."""

from collections import Counter, defaultdict
from datetime import datetime, timezone
from itertools import groupby
from typing import Any

import pytest

from goodbot.crawl.evidence.page_findings import SEVERITIES
from goodbot.crawl.evidence.site_links import find_links
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.inventory.row_building import inventory_rows
from goodbot.crawl.report.html import problem_sections
from goodbot.crawl.report.rows import finding_table
from tests.support.crawls.reports import report_tables, report_text
from tests.support.shop_site.crawled import ShopCrawl, path_of
from tests.support.shop_site.expected import BROKEN, NEAR, NOT_INDEXABLE, REFUSED, SAME, SAME_TITLE

Rows = list[dict[str, Any]]
NOW = datetime(2026, 1, 2, tzinfo=timezone.utc)


@pytest.fixture(scope="module")
def tables(shop_crawl: ShopCrawl) -> dict[str, Rows]:
    """Return the tables of the report."""
    with open_readonly(shop_crawl.folder) as database:
        return report_tables(database, NOW)


def paths(rows: Rows, column: str = "url") -> set[str]:
    """Return the paths of the URLs in a column."""
    return {path_of(row[column]) for row in rows}


def test_what_is_broken_comes_with_the_pages_that_link_to_it(tables: dict[str, Rows]) -> None:
    """Each with its status, and each page with the line and the words of its link."""
    broken = {path_of(row["url"]): row for row in tables["broken"]}
    for path, (status, pages) in (BROKEN | REFUSED).items():
        assert broken[path]["answer"] == str(status)
        links = [row for row in tables["broken-links"] if path_of(row["url"]) == path]
        found = {path_of(row["page"]) for row in links if row["kind"] == "link"}
        assert found == set(pages), path
        assert broken[path]["pages"] == len(pages)
        places = broken[path]["pages"] + broken[path]["sitemaps"]
        assert places == len({row["page"] for row in links})
        assert all(row["line"] for row in links if row["kind"] == "link")
    assert broken["/to-missing"]["answer"] == "301 > 404"
    counts = [row["pages"] for row in tables["broken"]]
    assert counts == sorted(counts, reverse=True)


def test_an_error_is_not_shown_as_fetched(tables: dict[str, Rows]) -> None:
    """A 404 or 410 is an error response in the table of all URLs."""
    outcomes = {path_of(row["url"]): (row["outcome"], row["why"]) for row in tables["urls"]}
    for path, (status, _) in BROKEN.items():
        assert outcomes[path] == ("error response", str(status))


def test_what_may_not_be_indexed_has_its_reason_and_no_words(tables: dict[str, Rows]) -> None:
    """No title of such a page is in any table."""
    reasons = {path_of(row["url"]): row["why"] for row in tables["not-indexable"]}
    assert reasons["/no-content"] == "no-content"
    sources = {
        path_of(row["url"]): row["source"]
        for row in tables["not-indexable"]
        if row["why"] not in {"canonical", "no-content"}
    }
    assert sources.keys() == NOT_INDEXABLE.keys()
    assert all(NOT_INDEXABLE[path] in source for path, source in sources.items())
    urls = {path_of(row["url"]): row for row in tables["urls"]}
    assert {urls[path]["title"] for path in NOT_INDEXABLE} == {None}
    assert not NOT_INDEXABLE.keys() & paths(tables["duplicates"])


def test_findings_are_sorted_by_severity_and_then_by_frequency(tables: dict[str, Rows]) -> None:
    """All findings of a code are together."""
    rows = tables["findings"]
    counts = Counter(row["code"] for row in rows)
    places = [(SEVERITIES.index(row["severity"]), -counts[row["code"]]) for row in rows]
    assert places == sorted(places)
    assert len(counts) > 10
    assert len(list(groupby(row["code"] for row in rows))) == len(counts)


def test_the_numbers_are_those_of_the_other_verbs(
    shop_crawl: ShopCrawl, tables: dict[str, Rows]
) -> None:
    """Broken URLs are those of the inventory and the links; redirects and orphans are findings."""
    with open_readonly(shop_crawl.folder) as database:
        rows = list(inventory_rows(database, NOW))
        linked = {one.url for one in find_links(database, ["broken"], now=NOW)}
    assert paths(tables["broken"]) == {
        path_of(row.url) for row in rows if row.broken and not row.is_step
    }
    assert paths(tables["broken-links"]) == {path_of(url) for url in linked}
    found: defaultdict[str, set[str]] = defaultdict(set)
    for row in tables["findings"]:
        found[row["code"]].add(path_of(row["url"]))
    assert (
        paths(tables["orphans"])
        == found["orphan"]
        == {path_of(row.url) for row in rows if row.is_orphan}
    )
    assert all(row["sitemaps"] for row in tables["orphans"])
    redirects = {path_of(row["url"]): row for row in tables["redirects"]}
    assert redirects.keys() == set().union(
        *(urls for code, urls in found.items() if code.startswith("redirect-"))
    )
    assert (redirects["/chain/1"]["problem"], redirects["/chain/1"]["steps"]) == ("chain", 3)
    assert path_of(redirects["/chain/1"]["end"]) == "/lamps/1"
    assert not tables["changes"]


def test_pages_with_the_same_title_or_text_are_together(tables: dict[str, Rows]) -> None:
    """Each row has the first of its group, and how many pages are in it."""
    groups: dict[tuple[str, str], set[str]] = {}
    for row in tables["duplicates"]:
        group = groups.setdefault((row["same"], path_of(row["first"])), set())
        group.add(path_of(row["url"]))
    for row in tables["duplicates"]:
        assert row["pages"] == len(groups[row["same"], path_of(row["first"])])
    texts = [group for (same, _), group in groups.items() if same == "text"]
    titles = [group for (same, _), group in groups.items() if same == "title"]
    for group in (*SAME, *NEAR):
        assert any(group <= found for found in texts), group
    for found in titles:
        assert any(found <= group for group in SAME_TITLE), found
    assert {"/help", "/odd/undescribed"} in titles


def test_blocked_pages_come_with_their_rule(tables: dict[str, Rows]) -> None:
    """The line of robots.txt is quoted."""
    assert tables["blocked"]
    assert {row["rule"].partition(":")[0] for row in tables["blocked"]} == {"Disallow"}


def test_slow_pages_are_those_that_began_late(tables: dict[str, Rows]) -> None:
    """The others began sooner."""
    slow = paths(tables["slow"])
    assert slow
    for row in tables["urls"]:
        if row["first_byte"] is not None:
            assert (path_of(row["url"]) in slow) is (row["first_byte"] > 1_800_000)


def test_findings_on_the_site_are_listed_unless_there_are_too_many(
    shop_crawl: ShopCrawl, tables: dict[str, Rows], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page says which are not, with the command that lists them."""
    codes = {row["code"] for row in tables["findings"]}
    assert {"title-missing", "title-duplicate"} <= codes
    for module in (finding_table, problem_sections):
        monkeypatch.setattr(module, "MOST_CHECKED", 10)
    with open_readonly(shop_crawl.folder) as database:
        few = {row["code"] for row in report_tables(database, NOW)["findings"]}
        _, text = report_text(database, NOW)
    assert few < codes
    assert "The crawl has more than 10 URLs" in text
