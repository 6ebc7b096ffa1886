"""The blocks of one file, whose format is detected from its first lines.

Scope: between the bytes of a file and the core.
"""

import re

from goodbot._core import LogScan, detect_log_format
from goodbot.errors import MisuseError
from goodbot.logs.log_format import FormatArguments

__all__ = ["FileReading"]

MOST_HELD = 128 * 1024
"""The bytes that are held back until a whole line can show the format."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
CLOUDFRONT = "choose the output format w3c for the standard logs of CloudFront"
UNREADABLE = (
    (b"PAR1", f"is a Parquet file; export the log as lines of text, and {CLOUDFRONT}"),
    (rb'\s*\{[^\n]*"cs-uri-stem"', f"has lines of JSON by CloudFront; {CLOUDFRONT}"),
    (
        rb"\d{9,10}\.\d{3}\t[^\t\n]*\t",
        f"looks like a real-time log of CloudFront, which does not name its fields; {CLOUDFRONT}",
    ),
)
"""How files begin that have another form, and what to do.

Source: Amazon CloudFront Developer Guide, Standard logging (v2), output formats; Real-time logs.
"""


class FileReading:
    """One file, from its first block to its last."""

    def __init__(
        self,
        scan: LogScan,
        path: str,
        chosen: FormatArguments | None,
        formats: dict[str, str | None],
    ) -> None:
        """Begin a file.

        Args:
            scan: What reads the lines.
            path: The path of the file.
            chosen: Its format; `None` if it must be detected.
            formats: Where the format of each file is noted.

        """
        self.scan = scan
        self.path = path
        self.formats = formats
        self.held: bytes | None = b""
        """The first bytes, until the format is known."""
        self.chosen = chosen
        scan.begin()
        formats[path] = None

    def feed(self, block: bytes) -> tuple[int, int]:
        """Read a block; return how many requests wait to be taken, and their bytes."""
        if self.held is None:
            return self.scan.feed(block)
        self.held += block
        return self.begin(is_end=len(self.held) >= MOST_HELD)

    def begin(self, *, is_end: bool) -> tuple[int, int]:
        """Read what was held back, if it shows the format or is too much to be held back."""
        held = (self.held or b"").removeprefix(BYTE_ORDER_MARK)
        whole = held if is_end else held[: held.rfind(b"\n") + 1]
        name = None if self.chosen else detect_log_format(whole)
        found = self.chosen or (FormatArguments("known", name) if name else None)
        if found is None:
            self.refuse_other_forms(held)
        if found is None and not is_end:
            return self.scan.feed(b"")
        if found is not None:
            self.scan.set_format(*found)
            self.formats[self.path] = found.text or found.kind
        self.held = None if found else b""
        return self.scan.feed(held)

    def refuse_other_forms(self, held: bytes) -> None:
        """Raise if a file has a form that is not read at all, although its content is a log.

        Raises:
            MisuseError: It has.

        """
        for begin, fault in UNREADABLE:
            if re.match(begin, held):
                message = f"{self.path} {fault}"
                raise MisuseError(message)

    def end(self) -> tuple[int, int]:
        """Read the last line. Return the same."""
        if self.held:
            self.begin(is_end=True)
        self.scan.finish()
        return self.scan.feed(b"")
