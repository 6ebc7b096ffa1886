"""Words leave the inventory of a crawl with the page: when it is forbidden, gone, or forgotten."""

from datetime import datetime
from pathlib import Path

import pytest

from goodbot.crawl import Database, InventoryRow, inventory_rows, site_findings
from goodbot.crawl.folder import orders
from goodbot.crawl.folder.orders import Order
from goodbot.testing import Answer, FakeSite
from tests.support.crawls.memory_crawls import SITE, crawl, html, moved, site_of

PAGE = html("A lamp of brass, for the table, with a green shade and a long wire", "/a")
YEAR = 365 * 86_400


def row_of(folder: Path, now: datetime) -> InventoryRow:
    """Return the row of the page `/a`."""
    with Database(folder) as database:
        return next(row for row in inventory_rows(database, now) if row.url == f"{SITE}/a")


def stored(folder: Path) -> bytes:
    """Return what the folder stores of pages, in the only row that has a title."""
    with Database(folder) as database:
        rows = database.connection.execute("SELECT * FROM page_facts WHERE title = 'Lamps'")
        return repr(rows.fetchall()).encode()


@pytest.fixture
def site(tmp_path: Path) -> FakeSite:
    """Crawl a site with two pages."""
    page = PAGE.replace("<title>t<", "<title>Lamps<")
    site = site_of("User-agent: *", home=html("home", "/a"), a=page)
    crawl(tmp_path, site)
    row = row_of(tmp_path, site.clock.now())
    assert (row.title, row.indexable, row.words) == ("Lamps", True, 17)
    return site


@pytest.mark.parametrize(
    ("route", "answer", "reason", "withheld"),
    [
        ("/a", PAGE.replace("<title>", "<meta name=robots content=noindex><title>"), None, "META"),
        (
            "/a",
            Answer(body=PAGE.encode(), headers=[("X-Robots-Tag", "noindex")]),
            None,
            "X-Robots-Tag: noindex",
        ),
        ("/a", 404, "no-success", "status: 404"),
        ("/a", moved("/"), "redirect", ""),
        ("/robots.txt", "User-agent: *\nDisallow: /a", "rule-disallows", "rule-disallows"),
    ],
)
def test_a_page_that_must_not_be_indexed_any_more(
    tmp_path: Path,
    site: FakeSite,
    route: str,
    answer: object,
    reason: str | None,
    withheld: str,
) -> None:
    """The next visit takes its words out of the table."""
    site.routes[route] = answer  # type: ignore[assignment]
    site.clock.advance(YEAR)
    crawl(tmp_path, site, again=True)
    row = row_of(tmp_path, site.clock.now())
    assert (row.title, row.h1, row.language, row.indexable) == (None, None, None, False)
    assert reason is None or row.indexable_reason == reason
    assert row.withheld.startswith(withheld)
    assert stored(tmp_path) == b"[]"


def test_a_server_that_fails_takes_nothing_away(tmp_path: Path, site: FakeSite) -> None:
    """A 503 says nothing about the page; the row has the status, and the words stay."""
    site.routes["/a"] = 503
    site.clock.advance(YEAR)
    crawl(tmp_path, site, again=True, patience=60)
    row = row_of(tmp_path, site.clock.now())
    assert (row.status, row.title, row.indexable) == (503, "Lamps", False)


def test_what_is_forgotten_has_no_words(tmp_path: Path, site: FakeSite) -> None:
    """The operator's order counts at once."""
    orders.leave(tmp_path, Order("forget", f"{SITE}/a", site.clock.now()))
    crawl(tmp_path, site, resume=True)
    row = row_of(tmp_path, site.clock.now())
    assert (row.title, row.withheld, row.words) == (None, "removed", 17)
    # It is not said to have no title, no heading and no language.
    lacking = {"title-missing", "description-missing", "h1-missing", "language-missing"}
    assert not lacking & {found.code for found in site_findings(row)}


def test_what_is_outside_and_removed_has_no_words(tmp_path: Path, site: FakeSite) -> None:
    """As from the index and the archive (`--remove`)."""
    crawl(tmp_path, site, again=True, remove=True, resume=True, bounds={"exclude": ["/a"]})
    assert stored(tmp_path) == b"[]"
