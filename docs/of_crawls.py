"""The page on the evidence of a crawl."""

from collections.abc import Iterator

from as_markdown import code, table

from goodbot.crawl.evidence import evidence_format, export
from goodbot.crawl.folder.states import STATES
from goodbot.crawl.frontier import sitemap_entries
from goodbot.crawl.index import query

EVIDENCE = """\
# Evidence

A crawl can prove what it did. For each URL and act it keeps the verdict, the reason, the line that decided, and which robots.txt was in force:
its octets are kept, with when it was seen first and last. Every request is kept with its start, its end and its status.

- `goodbot evidence DIR URL` has the history of one URL, with the lines quoted from the octets that were obeyed. These are asked once more, so that
  it is seen whether they say now what was recorded then.
  A robots.txt that says no-store (RFC 9111 section 5.2.2.5) is obeyed and not kept: of such a time only the verdicts are told.
- `goodbot skipped DIR` lists what was not fetched, and why.
- `goodbot report DIR` writes one page of HTML. That no request was early is counted there from the times of the requests by a plain check, which
  shares nothing with what made the robot wait.
- `goodbot evidence DIR --export FILE` writes all of it: `FILE.parquet` (`pip install 'goodbot[parquet]'`) or `FILE.jsonl`.

## Columns of the export

One row for each URL and act of each visit, refusal, failure and deferral; and one for each URL that was never taken out of the queue. Times
are in UTC, to the microsecond. The file is there whole or not at all.
"""

OF_STATES = """\
Each URL is in one of these states. `goodbot skipped` lists those that have not been fetched, and groups them by state and reason; a URL that is
queued once more after it was fetched is not among them."""


def evidence_page() -> Iterator[str]:
    """Yield what is kept of each act, and the columns of the export."""
    yield from EVIDENCE.splitlines()
    yield ""
    rows = [[code(one.name), one.kind, one.meaning] for one in export.COLUMNS]
    yield from table(["column", "type", "meaning"], rows)
    yield "## What can come of a visit"
    yield ""
    yield from table(
        ["event", "meaning"],
        [[code(k), v.meaning] for k, v in evidence_format.EVIDENCE_KINDS.items()],
    )
    yield "## States of a URL"
    yield ""
    yield from OF_STATES.splitlines()
    yield ""
    rows = [
        [code(one.name), one.meaning, "yes" if one.is_fetched else "no"] for one in STATES.values()
    ]
    yield from table(["state", "meaning", "fetched"], rows)


def findings_of_crawls() -> Iterator[str]:
    """Yield the codes of findings on sitemaps, and on queries of a search."""
    for title, about, codes in (
        ("Findings on sitemaps", "In `Sitemap.findings`.", sitemap_entries.FINDING_CODES),
        ("Findings on searches", "In `Results.findings`.", query.FINDING_CODES),
    ):
        yield f"## {title}"
        yield ""
        yield about
        yield ""
        rows = [[code(slug), severity, meaning] for slug, (severity, meaning) in codes.items()]
        yield from table(["code", "severity", "meaning"], rows)
