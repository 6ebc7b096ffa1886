"""Of a type that is not read, the inventory has what the header says."""

from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from goodbot.cli.program import run as run_program
from goodbot.crawl import Database, inventory_rows, site_findings
from goodbot.crawl.inventory.inventory_row import InventoryRow
from goodbot.testing import Answer
from tests.support.crawls.memory_crawls import SITE, crawl, site_of

NOW = datetime(2026, 1, 2, tzinfo=timezone.utc)
PDF = ("Content-Type", "application/pdf")
LISTED = ("a.pdf", "hidden.pdf", "other.pdf", "gone.pdf")


def inventory_of(folder: Path, **options: Any) -> dict[str, InventoryRow]:  # noqa: ANN401  of many types
    """Crawl a site with files that are not read; return the rows by path."""
    entries = "".join(f"<url><loc>{SITE}/{name}</loc></url>" for name in ("", *LISTED))
    home = "".join(f"<a href=/{name}>a lamp</a>" for name in LISTED).encode()
    pages: dict[str, Any] = {
        "home": Answer(body=home, headers=[("Content-Type", "text/html")]),
        "a.pdf": Answer(body=b"%PDF-1.7", headers=[PDF, ("Content-Length", "8")]),
        "hidden.pdf": Answer(body=b"%PDF", headers=[PDF, ("X-Robots-Tag", "noindex")]),
        "other.pdf": Answer(body=b"%PDF", headers=[PDF, ("Link", "</a.pdf>; rel=canonical")]),
        "gone.pdf": Answer(status=404, headers=[PDF]),
    }
    pages["sitemap.xml"] = Answer(body=f"<urlset>{entries}</urlset>".encode())
    crawl(folder, site_of(f"Sitemap: {SITE}/sitemap.xml", **pages), **options)
    with closing(Database(folder)) as database:
        return {row.url.removeprefix(SITE): row for row in inventory_rows(database, NOW)}


def test_what_was_not_read_may_be_indexed_unless_its_header_forbids_it(tmp_path: Path) -> None:
    """A PDF has no place for a directive but its header, which the crawl has read."""
    rows = inventory_of(tmp_path)
    plain = rows["/a.pdf"]
    assert (plain.indexable, plain.indexable_reason, plain.bytes) == (True, "nothing-said", 8)
    assert (plain.content_type, plain.words, plain.title) == ("application/pdf", None, None)
    assert rows["/hidden.pdf"].indexable_source == "X-Robots-Tag: noindex"
    assert rows["/other.pdf"].indexable_reason == "canonical"
    codes = {path: {one.code for one in site_findings(row)} for path, row in rows.items()}
    listed = {path for path, found in codes.items() if "listed-not-indexable" in found}
    assert listed == {"/hidden.pdf", "/other.pdf", "/gone.pdf"}
    assert not codes["/a.pdf"]


def test_html_that_was_not_read_may_say_more_than_its_header(tmp_path: Path) -> None:
    """It is in doubt, and nothing is missing in it."""
    rows = inventory_of(tmp_path, types=["application/zip"])
    home = rows["/"]
    assert (home.indexable, home.indexable_reason) == (True, "not-read")
    assert home.indexable_source == "Content-Type: text/html"
    assert not {one.code for one in site_findings(home)}


def test_the_command_says_what_was_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a number of its own, with the type."""
    inventory_of(tmp_path)
    assert run_program(["inventory", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "1 not read, and indexable as far as the header says" in printed
    assert "not read: application/pdf" in printed


def test_the_evidence_of_what_was_not_read_has_the_header(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The verdicts on each act."""
    inventory_of(tmp_path)
    assert run_program(["evidence", str(tmp_path), f"{SITE}/hidden.pdf"]) == 0
    printed = capsys.readouterr().out
    assert "X-Robots-Tag: noindex" in printed
