"""The blocks of one file, whose format is detected from its first lines.

Scope: between the bytes of a file and the core.
"""

from collections.abc import Callable
from hashlib import sha256

from goodbot._core import LogScan, detect_log_format
from goodbot.errors import MisuseError
from goodbot.site.logs.log_format import FormatArguments
from goodbot.site.logs.log_notes import source_name
from goodbot.site.logs.other_files import archive, other_file
from goodbot.site.logs.summing import FileNotes

__all__ = ["FileReading"]

MOST_HELD = 1024 * 1024
"""The bytes that are held back until a whole line can show the format, longer than any line."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
FIRST_LINES = 10
"""How many lines show that two files begin alike; one line can be the same in two logs."""
FIRST_BYTES = 64 * 1024
"""The most bytes of a file that are kept to compare its first lines."""


class FileReading:
    """One file, from its first block to its last."""

    def __init__(
        self,
        scan: LogScan,
        path: str,
        chosen: FormatArguments | None,
        notes: FileNotes,
    ) -> None:
        """Begin a file.

        Args:
            scan: What reads the lines.
            path: The path of the file.
            chosen: Its format; `None` if it must be detected.
            notes: Where its format and its beginning are noted.

        """
        self.scan = scan
        self.path = path
        self.notes = notes
        self.first = b""
        """The first bytes, as far as they are kept."""
        self.held: bytes | None = b""
        """The first bytes, until the format is known."""
        self.chosen = chosen
        scan.begin()
        notes.formats[path] = None

    def feed(self, block: bytes, work: Callable[[], None] | None = None) -> tuple[int, int]:
        """Read a block; return how many requests wait to be taken, and their bytes.

        Meanwhile, one of the threads that read it calls `work`.
        """
        if len(self.first) < FIRST_BYTES:
            self.first += block.lstrip(b"\0")[: FIRST_BYTES - len(self.first)]
        if self.held is None:
            return self.scan.feed(block, work)
        self.held += block
        return self.begin(is_end=len(self.held) >= MOST_HELD)

    def begin(self, *, is_end: bool) -> tuple[int, int]:
        """Read what was held back, if it shows the format or is too much to be held back."""
        held = (self.held or b"").removeprefix(BYTE_ORDER_MARK)
        self.refuse(archive(held))
        whole = held if is_end else held[: held.rfind(b"\n") + 1]
        name = None if self.chosen else detect_log_format(whole)
        found = self.chosen or (FormatArguments("known", name) if name else None)
        if found is None and not is_end:
            return self.scan.feed(b"")
        if found is None:
            self.refuse(other_file(held.lstrip(b"\0")))
        if found is not None:
            self.scan.set_format(*found)
            self.notes.formats[self.path] = found.text or found.kind
        self.held = None if found else b""
        return self.scan.feed(held)

    def refuse(self, fault: str | None) -> None:
        """Note that a file has a form that is not read at all; of several files, it stops none.

        Raises:
            MisuseError: It has, and is the only file.

        """
        if fault is None:
            return
        self.notes.unusable[self.path] = fault
        if self.notes.is_alone:
            message = f"{source_name(self.path)} {fault}"
            raise MisuseError(message)

    def end(self) -> tuple[int, int]:
        """Read the last line. Return the same."""
        if self.held:
            self.begin(is_end=True)
        self.scan.finish()
        lines = [line.rstrip(b"\r") for line in self.first.split(b"\n")]
        lines = [line for line in lines if line and not line.startswith(b"#")]
        if lines:
            beginning = b"\n".join(lines[:FIRST_LINES])
            self.notes.beginnings[self.path] = sha256(beginning).digest()
        return self.scan.feed(b"")
