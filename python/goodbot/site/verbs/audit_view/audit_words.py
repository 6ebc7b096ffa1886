"""Words of an audit that its terminal and its page share.

Scope: text. Nothing is counted here.
"""

from goodbot.http.amounts import format_bytes
from goodbot.site.audit import AuditedRobot, AuditResult


def size_in_words(robot: AuditedRobot) -> str:
    """Return how many bytes were sent to a robot."""
    return "?" if robot.bytes is None else format_bytes(robot.bytes)


def uses_in_words(robot: AuditedRobot) -> str:
    """Return of how many pages that a robot was served robots.txt says something, use by use."""
    said = []
    for use, counts in robot.uses.items():
        numbers = [
            f"{counts[one]:,} {one}" for one in ("reserved", "licensed", "allowed") if one in counts
        ]
        if numbers:
            said.append(f"{use}: {', '.join(numbers)}")
    return "; ".join(said)


def place_in_log(result: AuditResult, row: int) -> str:
    """Return the line of a request, with its file if there are several."""
    files, line = result.rows.sources, result.rows.lines[row]
    return f"{line}" if files is None else f"{line} of {files[row]}"
