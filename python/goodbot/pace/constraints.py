"""What a site asks of a robot's pace: each constraint with its line of robots.txt."""

from collections.abc import Callable
from typing import TypeVar

from goodbot._core import Finding, RequestRate, RobotsTxt, Rules, VisitTime, crawl_delay
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.instants import SECOND, duration, spoken
from goodbot.http.quoting import shortened
from goodbot.lazy_dataclass import dataclass

__all__ = ["Constraint", "Constraints", "Hours", "constraints_of", "finding_codes"]

LONG = 3600 * SECOND
"""Longer paces are reported, but obeyed."""
SHORT = SECOND // 10
"""A shorter pace means that the site does not mind; it does not make the robot faster."""
MOST_UNREAD = 10
"""The most lines with unreadable hours that are reported."""
FINDING_CODES = {
    "unreadable-visit-time": (
        "warning",
        "A Visit-time cannot be read, so visits count as welcome at any time; check the line.",
    ),
    "long-pace": (
        "info",
        "The site asks for an hour or more between visits; it is obeyed. See `Manners.patience`.",
    ),
    "short-pace": (
        "info",
        "The site asks for less than 0.1 seconds between visits; the robot's own pace applies.",
    ),
}
Field = tuple[str, str, int]
Parsed = TypeVar("Parsed")


@dataclass(frozen=True, slots=True)
class Constraint:
    """A pace that the site asks for."""

    reason: str
    """`crawl-delay` or `request-rate`."""
    gap: int
    """Microseconds from the end of a visit to the start of the next."""
    documents: int
    """The most documents that may start ..."""
    period: int
    """... in this many microseconds; 0 for a Crawl-delay, which counts no documents."""
    line: int
    """The line of robots.txt; 0 if unknown."""
    is_doubtful: bool = False
    """Whether it is unclear when it applies; it then replaces no other pace."""

    @property
    def source(self) -> str:
        """The line that asks for it."""
        return source_of(self.line)

    @property
    def is_short(self) -> bool:
        """Whether the robot's own pace still applies: `Crawl-delay: 0` is not an invitation."""
        return self.gap < SHORT

    def __str__(self) -> str:
        """Return what is asked for, as part of a sentence."""
        if not self.period:
            return f"{self.source} asks for {spoken(self.gap)} between visits"
        plural = "" if self.documents == 1 else "s"
        documents = f"{self.documents} document{plural}"
        return f"{self.source} asks for at most {documents} in {spoken(self.period)}"


@dataclass(frozen=True, slots=True)
class Hours:
    """Minutes of the day, including the last one; past midnight if the last precedes the first."""

    first: int
    last: int
    line: int = 0

    @classmethod
    def of(cls, window: VisitTime, line: int = 0) -> "Hours":
        """Return the hours of a window, including its end minute (Conner's sample file)."""
        start, end = window.start, window.end
        return cls(start.hour * 60 + start.minute, end.hour * 60 + end.minute, line)

    def spans(self) -> tuple[tuple[int, int], ...]:
        """Return the one or two runs of minutes in a day, without the end of each."""
        if self.first <= self.last:
            return ((self.first, self.last + 1),)
        return ((0, self.last + 1), (self.first, 24 * 60))

    @property
    def source(self) -> str:
        """The line that asks for it."""
        return source_of(self.line)

    def __str__(self) -> str:
        """Return when visits are welcome."""
        first, last = (f"{time // 60:02d}:{time % 60:02d}" for time in (self.first, self.last))
        return f"{self.source} welcomes visits from {first} to {last} UT"


@dataclass(frozen=True, slots=True)
class Constraints:
    """Everything that a site asks of a robot's pace."""

    delay: Constraint | None = None
    rates: tuple[tuple[Constraint, Hours | None], ...] = ()
    """Each rate, and when it is in force; `None` for always."""
    hours: tuple[Hours, ...] = ()
    """When visits are welcome; always if empty."""
    unread_hours: tuple[tuple[str, int], ...] = ()
    """The Visit-time lines that cannot be read, each with its number; empty if one can be read."""

    def findings(self) -> list[Finding]:
        """Report a long pace and a short one, the longest of each field, and unreadable hours."""
        rates = [rate for rate, _ in self.rates]
        longest = [self.delay, max(rates, key=lambda rate: rate.gap, default=None)]
        findings = []
        for text, line in self.unread_hours:
            message = (
                f"Visit-time {shortened(text)!r} is not two times in UT such as 0600-0845; visits "
                "are treated as welcome at any time"
            )
            findings.append(Finding("unreadable-visit-time", "warning", message, line=line))
        for constraint in longest:
            if constraint is not None and constraint.gap >= LONG:
                message = f"{constraint}, which is {spoken(constraint.gap)} for each visit"
                findings.append(Finding("long-pace", "info", message, line=constraint.line))
            elif constraint is not None and constraint.is_short:
                message = f"{constraint}; the robot's own pace applies"
                findings.append(Finding("short-pace", "info", message, line=constraint.line))
        return findings


def finding_codes() -> list[tuple[str, str, str]]:
    """List every finding on a pace: code, severity and meaning."""
    return [(code, severity, meaning) for code, (severity, meaning) in FINDING_CODES.items()]


def source_of(line: int) -> str:
    """Name robots.txt and the line."""
    return f"robots.txt line {line}" if line else "robots.txt"


def constraints_of(rules: Rules | None, robots_txt: RobotsTxt | None) -> Constraints:
    """Read what the rules ask for; the file, if it is passed, has the line numbers.

    Raises:
        WrongTypeError: An argument has the wrong type.

    """
    if rules is None:
        return Constraints()
    if not isinstance(rules, Rules):
        given = type(rules).__name__
        message = f"rules must be Rules or None, not {given}; RobotsTxt.rules_for(robot) makes them"
        raise WrongTypeError(message)
    fields = fields_of(rules, robots_txt)
    rates, times = rules.request_rates, rules.visit_times
    rate_lines = lines_of(fields, "Request-rate", parsed_rate, [plain(rate) for rate in rates])
    time_lines = lines_of(fields, "Visit-time", VisitTime.parse, times)
    unread = [(text, line) for field, text, line in fields if field == "Visit-time"]
    return Constraints(
        delay_of(rules.crawl_delay, fields),
        tuple(rate_of(rate, line) for rate, line in zip(rates, rate_lines, strict=True)),
        tuple(Hours.of(time, line) for time, line in zip(times, time_lines, strict=True)),
        () if times else tuple(unread[:MOST_UNREAD]),
    )


def plain(rate: RequestRate) -> tuple[int, int, VisitTime | None]:
    """Return what a line says about a rate, except whether it is doubtful."""
    return rate.documents, rate.seconds, rate.window


def parsed_rate(text: str) -> tuple[int, int, VisitTime | None]:
    """Read a rate, as far as its line says."""
    return plain(RequestRate.parse(text))


def fields_of(rules: Rules, robots_txt: RobotsTxt | None) -> list[Field]:
    """Return the fields that apply to the robot of the rules."""
    if robots_txt is None:
        return []
    if not isinstance(robots_txt, RobotsTxt):
        message = f"robots_txt must be a RobotsTxt or None, not {type(robots_txt).__name__}"
        raise WrongTypeError(message)
    return robots_txt.fields_for(rules.robot)


def lines_of(
    fields: list[Field], name: str, parse: Callable[[str], Parsed], values: list[Parsed]
) -> list[int]:
    """Return the line of each value; zeros if the file and the rules do not match."""
    found: list[tuple[Parsed, int]] = []
    for field, text, line in fields:
        if field == name and len(found) < len(values):
            try:
                found.append((parse(text), line))
            except WrongValueError:
                continue  # malformed, and without effect
    told = [value for value, _ in found] == values
    return [line for _, line in found] if told else [0] * len(values)


def delay_of(seconds: float | None, fields: list[Field]) -> Constraint | None:
    """Return the longest Crawl-delay, with the first line that has it."""
    if seconds is None:
        return None
    delays = (field for field in fields if field[0] == "Crawl-delay")
    lines = (line for _, text, line in delays if crawl_delay(text) == seconds)
    return Constraint("crawl-delay", duration(seconds), 1, 0, next(lines, 0))


def rate_of(rate: RequestRate, line: int) -> tuple[Constraint, Hours | None]:
    """Return a rate, and when it is in force.

    `10/60` is met by six seconds between visits. In addition, no more than ten documents may have
    started in the last sixty seconds, for example under a faster rate before.
    """
    period = rate.seconds * SECOND
    gap = -(-period // rate.documents)  # rounded up: never early
    constraint = Constraint("request-rate", gap, rate.documents, period, line, rate.doubtful)
    return constraint, None if rate.window is None else Hours.of(rate.window, line)
