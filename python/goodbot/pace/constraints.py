"""What a site asks of a robot's pace, each constraint with its line of robots.txt."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from goodbot._core import Finding, RequestRate, RobotsTxt, Rules, VisitTime, crawl_delay
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.instants import SECOND, duration, spoken
from goodbot.http.quoting import shortened

__all__ = ["Constraint", "Constraints", "Hours", "constraints_of", "finding_codes"]

LONG = 3600 * SECOND
"""From here on a pace is reported: obeyed all the same."""
SHORT = SECOND // 10
"""Below this a pace says that the site does not mind, and makes no robot faster than its own."""
MOST_UNREAD = 10
"""So many lines with unreadable hours are reported."""
FINDING_CODES = {
    "unreadable-visit-time": (
        "warning",
        "A Visit-time cannot be read, and visits count as welcome at any time: look what is meant.",
    ),
    "long-pace": (
        "info",
        "An hour or more between visits is asked for, and obeyed; see `Manners.patience`.",
    ),
    "short-pace": (
        "info",
        "Less than a tenth of a second between visits is asked for: the robot's own pace holds.",
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
    """At most so many documents start ..."""
    period: int
    """... in so many microseconds; 0 for a Crawl-delay, which counts no documents."""
    line: int
    """The line of robots.txt; 0 if it is not known."""
    is_doubtful: bool = False
    """Whether it may hold at other times, or not at all: it then replaces no other pace."""

    @property
    def source(self) -> str:
        """Who asks."""
        return source_of(self.line)

    @property
    def is_short(self) -> bool:
        """Whether it leaves the robot's own pace in force: `Crawl-delay: 0` is no invitation."""
        return self.gap < SHORT

    def __str__(self) -> str:
        """Say what is asked."""
        if not self.period:
            return f"{self.source} asks for {spoken(self.gap)} between visits"
        plural = "" if self.documents == 1 else "s"
        documents = f"{self.documents} document{plural}"
        return f"{self.source} asks for at most {documents} in {spoken(self.period)}"


@dataclass(frozen=True, slots=True)
class Hours:
    """Minutes of the day, the last one inside; over midnight if it comes before the first."""

    first: int
    last: int
    line: int = 0

    @classmethod
    def of(cls, window: VisitTime, line: int = 0) -> "Hours":
        """Give the hours of a window: its end minute is inside (Conner's sample file)."""
        start, end = window.start, window.end
        return cls(start.hour * 60 + start.minute, end.hour * 60 + end.minute, line)

    def spans(self) -> tuple[tuple[int, int], ...]:
        """Give the one or two runs of minutes in a day; the end of each is outside."""
        if self.first <= self.last:
            return ((self.first, self.last + 1),)
        return ((0, self.last + 1), (self.first, 24 * 60))

    @property
    def source(self) -> str:
        """Who asks."""
        return source_of(self.line)

    def __str__(self) -> str:
        """Say when visits are welcome."""
        first, last = (f"{time // 60:02d}:{time % 60:02d}" for time in (self.first, self.last))
        return f"{self.source} welcomes visits from {first} to {last} UT"


@dataclass(frozen=True, slots=True)
class Constraints:
    """All that a site asks of a robot's pace."""

    delay: Constraint | None = None
    rates: tuple[tuple[Constraint, Hours | None], ...] = ()
    """Each rate, and when it is in force; `None` for always."""
    hours: tuple[Hours, ...] = ()
    """When visits are welcome; always, if there are none."""
    unread_hours: tuple[tuple[str, int], ...] = ()
    """What Visit-time lines say that cannot be read, each with its line; empty if one can be."""

    def findings(self) -> list[Finding]:
        """Report a long pace and a short one, the longest of each field, and unreadable hours."""
        rates = [rate for rate, _ in self.rates]
        longest = [self.delay, max(rates, key=lambda rate: rate.gap, default=None)]
        findings = []
        for text, line in self.unread_hours:
            message = (
                f"Visit-time {shortened(text)!r} is not two times in UT such as 0600-0845; visits "
                "count as welcome at any time"
            )
            findings.append(Finding("unreadable-visit-time", "warning", message, line=line))
        for constraint in longest:
            if constraint is not None and constraint.gap >= LONG:
                message = f"{constraint}: {spoken(constraint.gap)} for a visit"
                findings.append(Finding("long-pace", "info", message, line=constraint.line))
            elif constraint is not None and constraint.is_short:
                message = f"{constraint}: the robot's own pace holds"
                findings.append(Finding("short-pace", "info", message, line=constraint.line))
        return findings


def finding_codes() -> list[tuple[str, str, str]]:
    """List every finding on a pace: code, severity and meaning."""
    return [(code, severity, meaning) for code, (severity, meaning) in FINDING_CODES.items()]


def source_of(line: int) -> str:
    """Name robots.txt and the line."""
    return f"robots.txt line {line}" if line else "robots.txt"


def constraints_of(rules: Rules | None, robots_txt: RobotsTxt | None) -> Constraints:
    """Read what the rules ask; the file, if it is given, tells the lines.

    Raises:
        WrongTypeError: An argument is of another type.

    """
    if rules is None:
        return Constraints()
    if not isinstance(rules, Rules):
        given = type(rules).__name__
        message = f"rules must be Rules or None, not {given}; RobotsTxt.rules_for(robot) gives them"
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
    """Return what a line says of a rate: whether it is doubtful, it does not say."""
    return rate.documents, rate.seconds, rate.window


def parsed_rate(text: str) -> tuple[int, int, VisitTime | None]:
    """Read a rate, as far as its line says."""
    return plain(RequestRate.parse(text))


def fields_of(rules: Rules, robots_txt: RobotsTxt | None) -> list[Field]:
    """Return the fields that hold for the robot of the rules."""
    if robots_txt is None:
        return []
    if not isinstance(robots_txt, RobotsTxt):
        message = f"robots_txt must be a RobotsTxt or None, not {type(robots_txt).__name__}"
        raise WrongTypeError(message)
    return robots_txt.fields_for(rules.robot)


def lines_of(
    fields: list[Field], name: str, parse: Callable[[str], Parsed], values: list[Parsed]
) -> list[int]:
    """Give the line of each value; zeros if the file does not say what the rules say."""
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
    """Return the Crawl-delay, which is the longest of several, with the first line that has it."""
    if seconds is None:
        return None
    delays = (field for field in fields if field[0] == "Crawl-delay")
    lines = (line for _, text, line in delays if crawl_delay(text) == seconds)
    return Constraint("crawl-delay", duration(seconds), 1, 0, next(lines, 0))


def rate_of(rate: RequestRate, line: int) -> tuple[Constraint, Hours | None]:
    """Give a rate, and when it is in force.

    `10/60` is met by six seconds between visits; that no faster rate before it left more than ten
    documents in the last sixty seconds is looked at too.
    """
    period = rate.seconds * SECOND
    gap = -(-period // rate.documents)  # rounded up: never early
    constraint = Constraint("request-rate", gap, rate.documents, period, line, rate.doubtful)
    return constraint, None if rate.window is None else Hours.of(rate.window, line)
