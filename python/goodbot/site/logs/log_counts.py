"""What was counted while logs were read.

Scope: values only.
"""

from dataclasses import field
from datetime import datetime
from typing import NamedTuple

from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass

__all__ = ["LogCounts", "LogSummary", "SenderSums", "UnreadLine"]


class UnreadLine(NamedTuple):
    """A line that could not be read."""

    line: int
    """Its number in its file, from 1."""
    reason: str
    """Why: `form`, `time`, `value` or `length`."""
    begin: bytes
    """How it begins, at most 200 bytes."""
    source: str = "-"
    """The path of its file; `-` is standard input."""

    def __repr__(self) -> str:
        """Return a short text, whatever a file says."""
        return short_repr(self)


@dataclass(frozen=True, slots=True, repr=False)
class SenderSums:
    """The sums of the requests of one sender."""

    robot: str | None
    """The name of a known robot; `None` for unknown robots, and for people."""
    is_person: bool
    """Whether the User-Agent does not say that it is a robot."""
    user_agent: str | None
    """The User-Agent, if the sums are those of one."""
    requests: int = 0
    """Requests."""
    bytes: int = 0
    """Bytes that were sent, as far as the log says it."""
    statuses: tuple[int, int, int, int, int, int] = (0, 0, 0, 0, 0, 0)
    """Answers by the first digit of their status, from 1 to 5; others come first."""
    robots_txt: int = 0
    """Requests for /robots.txt."""
    first: datetime | None = None
    """The time of the earliest request, in UTC."""
    last: datetime | None = None
    """The time of the latest request, in UTC."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class LogCounts:
    """What was read so far."""

    lines: int = 0
    """Lines of all files."""
    bytes: int = 0
    """Bytes of all files, uncompressed."""
    robots: int = 0
    """Requests of known robots."""
    unknown_robots: int = 0
    """Requests of robots that are not known."""
    people: int = 0
    """Requests with any other User-Agent, or none."""
    without_request: int = 0
    """Lines that state no request: directives, and empty lines."""
    forwarded: int = 0
    """Requests that were given out with an address that proxies report."""
    without_zone: int = 0
    """Requests whose times state no time zone; they are read as UTC."""
    without_address: int = 0
    """Requests that were given out without an address."""
    without_user_agent: int = 0
    """Requests without a User-Agent."""
    readings: dict[str, int] = field(default_factory=dict, hash=False)
    """Requests by how their lines were read, where that may be doubted: `escaped` (backslashes as
    those of escapes), `bare` (backslashes as themselves), `ended` (the line ends with the
    User-Agent), `continued` (more quotation marks follow), `traefik` (the line
    ends as Traefik's do), `several` (several readings fit)."""
    too_long: dict[str, int] = field(default_factory=dict, hash=False)
    """Lines of more than 768 KiB, by the known robot that they name; they are counted in `refused`,
    too, and are not judged."""
    refused: dict[str, int] = field(default_factory=dict, hash=False)
    """Lines that could not be read, by reason: `form`, `time`, `value`, `length`."""
    shown: tuple[UnreadLine, ...] = ()
    """The first of them."""
    first: datetime | None = None
    """The time of the earliest request, in UTC."""
    last: datetime | None = None
    """The time of the latest request, in UTC."""
    days: dict[int, tuple[int, int, int]] = field(default_factory=dict, hash=False)
    """The requests of each day, by the number of days since 1970 in UTC: how many, and the times of
    the earliest and the latest, in microseconds since 1970. All before 1970 are counted with the
    first day, and all after the year 2149 with the last."""
    formats: dict[str, str | None] = field(default_factory=dict, hash=False)
    """The format of each file; `None` if none was found."""
    damaged: dict[str, str] = field(default_factory=dict, hash=False)
    """The files that could be decompressed only in part, and what is wrong with each."""
    repeated: tuple[tuple[str, ...], ...] = ()
    """Files that begin with the same lines, such as a log and its compressed copy: their requests
    are counted more than once."""
    unusable: dict[str, str] = field(default_factory=dict, hash=False)
    """The files that are no access logs in a form that is read, and what to do about each."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class LogSummary:
    """The sums of all requests of logs."""

    robots: tuple[SenderSums, ...]
    """Those of each known robot, the one with the most requests first."""
    unknown_robots: SenderSums
    """Those of all robots that are not known."""
    people: SenderSums
    """Those of everyone else."""
    user_agents: tuple[SenderSums, ...]
    """Those of each User-Agent of a robot, the one with the most requests first. A limited number
    of User-Agents is remembered; the requests of others are in the sums above only."""
    counts: LogCounts
    """What was read."""

    __repr__ = short_repr
