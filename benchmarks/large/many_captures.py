"""Measure `goodbot tables build` on a large set of WARC files: its time, its rate and its memory.

Scope: a generated set in the layout of Common Crawl's robotstxt files, built once in a process of
its own with two workers. Ten million records take some 4 GB of disk, which are freed afterwards.

    python benchmarks/large/many_captures.py [RECORDS]
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from build import generate

RECORDS = 1_000_000
CODE = """
import sys
from goodbot.tables.building import build_policies

if __name__ == "__main__":
    print(build_policies(sys.argv[2:], sys.argv[1]).as_dict())
"""


def main(records: int) -> None:
    """Generate the set, build the table, and print what it took."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = generate(folder, records)
        size = sum(path.stat().st_size for path in paths) / 1e6
        print(f"{records:,} records, {size:,.0f} MB", flush=True)
        script, out = folder / "script.py", folder / "policies.parquet"
        script.write_text(CODE)
        start = time.monotonic()
        command = [sys.executable, *map(str, (script, out, *paths))]
        subprocess.run(command, check=True)  # noqa: S603  our own program
        spent = time.monotonic() - start
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        print(f"{spent:,.0f} s, {records / spent:,.0f} records/s")
        print(f"{out.stat().st_size / 1e6:,.0f} MB of table")
        print(f"memory: {peak} MiB in the largest process")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RECORDS)
