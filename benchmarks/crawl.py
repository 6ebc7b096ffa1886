"""Crawling a small site on loopback: goodbot with its index and archive on, beside Scrapy.

Scrapy fetches and follows links and keeps nothing. Each has a process of its own, they take turns,
and the server is another process, on another CPU where there is one. All pages lie on one origin,
or on as many as there may be requests at once: of goodbot's no two are ever under way at one. It
takes about two minutes.

python benchmarks/crawl.py [ROUNDS [PAGES]]      print the figures
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

import clock
import crawl_site
from crawl_clients import AT_ONCE, CLIENTS, GOODBOT, PROGRAM, SCRAPY, Client
from crawl_site import PAGES, WORD, Served
from goodbot.crawl import Database, search

ROUNDS = 5
ORIGINS = (1, AT_ONCE)
TARGET = 4.0
"""Pages in a second, in multiples of Scrapy's."""
LIMIT = 300.0
"""Seconds after which a client that does not end is stopped."""
NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


@dataclass
class CrawlRow:
    """What one client did: seconds over all pages, and octets of memory, of each round."""

    client: Client
    walls: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)
    peaks: list[float] = field(default_factory=list)
    forbidden: int = 0
    """Requests of all rounds that robots.txt forbids."""


@dataclass(frozen=True)
class Crawls:
    """What all clients did at a site that lies on so many origins."""

    origins: int
    pages: int
    rows: Sequence[CrawlRow]
    wrong: list[str] = field(default_factory=list)

    def rate(self, row: CrawlRow) -> float:
        """Pages in a second, the median."""
        return self.pages / clock.median(row.walls)

    def cpu(self, row: CrawlRow) -> float:
        """Seconds of the client's CPU time for a page, the median."""
        return clock.median(row.cpus) / self.pages

    def times(self, row: CrawlRow) -> float:
        """In how many multiples of the client's rate goodbot crawls: the median of the rounds.

        The two of one round came one behind the other, so that what else the machine did then
        weighs on both.
        """
        pairs = zip(row.walls, self.rows[0].walls, strict=True)
        return clock.median([theirs / ours for theirs, ours in pairs])

    @property
    def against_scrapy(self) -> float | None:
        """What the target is about; nothing where Scrapy is not installed."""
        return next((self.times(row) for row in self.rows if row.client is SCRAPY), None)


def measure(
    rounds: int = ROUNDS, cpus: Sequence[int] = (), pages: int = PAGES
) -> tuple[Crawls, ...]:
    """Have every client crawl, in turns, at the site on one origin and at that on several."""
    return tuple(crawls(rounds, cpus, pages, origins) for origins in ORIGINS)


def crawls(rounds: int, cpus: Sequence[int], pages: int, origins: int) -> Crawls:
    """Have every client crawl, in turns, at a site on so many origins."""
    found = Crawls(origins, pages, [CrawlRow(client) for client in CLIENTS if client.version])
    for _ in range(rounds):
        for row in found.rows:
            found.wrong.extend(one_round(row, pages, origins, cpus[0] if len(cpus) > 1 else None))
    return found


def one_round(row: CrawlRow, pages: int, origins: int, cpu: int | None) -> list[str]:
    """Have one client crawl once, at a server that has seen nobody; give what is wrong."""
    name = row.client.name
    with tempfile.TemporaryDirectory() as folder:
        with crawl_site.served(pages, origins, cpu) as site:
            command = [sys.executable, PROGRAM, name, str(pages), folder, *site.origins]
            done = subprocess.run(  # noqa: S603  ours
                command, check=True, stdout=subprocess.PIPE, timeout=LIMIT
            )
        told = json.loads(done.stdout)
        row.walls.append(told["wall"])
        row.cpus.append(told["cpu"])
        row.peaks.append(told["peak"])
        row.forbidden += site.forbidden
        wrong = site.amiss(pages)
        if told["pages"] != pages:
            wrong.append(f"{told['pages']} of {pages} pages were fetched")
        if row.client is GOODBOT:
            wrong += kept_amiss(folder, pages, site)
    return [f"{name}, {origins} origins: {one}" for one in wrong]


def kept_amiss(folder: str, pages: int, site: Served) -> list[str]:
    """Say what a crawl of goodbot's did not keep as the site has it, or should not have done."""
    wrong = [f"{site.forbidden} forbidden requests"] if site.forbidden else []
    with closing(Database(folder)) as database:
        hits = search(database, WORD, now=NOW, limit=pages).hits
    urls = {crawl_site.url_of(one, site.origins) for one in crawl_site.pages_with(WORD, pages)}
    if len(hits) != len(urls) or {hit.url for hit in hits} != urls:
        wrong.append(f"the index finds {len(hits)} pages with {WORD!r}, {len(urls)} have it")
    expected = {
        crawl_site.url_of(number, site.origins): crawl_site.page(number, pages, site.origins)
        for number in range(pages)
    }
    records = list(responses(Path(folder)))
    if len(records) != pages or dict(records) != expected:
        wrong.append(f"the archive has {len(records)} responses, not those of the {pages} pages")
    return wrong


def responses(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Read the response records of pages with another reader than goodbot's: URL and content."""
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415

    for path in sorted(folder.glob("pages-*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type == "response":
                    url = record.rec_headers.get_header("WARC-Target-URI")
                    yield url, record.content_stream().read()


def main(arguments: Sequence[str]) -> int:
    """Print the figures; 1 if the target is missed or an answer is wrong."""
    rounds, pages, *_ = [*map(int, arguments), *(ROUNDS, PAGES)[len(arguments) :]]
    cpus = clock.cpus()
    clock.pin(1, cpus)
    found = measure(rounds, cpus, pages)
    for one in found:
        for row in one.rows:
            print(
                f"{one.origins:2} origins  {row.client.name:8} {one.rate(row):7.0f} pages/s"
                f" {one.times(row):5.2f} times {one.cpu(row) * 1e3:6.2f} ms of CPU a page"
                f" {clock.median(row.peaks) / 1e6:5.0f} MB at most {row.forbidden:3} forbidden"
            )
    wrong = [sentence for one in found for sentence in one.wrong]
    print("\n".join(wrong[:9]) or "every client fetched every page, and goodbot kept every one")
    return 1 if wrong or (found[0].against_scrapy or TARGET) < TARGET else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
