"""texting_robots, a peer in Rust, which a program measures on the same files and URLs."""

import json
import re
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corpus import ROBOT, Sample

FOLDER = Path(__file__).resolve().parent / "peers"
NAME = "texting_robots"
CALL = "allowed(url), called from Rust"


def program() -> Path | None:
    """Return the program, if it was built."""
    path = FOLDER / "target" / "release" / "goodbot-benchmark-peers"
    return path if path.is_file() else None


def version() -> str:
    """Return the version of the library with which the program was built."""
    lock = FOLDER / "Cargo.lock"
    found = (
        re.search(rf'name = "{NAME}"\nversion = "([^"]+)"', lock.read_text())
        if lock.is_file()
        else None
    )
    return found[1] if found else "unknown"


def absent() -> str:
    """Return a sentence on the missing program."""
    return f"{NAME} is not measured: cargo build --release in benchmarks/peers builds its program."


def write(samples: Sequence[Sample], path: Path) -> None:
    """Write the samples in the form that the program reads."""
    with path.open("wb") as file:
        for sample in samples:
            file.write(_string(sample.content) + struct.pack("<I", len(sample.urls)))
            file.write(b"".join(_string(url.encode()) for url in sample.urls))


def _string(content: bytes) -> bytes:
    return struct.pack("<I", len(content)) + content


def ask(path: Path, job: str, samples: Path, *rest: str) -> Any:  # noqa: ANN401 -- JSON, by the job
    """Run one job, and return its output."""
    command = [str(path), job, str(samples), ROBOT, *rest]
    done = subprocess.run(command, check=True, capture_output=True)  # noqa: S603 -- our own program
    return json.loads(done.stdout)
