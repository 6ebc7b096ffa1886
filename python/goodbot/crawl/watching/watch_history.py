"""The runs of `goodbot watch` in the folder of a crawl: a line of JSON for each.

Scope: one file, read and appended to; and one that each run replaces.
"""

import json
import os
from pathlib import Path

from goodbot.crawl.folder.own_files import open_own
from goodbot.crawl.watching.barred_robots import BarredThen
from goodbot.crawl.watching.watch_run import DAMAGED, WatchRun
from goodbot.errors import NotAStoreError
from goodbot.files.atomic_file import atomic_file

__all__ = ["MOST_BYTES", "NAME", "append_run", "read_barred", "read_runs", "write_barred"]

NAME = "watch.jsonl"
ROBOTS = "watch-robots.json"
"""The file with the pages that robots had not to index in the latest run."""
MOST_BYTES = 64 * 1024 * 1024
"""The most bytes that are read, from the end; a run has a few hundred, rarely some thousands."""


def read_runs(folder: str | os.PathLike[str]) -> list[WatchRun]:
    """Return the runs, the earliest first; none if the folder was never watched.

    Args:
        folder: The folder of the crawl.

    Raises:
        NotAStoreError: A line is damaged, or the file is not a regular file.
        OSError: It cannot be read.

    """
    try:
        descriptor = open_own(Path(folder), NAME)
    except FileNotFoundError:
        return []
    with open(descriptor, "rb") as file:  # noqa: PTH123  a descriptor
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - MOST_BYTES))
        lines = file.read(MOST_BYTES).split(b"\n")
    if size > MOST_BYTES:
        lines = lines[1:]
    return [run_in(line) for line in lines if line.strip()]


def run_in(line: bytes) -> WatchRun:
    """Read a line.

    Raises:
        NotAStoreError: It is damaged.

    """
    try:
        plain = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise NotAStoreError(DAMAGED) from error
    if not isinstance(plain, dict):
        raise NotAStoreError(DAMAGED)
    return WatchRun.of_dict(plain)


def append_run(folder: str | os.PathLike[str], run: WatchRun) -> None:
    """Add a run, in one write.

    Args:
        folder: The folder of the crawl.
        run: The run.

    Raises:
        NotAStoreError: The file is not a regular file.
        OSError: It cannot be written.

    """
    line = json.dumps(run.as_dict(), separators=(",", ":")).encode() + b"\n"
    descriptor = open_own(Path(folder), NAME, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with open(descriptor, "ab") as file:  # noqa: PTH123  as above
        file.write(line)


def read_barred(folder: str | os.PathLike[str]) -> BarredThen | None:
    """Return the pages that robots had not to index in the latest run; `None` if there is no file.

    Args:
        folder: The folder of the crawl.

    Raises:
        NotAStoreError: The file is damaged, or not a regular file.
        OSError: It cannot be read.

    """
    try:
        descriptor = open_own(Path(folder), ROBOTS)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:  # noqa: PTH123  a descriptor
        content = file.read(MOST_BYTES)
    try:
        plain = json.loads(content)
        return {str(robot): frozenset(map(str, pages)) for robot, pages in plain.items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        message = f"{ROBOTS} is damaged; remove it, and the next run makes another one"
        raise NotAStoreError(message) from error


def write_barred(folder: str | os.PathLike[str], barred: BarredThen) -> None:
    """Replace the pages that robots must not index, all at once.

    Args:
        folder: The folder of the crawl.
        barred: The pages.

    Raises:
        OSError: The file cannot be written.

    """
    plain = {robot: sorted(pages) for robot, pages in barred.items()}
    with atomic_file(Path(folder) / ROBOTS, follow=False) as file:
        file.write(json.dumps(plain, separators=(",", ":")).encode())
