"""The part of the report on the crawl: whole crawls, the queue, the index."""

from collections.abc import Sequence
from dataclasses import dataclass

import clock
import crawl
import frontier
import page_statements
import search
from crawl import Crawls
from crawl_clients import AT_ONCE, CLIENTS
from crawl_site import CLOSED
from drawing import Target, at_least, at_most, table

CRAWL_MEANING = f"""\
Each crawl is a process of its own, and they take turns, goodbot first; the server is another
process, on another CPU where there is one. `pages/s` is by the wall clock, the median over the
rounds, from the first step of the crawl to its last: imports are not counted, neither those at the
start nor those that a client makes only when a crawl begins, as a first small crawl shows; making
and closing the folder is. `times` says how many times as
fast goodbot crawls, the median of the ratios of each round; the memory is the process's at its
highest. Every page had to be fetched exactly once. After each crawl of goodbot's the index had to
find the pages of a word, and another reader of WARC every page as the server sent it. `forbidden`
counts requests, of all rounds, for {CLOSED} pages that robots.txt forbids; every page leads to one
of them."""

CRAWL_BIAS = f"""\
- Scrapy, Crawlee and aiohttp do less: they keep nothing. goodbot writes queue, index, archive and
  evidence to disk. "Scrapy, keeping" stores each response in its cache and each text in a file, and
  wget stores each response in a WARC file; neither keeps an index, links or verdicts.
- With a pace of nothing at all goodbot still makes no two visits to one origin at once; Scrapy
  makes {AT_ONCE}. Where a server takes its time, that decides, and not what is measured here.
- A crawl keeps to a site's pace, and that is what it waits for. This figure says only what a
  machine with very many origins can bear.
"""

FRONTIER_MEANING = """\
`goodbot.crawl.frontier.sqlite.Frontier`, in a folder that is removed afterwards: one process
fills it, another opens it anew and takes URLs, each time settling the one before. Memory
is resident memory at its highest. No URL may come twice, and none of an origin before its pause is
over."""

SEARCH_MEANING = """\
`goodbot.crawl.Index.search`, from a new process while the system has the file in its cache, with
snippets; the words of pages and searches are drawn as frequent as 1, 1/2, 1/3, ...; the folder is
removed afterwards. "Most frequent words": the slowest of five searches for the three words that
stand on nearly every page."""


@dataclass(frozen=True)
class CrawlResults:
    """All results on crawls."""

    crawls: Sequence[Crawls]
    queue: frontier.Figures
    index: search.Figures
    statements: page_statements.Figures
    seconds: Sequence[float]
    """The duration of each of the four."""


def targets(results: CrawlResults) -> list[Target]:
    """Return every target, with the measured value."""
    queue, index, said = results.queue, results.index, results.statements
    one, several = results.crawls
    rate, cpu = several.against_scrapy, one.cpu_against_scrapy
    of = f"queue of {queue.urls:,} URLs over {queue.origins:,} origins"
    what = "crawl with index and archive, against Scrapy that only fetches"
    by_cpu = f"{what}, by CPU time on one origin"
    memory, target = queue.most_memory / 1e6, frontier.MEMORY_TARGET / 1e6
    return [
        *([] if rate is None else [at_least(what, rate, crawl.TARGET, " times")]),
        *([] if cpu is None else [at_least(by_cpu, cpu, crawl.CPU_TARGET, " times")]),
        at_most(f"{of}, memory", memory, target, " MB"),
        at_most(f"{of}, next URL, median", queue.next * 1e6, frontier.NEXT_TARGET * 1e6, " us"),
        at_most(
            f"search over {index.pages:,} pages, median",
            index.every * 1e3,
            search.SEARCH_TARGET * 1e3,
            " ms",
        ),
        at_most(
            "what a page says to all robots, of the CPU time of its crawl",
            said.share,
            page_statements.SHARE_TARGET,
            " %",
        ),
        at_most(
            "the same, of the folder",
            said.bytes_each,
            page_statements.BYTES_TARGET,
            " bytes a page",
        ),
    ]


def wrong(results: CrawlResults) -> list[str]:
    """Return every unexpected answer, as a sentence."""
    found = [f"crawl: {sentence}" for one in results.crawls for sentence in one.wrong]
    found += [] if results.queue.right else ["queue: a URL came twice, or too early"]
    return found + ([] if results.index.right else ["index: a search finds other pages"])


def sections(results: CrawlResults) -> list[str]:
    """Return every section, each after its heading."""
    crawls, queue, index, said = (f"Measuring this took {one:.0f} s.\n" for one in results.seconds)
    return [
        "## A whole crawl\n",
        crawl_section(results.crawls),
        crawls,
        "## The queue of a crawl\n",
        frontier_section(results.queue),
        queue,
        "## Searching what was crawled\n",
        search_section(results.index),
        index,
        "## What pages say to all robots\n",
        statements_section(results.statements),
        said,
    ]


def statements_section(found: page_statements.Figures) -> str:
    """Return what it costs to keep what pages say to all robots."""
    return (
        f"{found.pages:,} pages in memory, each with three META elements and a header field for "
        "robots, crawled with and without keeping them, in turns; the median of the rounds. "
        f"Keeping takes {found.share:.1f} % of the {found.seconds * 1e3:.2f} ms of CPU time that a "
        f"page takes in all, and {found.bytes_each:.0f} bytes of the database.\n\n"
        f"What {len(page_statements.ROBOTS)} robots may do with each of {found.asked:,} such pages "
        f"(`goodbot inventory --for`) is listed in {found.asked_seconds:.1f} s of CPU time, "
        f"{found.asked_seconds / found.asked * 1e6:.0f} us a page.\n"
    )


def crawl_section(found: Sequence[Crawls]) -> str:
    """Return the table of crawls, with the configuration of each client."""
    rows = [
        (
            f"{row.client.name} {row.client.version}",
            row.client.job,
            f"{one.origins}",
            f"{one.rate(row):,.0f}",
            f"{one.times(row):.2f}",
            f"{one.cpu(row) * 1e3:.2f} ms",
            f"{clock.median(row.peaks) / 1e6:.0f} MB",
            f"{row.forbidden}",
        )
        for one in found
        for row in one.rows
    ]
    head = (
        "client",
        "job",
        "origins",
        "pages/s",
        "times",
        "CPU time of a page",
        "memory",
        "forbidden",
    )
    rounds = len(found[0].rows[0].walls)
    size = (
        f"{found[0].pages:,} pages of 1.6 KB on loopback, each with 12 links to others, {rounds}"
        f" rounds. Up to {AT_ONCE} requests at once, no pause on either side, robots.txt obeyed.\n"
    )
    settings = "".join(
        f"- {one.name}: {one.settings}.\n" if one.version else f"- {one.name}: not installed.\n"
        for one in CLIENTS
    )
    return f"{size}\n{table(head, rows)}\n{CRAWL_MEANING}\n\n{settings}\n{CRAWL_BIAS}"


def frontier_section(queue: frontier.Figures) -> str:
    """Return the table of the queue."""
    rows = [
        ("next URL, median", f"{queue.next * 1e6:.1f} us"),
        ("next URL, 99th percentile", f"{queue.next_worst * 1e6:.1f} us"),
        ("next URL, longest", f"{queue.next_longest * 1e3:.1f} ms"),
        ("open", f"{queue.open * 1e3:.0f} ms"),
        ("memory, taking", f"{queue.memory / 1e6:.0f} MB"),
        ("memory, filling", f"{queue.fill_memory / 1e6:.0f} MB"),
        ("queue one URL, in batches", f"{queue.fill * 1e6:.1f} us"),
        ("bytes for a URL", f"{queue.disk:.0f}"),
    ]
    head = (f"{queue.urls:,} URLs, {queue.origins:,} origins", "")
    answers = "None did." if queue.right else "ONE DID."
    return f"{table(head, rows)}\n{FRONTIER_MEANING} {answers}\n"


def search_section(index: search.Figures) -> str:
    """Return the table of the index."""
    rows = [
        ("one word, median", f"{index.one * 1e3:.1f} ms"),
        ("two words", f"{index.two * 1e3:.1f} ms"),
        ("three words", f"{index.three * 1e3:.1f} ms"),
        ("a phrase of two", f"{index.phrase * 1e3:.1f} ms"),
        ("any of these, median", f"{index.every * 1e3:.1f} ms"),
        ("any of these, 99th percentile", f"{index.every_worst * 1e3:.1f} ms"),
        ("most frequent words", f"{index.worst * 1e3:.1f} ms"),
        ("put a page", f"{index.put * 1e6:.1f} us"),
        ("note what its links say", f"{index.describe * 1e6:.1f} us"),
        ("make its entry, and again", f"{index.entry * 1e6:.1f} us"),
        ("bytes for a page", f"{index.bytes_each:.0f}"),
    ]
    head = (f"{index.pages:,} pages of {search.WORDS} words", "")
    answers = (
        "Searches on fewer pages gave what a walk through all words gives."
        if index.right
        else "SEARCHES FOUND OTHER PAGES THAN A WALK THROUGH ALL WORDS."
    )
    return f"{table(head, rows)}\n{SEARCH_MEANING} {answers}\n"
