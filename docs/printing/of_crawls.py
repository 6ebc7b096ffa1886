"""The page on the evidence of a crawl."""

from collections.abc import Iterator

from goodbot.crawl.evidence import evidence_format, export
from goodbot.crawl.folder.states import STATES
from goodbot.crawl.frontier import sitemap_entries
from goodbot.crawl.frontier.traps import TRAPS
from goodbot.crawl.index import query
from printing.as_markdown import code, table

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


TRAPS_TEXT = """\
# Traps and duplicates

*For whoever runs a crawl that finds more and more URLs: what goodbot recognises, what it leaves out, and how to change that.*

Some sites lead a robot to ever more URLs and to nothing new: a symbolic link repeats a tree, a calendar has a next month for ever, each visitor
gets links with a session of their own. goodbot recognises these by the rules below. A link into a trap that the crawl leaves out is skipped, and
`goodbot skipped DIR` and `goodbot evidence DIR URL` tell which trap that is and which pages show it. Links into the other traps are followed and
counted, once for each page that has it; `goodbot skipped DIR` lists them, with the option that would leave them out.

Every trap that was met is also a finding of the crawl, left out or not: `goodbot findings DIR` lists it with its name as the code, the number of links
and an example (`--code session-id` by site, `--json` and `--csv` too), the report has a section on traps, and the summary of a run a line.

By default only `repeated-path` is left out: the link stands on a page that has, byte for byte, the content of a page above it, and its path repeats
itself. It would lead to something new only where folders of one name, each with nothing but the next one in it, are nested four deep. Every other rule
may be wrong about some site, so that you choose it:

```console
goodbot crawl --resume --out shop --traps repeated-path,session-id,calendar
```

`--traps all` leaves out all of them, `--traps none` follows everything. In Python this is `Crawl(traps=["repeated-path", "calendar"])`. The setting
is kept for the runs that follow; what was skipped for a trap that a later run no longer names is queued again.

Only links are judged. What a crawl begins with, what sitemaps and robots.txt name, where a redirect leads, and what was fetched before are visited
whatever they look like.

## The rules

"""

OF_CONTENTS = """\
Two pages have the same content if their bodies are equal byte for byte once the address of each is taken out of its own body: its origin, path
and query, and links to the folder above it. So two listings of one folder are equal although each has its path in its title. A page is *above*
another if it has the same name in a folder that contains the other's: `/a/list` and `/list` are above `/a/b/list`.

The folder of a crawl keeps 16 bytes for each page that was fetched, and up to 100,000 addresses and counts beside them. When that many are kept,
nothing new is learned of parameters, sessions and mirrors; what is known still holds."""


def traps_page() -> Iterator[str]:
    """Yield the rules by which traps are recognised."""
    yield from TRAPS_TEXT.splitlines()
    rows = [
        [code(one.name), one.meaning, "yes" if one.is_default else "no"] for one in TRAPS.values()
    ]
    yield from table(["trap", "what is recognised, and what is not queued", "by default"], rows)
    yield "## Contents that are equal"
    yield ""
    yield from OF_CONTENTS.splitlines()


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
