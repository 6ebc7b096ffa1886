"""The pages on the evidence of a crawl and on traps, and the findings of crawls."""

from collections.abc import Iterator

from goodbot.crawl.evidence import evidence_format, export, request_export
from goodbot.crawl.folder.states import STATES
from goodbot.crawl.frontier.traps import TRAPS
from goodbot.crawl.index import query
from goodbot.sitemaps import finding_codes
from printing.as_markdown import code, table
from printing.of_examples import examples_of_sitemaps

EVIDENCE = """\
# Evidence

For anyone who must show what a crawl did: what is recorded, and what each column and name means.

A crawl records the verdict on each URL and act, with the reason, the line that decided, and the robots.txt in force. It stores the bytes of every
robots.txt, with the times at which it was first and last seen, and the start, the end and the status of every request.

- `goodbot evidence DIR URL` prints the history of one URL. It quotes the lines that decided from the robots.txt that was obeyed, evaluates that file again,
  and reports whether the result is the same. There is no second evaluation if the robot's operator decided. If a robots.txt has no-store (RFC 9111 section
  5.2.2.5), it is obeyed but not stored, and only the verdicts remain.
- What a page says about its uses (training, grounding, search, archives, previews) is recorded with the visit, and `goodbot evidence DIR URL` answers per use from
  it and from the stored robots.txt; see [Uses of content](uses.md). A crawl requests neither tdmrep.json nor licences, and the answer lists them as not consulted.
- `goodbot report skipped DIR` lists the URLs that were not fetched, and why.
- `goodbot report DIR` writes an HTML page. It shows whether any request was early, computed from the recorded times of the requests and independently of the
  code that made the robot wait.
- `goodbot evidence DIR --export FILE` exports all evidence, as `FILE.parquet` (requires `pip install 'goodbot[parquet]'`) or `FILE.jsonl`.
- `goodbot evidence DIR --requests FILE` exports [every request](#columns-of-requests) in the same forms: who asked what, and when.

## Columns of the export

The table has one row for each URL and act of each visit, refusal, failure and deferral, and one row for each URL that was never taken out of the queue. Times
are in UTC, to the microsecond; numbers are 64-bit integers.

JSON lines have one line for each visit, with the same columns; only what is not null is written. `verdicts` is a list: each has the `acts` on which the verdict
is the same, and the columns of that verdict, from `allowed` to `parts`, and `dialect`. If writing fails, no partial file remains.
"""

OF_REQUESTS = """\
The table has one row for each request, also those for robots.txt and those that failed. A crawl on one machine says `this machine`. In a fleet, each row says which worker
sent it, on which machine and in which process, and under which lease of the site; no two leases of a site have the same number, and they do not overlap. `started` is the time of the database that
all workers share, so requests of different machines can be compared, and `machine_started` is what the clock of the machine showed at that moment. JSON lines have the same columns."""

OF_STATES = """\
Each URL is in one of these states. `goodbot report skipped` lists the URLs that have not been fetched, grouped by state and reason. It does not list URLs that were
fetched and are queued again."""


def evidence_page() -> Iterator[str]:
    """Yield the page on evidence, with the columns of the export and the states of URLs."""
    yield from EVIDENCE.splitlines()
    yield ""
    rows = [[code(one.name), one.kind, one.meaning] for one in export.COLUMNS]
    yield from table(["column", "type", "meaning"], rows)
    yield "## Columns of requests"
    yield ""
    yield from OF_REQUESTS.splitlines()
    yield ""
    rows = [[code(one.name), one.kind, one.meaning] for one in request_export.REQUEST_COLUMNS]
    yield from table(["column", "type", "meaning"], rows)
    yield "## Results of a visit"
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

*For operators of a crawl that finds more and more URLs: which traps goodbot recognises, which links it skips, and how to change that.*

Some sites lead a robot to ever more URLs without new content: a symbolic link repeats a tree of folders, a calendar always has a next month, or every visitor
gets links with a new session. goodbot recognises such traps by the rules below. You choose which of them are skipped. For a skipped link, `goodbot report skipped DIR` and
`goodbot evidence DIR URL` name the trap and the pages that revealed it. Links into other traps are followed and counted, once for each page that has
the link; `goodbot report skipped DIR` lists them with the option that would skip them.

Every trap is also a finding of the crawl, whether its links are skipped or not. `goodbot report findings DIR` lists it with its name as the code, the number of links
and an example; `--code session-id` lists it by site, and `--json` and `--csv` are available. The report has a section on traps, and the summary of a run has a line.

By default only links into `repeated-path` are skipped: the page with the link has, byte for byte, the content of a page above it, and the path repeats
itself. Such a link could only lead to new content if four folders of the same name were nested, each containing nothing but the next one. Every other rule
may be wrong about some sites, so you must choose it:

```console
goodbot crawl --resume --out shop --traps repeated-path,session-id,calendar
```

`--traps all` skips links into every trap, `--traps none` follows all links. In Python, use `Crawl(traps=["repeated-path", "calendar"])`. The setting
is stored for later runs. If a later run no longer names a trap, the URLs skipped for it are queued again.

The rules apply to links only. Start URLs, URLs named by sitemaps and robots.txt, targets of redirects, and pages fetched before are visited
whatever they look like.

## The rules

"""

OF_CONTENTS = """\
Two pages have the same content if their bodies are equal byte for byte after removing from each body its own URL: its origin, path
and query, and links to the folder above it. So two listings of the same folder are equal although each has its own path in its title. A page is *above*
another if it has the same name in a folder that contains the other's folder: `/a/list` and `/list` are above `/a/b/list`.

The folder of a crawl stores 16 bytes for each page that was fetched, and up to 100,000 addresses and counts. When this limit is reached,
nothing new is learned about parameters, sessions and mirrors; what is known still applies."""


def traps_page() -> Iterator[str]:
    """Yield the page on traps, with the rules by which they are recognised."""
    yield from TRAPS_TEXT.splitlines()
    rows = [
        [code(one.name), one.meaning, "yes" if one.is_default else "no"] for one in TRAPS.values()
    ]
    yield from table(
        ["trap", "how it is recognised, and which links it affects", "skipped by default"], rows
    )
    yield "## Pages with the same content"
    yield ""
    yield from OF_CONTENTS.splitlines()


def findings_of_crawls() -> Iterator[str]:
    """Yield the codes of findings on sitemaps, and on queries of a search."""
    for title, about, codes in (
        ("Findings on sitemaps", "In `Sitemap.findings`.", finding_codes.FINDING_CODES),
        ("Findings on searches", "In `Results.findings`.", query.FINDING_CODES),
    ):
        yield f"## {title}"
        yield ""
        yield about
        yield ""
        rows = [[code(slug), severity, meaning] for slug, (severity, meaning) in codes.items()]
        yield from table(["code", "severity", "meaning"], rows)
        if codes is finding_codes.FINDING_CODES:
            yield from examples_of_sitemaps()
