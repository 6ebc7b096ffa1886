"""How long a test waits for what another thread or process does."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

HANGS = 900.0
"""The seconds after which it is given up: nothing that works takes as long on any machine, and a
test that passes waits only until what it waits for is there."""


def wait_until(condition: Callable[[], bool], what: str = "what was waited for") -> None:
    """Wait until something is so.

    Args:
        condition: Whether it is.
        what: What it is, for the message where it never is.

    """
    end = time.monotonic() + HANGS
    while not condition():
        assert time.monotonic() < end, f"{what} did not come"
        time.sleep(0.01)


async def until(condition: Callable[[], bool], what: str = "what was waited for") -> None:
    """Wait until something is so, while other tasks run; as `wait_until`."""
    end = time.monotonic() + HANGS
    while not condition():
        assert time.monotonic() < end, f"{what} did not come"
        await asyncio.sleep(0.01)


def has_read(process: int, path: Path) -> bool:
    """Return whether a process has a file open, and is at its end (Linux).

    Args:
        process: Its number.
        path: The file, under the name that it has now.

    """
    with suppress(FileNotFoundError):  # it is closed, or moved, meanwhile
        for one in Path(f"/proc/{process}/fd").iterdir():
            if one.readlink() == path.resolve():
                about = Path(f"/proc/{process}/fdinfo/{one.name}").read_text(encoding="ascii")
                return int(about.split()[1]) == path.stat().st_size
    return False
