"""Findings on pages: limited for each page and crawl, and taken from the latest response."""

from pathlib import Path
from typing import Any

import pytest

from goodbot import Finding
from goodbot.crawl import Database
from goodbot.crawl.evidence import evidence as evidence_module
from goodbot.crawl.evidence.odd_pages import count_codes, odd_pages
from goodbot.crawl.evidence.page_findings import (
    MOST_FINDINGS,
    NO_FINDINGS,
    PageFindings,
    findings_of,
    pack_findings,
    unpack_findings,
)
from goodbot.errors import NotAStoreError
from goodbot.testing import Answer
from tests.support.crawls.memory_crawls import crawl, html, site_of

XML = (("Content-Type", "application/xml"),)
ILLEGAL = Answer(body=b'<?robots index="none"?><d/>', headers=XML)


def many(count: int) -> list[Finding]:
    """Return findings, the last of which is an error."""
    found = [Finding("for-others", "info", f"number {number}") for number in range(count - 1)]
    return [*found, Finding("illegal-robots-pi", "error", "the last", line=count)]


def test_so_many_are_listed_and_the_others_are_counted() -> None:
    """The most severe findings are listed first, however late they occur."""
    found = findings_of(many(1_000))
    assert len(found.listed) == MOST_FINDINGS == 100
    assert found.listed[0].code == "illegal-robots-pi"
    assert found.more == {"for-others": 900}
    assert found.by_severity == {"error": 1, "info": 999}
    assert unpack_findings(pack_findings(found)) == found
    assert pack_findings(NO_FINDINGS) is None


def test_a_message_is_kept_short() -> None:
    """A message, which may quote the page, is shortened."""
    (one,) = findings_of([Finding("malformed-value", "warning", "x" * 10_000)]).listed
    assert len(one.message) <= 501


@pytest.mark.parametrize(
    "text", ["x", "[]", "{}", '{"listed": [[1]], "more": {}}', '{"listed": [], "more": {"a": "b"}}']
)
def test_damaged_findings_are_told(text: str) -> None:
    """Damaged findings raise NotAStoreError and nothing else."""
    with pytest.raises(NotAStoreError, match="damaged"):
        unpack_findings(text)


def test_a_crawl_lists_so_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit each page has counts only; a resumed crawl continues to count."""
    monkeypatch.setattr(evidence_module, "MOST_OF_CRAWL", 3)
    pages: dict[str, Any] = {f"p{number}": ILLEGAL for number in range(4)}
    site = site_of(home=html("home", *(f"/{name}" for name in pages)), **pages)
    crawl(tmp_path, site, bounds={"pages": 2})
    crawl(tmp_path, site, bounds={"pages": 9})
    with Database(tmp_path) as database:
        found = {page.url: page.findings for page in odd_pages(database)}
        counts = {one.code: one for one in count_codes(odd_pages(database))}
    count = counts["illegal-robots-pi"]
    assert sum(len(one.listed) for one in found.values()) == 3
    assert (count.pages, count.count) == (4, 4)
    assert sum(one.by_code["illegal-robots-pi"] for one in found.values()) == 4


def test_they_are_those_of_the_last_answer(tmp_path: Path) -> None:
    """Corrected pages have no findings any more; a failed request changes nothing."""
    site = site_of(home=ILLEGAL)
    crawl(tmp_path, site)
    for answer, is_odd in ((Answer(failure="timeout"), True), (html("mended"), False)):
        site.routes["/"] = answer
        site.clock.advance(86_400 * 40)
        crawl(tmp_path, site, again=True)
        with Database(tmp_path) as database:
            assert bool(list(odd_pages(database, ["illegal-robots-pi"]))) is is_odd


def test_only_some_codes() -> None:
    """A filter applies to findings that are listed and to those that are counted."""
    assert not PageFindings()
    assert PageFindings(more={"for-others": 1})
