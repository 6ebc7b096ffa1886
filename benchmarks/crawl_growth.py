"""Crawl ever larger sites: the cost of a page and the memory should stay the same.

The site is that of `crawl`, on as many origins as there may be concurrent requests. Afterwards all
evidence is exported. The smallest site is crawled several times, before and after the others: a
crawl of two seconds sees the machine as it is just then, one of minutes as it is on average.
200,000 pages take five to ten minutes and 1.5 GB of disk; 2,000 and 200,000, without those between,
take hardly more.

python benchmarks/crawl_growth.py [PAGES ...]      print the figures for each size, the least first
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import clock
import crawl_site
from crawl import crawled, loaded_by
from crawl_clients import AT_ONCE, GOODBOT
from goodbot.crawl import Database
from goodbot.crawl.evidence.export import export_evidence

SIZES = (2_000, 20_000, 200_000)
FORMS = ("jsonl", "parquet")
LIMIT = 3_600.0
"""The number of seconds after which a crawl is stopped."""
SMALL_ROUNDS = 3
"""How often the smallest site is crawled before the others, and again after them; the median
counts."""
GROWTH_TARGET = 1.25
"""The CPU time of a page of the largest site, as a multiple of that of the smallest."""
MEMORY_TARGET = 160e6
"""The bytes of memory of the largest crawl."""


@dataclass(frozen=True)
class Grown:
    """The figures of one crawl."""

    pages: int
    cpu: float
    """The seconds of CPU time for a page."""
    peak: float
    """The most bytes of memory."""
    line: str
    """All figures, as a line."""


def measure(pages: int, modules: Sequence[str], cpu: int | None = None) -> Grown:
    """Crawl a site once, and export the evidence; return the figures.

    Args:
        pages: The number of pages.
        modules: What a crawl loads, so that it is not counted.
        cpu: The CPU of the server; `None` for any.

    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with crawl_site.served(pages, AT_ONCE, cpu) as site:
            told = crawled(GOODBOT, pages, name, site, modules, limit=LIMIT)
        disk = sum(file.stat().st_size for file in folder.iterdir())
        found = [
            f"{pages:7,} pages {told['cpu'] / pages * 1e3:6.3f} ms of CPU a page",
            f"{pages / told['wall']:5.0f} pages/s",
            f"{told['peak'] / 1e6:4.0f} MB at most {disk / pages / 1e3:5.1f} KB of disk a page",
            *(exported(folder, form, pages) for form in FORMS),
        ]
    return Grown(pages, told["cpu"] / pages, told["peak"], "  ".join(found))


def exported(folder: Path, form: str, pages: int) -> str:
    """Export the evidence; return the CPU time and the size of a page."""
    path = folder / f"all.{form}"
    with Database(folder) as database:
        start = time.process_time()
        export_evidence(database, path)
        seconds = time.process_time() - start
    return f"{form} {seconds:.1f} s, {path.stat().st_size / pages:.0f} bytes a page"


def main(arguments: Sequence[str]) -> int:
    """Print the figures; return 1 if a target is missed."""
    sizes = sorted(map(int, arguments or SIZES))
    cpus = clock.cpus()
    clock.pin(1, cpus)
    of_server = cpus[0] if len(cpus) > 1 else None
    modules = loaded_by(GOODBOT, AT_ONCE)
    found = []
    small = sizes[:1] * SMALL_ROUNDS
    for pages in [*small, *sizes[1:], *small]:
        found.append(measure(pages, modules, of_server))
        print(found[-1].line, flush=True)
    least = clock.median([one.cpu for one in found if one.pages == sizes[0]])
    most = max(found, key=lambda one: one.pages)
    print(
        f"{most.pages:,} pages against {sizes[0]:,}: {most.cpu / least:.2f} times the CPU time of a"
        f" page (at most {GROWTH_TARGET}), {most.peak / 1e6:.0f} MB (at most"
        f" {MEMORY_TARGET / 1e6:.0f})"
    )
    return int(most.cpu > least * GROWTH_TARGET or most.peak > MEMORY_TARGET)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
