"""The shop of 130 pages, crawled by its owner: what only the owner can see is data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.inventory.robot_access import robot_access
from goodbot.crawl.inventory.row_building import inventory_rows
from goodbot.crawl.inventory.site_findings import site_findings
from goodbot.crawl.report.report import report_on
from tests.support.crawls.own_sites import crawl_own, token_line
from tests.support.shop_site.crawled import path_of
from tests.support.shop_site.expected import OWN_SITE_LOOKED_AT, OWN_SITE_RULE, OWN_SITE_UNSEEN
from tests.support.shop_site.pages import ROBOTS_TXT
from tests.support.shop_site.rendering import filled
from tests.support.shop_site.serving import OTHER, SITE, shop_in_memory

if TYPE_CHECKING:
    from pathlib import Path

    from goodbot.crawl.inventory.inventory_row import InventoryRow
    from goodbot.testing import FakeSite

CLOSED = ROBOTS_TXT.replace("Disallow: /checkout\n", f"Disallow: /checkout\n{OWN_SITE_RULE}", 1)


@pytest.fixture
def shop(txt: object) -> FakeSite:
    """Return the shop, which is closed further, and says who owns it."""
    assert txt == {}
    site = shop_in_memory()
    site.routes[f"{SITE}/robots.txt"] = filled(CLOSED, SITE, OTHER) + token_line(SITE)
    return site


def inventory(folder: Path, site: FakeSite) -> dict[str, InventoryRow]:
    """Return the rows of the inventory by path."""
    with open_readonly(folder) as database:
        found = inventory_rows(database, site.clock.now())
        return {path_of(row.url): row for row in found}


def test_the_owner_sees_what_robots_do_not(shop: FakeSite, tmp_path: Path) -> None:
    """Each closed page is fetched and marked so, and each noindex among them is found."""
    folder = tmp_path / "crawl"
    crawl_own(folder, shop, origins=(SITE,), manners={"default": 1.0})
    rows = inventory(folder, shop)
    looked_at = {
        path
        for path, row in rows.items()
        if row.declared == "disallowed" and row.served == "served"
    }
    assert looked_at == OWN_SITE_LOOKED_AT
    assert {path for path, row in rows.items() if row.state == "disallowed"} == set()
    assert not any(rows[path].indexable for path in looked_at)
    assert all(rows[path].declared_source.startswith("robots.txt line ") for path in looked_at)
    unseen = {
        path
        for path, row in rows.items()
        for one in site_findings(row)
        if one.code == "hidden-noindex"
    }
    assert unseen == OWN_SITE_UNSEEN
    asked = {path_of(visit.url) for visit in shop.visits}
    assert asked >= OWN_SITE_LOOKED_AT
    assert not any(path.startswith("/checkout") for path in asked), "only nofollow links lead there"

    # A robot that robots.txt lets in meets the marks of the page, addressed ones as well.
    with open_readonly(folder) as database:
        found = {
            (path_of(one.url), one.robot): (one.fetch, one.index)
            for one in robot_access(database, ["GPTBot", "bingbot"], shop.clock.now())
        }
    assert found["/marked/noindex", "bingbot"] == ("disallowed", "disallowed")
    assert found["/marked/noindex", "GPTBot"] == ("allowed", "disallowed")
    assert found["/marked/for-gptbot", "GPTBot"] == ("allowed", "disallowed")
    assert found["/marked/for-google", "GPTBot"] == ("allowed", "allowed")
    # The report counts what was declared and served as the inventory does.
    with open_readonly(folder) as database:
        report = report_on(database, shop.clock.now(), robots=["GPTBot"])
    counts, page = report.summary.declared_served, "".join(report)
    report.close()
    assert report.summary.permitted == len(OWN_SITE_LOOKED_AT)
    assert "Nothing that was found must not be fetched" not in page
    assert "except those with the reason own-site: their owner permitted it." in page
    assert report.tables["blocked"].count == len(OWN_SITE_LOOKED_AT)
    reasons = {path_of(url): why for url, why, _ in report.tables["not-indexable"].first}
    assert "rule-disallows" not in reasons.values()
    assert reasons["/marked/noindex"] == "directive-forbids"
    assert "/marked/noarchive" not in reasons
    assert counts["disallowed", "served"] == len(OWN_SITE_LOOKED_AT)
