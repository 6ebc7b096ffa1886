"""The page on the evidence of a crawl."""

from collections.abc import Iterator

from as_markdown import code, table

from goodbot.crawl.evidence import evidence_format, export
from goodbot.crawl.folder.states import STATES
from goodbot.crawl.frontier import sitemap_entries
from goodbot.crawl.index import query

EVIDENCE = """\
# Evidence

For anybody who must show what a crawl did: what is recorded, and what each column and name means.

A crawl records the verdict on each URL and act, with the reason, the line that decided, and the robots.txt that was in force. The bytes of every
robots.txt are kept, with the times at which it was first and last seen. Every request is recorded with its start, its end and its status.

- `goodbot evidence DIR URL` prints the history of one URL. It quotes the lines from the bytes that were obeyed, evaluates these again, and reports
  whether the result is the same.
  A robots.txt that says no-store (RFC 9111 section 5.2.2.5) is obeyed and not kept. For such a time there are the verdicts alone.
- `goodbot skipped DIR` lists what was not fetched, and why.
- `goodbot report DIR` writes one page of HTML. Whether any request was early is computed there from the times of the requests, by a check that
  shares no code with what made the robot wait.
- `goodbot evidence DIR --export FILE` exports all of it, as `FILE.parquet` (`pip install 'goodbot[parquet]'`) or `FILE.jsonl`.

## Columns of the export

One row for each URL and act of each visit, refusal, failure and deferral; and one for each URL that was never taken out of the queue. Times
are in UTC, to the microsecond; a number is a whole number, of 64 bits. The file is there whole or not at all.
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
