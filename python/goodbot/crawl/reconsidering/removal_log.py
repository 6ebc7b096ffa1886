"""The log of what was removed by which statement; it holds no content.

Scope: one line of JSON for each thing. The log is on disk before anything is removed: if a run is
killed, and repeated, a line may stand there twice.
"""

import json
import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from goodbot.errors import StoreUnavailableError
from goodbot.http.instants import written

__all__ = ["RemovalLog", "RemovedThing", "why_of"]


class RemovedThing(NamedTuple):
    """A line of the log."""

    file: str
    """The file that held it."""
    offset: int | None
    """Where its record began."""
    kind: str
    """What it was."""
    url: str
    fetched: str
    """When it was fetched, as its record had it."""
    record: str
    """The identifier of its record; empty if it had none."""
    do: str
    """What was to be done, or `along` if it went with a record that it was about."""
    use: str
    now: str
    reason: str
    line: int | None
    source: str
    """The statement that decided."""


class RemovalLog:
    """A log to which things are added before they are removed.

    Args:
        path: The file; lines are added to one that exists.
        at: The time of the removal.
        robot: The robot that was asked about.

    """

    def __init__(self, path: Path, at: datetime, robot: str) -> None:
        """Write nothing yet."""
        self.path, self._at, self._robot = path, at, robot

    def add(self, things: Iterable[RemovedThing]) -> int:
        """Write lines, and wait until they are on disk; return how many.

        Raises:
            StoreUnavailableError: The file cannot be written.

        """
        count = 0
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                for thing in things:
                    plain: dict[str, Any] = {"at": written(self._at), "robot": self._robot}
                    file.write(json.dumps(plain | thing._asdict()).encode() + b"\n")
                    count += 1
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            message = (
                f"{self.path} cannot be written ({error.strerror}), and nothing is removed without "
                "its line there; name another file with --log"
            )
            raise StoreUnavailableError(message) from error
        return count


def why_of(packed: str | None) -> dict[str, Any]:
    """Return by which statement something goes, from its packed form."""
    plain = json.loads(packed) if packed else {}
    names = {"use": "", "now": "", "reason": "", "line": None, "source": ""}
    return {name: plain.get(name, default) for name, default in names.items()}
