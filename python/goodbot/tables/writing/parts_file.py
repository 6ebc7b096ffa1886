"""A Parquet file that is written in parts, so that a run that was stopped can go on.

Scope: two files next to the final one. `out.parquet.partial` has all finished parts, each a whole
Parquet file, and `out.parquet.journal` a line for each: a part counts once its line is on disk,
which is after its bytes are, and which has their digest and its own. When all parts are there, one
footer makes them one file, which gets its final name. Whatever stops a run (Ctrl-C, a full disk, a
crash), what has the final name is whole, and the next run continues after the last part that is as
it was written. If there is no part yet, both are removed.

Neither file is opened through a link, and none that goodbot did not begin is ever written to.
"""

import errno
import hashlib
import json
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from goodbot.closing import Closing
from goodbot.errors import MisuseError, NotAStoreError, StoreBusyError
from goodbot.files.filesystem import HERE
from goodbot.tables.writing.parquet_footer import footer_bytes, merge_footers, read_footer
from goodbot.tables.writing.part_encoder import store_errors
from goodbot.tables.writing.same_run import SETTINGS, differences

COPIED_AT_ONCE = 1 << 20
LONGEST_LINE = 64 << 20
"""The most bytes of a line of the journal: the first one names all files that are read."""
CHECK = "check"
"""Of a line of the journal, the digest of the rest."""
NAMED = "partial"
"""Of the first line of the journal, the name of the file with the parts."""
FIRST = b'{"goodbot":'
"""How the first line of the journal begins."""
NOT_FOLLOWED = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
BINARY = getattr(os, "O_BINARY", 0)  # Windows


class WrittenPart(NamedTuple):
    """A part that is on disk."""

    start: int
    end: int
    digest: str
    """The SHA-256 of its bytes."""
    notes: Any
    """What was stored with it."""


class PartsFile(Closing):
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
            self._notes, is_new = open_own_file(self.journal)
            self._lock()
            self._file = self._begun(job, is_new=is_new)
            self._file.truncate(self._end)

    def close(self) -> None:
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
        digest = hashlib.sha256()
        with store_errors(self._named):
            self._file.seek(start)
            while piece := part.read(COPIED_AT_ONCE):
                self._file.write(piece)
                digest.update(piece)
            flush_to_disk(self._file)
            written = WrittenPart(start, self._file.tell(), digest.hexdigest(), notes)
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
            for part in self.parts:
                if not self._is_sound(part):
                    message = f"{self.partial} was damaged meanwhile; run the command again"
                    raise NotAStoreError(message)
            parts = ((part.start, read_footer(self._file, part.end)) for part in self.parts)
            footer = merge_footers(parts)
            self._file.seek(self._end)
            self._file.write(footer_bytes(footer))
            flush_to_disk(self._file)
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

    def _begun(self, job: dict[str, Any], *, is_new: bool) -> IO[bytes]:
        """Open the file of the parts, with those that an earlier run has finished.

        Raises:
            MisuseError: An earlier run did something else, or a file has its name that is not one.

        """
        try:
            line = b"" if is_new else self._next_line()
            head = parse_line(line)
            named = head.pop(NAMED, None) if isinstance(head, dict) else None
            # Without a part, there is nothing to continue or to lose.
            is_over = is_ours(line) and not self._next_line()
            if head == job and isinstance(named, str):
                self._notes.seek(len(line))
            elif is_over:
                named = self._begin_again(job, named)
            else:
                raise self._another_run(head, job)  # noqa: TRY301  the journal is closed below
            self.partial = self.path.with_name(Path(named).name)
            file, _ = open_own_file(self.partial)
        except BaseException:
            self._notes.close()
            if is_new:
                with suppress(OSError):
                    self.journal.unlink()
            raise
        self._file = file
        if head == job:
            self._read_earlier()
        return file

    def _begin_again(self, job: dict[str, Any], named: object) -> str:
        """Write the first line of the journal; return the name of the file of the parts.

        It is the one that an earlier run has named, or else one that no file has.
        """
        name = named if isinstance(named, str) else self.partial.name
        number = 1
        while name != named and not is_free(self.path.with_name(name)):
            number += 1
            name = f"{self.partial.name}-{number}"
        self._notes.truncate(0)
        self._write_line({**job, NAMED: name})
        HERE.sync_folder(self.path.parent)  # no parts are on disk without the line that names them
        return name

    def _read_earlier(self) -> None:
        """Read what an earlier run has finished, and drop what is not as it was written."""
        size = os.fstat(self._file.fileno()).st_size
        valid = self._notes.tell()
        while (found := parse_part(parse_line(self._next_line()))) is not None:
            if found.start != self._end or found.end > size or not self._is_sound(found):
                break
            self.parts.append(found)
            valid = self._notes.tell()
        self._notes.truncate(valid)

    def _next_line(self) -> bytes:
        """Return the next line of the journal."""
        return self._notes.readline(LONGEST_LINE)

    def _is_sound(self, part: WrittenPart) -> bool:
        """Return whether a part is on disk as it was written."""
        digest, left = hashlib.sha256(), part.end - part.start
        self._file.seek(part.start)
        while left and (piece := self._file.read(min(left, COPIED_AT_ONCE))):
            digest.update(piece)
            left -= len(piece)
        return not left and digest.hexdigest() == part.digest

    def _another_run(self, before: Any, job: dict[str, Any]) -> MisuseError:  # noqa: ANN401
        """Return the error for parts of another run."""
        message = (
            f"{self.partial} was begun with other files or options: {differences(before, job)}. "
            f"Run it with those, or delete {self.partial.name} and {self.journal.name} to begin "
            "again"
        )
        return MisuseError(message, SETTINGS)

    def _write_line(self, value: dict[str, Any]) -> None:
        line = json.dumps({**value, CHECK: compute_check(value)}, separators=(",", ":"))
        self._notes.seek(0, os.SEEK_END)
        self._notes.write(line.encode() + b"\n")
        flush_to_disk(self._notes)


def flush_to_disk(file: IO[bytes]) -> None:
    """Return when all of a file is on disk."""
    file.flush()
    os.fsync(file.fileno())


def open_own_file(path: Path) -> tuple[IO[bytes], bool]:
    """Open a file for reading and writing without following a link; return also if it is new.

    Raises:
        MisuseError: What has the name is a link, a folder, a pipe, or a file that has another name
            too, or belongs to another user.
        OSError: It cannot be opened.

    """
    flags = os.O_RDWR | os.O_CREAT | NOT_FOLLOWED | BINARY
    try:
        return os.fdopen(os.open(path, flags | os.O_EXCL, 0o666), "w+b"), True
    except FileExistsError:
        pass
    try:
        descriptor = os.open(path, flags & ~os.O_CREAT)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.EMLINK, errno.EISDIR, errno.ENXIO}:
            raise not_ours(path) from error
        raise
    facts = os.fstat(descriptor)
    is_mine = not hasattr(os, "geteuid") or facts.st_uid == os.geteuid()
    if not (stat.S_ISREG(facts.st_mode) and facts.st_nlink == 1 and is_mine):
        os.close(descriptor)
        raise not_ours(path)
    return os.fdopen(descriptor, "r+b"), False


def not_ours(path: Path) -> MisuseError:
    """Return the error for what no run of goodbot has begun."""
    message = (
        f"{path} is not a file that goodbot has begun: it is a link, a folder or a pipe, has "
        "another name, or belongs to another user. Rename or remove it, or name another output"
    )
    return MisuseError(message)


def is_free(path: Path) -> bool:
    """Return whether nothing has a name, or a file in which nothing is."""
    try:
        facts = path.lstat()
    except FileNotFoundError:
        return True
    return stat.S_ISREG(facts.st_mode) and not facts.st_size


def is_ours(line: bytes) -> bool:
    """Return whether the first line of a journal, which may be cut, was written by this module."""
    return line.startswith(FIRST) or FIRST.startswith(line)


def parse_part(line: object) -> WrittenPart | None:
    """Return the part that a line of the journal is about; `None` if it is about none."""
    if not (isinstance(line, dict) and line.keys() == {*WrittenPart._fields}):
        return None
    part = WrittenPart(**line)
    are_places = all(type(place) is int for place in (part.start, part.end))
    return part if are_places and 0 <= part.start < part.end else None


def parse_line(line: bytes) -> Any:  # noqa: ANN401  plain values
    """Return what a line of the journal says; `None` if it was cut or changed."""
    try:
        found = json.loads(line) if line.endswith(b"\n") else None
        if not isinstance(found, dict):
            return None
        check = found.pop(CHECK, None)
        return found if check == compute_check(found) else None
    except (ValueError, RecursionError):
        return None


def compute_check(value: dict[str, Any]) -> str:
    """Return the digest of what a line of the journal says."""
    return hashlib.sha256(json.dumps(value, separators=(",", ":")).encode()).hexdigest()
