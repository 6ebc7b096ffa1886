"""A crawl of a shop with all that goes wrong on real sites: each URL ends as its table says."""

from http import HTTPStatus

from tests.support.memory_crawls import rows
from tests.support.shop_site import expected as whole
from tests.support.shop_site.crawled import ShopCrawl, expected, outcomes
from tests.support.shop_site.page import FETCHED
from tests.support.shop_site.serving import PAGES, SITE


def test_each_page_ends_as_its_row_says(shop_crawl: ShopCrawl) -> None:
    """No URL is missing, and none is added."""
    assert outcomes(rows(shop_crawl.folder)) == expected()


def test_the_tables_are_consistent() -> None:
    """No page is listed twice, some 130 are fetched, and what is broken is not found or gone."""
    pages = {page.path: page for page in PAGES}
    assert len(pages) == len(PAGES)
    assert 130 <= sum(page.outcome == FETCHED for page in PAGES) <= 140
    assert all(page.why for page in PAGES)
    missing = {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}
    found = {path for path, page in pages.items() if page.status in missing}
    assert found - {"{other}/gone"} == whole.BROKEN.keys()
    both = whole.BROKEN | whole.REFUSED
    assert all(pages[path].status == status for path, (status, _) in both.items())
    linked = {path: {link.to for link in page.links} for path, page in pages.items()}
    for target, (_, sources) in {**both, **whole.EXTERNAL}.items():
        assert {path for path, targets in linked.items() if target in targets} == set(sources)


def test_redirects_end_where_the_table_says(shop_crawl: ShopCrawl) -> None:
    """Each target of a chain is the source of the next redirect."""
    found = rows(shop_crawl.folder)
    for first, targets in whole.CHAINS.items():
        path = first
        for target in targets:
            assert found[SITE + path].source == SITE + target
            path = target
