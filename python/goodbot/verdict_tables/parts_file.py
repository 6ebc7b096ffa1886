"""A Parquet file that is written in parts, so that a run that was stopped can go on.

Scope: two files next to the final one. `out.parquet.partial` has all finished parts, each a whole
Parquet file, and `out.parquet.journal` a line for each: a part counts once its line is on disk,
which is after its bytes are. When all parts are there, one footer makes them one file, which gets
its final name. Whatever stops a run (Ctrl-C, a full disk, a crash), what has the final name is
whole, and the next run continues after the last part. If there is no part yet, both are removed.
"""

import errno
import json
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

from goodbot.errors import MisuseError, StoreBusyError
from goodbot.filesystem import HERE
from goodbot.verdict_tables.parquet_footer import footer_bytes, merged, read_footer
from goodbot.verdict_tables.part_encoder import store_errors
from goodbot.verdict_tables.same_run import SETTINGS, differences

__all__ = ["PartsFile", "WrittenPart"]

COPIED_AT_ONCE = 1 << 20


class WrittenPart(NamedTuple):
    """A part that is on disk."""

    start: int
    end: int
    notes: Any
    """What was stored with it."""


class PartsFile:
    """The file, open for writing; use it with `with`.

    Args:
        path: The final name.
        job: What is written, as plain values. A run can only continue one with the same.

    Raises:
        MisuseError: Another job was begun under this name.
        StoreBusyError: Another process writes the file.
        StoreError: The files cannot be written.

    """

    def __init__(self, path: str | os.PathLike[str], job: dict[str, Any]) -> None:
        """Open the files, and read what an earlier run has finished."""
        self._named = Path(path)
        """The name for messages."""
        self.path = self._named.resolve()  # keep a link, replace what it points to
        self.partial = self.path.with_name(f"{self.path.name}.partial")
        self.journal = self.path.with_name(f"{self.path.name}.journal")
        self.parts: list[WrittenPart] = []
        with store_errors(self._named):
            if self.path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            self._notes = self.journal.open("a+b")
            self._lock()
            self._file = self.partial.open("r+b" if self.partial.exists() else "w+b")
            self._read_earlier(job)
            self._file.truncate(self._end)

    def __enter__(self) -> "PartsFile":  # noqa: PYI034  Self is of Python 3.11
        """Return the file."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the files; they remain if there is a part and `finish` was not called."""
        self._file.close()
        if not self.parts:
            # While the journal is locked, so that it is not that of another process.
            with suppress(OSError):
                self.partial.unlink()
                self.journal.unlink()
        self._notes.close()

    @property
    def _end(self) -> int:
        return self.parts[-1].end if self.parts else 0

    def append(self, part: IO[bytes], notes: Any) -> None:  # noqa: ANN401  plain values
        """Append a whole Parquet file as the next part.

        Raises:
            StoreFullError: The disk is full. The parts before it remain.
            StoreUnavailableError: It cannot be written.

        """
        start = self._end
        with store_errors(self._named):
            self._file.seek(start)
            while piece := part.read(COPIED_AT_ONCE):
                self._file.write(piece)
            on_disk(self._file)
            written = WrittenPart(start, self._file.tell(), notes)
            self._write_line(written._asdict())
        self.parts.append(written)

    def finish(self) -> None:
        """Write the footer of the whole, and move it to its final name.

        Raises:
            StoreFullError: The disk is full. The parts remain.
            StoreUnavailableError: It cannot be written.
            NotAStoreError: A part was damaged meanwhile.

        """
        with store_errors(self._named):
            parts = ((one.start, read_footer(self._file, one.end)) for one in self.parts)
            footer = merged(parts)
            self._file.seek(self._end)
            self._file.write(footer_bytes(footer))
            on_disk(self._file)
            self._file.close()
            HERE.replace(self.partial, self.path)
            HERE.sync_folder(self.path.parent)
            self._notes.close()
            self.journal.unlink()

    def _lock(self) -> None:
        """Lock the journal.

        Raises:
            StoreBusyError: Another process writes the file.

        """
        try:
            HERE.lock(self._notes.fileno())
        except OSError as error:
            self._notes.close()
            message = f"another process writes {self.path}; wait until it ends, or stop it"
            raise StoreBusyError(message) from error

    def _read_earlier(self, job: dict[str, Any]) -> None:
        """Read what an earlier run has finished, and drop what a crash has cut.

        Raises:
            MisuseError: It did something else.

        """
        self._notes.seek(0)
        head = plain(self._notes.readline())
        is_another = head not in (None, job)
        # Without a part, there is nothing to continue or to lose.
        if is_another and (not is_run(head) or plain(self._notes.readline()) is not None):
            raise self._another_run(head, job)
        if head != job:
            self._notes.truncate(0)
            self._write_line(job)
            return
        size = self.partial.stat().st_size
        valid = self._notes.tell()
        while (found := plain(self._notes.readline())) is not None and found["end"] <= size:
            self.parts.append(WrittenPart(**found))
            valid = self._notes.tell()
        self._notes.truncate(valid)

    def _another_run(self, before: Any, job: dict[str, Any]) -> MisuseError:  # noqa: ANN401
        """Close the files, and return the error for parts of another run."""
        self._file.close()
        self._notes.close()
        message = (
            f"{self.partial} was begun with other files or options: {differences(before, job)}. "
            f"Run it with those, or delete {self.partial.name} and {self.journal.name} to begin "
            "again"
        )
        return MisuseError(message, SETTINGS)

    def _write_line(self, value: object) -> None:
        self._notes.write(json.dumps(value, separators=(",", ":")).encode() + b"\n")
        on_disk(self._notes)


def on_disk(file: IO[bytes]) -> None:
    """Return when all of a file is on disk."""
    file.flush()
    os.fsync(file.fileno())


def is_run(head: object) -> bool:
    """Return whether the first line of a journal was written by this module."""
    return isinstance(head, dict) and "goodbot" in head


def plain(line: bytes) -> Any:  # noqa: ANN401  plain values
    """Return what a line of the journal says; `None` if a crash has cut it."""
    try:
        return json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
