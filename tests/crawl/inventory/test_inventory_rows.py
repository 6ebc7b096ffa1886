"""The inventory of the shop of 130 pages: what its rows and its findings say."""

from collections import Counter, defaultdict
from datetime import datetime, timezone
from pathlib import Path

import pytest

from goodbot.crawl import inventory_rows, site_findings
from goodbot.crawl.evidence.crawl_findings import crawl_findings, found_codes
from goodbot.crawl.evidence.site_links import SiteLinks
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.frontier.traps import TRAPS
from goodbot.crawl.inventory.inventory_row import COLUMNS, InventoryRow
from goodbot.crawl.inventory.row_building import is_language_tag
from goodbot.crawl.inventory.site_findings import SITE_FINDINGS
from goodbot.errors import WrongValueError
from goodbot.page.finding_codes import FINDING_CODES
from goodbot.testing import Answer
from tests.support.crawls.memory_crawls import SITE as HERE
from tests.support.crawls.memory_crawls import crawl, html, site_of
from tests.support.shop_site import expected
from tests.support.shop_site.crawled import ShopCrawl, path_of
from tests.support.shop_site.serving import SITE

LATER = datetime(2030, 1, 1, tzinfo=timezone.utc)


@pytest.fixture(scope="module")
def rows(shop_crawl: ShopCrawl) -> dict[str, InventoryRow]:
    """Return the rows by path."""
    with open_readonly(shop_crawl.folder) as database:
        return {path_of(row.url): row for row in inventory_rows(database, LATER)}


@pytest.fixture(scope="module")
def found(rows: dict[str, InventoryRow]) -> dict[str, dict[str, str]]:
    """Return the messages of all findings, by code and path."""
    by_code: dict[str, dict[str, str]] = defaultdict(dict)
    for path, row in rows.items():
        for one in site_findings(row):
            by_code[one.code][path] = one.message
    return by_code


def groups(paths: dict[str, str | None], rows: dict[str, InventoryRow]) -> list[set[str]]:
    """Return the pages of each group, by the first page of each."""
    found: dict[str, set[str]] = defaultdict(set)
    for path, first in paths.items():
        found[first or rows[path].url].add(path)
    return list(found.values())


def test_a_row_has_the_facts_of_its_page(rows: dict[str, InventoryRow]) -> None:
    """The start page, seen from every side."""
    row = rows["/"]
    assert (row.url, row.status, row.state, row.depth) == (f"{SITE}/", 200, "done", 0)
    assert (row.title, row.language, row.h1_count) == ("Lamps, chairs and tables", "en", 1)
    assert (row.indexable, row.withheld, row.is_orphan) == (True, "", False)
    assert row.words is not None
    assert row.words > 50
    assert row.bytes == 1_925
    assert row.inlinks is not None
    assert row.inlinks > 50
    assert list(row.as_dict()) == [one.name for one in COLUMNS]


def test_what_must_not_be_indexed_has_no_words_and_names_who_said_so(
    rows: dict[str, InventoryRow],
) -> None:
    """META and header; robots.txt has its line."""
    for path, source in expected.NOT_INDEXABLE.items():
        row = rows[path]
        assert not row.indexable
        assert row.indexable_source.startswith(source)
        assert (row.title, row.description, row.h1, row.language) == (None, None, None, None)
        assert row.withheld.startswith(source)
        assert row.words
    blocked = rows["/search?q=lamp"]
    assert (blocked.state, blocked.status, blocked.indexable) == ("disallowed", None, False)
    assert blocked.indexable_source == "robots.txt line 4"


def test_pages_that_are_broken(
    rows: dict[str, InventoryRow], found: dict[str, dict[str, str]]
) -> None:
    """Each 404 and 410, how it is reached; other errors have codes of their own."""
    assert found["page-missing"].keys() == expected.BROKEN.keys()
    assert found["page-missing"]["/missing-lamp"] == (
        "it answers with 404; 3 pages link to it and 1 sitemap lists it"
    )
    for path, (status, sources) in {**expected.BROKEN, **expected.REFUSED}.items():
        assert rows[path].status == status
        assert rows[path].inlinks == len(sources)
    assert found["page-refused"].keys() == {"/staff"}
    assert found["page-failing"].keys() == {"/always-500"} | expected.UNANSWERED


def test_every_broken_url_is_counted_once(
    rows: dict[str, InventoryRow], found: dict[str, dict[str, str]]
) -> None:
    """By the findings, by the column, and by the list of links: one definition for all."""
    codes = ("page-missing", "page-refused", "page-failing", "redirect-broken")
    counted = Counter(path for code in codes for path in found[code])
    broken = {path for path, row in rows.items() if row.broken and not row.is_step}
    assert counted == dict.fromkeys(broken, 1)
    linked = expected.BROKEN.keys() | expected.REFUSED.keys() | expected.BROKEN_REDIRECTS
    assert broken == linked | expected.UNANSWERED


def test_redirects(rows: dict[str, InventoryRow], found: dict[str, dict[str, str]]) -> None:
    """Chains with every step, rings, and what ends in an error: one finding at each start."""
    for first, steps in expected.CHAINS.items():
        assert [path_of(url) for url in rows[first].redirects] == list(steps)
    assert found["redirect-chain"].keys() == {"/chain/1"}
    assert found["redirect-broken"].keys() == expected.BROKEN_REDIRECTS
    assert found["redirect-blocked"].keys() == expected.BLOCKED_REDIRECTS
    assert found["redirect-blocked"]["/to-disallowed"].endswith("robots.txt line 4 disallows")
    assert found["redirect-broken"]["/long/1"] == (
        f"10 redirects in a row fail: they end at {SITE}/long/11 (redirects-too-many)"
    )
    assert found["redirect-broken"]["/to-missing"].endswith("which answers with 404")
    assert rows["/old-lamps"].indexable_source == f"redirects to {SITE}/lamps"


def test_duplicates(rows: dict[str, InventoryRow], found: dict[str, dict[str, str]]) -> None:
    """By title among indexable pages, and by nearly the same text."""
    titles = {path: rows[path].same_title_as for path in found["title-duplicate"]}
    not_canonical = {path for path, row in rows.items() if row.indexable_reason == "canonical"}
    same = [group - not_canonical for group in expected.SAME_TITLE]
    wanted = [group for group in same if len(group) > 1]
    assert sorted(map(sorted, groups(titles, rows))) == sorted(map(sorted, wanted))
    texts = {path: rows[path].same_text_as for path in found["text-duplicate"]}
    wanted = [*expected.SAME, *expected.NEAR]
    assert sorted(map(sorted, groups(texts, rows))) == sorted(map(sorted, wanted))


def test_headings_and_titles(found: dict[str, dict[str, str]]) -> None:
    """None, several."""
    assert found["title-missing"].keys() == expected.NO_TITLE
    assert found["h1-missing"].keys() == expected.NO_H1
    assert found["h1-several"].keys() == expected.TWO_H1


def test_sitemaps_and_links(
    rows: dict[str, InventoryRow], found: dict[str, dict[str, str]]
) -> None:
    """What only a sitemap leads to, what no sitemap lists, and what it lists in vain."""
    assert found["orphan"].keys() == expected.ONLY_IN_SITEMAPS - expected.BROKEN.keys()
    assert found["orphan"].keys() == {path for path, row in rows.items() if row.is_orphan}
    assert found["unlisted"].keys() == {path for path, row in rows.items() if row.is_unlisted}
    assert found["listed-not-indexable"].keys() == {
        *["/old-lamps", "/missing-lamp", "/search?q=lamp", "/copies/mail", "/marked/noindex"],
        "/orphans/missing",
    }
    assert "/news" in found["unlisted"]
    assert "/lamps" not in found["unlisted"]
    assert not found["unlisted"].keys() & expected.ONLY_IN_SITEMAPS


def test_what_pages_load(rows: dict[str, InventoryRow], found: dict[str, dict[str, str]]) -> None:
    """Over http on https, and what robots.txt disallows, with the line."""
    assert {path: set(rows[path].mixed_content) for path in found["mixed-content"]} == (
        expected.MIXED
    )
    blocked = {
        path: {path_of(url) for url in rows[path].blocked_resources}
        for path in found["blocked-resource"]
    }
    assert blocked == expected.BLOCKED_RESOURCES
    assert rows["/files"].blocked_by == "robots.txt line 5"


def test_languages(found: dict[str, dict[str, str]]) -> None:
    """Missing return links, wrong tags and targets."""
    assert found["hreflang"].keys() == expected.HREFLANG.keys()
    assert found["hreflang"]["/de/"] == f"{SITE}/fr/ does not name this page"
    assert found["hreflang"]["/it/"] == (
        f"xx-invalid-code is not a language tag; {SITE}/fr/missing is not indexable: status 404"
    )


def test_canonical_links(rows: dict[str, InventoryRow], found: dict[str, dict[str, str]]) -> None:
    """To nothing, and in a ring; one to another site, and one to itself, have no fault."""
    assert found["canonical-broken"].keys() == {
        "/copies/lost",
        "/copies/round-1",
        "/copies/round-2",
    }
    assert rows["/copies/itself"].indexable
    assert rows["/copies/mail"].indexable_source == f"canonical: {SITE}/lamps/1"


def test_slow_pages(rows: dict[str, InventoryRow], found: dict[str, dict[str, str]]) -> None:
    """The time to first byte is that of the fetcher."""
    assert found["slow"].keys() == {"/slow/1", "/slow/2"}
    assert rows["/slow/1"].first_byte_ms == 2_000


def test_what_has_expired_is_not_shown(tmp_path: Path) -> None:
    """`unavailable_after` counts at the time of reading, whatever it was at the visit."""
    head = "<meta name=robots content='unavailable_after: 1 Jan 2029'>"
    site = site_of(home=html("The sale", head=head))
    crawl(tmp_path / "crawl", site)
    with open_readonly(tmp_path / "crawl") as database:
        (now,) = inventory_rows(database, site.clock.now())
        (late,) = inventory_rows(database, LATER)
    assert (now.title, now.indexable) == ("t", True)
    assert (late.title, late.indexable, late.indexable_reason) == (None, False, "too-late")
    assert late.withheld == "unavailable_after"


def test_all_findings_are_in_one_list(shop_crawl: ShopCrawl) -> None:
    """On marks, on the site, and traps; each by its code."""
    with open_readonly(shop_crawl.folder) as database:
        codes = {one.code for one in crawl_findings(database, now=LATER)}
        assert codes & FINDING_CODES.keys()
        assert codes & SITE_FINDINGS.keys()
        assert codes & set(TRAPS)
        assert codes == found_codes(database, now=LATER)
        (one,) = crawl_findings(database, now=LATER, codes=["mixed-content"])
        assert (one.url, one.severity, one.count) == (f"{SITE}/odd/mixed", "error", 1)
        assert found_codes(database, now=LATER, codes=["orphan", "slow"]) == {"orphan", "slow"}
        with pytest.raises(WrongValueError, match="no code 'nonsense'; the codes are "):
            found_codes(database, now=LATER, codes=["nonsense"])


def test_no_code_is_in_two_tables() -> None:
    """A code names one thing."""
    tables = [*TRAPS, *FINDING_CODES, *SITE_FINDINGS]
    assert len(tables) == len(set(tables))


@pytest.mark.parametrize(
    ("tag", "is_one"),
    [
        ("en", True),
        ("de-CH", True),
        ("zh-Hant-TW", True),
        ("sr-Latn", True),
        ("es-419", True),
        ("x-default", True),
        ("de-1996", True),
        ("en_GB", False),
        ("e", False),
        ("", False),
        ("english-uk-gb", False),
        ("xx-invalid-code", False),
    ],
)
def test_language_tags(tag: str, is_one: bool) -> None:  # noqa: FBT001  a parameter of the test
    """RFC 5646, section 2.1."""
    assert is_language_tag(tag) is is_one


def test_links_to_other_sites_that_are_checked(tmp_path: Path) -> None:
    """They are in the list; that their robots.txt disallows them is no problem of the site."""
    other = "https://b.example"
    site = site_of(home=f'<a href="{other}/gone">a</a><a href="{other}/no">b</a>')
    site.routes |= {f"{other}/robots.txt": "User-agent: *\nDisallow: /no", f"{other}/gone": 404}
    crawl(tmp_path / "crawl", site, bounds={"check_external": True})
    with open_readonly(tmp_path / "crawl") as database:
        rows = {row.url: row for row in inventory_rows(database, LATER)}
    assert [url for url, row in rows.items() if row.is_external] == [f"{other}/gone", f"{other}/no"]
    assert [one.code for one in site_findings(rows[f"{other}/gone"])] == ["page-missing"]
    assert list(site_findings(rows[f"{other}/no"])) == []


def test_the_example_of_a_trap_is_what_makes_it_one(shop_crawl: ShopCrawl) -> None:
    """A page that is a copy, or not found, and not the first page to which it links."""
    with open_readonly(shop_crawl.folder) as database:
        names = ("duplicate-content", "soft-404", "session-id")
        found = crawl_findings(database, now=LATER, codes=names)
        examples = {one.code: path_of(one.url) for one in found}
    assert examples == {
        "duplicate-content": "/copies/same-2",
        "soft-404": "/soft-404",
        "session-id": "/basket?sid=2",
    }


def test_a_sitemap_that_is_missing_is_broken_everywhere(tmp_path: Path) -> None:
    """A sitemap has a row only if it cannot be fetched: all numbers of what is broken agree."""
    lines = f"Sitemap: {HERE}/map.xml\nSitemap: {HERE}/gone.xml\n"
    listed = f"<urlset><url><loc>{HERE}/b</loc></url></urlset>".encode()
    answer = Answer(body=listed, headers=[("Content-Type", "application/xml")])
    site = site_of(lines, home=html("home", "/b"), b=html("b"))
    site.routes["/map.xml"] = answer
    crawl(tmp_path, site)
    with open_readonly(tmp_path) as database:
        rows = {path_of(row.url, HERE): row for row in inventory_rows(database, LATER)}
        ranked = SiteLinks(database, LATER).ranked("broken")
    assert rows.keys() == {"/", "/b", "/gone.xml"}
    assert [one.url_id for one in ranked] == [rows["/gone.xml"].url_id]
    (finding,) = site_findings(rows["/gone.xml"])
    assert (finding.code, finding.message) == ("page-missing", "this sitemap answers with 404")
