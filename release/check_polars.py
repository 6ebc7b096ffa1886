"""Run the examples of `goodbot.tables.polars` in a fresh environment that has only the wheels.

    python release/check_polars.py DIST

DIST is the folder with the wheels of goodbot and goodbot-polars. pip fetches what else the extra
`polars` requires from its index.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from check_readme import installed

EXAMPLES = (
    "import doctest, sys, goodbot.tables.polars as adapter; found = doctest.testmod(adapter); "
    "sys.exit(bool(found.failed or not found.attempted))"
)


def main(dist: str) -> None:
    """Install the wheels and run the examples."""
    with tempfile.TemporaryDirectory() as name:
        commands = installed(Path(dist).resolve(), Path(name) / "venv", "polars")
        command = [str(commands / "python"), "-I", "-c", EXAMPLES]
        subprocess.run(command, cwd=name, check=True)  # noqa: S603  ours
    sys.stdout.write("The examples of goodbot.tables.polars: as told.\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
