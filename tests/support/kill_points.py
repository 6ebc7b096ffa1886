"""A process killed at each of its steps: whatever it does to files and databases is one."""

import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.support.examples import STEP, stride

__all__ = ["kill_at_each_step"]

EVENTS = {"open", "os.rename", "os.remove", "os.truncate", "os.mkdir", "os.rmdir", "shutil.rmtree"}
"""What Python reports of what is done to files (https://docs.python.org/3/library/audit_events.html);
beside that, each statement of SQLite and each call of fsync is a step."""
DONE, FAILED = 0, 3


class Steps:
    """Counts steps, and ends the process without notice at one of them.

    Args:
        last: The number of the step before which it ends.
        within: The folder in which things are steps.

    """

    def __init__(self, last: int, within: Path) -> None:
        """Start at 0."""
        self.count, self._last, self._within = 0, last, str(within)

    def step(self, *_: object) -> None:
        """Count a step."""
        if self.count == self._last:
            os.kill(os.getpid(), signal.SIGKILL)
        self.count += 1

    def watch(self) -> None:
        """Count from now on all that this process does."""
        sys.addaudithook(self._notice)
        fsync, connect = os.fsync, sqlite3.connect

        def counted_fsync(descriptor: int) -> None:
            self.step()
            fsync(descriptor)

        def traced(*words: Any, **options: Any) -> sqlite3.Connection:  # noqa: ANN401  as sqlite3 has them
            found: sqlite3.Connection = connect(*words, **options)
            if self._within in str(words[0]):
                found.set_trace_callback(self.step)
            return found

        os.fsync, sqlite3.connect = counted_fsync, traced  # type: ignore[assignment]

    def _notice(self, event: str, words: tuple[object, ...]) -> None:
        """Count what is done to files of the folder."""
        if event in EVENTS and any(self._within in str(one) for one in words):
            self.step()


def kill_at_each_step(
    act: Callable[[], object], within: Path, *, one_of: int = STEP
) -> Iterator[int]:
    """Yield after a process was killed before a step of what it does, until it ends by itself.

    Args:
        act: What the process does; it is to be undone between two kills.
        within: The folder in which things are steps.
        one_of: Of how many steps one is tried outside of the thorough profile.

    """
    last, step = stride(one_of)
    first = last
    while True:
        child = os.fork()
        if not child:
            try:
                steps = Steps(last, within)
                steps.watch()
                act()
            except BaseException:  # noqa: BLE001  the parent reports it
                os._exit(FAILED)
            os._exit(DONE)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == DONE, f"it failed before step {last}"
            assert last > first, "it did nothing"
            return
        yield last
        last += step
