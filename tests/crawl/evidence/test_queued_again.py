"""What is queued for another visit is listed as the last visit found it, until the next result."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from goodbot.crawl import Database, InventoryRow, inventory_rows
from goodbot.crawl.evidence.history import history_of
from goodbot.crawl.evidence.site_links import FoundLink, find_links
from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.protocol import Outcome
from goodbot.crawl.frontier.reading import count_queued
from goodbot.crawl.frontier.sqlite import SQLiteFrontier
from tests.support.shop_site.crawled import ShopCrawl
from tests.support.shop_site.serving import SITE

LATER = datetime(2030, 1, 1, tzinfo=timezone.utc)


@pytest.fixture
def shop(shop_crawl: ShopCrawl, tmp_path: Path) -> Iterator[Database]:
    """Open a copy of the crawl of the shop."""
    with Database(shop_crawl.copy(tmp_path / "shop")) as database:
        yield database


def known(database: Database) -> tuple[list[InventoryRow], list[FoundLink]]:
    """Return the inventory and the broken links, as if nothing were queued."""
    pages = [replace(row, queued_again=False) for row in inventory_rows(database, LATER)]
    links = find_links(database, ["broken"], now=LATER)
    return pages, [replace(link, queued_again=False) for link in links]


def leased(database: Database, url: str) -> QueuedUrl:
    """Lease a URL."""
    found = database.connection.execute(
        "UPDATE urls SET state = 'leased', visit = visit + 1 WHERE url = ? RETURNING id, visit",
        (url,),
    )
    ((number, visit),) = found.fetchall()
    return QueuedUrl(number, url, SITE, 1, 0, 0, "link", "", visit)


def test_nothing_is_lost_while_urls_are_queued_again(shop: Database) -> None:
    """Not of pages, redirects, failures, nor of what is disallowed; each says that it is queued."""
    before = known(shop)
    assert count_queued(shop) == (0, 0)
    SQLiteFrontier(shop, LATER).again(LATER, early=True)
    assert known(shop) == before
    rows = list(inventory_rows(shop, LATER))
    again, first = count_queued(shop)
    assert (again, first) == (sum(row.queued_again for row in rows), 0)
    assert again > 150
    broken = list(find_links(shop, ["broken"], now=LATER))
    assert broken
    assert all(link.queued_again for link in broken)
    history = history_of(shop, f"{SITE}/always-dropped")
    assert history is not None
    assert (history.state, history.reason, history.queued_again) == ("failed", "reset", True)


def test_what_is_deferred_or_interrupted_keeps_its_last_result(shop: Database) -> None:
    """A deferral, a visit that is given back, and the end of the process are no result."""
    before = known(shop)
    frontier = SQLiteFrontier(shop, LATER)
    frontier.again(LATER, early=True)
    waits = Outcome("queued", "visit-time", "robots.txt line 7", due=LATER)
    assert frontier.settle(leased(shop, f"{SITE}/sale"), waits, LATER)
    assert frontier.settle(leased(shop, f"{SITE}/search?q=lamp"), waits, LATER)
    assert frontier.give_back(leased(shop, f"{SITE}/missing-lamp"), "site-page-limit", "a limit")
    leased(shop, f"{SITE}/always-dropped")
    assert known(shop) == before
    SQLiteFrontier(shop, LATER)
    assert known(shop) == before


def test_a_new_result_replaces_the_last_one(shop: Database) -> None:
    """Also a failure that is tried again soon: readers have it, too."""
    lamps, missing = f"{SITE}/lamps", f"{SITE}/missing-lamp"
    frontier = SQLiteFrontier(shop, LATER)
    frontier.again(LATER, early=True)
    failed = Outcome("queued", "timeout", "too slow", due=LATER, failed=True)
    assert frontier.settle(leased(shop, lamps), failed, LATER)
    assert frontier.settle(leased(shop, missing), Outcome("done", "fetched", "", 200), LATER)
    rows = {row.url: row for row in inventory_rows(shop, LATER)}
    assert (rows[lamps].failure, rows[lamps].broken) == ("timeout", True)
    assert (rows[missing].status, rows[missing].broken) == (200, False)
    assert not rows[lamps].queued_again
    assert not rows[missing].queued_again
    assert {link.url for link in find_links(shop, ["broken"], now=LATER)} >= {lamps}
    assert count_queued(shop)[1] == 1
