"""The page on the inventory of a crawl: its columns, and the findings on the site."""

from collections.abc import Iterator

from goodbot.crawl.inventory.inventory_row import COLUMNS
from goodbot.crawl.inventory.robot_access import ACCESS, ACCESS_COLUMNS
from goodbot.crawl.inventory.site_findings import SITE_FINDINGS
from printing.as_markdown import code, table

INVENTORY = """\
# Inventory

For owners of a site: what `goodbot inventory` lists for each page, and what each finding means.

```console
$ goodbot inventory shop
$ goodbot inventory shop --csv > pages.csv
$ goodbot inventory shop --findings --fail-on page-missing,mixed-content
```

The inventory has a row for each URL that was answered, that failed, or that must not be requested. Numbers, hashes, statuses and URLs are stored of every page. Its title,
description, heading and language are stored only if it may be indexed: what may be in no index is in no table either. If a later visit finds a `noindex`, or
the page is forgotten, they are removed.

In Python, `inventory_rows` yields the same rows, `site_findings` the findings of one row, and `crawl_findings` every finding of a crawl:

```pycon
>>> import asyncio, tempfile
>>> from goodbot.crawl import Crawl, Database, inventory_rows, site_findings
>>> from goodbot.testing import FakeSite
>>> pages = {
...     "https://example.com/": "<html lang=en><title>Lamps</title><h1>Lamps</h1><a href=/old>Old</a>",
...     "https://example.com/robots.txt": "User-agent: *",
... }
>>> site = FakeSite(pages)
>>> me = {"name": "ExampleBot/1.0", "info_url": "https://example.com/bot", "contact": "bot@example.com"}
>>> with tempfile.TemporaryDirectory() as folder:
...     crawl = Crawl(folder, start=["https://example.com/"], **me, fetcher=site, clock=site.clock)
...     _ = asyncio.run(crawl.run())
...     with Database(folder) as database:
...         rows = list(inventory_rows(database, site.clock.now()))
>>> [(row.url, row.status, row.title, row.words, row.inlinks) for row in rows]
[('https://example.com/', 200, 'Lamps', 2, 0), ('https://example.com/old', 404, None, 0, 1)]
>>> [found.code for row in rows for found in site_findings(row)]
['description-missing', 'page-missing']

```

## Columns

They are the columns of CSV and Parquet (requires `pip install 'goodbot[parquet]'`), and the keys of JSON. A cell with several values has ` | ` between them.
"""

BY_ROBOTS = """\
`goodbot inventory DIR --for Googlebot,bingbot,GPTBot` lists what these robots may do with each page. It is reckoned from the robots.txt of the site over time and from what each page says to all
robots, which the crawl keeps (header fields, META and LINK elements), and not from the crawl's own verdict. A robot is read by its family and dialects, as in
[`goodbot check`](command.md#goodbot-check). What a robot may not fetch it cannot use in any other way. Marks on parts of a page are not among it.
In Python: `goodbot.crawl.inventory.robot_access.robot_access`."""

FINDINGS = """\
`goodbot inventory DIR --findings` and `goodbot report findings DIR` print the same list: these findings, those on [marks for robots](pages.md#findings), and
[traps](traps.md). `--fail-on CODE,CODE` ends with 1 if there is one of these codes, for a CI; `--fail-on any` if there is any finding."""

SEVERITIES = {
    "error": "Readers meet it.",
    "warning": "Search engines meet it, or readers of search results.",
    "info": "Good to know.",
}

BY_TWO = """\
Two findings need more than one place to be seen:

| code | in robots.txt | on the page | message |
| --- | --- | --- | --- |
| `hidden-noindex` | `Disallow: /drafts/` in line 2 | `/drafts/1` has `<meta name=robots content=noindex>` | it says META robots, line 1: noindex, and robots that robots.txt line 2 keeps away never see that |
| `signals-contradict` | `Content-Signal: ai-train=yes` in line 3 | `<meta name=robots content=noai>` | train: robots.txt, line 3: ai-train=yes allows it, and META robots, line 1: noai reserves it |

The crawl sees the first only [if you own the site](../how-to/crawl-my-own-site.md#what-is-on-the-pages-that-robotstxt-disallows). What needs a licence contradicts nothing: it may be reserved to all who have none."""

DUPLICATES = """\
Each different word of the text that may be indexed is hashed, and from these hashes one of 64 bits is made (simhash: Charikar 2002; Manku, Jain and Sarma 2007).
Pages of at least 10 words are in one group if their hashes differ in at most 3 bits from that of the page that was found first. Navigation counts as text: pages with
much of it and little else are alike. The order of words does not count."""


def inventory_page() -> Iterator[str]:
    """Yield the page on the inventory, with its columns and codes."""
    yield from INVENTORY.splitlines()
    yield ""
    rows = [[code(one.name), one.kind, one.meaning] for one in COLUMNS]
    yield from table(["column", "type", "meaning"], rows)
    yield "## Pages by robots"
    yield ""
    yield from BY_ROBOTS.splitlines()
    yield ""
    columns = [[code(one.name), one.kind, one.meaning] for one in ACCESS_COLUMNS]
    yield from table(["column", "type", "meaning"], columns)
    yield from table(["word", "meaning"], [[code(one), said] for one, said in ACCESS.items()])
    yield "## Findings"
    yield ""
    yield from FINDINGS.splitlines()
    yield ""
    yield from table(["severity", "meaning"], [list(row) for row in SEVERITIES.items()])
    found = [
        [code(rule.code), rule.severity, rule.finds, rule.why, rule.cure]
        for rule in SITE_FINDINGS.values()
    ]
    heads = ["code", "severity", "what it finds", "why it matters", "what to do"]
    yield from table(heads, found)
    yield from BY_TWO.splitlines()
    yield ""
    yield "## Pages with nearly the same text"
    yield ""
    yield from DUPLICATES.splitlines()
