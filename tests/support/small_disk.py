"""A disk that is really full: a file system in memory, which only root can mount."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SMALL = "size=2m"
LARGE = "size=64m"


def mount(place: Path, options: str) -> None:
    """Mount a file system in memory, or mount it again with other options."""
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
    subprocess.run(command, check=True)  # noqa: S603  an installed program


@contextmanager
def small_disk(place: Path) -> Iterator[Path]:
    """Make a disk of 2 megabytes."""
    place.mkdir()
    mount(place, SMALL)
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)  # noqa: S603, S607  as above
