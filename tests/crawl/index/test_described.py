"""META description and keywords in the index of a crawl.

Source: HTTP book, chapter 9, table 9-5: keywords assist searching, and the description is a short
abstract that search engines show.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from goodbot.crawl.folder.database import Database
from goodbot.crawl.index.indexable import document_of
from goodbot.crawl.searching import search
from tests.support.crawls.indexed_crawls import NOW, Crawl, read
from tests.support.crawls.memory_crawls import crawl as crawl_site
from tests.support.crawls.memory_crawls import html, searched, site_of
from tests.support.program import run

HEAD = (
    '<meta name=description content="Welcome to Mary\'s Antiques web site">'
    "<meta name=keywords content='antiques,mary, old furniture ,restoration'>"
)
QUERIES = ("antiques", "welcome", "restoration", '"old furniture"', "furniture web")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Crawl]:
    """Return an empty index."""
    made = Crawl(tmp_path / "crawl")
    with made.database:
        yield made


def test_description_and_keywords_assist_searching(index: Crawl) -> None:
    """The words are found, and phrases of them; no phrase joins two of them, or the text."""
    index.know(1, 2)
    index.put(1, f"{HEAD}<p>lamps")
    index.put(2, "<p>chairs")
    for query in QUERIES:
        assert index.found(query) == {1}, query
    for query in (
        '"site antiques"',
        '"antiques mary"',
        '"furniture restoration"',
        '"lamps welcome"',
    ):
        assert index.found(query) == set(), query
    index.put(1, "<p>lamps")
    assert index.found("antiques") == set()


@pytest.mark.parametrize(
    ("more", "abstract", "found"),
    [
        ("", "Welcome to Mary's Antiques web site", True),
        ("<meta name=robots content=nosnippet>", "", True),
        ("<meta name=robots content='max-snippet: 0'>", "", True),
        ("<meta name=robots content='max-snippet: 20'>", "Welcome to Mary's …", True),
        ("<meta name=robots content=noarchive>", "", True),
        ("<meta name=robots content=noindex>", None, False),
    ],
)
def test_the_abstract_is_shown_only_if_it_may_be_quoted(
    index: Crawl, more: str, abstract: str | None, *, found: bool
) -> None:
    """It is a quotation within the same limits. Of what must not be archived there is no text."""
    page = read(f"{HEAD}{more}<p>lamps")
    document = document_of(page, NOW)
    if document is None:
        assert abstract is None
        return
    index.index.put(1, document)
    for query in QUERIES:
        matches = index.index.search(query, now=NOW)
        assert [one.abstract for one in matches.pages] == [abstract] * found, query
    if "noarchive" in more:
        rows = index.database.connection.execute("SELECT * FROM documents").fetchall()
        assert "Welcome to" not in repr(rows)


def test_a_result_shows_the_description(tmp_path: Path) -> None:
    """In the library, and in the command as text and as JSON."""
    crawl_site(tmp_path, site_of(home=html("lamps", head=HEAD)))
    assert searched(tmp_path, "restoration") == ["/"]
    with Database(tmp_path) as database:
        (hit,) = search(database, "restoration", now=NOW).hits
    assert hit.abstract == "Welcome to Mary's Antiques web site"
    told = json.loads(run("search", str(tmp_path), "restoration", "--json").stdout)
    assert told["hits"][0]["abstract"] == hit.abstract
    assert hit.abstract in run("search", str(tmp_path), "lamps").stdout.decode()
