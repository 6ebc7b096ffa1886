"""The facts of pages in the folder of a crawl: numbers of every page, words only where they may."""

from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

import goodbot
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.frontier.reading import entries
from goodbot.crawl.inventory.page_record import PageRecord, record_of_page
from goodbot.crawl.inventory.protocol import InventoryWriter, NoInventory
from goodbot.crawl.inventory.reading import facts_of_url, stored_facts
from goodbot.crawl.inventory.sqlite import SQLiteInventory
from goodbot.net import Response
from tests.support.shop_site.crawled import ShopCrawl
from tests.support.shop_site.expected import NOT_INDEXABLE
from tests.support.shop_site.serving import SITE

NOW = datetime(2026, 1, 2, tzinfo=timezone.utc)
URL = "https://a.example/page"
WORDS = ("title", "description", "h1", "language", "simhash")
WHOLE = (
    "<html lang=en><head><title>Brass lamps</title><meta name=description content='All lamps'>"
    "<link rel=canonical href=/lamps><link rel=alternate hreflang=de href=/de>"
    "<body><h1>Lamps of brass</h1><p>One lamp.<img src=/1.png><img src=https://b.example/2.png>"
)


def record_of(html: str, **headers: str) -> PageRecord:
    """Return the facts of a page."""
    fields = [(name.replace("_", "-"), value) for name, value in headers.items()]
    page = goodbot.Page(URL, html, headers=fields)
    response = Response(URL, 200, tuple(fields), html.encode(), NOW, NOW, first_byte=0.25)
    return record_of_page(page, response, "https://a.example", NOW)


def test_the_facts_of_a_page_that_may_be_indexed() -> None:
    """Everything is there, and URLs of its own origin are packed without it."""
    found = record_of(WHOLE)
    assert (found.title, found.description, found.h1) == (
        "Brass lamps",
        "All lamps",
        "Lamps of brass",
    )
    assert (found.language, found.words, found.h1_count, found.first_byte) == ("en", 5, 1, 0.25)
    assert found.canonical == "https://a.example/lamps"
    assert found.resources == "image /1.png\nimage https://b.example/2.png"
    assert found.alternates == "de /de"
    assert found.indexable is True
    assert found.withheld == ""


def test_a_page_that_must_not_be_indexed_has_numbers_alone() -> None:
    """No words, nor a hash of them; its numbers, its URLs and the statement are there."""
    found = record_of(WHOLE, X_Robots_Tag="noindex")
    assert {name: getattr(found, name) for name in WORDS} == dict.fromkeys(WORDS)
    assert (found.indexable, found.source) == (False, "X-Robots-Tag: noindex")
    assert found.withheld == "X-Robots-Tag: noindex"
    assert (found.words, found.h1_count, found.alternates) == (5, 1, "de /de")
    assert found.canonical == "https://a.example/lamps"


def test_a_mark_withholds_what_it_is_on() -> None:
    """The others are there; the mark is named."""
    found = record_of("<title>Sea</title><h1>Fish <span data-nosnippet>secret</span></h1><p>Text")
    assert (found.title, found.h1) == ("Sea", "Fish")
    assert found.withheld == "h1: a mark in it"
    page = "<head profile=http://example.org/xmdp/robots-profile#><title class=robots-noindex>Sea"
    found = record_of(page)
    assert found.title is None
    assert found.withheld.startswith("title: robots-noindex")


def test_unavailable_after_is_a_statement_on_the_words() -> None:
    """At that time and later they are not stored."""
    page = "<title>Sea</title>"
    assert record_of(page, X_Robots_Tag="unavailable_after: 1 Jan 2027").title == "Sea"
    late = record_of(page, X_Robots_Tag="unavailable_after: 1 Jan 2025")
    assert (late.title, late.reason) == (None, "too-late")


def test_a_crawl_stores_facts_of_every_answer(shop_crawl: ShopCrawl) -> None:
    """Those that must not be indexed have no words in the table."""
    with open_readonly(shop_crawl.folder) as database:
        urls = {row.url_id: row for row in entries(database)}
        found = {urls[one.url_id].url: one.record for one in stored_facts(database)}
    fetched = [row for row in urls.values() if row.state in {"done", "redirected"}]
    assert {row.url for row in fetched if row.how != "sitemap-file"} <= found.keys()
    for path in NOT_INDEXABLE:
        record = found[SITE + path]
        assert record.indexable is False
        assert {name: getattr(record, name) for name in WORDS} == dict.fromkeys(WORDS)
    for record in found.values():
        if not record.indexable:
            assert not any(getattr(record, name) for name in WORDS)


def test_removal_takes_the_words(tmp_path: Path) -> None:
    """Numbers stay; a visit before the removal does not bring the words back."""
    record = record_of(WHOLE)
    with closing(Database(tmp_path, create=True)) as database:
        inventory = SQLiteInventory(database)
        inventory.record(7, record, visit=2)
        inventory.withdraw(7, "disallowed", visit=1)
        assert facts_of_url(database, 7) == record
        inventory.withdraw(7, "disallowed", visit=2)
        found = facts_of_url(database, 7)
        assert found is not None
        assert {name: getattr(found, name) for name in WORDS} == dict.fromkeys(WORDS)
        assert (found.withheld, found.words) == ("disallowed", 5)
        inventory.record(7, record, visit=1)
        assert facts_of_url(database, 7) == found
        inventory.record(7, record, visit=3)
        assert facts_of_url(database, 7) == record


def test_both_implementations_have_the_protocol(tmp_path: Path) -> None:
    """One stores nothing."""
    with closing(Database(tmp_path, create=True)) as database:
        assert isinstance(SQLiteInventory(database), InventoryWriter)
    assert isinstance(NoInventory(), InventoryWriter)
