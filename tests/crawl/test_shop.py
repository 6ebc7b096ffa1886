"""A crawl of a shop with all that goes wrong on real sites: each URL ends as its table says."""

from collections import Counter
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import Crawl, Database, find_links
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.memory_crawls import crawl, kept, moved, rows, searched
from tests.support.robot_sites import ME, gaps, run
from tests.support.shop_site import expected as whole
from tests.support.shop_site.crawled import ShopCrawl, crawl_shop, expected, outcomes, path_of
from tests.support.shop_site.page import FETCHED
from tests.support.shop_site.pages import DELAY, RETRY_AFTER, ROBOTS_TXT
from tests.support.shop_site.serving import OTHER, PAGES, SITE, loopback_shop


def test_each_page_ends_as_its_row_says(shop_crawl: ShopCrawl) -> None:
    """No URL is missing, and none is added."""
    assert outcomes(rows(shop_crawl.folder)) == expected()


def test_the_tables_are_consistent() -> None:
    """No page is listed twice, some 130 are fetched, and what is broken is not found or gone."""
    pages = {page.path: page for page in PAGES}
    assert len(pages) == len(PAGES)
    assert 130 <= sum(page.outcome == FETCHED for page in PAGES) <= 145
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
            at_work = Crawl(
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
            await at_work.run()
            accepted = {visit.field("Accept-Encoding") for visit in site.visits}
            assert accepted == {"gzip, deflate, br, zstd"}
            return outcomes(rows(tmp_path), site.origin, site.other_origin)

    found = run(main())
    wanted = {path: one for path, one in expected().items() if path.startswith("/encodings")}
    assert {path: found[path] for path in wanted} == wanted


def asked_at(shop: ShopCrawl, origin: str) -> list[str]:
    """Return the paths that were requested at an origin, in order."""
    visits = shop.site.visits
    return [visit.path for visit in visits if visit.url.startswith(f"{origin}/")]


def test_other_sites_are_not_requested(shop_crawl: ShopCrawl) -> None:
    """By default, not even their robots.txt is."""
    assert asked_at(shop_crawl, OTHER) == []


def test_external_links_are_checked(tmp_path: Path) -> None:
    """Their own robots.txt and pace hold; of the answers, only the status is of use.

    Nothing is indexed or archived, no link is followed, and none counts as a page.
    """
    checked = crawl_shop(tmp_path, bounds={"check_external": True})
    found = {path_of(url): row for url, row in rows(tmp_path).items() if url.startswith(OTHER)}
    assert {path: row.status for path, row in found.items()} == {
        path: status for path, (status, _) in whole.EXTERNAL.items()
    }
    assert {path: (row.state, row.reason) for path, row in found.items()} == {
        "{other}/": ("done", "link-checked"),
        "{other}/gone": ("done", "no-success"),
        "{other}/private": ("disallowed", "rule-disallows"),
        "{other}/moved": ("redirected", "redirect"),
    }
    assert sorted(asked_at(checked, OTHER)) == ["/", "/gone", "/moved", "/robots.txt"]
    pauses = gaps([visit for visit in checked.site.visits if visit.url.startswith(OTHER)])
    assert min(pauses[1:]) >= 2.0  # its Crawl-delay
    assert kept(tmp_path, f"{OTHER}/") is None
    assert not any(OTHER in path for path in searched(tmp_path, "friends"))
    own = {path: one for path, one in outcomes(rows(tmp_path)).items() if "{other}" not in path}
    assert own == {path: one for path, one in expected().items() if "{other}" not in path}
    assert checked.done.summary.pages == sum(page.outcome == FETCHED for page in PAGES)


def test_external_links_can_be_checked_later(shop_crawl: ShopCrawl, tmp_path: Path) -> None:
    """A resumed crawl checks the links that it found before, and requests nothing twice."""
    folder = shop_crawl.copy(tmp_path / "crawl")
    later = crawl_shop(folder, bounds={"check_external": True})
    assert sorted(asked_at(later, OTHER)) == ["/", "/gone", "/moved", "/robots.txt"]
    due = crawl_shop(folder, again=True)
    assert asked_at(due, OTHER) == []


def broken_outside(folder: Path, now: datetime) -> dict[str, int | None]:
    """Return what `goodbot links --broken --external` lists: each URL with its status."""
    with Database(folder) as database:
        found = find_links(database, ["broken", "external"], now=now)
        return {link.url: link.status for link in found}


def test_external_links_are_checked_again(tmp_path: Path) -> None:
    """Like pages, when they are due or by `early`; the list of broken links shows the new state."""
    links = [f"{OTHER}/well", f"{OTHER}/gone", f"{OTHER}/moved", "https://down.example/"]
    routes: dict[str, Any] = {
        f"{SITE}/": "".join(f'<a href="{url}">a</a>' for url in links),
        f"{OTHER}/well": "well",
        f"{OTHER}/gone": Answer(status=404),
        f"{OTHER}/moved": moved(f"{OTHER}/well"),
        "https://down.example/robots.txt": Answer(failure="refused"),
    }
    site = FakeSite(routes, clock=FakeClock())
    crawl(tmp_path, site, f"{SITE}/", bounds={"check_external": True})
    assert broken_outside(tmp_path, site.clock.now()) == {links[1]: 404, links[3]: None}
    turned = {
        **routes,
        f"{OTHER}/well": Answer(status=404),
        f"{OTHER}/gone": "back",
        "https://down.example/robots.txt": "",
        "https://down.example/": "up",
    }
    site.clock.advance(3601)
    later = FakeSite(turned, clock=site.clock)
    crawl(tmp_path, later, f"{SITE}/", early=True)
    assert {visit.url for visit in later.visits} >= set(links)
    now = site.clock.now()
    assert broken_outside(tmp_path, now) == {links[0]: 404, links[2]: HTTPStatus.MOVED_PERMANENTLY}
    site.clock.advance(31 * 86_400)
    due = FakeSite(routes, clock=site.clock)
    crawl(tmp_path, due, f"{SITE}/", again=True)
    assert {visit.url for visit in due.visits} >= set(links)
    assert broken_outside(tmp_path, site.clock.now()).keys() == {links[1], links[3]}


@pytest.mark.parametrize("kind", ["dns", "timeout", "refused"])
def test_a_crawl_does_not_wait_for_other_sites(kind: str, tmp_path: Path) -> None:
    """A link to a site that does not answer has failed, after one request for its robots.txt."""
    gone = "https://gone.example"
    links = f'<a href="{gone}/a">a</a><a href="{gone}/b">b</a>'
    site = FakeSite({f"{SITE}/": links, f"{gone}/robots.txt": Answer(failure=kind)})
    done = crawl(tmp_path, site, f"{SITE}/", bounds={"check_external": True})
    assert done.summary.ended == "nothing-left"
    assert site.clock.monotonic() < 60
    assert len(site.visits_to(f"{gone}/robots.txt")) == 1
    reasons = {row.reason for url, row in rows(tmp_path).items() if url.startswith(gone)}
    assert reasons == {f"failure-{kind}"}
    assert {row.state for url, row in rows(tmp_path).items() if url.startswith(gone)} == {"failed"}


def test_only_links_are_checked(tmp_path: Path) -> None:
    """Sitemaps, canonical links and nofollow links of other sites are not; redirects are."""
    page = (
        f'<link rel=canonical href="{OTHER}/canonical"><a href="{OTHER}/link">a</a>'
        f'<a rel=nofollow href="{OTHER}/nofollow">b</a><a href="{OTHER}/excluded">c</a>'
        f'<a href="/away">d</a><a href="{OTHER}/away">e</a>'
    )
    routes: dict[str, Any] = {
        f"{SITE}/robots.txt": f"Sitemap: {OTHER}/foreign.xml\nSitemap: {SITE}/own.xml",
        f"{SITE}/own.xml": f"{OTHER}/listed\n",
        f"{SITE}/": page,
        f"{SITE}/away": moved(f"{OTHER}/target"),
        f"{OTHER}/robots.txt": f"Sitemap: {OTHER}/map.xml\nPleaseVisit: {OTHER}/please",
        f"{OTHER}/link": f'<a href="{OTHER}/further">further</a>',
        f"{OTHER}/away": moved(f"{OTHER}/there"),
        f"{OTHER}/there": moved(f"{SITE}/back"),
        f"{SITE}/back": "back",
    }
    site = FakeSite(routes, clock=FakeClock())
    bounds = {"check_external": True, "exclude": [f"{OTHER}/excluded"]}
    crawl(tmp_path, site, f"{SITE}/", bounds=bounds)
    asked = {visit.path for visit in site.visits if visit.url.startswith(OTHER)}
    assert asked == {"/robots.txt", "/link", "/target", "/away", "/there"}
    assert rows(tmp_path)[f"{SITE}/back"].reason == "fetched"
