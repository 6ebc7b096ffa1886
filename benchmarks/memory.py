"""Measure the memory of one kept object: the resident memory of a process with many and with few.

Run as a program, `memory.py NAME COPIES FILES` prints the bytes of one object of that library;
`NAME` may also be `goodbot.RobotsTxt`, the whole file.
"""

import ctypes
import gc
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import corpus
import peers
import rust_peer
from process_memory import status

WHOLE_FILE = "goodbot.RobotsTxt"
COPIES = {"goodbot": 20, WHOLE_FILE: 8}
COPIES_OF_PEERS = 4


@dataclass(frozen=True)
class Kept:
    """The mean size of a library's kept object."""

    name: str
    size: float


def measure(samples: Sequence[corpus.Sample], names: Sequence[str]) -> list[Kept]:
    """Run a new process for each library; each of them reads the corpus itself."""
    rows = []
    for name in ("goodbot", WHOLE_FILE, *names):
        copies = COPIES.get(name, COPIES_OF_PEERS)
        command = [
            sys.executable,
            str(Path(__file__).resolve()),
            name,
            str(copies),
            str(len(samples)),
        ]
        done = subprocess.run(command, check=True, capture_output=True)  # noqa: S603 -- this very file
        rows.append(Kept(name, json.loads(done.stdout)))
    program = rust_peer.program()
    if program is not None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "samples"
            rust_peer.write(samples, path)
            size = rust_peer.ask(program, "memory", path, str(COPIES_OF_PEERS))["bytes"]
        rows.append(Kept(rust_peer.NAME, size))
    return rows


def resident() -> int:
    """Return the resident memory, without memory that the allocator keeps after it was freed."""
    gc.collect()
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    return _exactly() or status("VmRSS")


def _exactly() -> int:
    """Return the resident memory, counted page by page; the other figure is rough on many CPUs."""
    rollup = Path("/proc/self/smaps_rollup")
    if not rollup.is_file():
        return 0
    return next(
        int(line.split()[1]) * 1024
        for line in rollup.read_text().splitlines()
        if line.startswith("Rss:")
    )


def bytes_each(keep: Callable[[Any], object], contents: Sequence[Any], copies: int) -> float:
    """Return the mean size of the objects; the first copy of them all is not counted."""
    slots: list[object] = [None] * (len(contents) * (copies + 1))
    _fill(slots, keep, contents, range(1))
    before = resident()
    _fill(slots, keep, contents, range(1, copies + 1))
    return (resident() - before) / (len(contents) * copies)


def _fill(
    slots: list[object], keep: Callable[[Any], object], contents: Sequence[Any], copies: range
) -> None:
    for copy in copies:
        for number, content in enumerate(contents):
            slots[copy * len(contents) + number] = keep(content)


def main(name: str, copies: int, files: int) -> None:
    """Print the size of one object."""
    peer = peers.by_name(name.partition(".RobotsTxt")[0])
    keep = peer.parse_one if name == WHOLE_FILE else peer.keep
    print(json.dumps(bytes_each(keep, peer.contents(corpus.load(files).samples), copies)))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
