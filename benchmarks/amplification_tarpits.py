"""What sites that hold every request take from a crawl: pages are counted, by a clock of its own.

python benchmarks/amplification_tarpits.py    print the results
"""

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from drawing import Target, at_least, table
from goodbot.crawl import Bounds, Crawl
from goodbot.pace import Manners
from goodbot.testing import Answer, FakeClock, FakeSite, FakeVisit

SITE = "https://example.com"
PAGES = 200
"""The pages of the site that answers at once, each linked from its first one."""
WORKERS = 16
TARPITS = (0, 4, 16, 64, 256)
DEADLINE = 1_000.0
"""Seconds for which a request to a tarpit hangs: more than all pages take with their pauses."""


@dataclass(frozen=True)
class Row:
    """What was fetched beside a number of tarpits."""

    tarpits: int
    pages: int
    """The pages that were fetched before the first request to a tarpit ended."""
    hanging: int
    """The most requests to tarpits at one time."""


@dataclass
class Sites:
    """A site that answers at once, and tarpits, which hold a request until its deadline."""

    clock: FakeClock
    pages: int = 0
    first: int | None = None
    """How many pages were fetched when the first request to a tarpit ended."""
    hanging: int = 0
    most: int = 0

    def page(self, _visit: FakeVisit) -> str:
        """Return a page."""
        self.pages += 1
        return "a page"

    async def hang(self, _visit: FakeVisit) -> Answer:
        """Answer nothing until the deadline."""
        self.hanging += 1
        self.most = max(self.most, self.hanging)
        await self.clock.sleep(DEADLINE)
        self.hanging -= 1
        if self.first is None:
            self.first = self.pages
        return Answer(failure="timeout")


def count(tarpits: int) -> Row:
    """Crawl a site whose first page links to tarpits, and then to its own pages."""
    sites = Sites(FakeClock())
    others = [f"https://tarpit-{number}.example/" for number in range(tarpits)]
    links = [*others, *(f"/{number}" for number in range(PAGES))]
    home = "".join(f'<a href="{link}">x</a>' for link in links)
    site = FakeSite(
        {
            f"{SITE}/": f"<!DOCTYPE html><title>t</title>{home}",
            f"{SITE}/robots.txt": "",
            **{f"{SITE}/{number}": sites.page for number in range(PAGES)},
            **dict.fromkeys(others, sites.hang),
            **{f"{url}robots.txt": sites.hang for url in others},
        },
        clock=sites.clock,
    )
    with tempfile.TemporaryDirectory() as folder:
        crawl = Crawl(
            Path(folder),
            "ExampleBot/1.0",
            info_url="https://example.com/bot",
            contact="bot@example.com",
            start=[f"{SITE}/"],
            bounds=Bounds(check_external=True),
            manners=Manners(default=1.0),
            workers=WORKERS,
            fetcher=site,
            clock=sites.clock,
        )
        asyncio.run(crawl.run())
    return Row(tarpits, sites.pages if sites.first is None else sites.first, sites.most)


def measure(numbers: Sequence[int] = TARPITS) -> list[Row]:
    """Crawl beside each number of tarpits."""
    return [count(number) for number in numbers]


def section(rows: Sequence[Row]) -> str:
    """Return the results as Markdown."""
    head = ("tarpits", f"pages of {PAGES} before one gave up", "hanging at one time")
    cells = [(f"{row.tarpits:,}", f"{row.pages:,}", f"{row.hanging:,}") for row in rows]
    return f"{MEANING}\n{table(head, cells)}"


MEANING = f"""\
What sites that hold every request take from a crawl with {WORKERS} workers and `--check-external`:
the first page of a site links to them, and after them to its own {PAGES} pages. The clock is that
of the crawl, and nothing is timed: a request to a tarpit hangs for {DEADLINE:,.0f} of its seconds.
"""


def targets(rows: Sequence[Row]) -> list[Target]:
    """Return what must hold beside any number of tarpits."""
    fewest = min((row.pages for row in rows), default=PAGES)
    return [at_least("pages fetched while tarpits hang", fewest, PAGES, "")]


if __name__ == "__main__":
    print(section(measure()))
