"""Words of an audit that its terminal, its page and its JSON share.

Scope: text. Nothing is counted here.
"""

import re

from goodbot.audit import AuditedRobot, AuditResult
from goodbot.cli.shared.printing import printable
from goodbot.http.amounts import format_bytes
from goodbot.logs import UnreadLine

__all__ = ["place_in_log", "size_in_words", "unread_text"]

ADDRESS = re.compile(
    r"(?<![\w.:/])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7})(?![\w:])"
)
HIDDEN = "(address)"


def size_in_words(robot: AuditedRobot) -> str:
    """Return how many bytes were sent to a robot."""
    return "?" if robot.bytes is None else format_bytes(robot.bytes)


def place_in_log(result: AuditResult, row: int) -> str:
    """Return the line of a request, with its file if there are several."""
    files, line = result.rows.sources, result.rows.lines[row]
    return f"{line}" if files is None else f"{line} of {files[row]}"


def unread_text(line: UnreadLine, *, whole: bool) -> str:
    """Return how a line begins that could not be read, as text; addresses are hidden unless whole.

    >>> unread_text(UnreadLine(3, "form", b"192.0.2.7 - broken"), whole=False)
    '(address) - broken'
    """
    text = printable(line.begin)
    return text if whole else ADDRESS.sub(HIDDEN, text)
