"""What robots.txt declares to the crawl's own robot, and what the site served to it."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl import Database, inventory_rows
from goodbot.crawl.evidence import export
from goodbot.crawl.report.report import report_on
from goodbot.http.served import SERVED
from goodbot.testing import Answer
from tests.support.crawls.memory_crawls import SITE, crawl, html, site_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = dt.datetime(2026, 1, 2, tzinfo=dt.timezone.utc)
ANSWERS: dict[str, Any] = {
    "served": Answer(body=b"a lamp", headers=[("Content-Type", "text/html")]),
    "moved": Answer(status=301, headers=[("Location", "/served")]),
    "refused": Answer(status=403),
    "legal": Answer(status=451),
    "challenged": Answer(status=403, headers=[("cf-mitigated", "challenge")]),
    "priced": Answer(status=402, headers=[("crawler-price", "USD 0.01")]),
    "licence": Answer(status=401, headers=[("WWW-Authenticate", "License error=invalid_request")]),
    "limited": Answer(status=429),
    "gone": Answer(status=410),
    "broken": Answer(status=500),
    "away": Answer(failure="timeout"),
}
EXPECTED = {
    "/": ("allowed", "served"),
    "/served": ("allowed", "served"),
    "/moved": ("allowed", "served"),
    "/refused": ("allowed", "refused"),
    "/legal": ("allowed", "refused"),
    "/challenged": ("allowed", "challenged"),
    "/priced": ("allowed", "priced"),
    "/licence": ("allowed", "priced"),
    "/limited": ("allowed", "limited"),
    "/gone": ("allowed", "failed"),
    "/broken": ("allowed", "failed"),
    "/away": ("allowed", "failed"),
    "/private": ("disallowed", None),
}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Crawl a site that answers in every way, and return the database of the crawl."""
    links = "".join(f"<a href=/{name}>a lamp</a>" for name in (*ANSWERS, "private"))
    site = site_of("User-agent: *\nDisallow: /private", home=html(links), **ANSWERS)
    crawl(tmp_path, site)
    with closing(Database(tmp_path)) as database:
        yield database


def test_the_inventory_has_both_words_for_each_url(database: Database) -> None:
    """They are those of its latest answer."""
    rows = {row.url.removeprefix(SITE): row for row in inventory_rows(database, NOW)}
    assert {path: (row.declared, row.served) for path, row in rows.items()} == EXPECTED
    assert {row.served for row in rows.values()} - {None} == set(SERVED)


def test_the_evidence_has_both_words_for_each_visit(database: Database) -> None:
    """The words of the latest visit are those of the inventory."""
    latest = {row["url"].removeprefix(SITE): row for row in export.rows(database)
              if row["act"] == "fetch"}  # fmt: skip
    found = {path: (row["declared"], row["served"]) for path, row in latest.items()}
    assert found == EXPECTED


def test_the_report_counts_each_pair(database: Database) -> None:
    """The counts are those of the rows, and each URL has its words in the table of all URLs."""
    with closing(report_on(database, NOW)) as report:
        assert report.summary.declared_served == Counter(EXPECTED.values())
        page = "".join(report)
    assert "Declared to ExampleBot/1.0 and served: URLs" in page
    assert ">not requested<" in page
