"""Crawl ever larger sites: the cost of a page and the memory should stay the same.

The site is that of `crawl`, on as many origins as there may be concurrent requests. Afterwards all
evidence is exported. 200,000 pages take about ten minutes and 1.5 GB of disk.

python benchmarks/crawl_growth.py [PAGES ...]      print the figures for each size
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import crawl_site
from crawl import crawled, loaded_by
from crawl_clients import AT_ONCE, GOODBOT
from goodbot.crawl import Database
from goodbot.crawl.evidence.export import export_evidence

SIZES = (2_000, 20_000, 200_000)
FORMS = ("jsonl", "parquet")
LIMIT = 3_600.0
"""The number of seconds after which a crawl is stopped."""


def measure(pages: int, modules: Sequence[str]) -> str:
    """Crawl a site once, and export the evidence; return the figures as one line."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with crawl_site.served(pages, AT_ONCE, None) as site:
            told = crawled(GOODBOT, pages, name, site, modules, limit=LIMIT)
        disk = sum(file.stat().st_size for file in folder.iterdir())
        found = [
            f"{pages:7,} pages {told['cpu'] / pages * 1e3:6.2f} ms of CPU a page",
            f"{told['peak'] / 1e6:4.0f} MB at most {disk / pages / 1e3:5.1f} KB of disk a page",
            *(exported(folder, form, pages) for form in FORMS),
        ]
    return "  ".join(found)


def exported(folder: Path, form: str, pages: int) -> str:
    """Export the evidence; return the CPU time and the size of a page."""
    path = folder / f"all.{form}"
    with Database(folder) as database:
        start = time.process_time()
        export_evidence(database, path)
        seconds = time.process_time() - start
    return f"{form} {seconds:.1f} s, {path.stat().st_size / pages:.0f} bytes a page"


def main(arguments: Sequence[str]) -> None:
    """Print the figures."""
    modules = loaded_by(GOODBOT, AT_ONCE)
    for pages in map(int, arguments or SIZES):
        print(measure(pages, modules), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
