"""A crawl of a shop with all that goes wrong on real sites: each URL ends as its table says."""

from collections import Counter
from http import HTTPStatus
from pathlib import Path

from goodbot.crawl import Crawl
from tests.support.memory_crawls import rows
from tests.support.robot_sites import ME, run
from tests.support.shop_site import expected as whole
from tests.support.shop_site.crawled import ShopCrawl, crawl_shop, expected, outcomes
from tests.support.shop_site.page import FETCHED
from tests.support.shop_site.pages import DELAY, RETRY_AFTER, ROBOTS_TXT
from tests.support.shop_site.serving import PAGES, SITE, loopback_shop


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


def test_a_crawl_recovers_in_time(shop_crawl: ShopCrawl) -> None:
    """The crawl takes at most 1.2 times what the Crawl-delay and the one Retry-After ask for.

    Each failure is tried again twice, except what cannot be decoded, and what recovers is fetched.
    """
    requests = shop_crawl.site.visits
    asked = DELAY * (len(requests) - 1) + RETRY_AFTER
    assert asked <= shop_crawl.seconds <= 1.2 * asked
    times = Counter(visit.path for visit in requests)
    again = {path: count for path, count in times.items() if count > 1 and path != "/robots.txt"}
    thrice = ("/always-500", "/always-dropped", "/too-short", "/encodings/too-long")
    assert again == dict.fromkeys(("/flaky", "/dropped", "/busy"), 2) | dict.fromkeys(thrice, 3)


def test_the_limit_counts_pages(tmp_path: Path) -> None:
    """Pages that were fetched count; redirects, errors, failures, sitemaps and images do not."""
    limited = crawl_shop(tmp_path, bounds={"pages": 60})
    assert (limited.done.summary.ended, limited.done.summary.pages) == ("page-limit", 60)
    settled = Counter(row.reason for row in rows(tmp_path).values())
    assert settled["fetched"] == 60
    assert {"redirect", "no-success", "not-read", "sitemap"} <= settled.keys()


def test_without_retries_each_url_is_requested_once(tmp_path: Path) -> None:
    """Only what asks for a pause (429) is requested again."""
    once = crawl_shop(tmp_path, retries=0)
    times = Counter(visit.path for visit in once.site.visits)
    assert [path for path, count in times.items() if count > 1] == ["/busy"]
    assert rows(tmp_path)[f"{SITE}/flaky"].state == "failed"


def test_codings_on_the_wire(tmp_path: Path) -> None:
    """By sockets, each coding and each way of sending ends as in memory."""

    async def main() -> dict[str, object]:
        async with loopback_shop(ROBOTS_TXT.replace("delay: 1", "delay: 0")) as site:
            crawl = Crawl(
                tmp_path,
                "ExampleBot/1.0",
                start=[f"{site.origin}/encodings"],
                bounds={"include": ["/encodings"]},
                sitemaps=False,
                manners={"default": 0.0, "factor": 0.0},
                retries=0,
                allow_private=True,
                **ME,
            )
            await crawl.run()
            accepted = {visit.field("Accept-Encoding") for visit in site.visits}
            assert accepted == {"gzip, deflate, br, zstd"}
            return outcomes(rows(tmp_path), site.origin, site.other_origin)

    found = run(main())
    wanted = {path: one for path, one in expected().items() if path.startswith("/encodings")}
    assert {path: found[path] for path in wanted} == wanted
