"""Requests over time as lanes of bars: one lane for each kind of outcome, all with one scale.

Scope: from rows to HTML with inline SVG. A lane has its name and number beside it, so that no kind
of outcome is distinguished by its colour alone.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta

from goodbot.cli.shared.time_format import span
from goodbot.display import short_repr
from goodbot.html_page import shown
from goodbot.http.amounts import counted
from goodbot.http.instants import format_time
from goodbot.lazy_dataclass import dataclass
from goodbot.site.audit import Audit, AuditedRobot
from goodbot.site.audit.audit_outcomes import classify_reason

BINS = 60
"""How many parts the time of a log has."""
HIGH = 100
MOST_MULTIPLES = 24
"""How many robots have a chart."""
OUTSIDE = -1
"""The place of a time that is not within those of the log."""
SPOOFED = "spoofed"
LANES = {
    "allowed": ("allowed", "good-bars"),
    "late": ("late", "odd-bars"),
    "violation": ("violation", "bad-bars"),
    "unknown": ("unknown", ""),
    "unclaimed": ("not judged", ""),
    "unjudged": ("not judged", ""),
    SPOOFED: ("spoofed name", ""),
}
"""The lane of each outcome, and its style."""

Lanes = Mapping[str, Counter[int]]


@dataclass(frozen=True, slots=True, repr=False)
class TimeBins:
    """The parts of the time of a log, all of one length."""

    begins: int
    """The first microsecond since 1970."""
    width: int
    """The length of a part, in microseconds; 1 or more."""

    __repr__ = short_repr

    @classmethod
    def of(cls, times: Sequence[int]) -> "TimeBins":
        """Return the parts of the time from the first to the last of some times."""
        begins, ends = min(times), max(times)
        return cls(begins, max(1, -(-(ends - begins + 1) // BINS)))

    def place(self, time: int) -> int:
        """Return the part that a time is in; `OUTSIDE` if it is that of a wrong clock."""
        place = (time - self.begins) // self.width
        return place if 0 <= place < BINS else OUTSIDE

    @property
    def length(self) -> str:
        """Return the length of a part, in words."""
        return span(timedelta(microseconds=self.width).total_seconds())


def count_lanes(audit: Audit, rows: Iterable[int], bins: TimeBins) -> Lanes:
    """Count requests by lane and part of the time."""
    lanes: dict[str, Counter[int]] = {}
    for row in rows:
        reason = audit.result.reasons[row]
        name, _ = LANES[SPOOFED if reason == SPOOFED else classify_reason(reason)]
        lanes.setdefault(name, Counter())[bins.place(audit.result.rows.times[row])] += 1
    return lanes


def tallest(every: Iterable[Lanes]) -> int:
    """Return the greatest number of requests in a part of a lane."""
    counts = (
        count
        for lanes in every
        for lane in lanes.values()
        for place, count in lane.items()
        if place != OUTSIDE
    )
    return max(counts, default=1)


def draw_lanes(lanes: Lanes, most: int, whose: str) -> Iterator[str]:
    """Yield lanes as HTML, in the order of `LANES`."""
    styles = dict(LANES.values())
    yield '<div class="lanes">'
    for name, style in styles.items():
        lane = lanes.get(name)
        if lane is None:
            continue
        total = sum(lane.values())
        yield f'<div class="lane {style}"><span class="lane-name">{name}: {total:,}</span>'
        label = shown(f"{whose}: {counted(total, 'request')}, {name}")
        yield (
            f'<svg viewBox="0 0 {BINS} {HIGH}" preserveAspectRatio="none" role="img" '
            f'aria-label="{label}">'
        )
        for place, count in sorted(lane.items()):
            if place == OUTSIDE:
                continue
            high = max(4.0, HIGH * count / most)
            yield f'<rect x="{place}" y="{HIGH - high:.1f}" width=".85" height="{high:.1f}"/>'
        yield "</svg></div>\n"
    yield "</div>\n"


def time_line(audit: Audit, bins: TimeBins) -> Iterator[str]:
    """Yield the requests of all robots over time.

    Args:
        audit: The audit, with at least one request.
        bins: The parts of its time.

    """
    lanes = count_lanes(audit, range(len(audit.result.rows.times)), bins)
    most = tallest([lanes])
    yield from draw_lanes(lanes, most, "All robots")
    if audit.begins is not None and audit.ends is not None:
        ends = (format_time(audit.begins), format_time(audit.ends))
        yield f'<p class="times"><span>{ends[0]}</span><span>{ends[1]}</span></p>\n'
    yield (
        f'<p class="note">Each bar is about {bins.length}; the tallest is '
        f"{counted(most, 'request')}. All lanes have one scale.</p>\n"
    )


def multiples(audit: Audit, robots: Sequence[AuditedRobot], bins: TimeBins) -> Iterator[str]:
    """Yield a small chart of each robot, all with one scale.

    Args:
        audit: The audit.
        robots: The robots, in their order.
        bins: The parts of its time.

    """
    chosen = robots[:MOST_MULTIPLES]
    every = [count_lanes(audit, (*audited.rows, *audited.spoofed), bins) for audited in chosen]
    most = tallest(every)
    yield '<div class="multiples">\n'
    for robot, lanes in zip(chosen, every, strict=True):
        yield f"<div><h3>{shown(robot.robot)}</h3>"
        yield from draw_lanes(lanes, most, robot.robot)
        yield "</div>\n"
    yield "</div>\n"
    more = f" The {len(chosen)} robots with the most requests." if len(robots) > len(chosen) else ""
    yield (
        f'<p class="note">All charts have the time of the log, and one scale: the tallest bar is '
        f"{counted(most, 'request')} in about {bins.length}.{more}</p>\n"
    )
