"""`goodbot serve`, started as a process of its own, and ended."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.houses import need
from tests.support.program import GOODBOT, environment
from tests.support.waiting import HANGS

__all__ = ["running_service"]


@contextmanager
def running_service(*words: str | Path) -> Iterator[str]:
    """Run the service on a port of its own; yield its address. It must end with status 0.

    Args:
        words: Further arguments.

    """
    need("granian", "aiohttp")
    process = subprocess.Popen(  # noqa: S603  our own program
        [*GOODBOT, "serve", "--port", "0", *words],
        stdout=subprocess.PIPE,
        env=environment(),
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line.startswith("Listening on "), line
        yield line.split()[-1]
    finally:
        process.send_signal(signal.SIGTERM)
        status = process.wait(HANGS)
        process.stdout.close()
    assert status == 0
