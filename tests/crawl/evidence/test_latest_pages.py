"""What is known of some URLs by their numbers is what is known of each of them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from goodbot.crawl.evidence.reading import LatestPage, latest_pages
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.folder.shares import first_number
from goodbot.crawl.inventory.reading import brief_facts, stored_facts
from goodbot.crawl.links.reading import inlink_counts, inlink_counts_between
from tests.support.crawls.memory_crawls import crawl
from tests.support.crawls.process_crawls import crawl_in_parts, ring

Row = TypeVar("Row")
NOT_FETCHED = json.dumps({"event": "refused", "fetch": {"text": "Disallow: /"}})
AGAIN = (
    "INSERT INTO evidence(url, at, status, verdicts, visit) "
    "SELECT url, at + 1, NULL, ?, visit + 1 FROM evidence WHERE url % 2"
)
SPANS = ((1, 1), (2, 5), (1, first_number(7)), (first_number(1), first_number(1) + 2), (5, 4))


@pytest.fixture(params=["one", "parts"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Open a crawl in one process, of which some URLs were visited again, or in two."""
    if request.param == "parts":
        crawl_in_parts(tmp_path, ring())
    else:
        crawl(tmp_path, ring())
        with Database(tmp_path) as database, database.changing() as connection:
            connection.execute(AGAIN, (NOT_FETCHED,))
    with open_readonly(tmp_path, reads=("evidence", "links", "inventory")) as opened:
        yield opened


def plain_latest_pages(database: Database) -> dict[int, LatestPage]:
    """Read every row, the latest last."""
    rows = database.connection.execute("SELECT url, verdicts FROM evidence ORDER BY id")
    found = {}
    for url_id, verdicts in rows:
        said = json.loads(verdicts)
        packed = None
        if "page" in said:
            packed = json.dumps(said["page"], ensure_ascii=False, separators=(",", ":"))
        found[url_id] = LatestPage(url_id, packed, said["fetch"].get("text"))
    return found


@pytest.mark.parametrize(("first", "last"), SPANS)
def test_some_urls_have_what_all_have(database: Database, first: int, last: int) -> None:
    """The URLs of a span have the same rows as when all are read, and no others are there."""
    pages = plain_latest_pages(database)
    facts = {one.url_id: (one.record.bytes, one.record.title) for one in stored_facts(database)}
    links = inlink_counts(database)
    assert pages
    assert facts
    assert links
    brief = brief_facts(database, first, last)
    assert latest_pages(database, first, last) == within(pages, first, last)
    assert {number: (one.bytes, one.title) for number, one in brief.items()} == within(
        facts, first, last
    )
    assert inlink_counts_between(database, first, last) == within(links, first, last)


def within(rows: dict[int, Row], first: int, last: int) -> dict[int, Row]:
    """Return the rows of the URLs of a span."""
    return {number: row for number, row in rows.items() if first <= number <= last}
