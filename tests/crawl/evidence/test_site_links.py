"""Links are found with what became of their targets: broken, redirected, elsewhere."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from goodbot.crawl import Bounds, Database, FoundLink, find_links
from goodbot.crawl.evidence.history import history_of
from goodbot.crawl.evidence.link_export import LINK_COLUMNS, export_links
from goodbot.crawl.evidence.site_links import SiteLinks
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.frontier.failing import endings
from goodbot.crawl.links.page_links import listed_links
from goodbot.crawl.links.sqlite import SQLiteLinks
from goodbot.errors import NoOriginError, NotAStoreError, WrongValueError
from goodbot.testing import FakeClock
from tests.support.crawls.memory_crawls import OTHER, SITE, crawl, html, rows, site_of
from tests.support.shop_site import expected as whole
from tests.support.shop_site.crawled import ShopCrawl, crawl_shop, path_of
from tests.support.shop_site.serving import SITE as SHOP

NOW = FakeClock().now()


@pytest.fixture
def shop(shop_crawl: ShopCrawl) -> Iterator[Database]:
    """Open the crawl of the shop."""
    with open_readonly(shop_crawl.folder) as database:
        yield database


def by_target(found: Iterator[FoundLink]) -> dict[str, tuple[str, ...]]:
    """Return the pages with links to each URL, as paths; sitemaps are omitted."""
    pages: dict[str, list[str]] = {}
    for link in found:
        known = pages.setdefault(path_of(link.url), [])
        if link.kind != "sitemap" and path_of(link.page) not in known:
            known.append(path_of(link.page))
    return {url: tuple(known) for url, known in pages.items()}


def sorted_pages(pages: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """Return the same with the pages in alphabetical order."""
    return {url: sorted(known) for url, known in pages.items()}


def test_broken_links_are_found_with_their_pages(shop: Database) -> None:
    """Every URL that does not exist or fails, with each page that links to it."""
    found = sorted_pages(by_target(find_links(shop, ["broken"], now=NOW)))
    linked = {
        url: pages
        for url, (_, pages) in (whole.BROKEN | whole.REFUSED).items()
        if pages or url in whole.ONLY_IN_SITEMAPS
    }
    assert {url: found.pop(url) for url in linked} == sorted_pages(linked)
    failing = {"/itself", "/nowhere", "/always-dropped", "/too-short"}
    redirecting = {"/to-missing", "/loop/1", "/long/1"}
    coded = {url for url in found if url.startswith("/encodings/")}
    assert found.keys() - coded == failing | redirecting
    assert {"/encodings/not-gzip", "/encodings/too-long"} <= coded


@pytest.mark.parametrize(
    ("path", "answers", "end"),
    [
        ("/missing-lamp", ("404",), ""),
        ("/discontinued", ("410",), ""),
        ("/always-dropped", ("reset",), ""),
        ("/to-missing", ("301", "404"), "/missing-target"),
        ("/loop/1", ("301", "redirect-loop"), ""),
        ("/itself", ("301", "redirect-loop"), ""),
        ("/nowhere", ("302", "redirect-without-location"), ""),
        ("/long/1", ("301", "redirects-too-many"), "/long/11"),
        ("/chain/1", ("301", "200"), "/lamps/1"),
        ("/help", ("200",), ""),
    ],
)
def test_the_answers_on_the_way_are_known(
    path: str, answers: tuple[str, ...], end: str, shop_crawl: ShopCrawl, shop: Database
) -> None:
    """The first, and that behind all redirects."""
    site = SiteLinks(shop, NOW)
    linked = site.target(rows(shop_crawl.folder)[SHOP + path].number)
    assert linked.answers == answers
    assert (linked.end is linked.record) == (not end)
    assert path_of(linked.end.url) == (end or path)
    assert linked.is_broken == (answers[-1] != "200")
    if path != "/help":
        assert site.links_to(linked.record.url_id)[0].broken == linked.is_broken


def test_redirects_and_links_elsewhere_are_found(shop: Database) -> None:
    """Redirects with the end of each chain; links to other sites were not requested."""
    ends = {path_of(one.url): path_of(one.end) for one in find_links(shop, ["redirects"], now=NOW)}
    assert ends["/old-lamps"] == "/lamps"
    assert ends["/chain/1"] == whole.CHAINS["/chain/1"][-1]
    assert "/help" not in ends
    found = sorted_pages(by_target(find_links(shop, ["external"], now=NOW)))
    assert found == sorted_pages({url: pages for url, (_, pages) in whole.EXTERNAL.items()})
    assert {one.why_not for one in find_links(shop, ["external"], now=NOW)} == {
        "other-origin",
        "nofollow",
    }
    both = list(find_links(shop, ["external", "nofollow"], now=NOW))
    assert [path_of(one.page) for one in both] == ["/about"]
    assert not list(find_links(shop, ["external", "broken"], now=NOW))


def test_links_that_must_not_be_followed_have_what_says_so(shop: Database) -> None:
    """By URL; those that another page allows to follow are among them."""
    said: dict[str, set[str]] = {}
    for link in find_links(shop, ["nofollow"], now=NOW):
        assert (link.followed, link.why_not) == (False, "nofollow")
        said.setdefault(path_of(link.url), set()).add(link.source)
    for url, word in whole.NOFOLLOWED.items():
        assert all(word in one for one in said[url])


def test_links_of_one_page_and_to_one_url(shop: Database) -> None:
    """In the order in which they are written; an unknown URL has none."""
    home, lamp = f"{SHOP}/", f"{SHOP}/missing-lamp"
    found = list(find_links(shop, now=NOW, page=home))
    assert [one.line for one in found] == sorted(one.line or 0 for one in found)
    assert {one.page for one in found} == {home}
    (link,) = find_links(shop, ["broken"], now=NOW, page=home)
    assert (link.url, link.text) == (lamp, "The lamp of the month")
    assert link in list(find_links(shop, now=NOW, to=lamp))
    assert list(find_links(shop, now=NOW, to=lamp, page=home)) == [link]
    assert not list(find_links(shop, now=NOW, to=f"{SHOP}/unheard-of"))
    assert not list(find_links(shop, now=NOW, page=f"{SHOP}/unheard-of"))
    with pytest.raises(NoOriginError):
        list(find_links(shop, now=NOW, to="/lamps"))
    with pytest.raises(WrongValueError, match="broken, redirects"):
        list(find_links(shop, ["rotten"], now=NOW))  # type: ignore[list-item]


def test_every_link_is_found_once(shop: Database) -> None:
    """The links without a filter are those that any filter finds, and the others."""
    every = list(find_links(shop, now=NOW))
    assert len(every) > 500
    broken = [one for one in every if one.broken]
    assert sorted(broken, key=str) == sorted(find_links(shop, ["broken"], now=NOW), key=str)
    assert all(one.text is not None or one.text_withheld or one.kind == "sitemap" for one in every)


def test_the_most_linked_come_first(shop: Database) -> None:
    """With the number of pages and sitemaps that have them."""
    ranked = SiteLinks(shop, NOW).ranked("broken")
    counts = [one.places for one in ranked]
    assert counts == sorted(counts, reverse=True)
    first = SiteLinks(shop, NOW).target(ranked[0].url_id)
    assert (path_of(first.record.url), *ranked[0][1:]) == ("/missing-lamp", 3, 1)


def test_every_broken_url_is_ranked(shop: Database) -> None:
    """Also one that only redirects or canonical links name; a chain only at its start."""
    site = SiteLinks(shop, NOW)
    ranked = {path_of(site.target(one.url_id).record.url): one for one in site.ranked("broken")}
    linked = whole.BROKEN.keys() | whole.REFUSED.keys() | whole.BROKEN_REDIRECTS
    assert ranked.keys() == linked | whole.UNANSWERED
    unlinked = {path for path, one in ranked.items() if not one.places}
    assert unlinked == whole.BROKEN_UNLINKED
    assert tuple(ranked["/orphans/missing"][1:]) == (0, 1)
    numbers = {one.url_id for one in site.ranked("redirects")}
    redirecting = {path_of(site.target(one).record.url) for one in numbers}
    assert redirecting >= whole.BROKEN_REDIRECTS | whole.BLOCKED_REDIRECTS
    assert not {"/loop/2", "/chain/2", "/long/2"} & redirecting


def test_the_index_of_failing_urls_is_used(shop: Database) -> None:
    """A crawl of 100,000 pages is not read for the few that are broken."""
    from goodbot.crawl.frontier.failing import FAILING  # noqa: PLC0415  a detail

    plan = shop.connection.execute(f"EXPLAIN QUERY PLAN {FAILING}").fetchall()
    assert any("failing" in row[-1] for row in plan)
    assert endings(shop).broken


def test_the_history_of_a_url_has_the_pages_that_link_to_it(shop: Database) -> None:
    """With the texts of the links only if a time is given; and the redirects to it."""
    history = history_of(shop, f"{SHOP}/missing-lamp", now=NOW)
    assert history is not None
    assert (history.linking_pages, history.listing_sitemaps) == (3, 1)
    assert [path_of(one.page) for one in history.linked_by] == [
        "/",
        "/help",
        "/about",
        "/sitemap-1.xml",
    ]
    assert history.linked_by[0].text == "The lamp of the month"
    behind = history_of(shop, f"{SHOP}/missing-target")
    assert behind is not None
    assert (behind.linked_by, behind.linking_pages) == ((), 0)
    assert behind.redirects_here == (f"{SHOP}/to-missing",)


def test_links_are_exported_as_parquet(shop: Database, tmp_path: Path) -> None:
    """With the columns of the table, and the values of JSON."""
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "links.parquet"
    found = list(find_links(shop, ["broken"], now=NOW))
    assert export_links(found, path) == len(found)
    table = parquet.read_table(path)
    assert table.column_names == [one.name for one in LINK_COLUMNS] == list(found[0].as_dict())
    assert table.to_pylist() == [one.as_dict() for one in found]


def test_a_link_to_a_url_that_is_not_stored_is_damage(tmp_path: Path) -> None:
    """It raises the error for damaged folders."""
    crawl(tmp_path, site_of(home=html("lamp", "/b", f"{OTHER}/c"), b=html()))
    with Database(tmp_path) as database:
        SQLiteLinks(database).record(1, listed_links([False]), [999], visit=9)
        with pytest.raises(NotAStoreError, match="not stored"):
            list(find_links(database, now=NOW, page=f"{SITE}/"))


def test_links_elsewhere_have_a_status_if_the_crawl_checked_them(tmp_path: Path) -> None:
    """The one that its robots.txt disallows has none; nothing of their own links is stored."""
    bounds = Bounds(origins=frozenset({SHOP}), check_external=True, include=("/about",))
    checked = crawl_shop(tmp_path / "crawl", bounds=bounds)
    with Database(checked.folder) as database:
        found = list(find_links(database, ["external"], now=NOW))
        statuses = {path_of(one.url): one.status for one in found if one.followed or not one.status}
        assert statuses.items() <= {url: had for url, (had, _) in whole.EXTERNAL.items()}.items()
        broken = {path_of(one.url) for one in found if one.broken}
        assert all(one.page.startswith(SHOP) for one in find_links(database, now=NOW))
    assert statuses.keys() >= {"{other}/gone", "{other}/private"}
    assert broken == {"{other}/gone"}


def test_the_history_of_an_expired_page_has_no_title(tmp_path: Path) -> None:
    """Neither as text nor as JSON; without a time, no title of a page that expires is shown."""
    head = "<meta name=robots content='unavailable_after: 2100-01-01'>"
    crawl(tmp_path, site_of(home=html("lamp", head=head).replace("<title>t<", "<title>Lamps<")))
    with Database(tmp_path) as database:
        for now, title in ((NOW, "Lamps"), (NOW.replace(year=2101), ""), (None, "")):
            history = history_of(database, f"{SITE}/", now=now)
            assert history is not None
            assert history.indexed is not None
            assert history.indexed.title == title
            assert ("Lamps" in str(history.as_dict())) == bool(title)
