"""Pages that cost something: declared allowed, served priced, never paid, and not fetched."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from goodbot.cli.shared.printing import Printer
from goodbot.crawl.evidence import export, skipped
from goodbot.crawl.evidence.evidence import Evidence
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.report.rows.url_tables import outcome_of
from goodbot.crawl.verbs.crawl_view.summary import print_summary
from goodbot.testing import Answer, FakeSite
from tests.support.crawls.memory_crawls import SITE, Crawled, crawl, html, rows, site_of

if TYPE_CHECKING:
    from pathlib import Path

ROBOTS = "User-agent: *\nContent-Usage: train-ai=y\nAllow: /\n"
ASKED = {
    "/cent": "the price USD 0.01",
    "/words": "the price 'ask us', which is not of the form USD 0.01",
    "/silent": "a payment, without a price",
    "/licence": "a licence of RSL (invalid_request)",
    "/json": "the price USD 2",
}
"""The pages that are not served for nothing, and what each asks for."""


def priced(status: int = 402, kind: str = "text/html", **fields: str) -> Answer:
    """Return a response that asks for something; the names of fields have no underscores."""
    header = {name.replace("_", "-"): value for name, value in fields.items()}
    return Answer(status=status, headers=[("Content-Type", kind), *header.items()], body=b"a lamp")


def shop() -> FakeSite:
    """Return a site with one free page and several that are priced."""
    links = "".join(f"<a href={path}>a lamp</a>" for path in ASKED)
    return site_of(
        ROBOTS,
        home=html(links),
        cent=priced(crawler_price="USD 0.01"),
        words=priced(crawler_price="ask us"),
        silent=priced(),
        licence=priced(401, www_authenticate='License error="invalid_request"'),
        json=priced(kind="application/json", crawler_price="USD 2"),
    )


@pytest.fixture
def done(tmp_path: Path) -> Crawled:
    """Crawl the site."""
    return crawl(tmp_path, shop())


def test_a_priced_page_is_not_fetched(done: Crawled, tmp_path: Path) -> None:
    """Each has the state of a URL that could not be fetched, and what it asks for."""
    stored = rows(tmp_path)
    found = {path: (stored[SITE + path].state, stored[SITE + path].reason) for path in ASKED}
    assert set(found.values()) == {("failed", "priced")}
    assert {path: stored[SITE + path].source for path in ASKED} == ASKED
    assert stored[f"{SITE}/"].reason == "fetched"
    assert done.summary.reasons["priced"] == len(ASKED)


def test_no_request_offers_to_pay(tmp_path: Path) -> None:
    """No request has a price or a licence token, and none is repeated to get one."""
    site = shop()
    crawl(tmp_path, site)
    names = {name.lower() for visit in site.visits for name, _ in visit.headers}
    assert not names & {"crawler-exact-price", "crawler-max-price", "authorization"}
    paths = [visit.path for visit in site.visits]
    assert all(paths.count(path) == 1 for path in ASKED)


def test_skipped_lists_priced_urls(done: Crawled, tmp_path: Path) -> None:
    """They are among those that were not fetched, under their reason."""
    with open_readonly(tmp_path) as database:
        listed = list(skipped.skipped_urls(database, "priced"))
    assert len(listed) == done.summary.reasons["priced"]


def test_evidence_says_what_was_asked_for(done: Crawled, tmp_path: Path) -> None:
    """The export has it for each visit; null for the page that was served."""
    assert done.summary.pages
    with Database(tmp_path) as database:
        table = [row for row in export.rows(database) if row["act"] == "fetch"]
    found = {row["url"].removeprefix(SITE): row["payment"] for row in table}
    assert found == {"/": None} | ASKED
    assert {row["allowed"] for row in table} == {True}


def test_the_history_has_declared_and_served(done: Crawled, tmp_path: Path) -> None:
    """The site declares that training is allowed, and serves the page for a cent."""
    assert done.summary.pages
    with Database(tmp_path) as database:
        history = Evidence(database).history(f"{SITE}/cent")
    assert history is not None
    uses = history.asks[0].uses
    assert uses is not None
    train = uses.train
    assert (train.declared, train.status, train.reason) == ("allowed", "unknown", "priced")
    assert str(uses.payment) == ASKED["/cent"]
    assert history.asks[0].as_dict()["uses"]["payment"]["amount"] == "0.01"


def test_the_summary_counts_them(done: Crawled) -> None:
    """The summary says how many, and that nothing was paid."""
    page = io.StringIO()
    print_summary(done.summary, "DIR", 1, Printer(page))
    told = " ".join(page.getvalue().split())
    assert "5 URLs were priced and not fetched, because goodbot pays nothing" in told


def test_the_report_counts_them_apart_from_errors() -> None:
    """The outcome is `priced`, with the status."""
    outcome = outcome_of("failed", "priced", 402)
    assert (outcome.outcome, outcome.why, outcome.has_page) == ("priced", "402", False)
