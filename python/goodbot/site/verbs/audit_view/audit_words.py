"""Words of an audit that its terminal and its page share.

Scope: text. Nothing is counted here.
"""

from goodbot.http.amounts import format_bytes
from goodbot.site.audit import AuditedRobot, AuditResult


def size_in_words(robot: AuditedRobot) -> str:
    """Return how many bytes were sent to a robot."""
    return "?" if robot.bytes is None else format_bytes(robot.bytes)


def place_in_log(result: AuditResult, row: int) -> str:
    """Return the line of a request, with its file if there are several."""
    files, line = result.rows.sources, result.rows.lines[row]
    return f"{line}" if files is None else f"{line} of {files[row]}"
