"""The sums of each robot in an audit, apart from requests under a spoofed name.

Scope: values, counted from the judged rows.
"""

import re
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from goodbot.audit import AuditResult, PaceJudgement
from goodbot.audit.audit_outcomes import outcome_of
from goodbot.cli.audit_view.audit_values import AuditView
from goodbot.cli.shared.printing import printable
from goodbot.display import short_repr
from goodbot.http.amounts import format_bytes
from goodbot.logs import UnreadLine

__all__ = ["RobotSums", "place_in_log", "robot_sums", "size_in_words", "unread_text"]

SPOOFED = "spoofed"
ADDRESS = re.compile(
    r"(?<![\w.:/])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7})(?![\w:])"
)
HIDDEN = "(address)"


@dataclass(frozen=True)
class RobotSums:
    """What an audit found of one robot."""

    robot: str
    """The robot, as the log names it."""
    rows: Sequence[int]
    """Its rows in the result, in the order of their times, without spoofed ones."""
    spoofed: Sequence[int]
    """The rows of requests that name it and come from someone else."""
    pace: tuple[PaceJudgement, ...]
    """How it kept the pace that the sites ask for."""
    verified: int
    """How many requests come from its operator for certain."""
    bytes: int | None
    """The bytes of the answers to its requests; `None` if the log does not state them."""
    reasons: dict[str, int]
    """How many requests have each reason, the most frequent first."""

    __repr__ = short_repr

    @cached_property
    def outcomes(self) -> Counter[str]:
        """How many requests have each outcome."""
        found: Counter[str] = Counter()
        for reason, count in self.reasons.items():
            found[outcome_of(reason)] += count
        return found

    @property
    def requests(self) -> int:
        """How many requests it sent, as far as is known."""
        return len(self.rows)

    @cached_property
    def too_fast(self) -> int:
        """How many requests broke a wish for a pace that the robot claims to read."""
        return len({row for one in self.pace if not one for row in one.rows})


def robot_sums(view: AuditView) -> list[RobotSums]:
    """Return the sums of each robot, by name.

    Args:
        view: The audit.

    """
    found = rows_by_robot(view)
    return [sums_of(view, robot.robot, found.get(robot.robot, ())) for robot in view.robots]


def sums_of(view: AuditView, robot: str, places: Sequence[int]) -> RobotSums:
    """Return the sums of one robot, with its rows."""
    result, rows = view.result, view.result.rows
    everything = sorted(places, key=lambda row: (rows.times[row], rows.lines[row]))
    own = array("q", (row for row in everything if result.reasons[row] != SPOOFED))
    stated = (rows.sizes[row] for row in own)
    sizes = array("q", (size for size in stated if size is not None))
    return RobotSums(
        robot=robot,
        rows=own,
        spoofed=array("q", (row for row in everything if result.reasons[row] == SPOOFED)),
        pace=view.pace.get(robot, ()),
        verified=sum(rows.identities[row] == "verified" for row in own),
        bytes=sum(sizes) if sizes or not own else None,
        reasons=dict(Counter(result.reasons[row] for row in own).most_common()),
    )


def size_in_words(robot: RobotSums) -> str:
    """Return how many bytes were sent to a robot."""
    return "?" if robot.bytes is None else format_bytes(robot.bytes)


def rows_by_robot(view: AuditView) -> dict[str, "array[int]"]:
    """Return the rows of each robot at all sites: `--unknown` may find very many robots."""
    found: dict[str, array[int]] = {}
    for log in view.result.logs:
        found.setdefault(log.group.robot, array("q")).extend(log.group.rows)
    return found


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
