"""Findings on pages are reported by events, evidence, export and report."""

import json
from pathlib import Path

from goodbot.crawl import Database, Evidence, FindingsReported
from goodbot.crawl.evidence.export import rows as export_rows
from goodbot.crawl.evidence.odd_pages import odd_pages
from goodbot.crawl.evidence.page_findings import PageFindings
from goodbot.testing import Answer
from tests.support.crawls.memory_crawls import SITE, crawl, html, site_of
from tests.support.crawls.reports import report_text

XML = (("Content-Type", "application/xml"),)


def test_an_illegal_instruction_is_reported_with_its_url(tmp_path: Path) -> None:
    """The robot reports the URL and the syntax error (Robots PI, Syntax, paragraph 3)."""
    site = site_of(
        home=Answer(body=b'<?robots index="none"?><d/>', headers=XML), lamps=html("a lamp")
    )
    done = crawl(tmp_path, site, f"{SITE}/", f"{SITE}/lamps")
    told = {one.url: one.findings for one in done.of(FindingsReported)}
    (finding, *_) = told[f"{SITE}/"].listed
    assert (finding.code, finding.severity, finding.line) == ("illegal-robots-pi", "error", 1)
    assert done.summary.findings["error"] == 1
    with Database(tmp_path) as database:
        kept = {page.url: page.findings for page in odd_pages(database, ["illegal-robots-pi"])}
        history = Evidence(database).history(f"{SITE}/")
        exported = [row["findings"] for row in export_rows(database) if row["findings"]]
        report = report_text(database, site.clock.now())[1]
    assert kept == {f"{SITE}/": PageFindings((finding,))}
    assert history is not None
    assert finding in history.asks[-1].findings.listed
    assert finding._asdict() in [
        one for row in exported for one in json.loads(str(row))["findings"]
    ]
    assert "illegal-robots-pi" in report
