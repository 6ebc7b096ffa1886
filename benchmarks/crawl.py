"""Crawl a small site on loopback: goodbot with index and archive, compared with Scrapy.

Scrapy fetches pages, follows links and stores nothing. Each client has a process of its own; they
take turns. The server is another process, on another CPU if there is one. All pages are on one
origin, or on as many origins as there may be concurrent requests, because goodbot never sends two
requests to an origin at once. The clock starts after imports: a first small crawl of each client,
which is not timed, shows what it loads. It takes about two minutes.

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
from typing import Any

import clock
import crawl_site
from crawl_clients import AT_ONCE, CLIENTS, GOODBOT, PROGRAM, SCRAPY, Client
from crawl_site import PAGES, WORD, Served
from goodbot.crawl import Database, search

ROUNDS = 5
ORIGINS = (1, AT_ONCE)
TARGET = 5.0
"""Pages per second on several origins, as a multiple of Scrapy's."""
CPU_TARGET = 4.0
"""Pages for a second of CPU time on one origin, where Scrapy makes requests at the same time and
goodbot one after another, as a multiple of Scrapy's."""
FEW = 20
"""The number of pages of the first crawl, which is not timed."""
LIMIT = 300.0
"""The number of seconds after which a client is stopped."""
NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


@dataclass
class CrawlRow:
    """The results of one client: seconds for all pages, and bytes of memory, for each round."""

    client: Client
    walls: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)
    peaks: list[float] = field(default_factory=list)
    forbidden: int = 0
    """The number of requests, in all rounds, that robots.txt disallows."""


@dataclass(frozen=True)
class Crawls:
    """The results of all clients at a site on a number of origins."""

    origins: int
    pages: int
    rows: Sequence[CrawlRow]
    wrong: list[str] = field(default_factory=list)

    def rate(self, row: CrawlRow) -> float:
        """Return the median of pages per second."""
        return self.pages / clock.median(row.walls)

    def cpu(self, row: CrawlRow) -> float:
        """Return the median of the client's CPU time for a page, in seconds."""
        return clock.median(row.cpus) / self.pages

    def times(self, row: CrawlRow) -> float:
        """Return goodbot's rate as a multiple of the client's: the median of the rounds.

        The two runs of a round follow each other, so other work of the machine affects both.
        """
        pairs = zip(row.walls, self.rows[0].walls, strict=True)
        return clock.median([theirs / ours for theirs, ours in pairs])

    @property
    def against_scrapy(self) -> float | None:
        """Pages per second as a multiple of Scrapy's; `None` if Scrapy is not installed."""
        return next((self.times(row) for row in self.rows if row.client is SCRAPY), None)

    @property
    def cpu_against_scrapy(self) -> float | None:
        """Pages for a second of CPU time as a multiple of Scrapy's; `None` if it is not there."""
        ours = self.cpu(self.rows[0])
        return next((self.cpu(row) / ours for row in self.rows if row.client is SCRAPY), None)


def measure(
    rounds: int = ROUNDS,
    cpus: Sequence[int] = (),
    pages: int = PAGES,
    clients: Sequence[Client] = CLIENTS,
) -> tuple[Crawls, ...]:
    """Run every client in turns, on the site with one origin and on that with several."""
    return tuple(crawls(rounds, cpus, pages, origins, clients) for origins in ORIGINS)


def crawls(
    rounds: int, cpus: Sequence[int], pages: int, origins: int, clients: Sequence[Client]
) -> Crawls:
    """Run every client in turns, on a site with a number of origins."""
    found = Crawls(origins, pages, [CrawlRow(client) for client in clients if client.version])
    cpu = cpus[0] if len(cpus) > 1 else None
    modules = {row.client.name: loaded_by(row.client, origins) for row in found.rows}
    for _ in range(rounds):
        for row in found.rows:
            found.wrong.extend(one_round(row, pages, origins, cpu, modules[row.client.name]))
    return found


def loaded_by(client: Client, origins: int) -> list[str]:
    """Return the modules that a client loads only when a crawl begins."""
    with tempfile.TemporaryDirectory() as folder, crawl_site.served(FEW, origins, None) as site:
        modules: list[str] = crawled(client, FEW, folder, site, [])["modules"]
    return modules


def crawled(
    client: Client,
    pages: int,
    folder: str,
    site: Served,
    modules: Sequence[str],
    *,
    limit: float = LIMIT,
) -> dict[str, Any]:
    """Run one client in a process of its own; return what it measured."""
    command = [sys.executable, PROGRAM, client.name, str(pages), folder, *site.origins]
    done = subprocess.run(  # noqa: S603  ours
        command,
        check=True,
        input=json.dumps(modules).encode(),
        stdout=subprocess.PIPE,
        timeout=limit,
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def one_round(
    row: CrawlRow, pages: int, origins: int, cpu: int | None, modules: Sequence[str]
) -> list[str]:
    """Run one client once, with a new server; return what is wrong."""
    name = row.client.name
    with tempfile.TemporaryDirectory() as folder:
        with crawl_site.served(pages, origins, cpu) as site:
            told = crawled(row.client, pages, folder, site, modules)
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
    """Yield what a crawl by goodbot stored wrongly, or should not have fetched."""
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
    """Read the response records of pages with a reader other than goodbot: URL and content."""
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415

    for path in sorted(folder.glob("pages-*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type == "response":
                    url = record.rec_headers.get_header("WARC-Target-URI")
                    yield url, record.content_stream().read()


def main(arguments: Sequence[str]) -> int:
    """Print the figures; return 1 if a target is missed or an answer is wrong."""
    rounds, pages, *_ = [*map(int, arguments), *(ROUNDS, PAGES)[len(arguments) :]]
    cpus = clock.cpus()
    clock.pin(1, cpus)
    found = measure(rounds, cpus, pages)
    for one in found:
        for row in one.rows:
            print(
                f"{one.origins:2} origins  {row.client.name:15} {one.rate(row):7.0f} pages/s"
                f" {one.times(row):5.2f} times {one.cpu(row) * 1e3:6.2f} ms of CPU a page"
                f" {clock.median(row.peaks) / 1e6:5.0f} MB at most {row.forbidden:3} forbidden"
            )
    wrong = [sentence for one in found for sentence in one.wrong]
    print("\n".join(wrong[:9]) or "every client fetched every page, and goodbot kept every one")
    one, several = found
    is_missed = (several.against_scrapy or TARGET) < TARGET
    is_missed = is_missed or (one.cpu_against_scrapy or CPU_TARGET) < CPU_TARGET
    return 1 if wrong or is_missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
