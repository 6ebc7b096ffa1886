"""The plots of a report: SVG with horizontal lengths in percent, so that it fits any width.

Scope: bar charts and timelines as SVG. A plotting library would be larger than all of goodbot.
Every text is escaped.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from goodbot.crawl.folder.times import stored_time
from goodbot.crawl.report.html.markup import shown
from goodbot.crawl.report.rows.cells import briefly
from goodbot.crawl.report.rows.summary import OriginPace, RequestMark
from goodbot.http.amounts import counted
from goodbot.http.instants import SECOND

__all__ = ["Bar", "bars", "timeline"]

TOP, FLOOR, HEIGHT = 10, 130, 156
NARROWEST = 6.0
"""The smallest ratio of the longest to the shortest pause on an axis."""
MARGIN = 1.6
STEPS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200)
LADDER = [
    *(10**power * factor for power in range(6) for factor in (1, 2, 5)),
    *(seconds * SECOND for seconds in STEPS),
    *(days * 86400 * SECOND for days in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)),
]
"""Pauses at which a grid line may be drawn, in microseconds."""
MOST_LINES = 4
DAY = 86400 * SECOND


class Bar(NamedTuple):
    """A bar with its name and its numbers."""

    name: str
    """The name, as HTML."""
    parts: Sequence[tuple[int, str]]
    """The count and the CSS class of each part."""
    told: str
    """The numbers, as HTML."""


def figure(identity: str, title: str, description: str, height: int, drawn: str) -> str:
    """Wrap a drawing in SVG, with a title and a description for screen readers."""
    labels = f"{identity}-t {identity}-d"
    return (
        f'<svg class="plot" role="img" height="{height}" aria-labelledby="{labels}">'
        f'<title id="{identity}-t">{shown(title)}</title>'
        f'<desc id="{identity}-d">{shown(description)}</desc>{drawn}</svg>'
    )


def bars(found: Sequence[Bar]) -> str:
    """Return bars below one another, all to the same scale, each with its name and its numbers."""
    longest = max((sum(count for count, _ in bar.parts) for bar in found), default=0) or 1
    rows = "".join(
        f'<li><span class="name">{bar.name}</span> <span class="told">{bar.told}</span>'
        f"{drawn_bar(bar.parts, longest)}</li>"
        for bar in found
    )
    return f'<ul class="bars">{rows}</ul>'


def drawn_bar(parts: Sequence[tuple[int, str]], longest: int) -> str:
    """Return a bar; its numbers are beside it as text."""
    drawn = ['<rect class="rail" width="100%" height="100%"/>']
    left = 0.0
    for count, style in parts:
        width = 100 * count / longest
        if count:
            drawn.append(
                f'<rect class="{style}" x="{left:.3f}%" width="{width:.3f}%" height="100%"/>'
            )
        left += width
    return f'<svg class="bar" aria-hidden="true">{"".join(drawn)}</svg>'


class Scale(NamedTuple):
    """Maps microseconds to positions: a linear time axis and a logarithmic axis of pauses."""

    first: int
    last: int
    low: float
    high: float

    def across(self, at: int) -> float:
        """Return the position on the time axis, in percent of the width."""
        if self.last == self.first:
            return 50.0
        return 100 * (at - self.first) / (self.last - self.first)

    def down(self, length: float) -> float:
        """Return the distance from the top; pauses too short for the scale lie on the floor."""
        if length <= self.low:
            return float(FLOOR)
        share = math.log(length / self.low) / math.log(self.high / self.low)
        return FLOOR - share * (FLOOR - TOP)


def scale_of(pace: OriginPace) -> Scale:
    """Choose a scale that shows every mark and every required pause."""
    lengths = [one for mark in pace.marks for one in (mark.left, mark.asked) if one > 0] or [SECOND]
    low, high = min(lengths) / MARGIN, max(lengths) * MARGIN
    if high / low < NARROWEST:
        middle = math.sqrt(low * high)
        low, high = middle / math.sqrt(NARROWEST), middle * math.sqrt(NARROWEST)
    return Scale(pace.totals.first, pace.totals.last, low, high)


def timeline(identity: str, pace: OriginPace) -> str:
    """Draw the requests to an origin over time, each at the height of the pause before it.

    A page request in the shaded zone is early: its pause is shorter than required.
    """
    scale = scale_of(pace)
    drawn = [
        *lines(scale),
        *asked(pace.marks, scale),
        *(mark_of(mark, scale) for mark in pace.marks),
        *hours(scale),
    ]
    title = f"Pauses between requests to {pace.totals.origin}"
    count = len(pace.marks)
    early = sum(bool(mark.early) for mark in pace.marks)
    description = (
        f"{counted(count, 'request')} over time. The height of a mark is the pause before the "
        f"request; the line is the required pause. Early requests: {early:,}."
    )
    return figure(identity, title, description, HEIGHT, "".join(drawn))


def lines(scale: Scale) -> Iterator[str]:
    """Draw horizontal grid lines at round numbers."""
    there = [one for one in LADDER if scale.low < one < scale.high]
    every = -(-len(there) // MOST_LINES) or 1
    for length in there[::every]:
        y = scale.down(length)
        yield f'<line class="grid" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="-8" y="{y + 4:.1f}" class="end faint">{briefly(length)}</text>'
    yield f'<line class="axis" x1="0" x2="100%" y1="{FLOOR}" y2="{FLOOR}"/>'


def asked(marks: Sequence[RequestMark], scale: Scale) -> Iterator[str]:
    """Draw the pause required before each page, and shade the zone of early requests."""
    steps: list[tuple[float, int]] = []
    for mark in marks:
        if mark.purpose == "page" and (not steps or steps[-1][1] != mark.asked):
            steps.append((scale.across(mark.at) if steps else 0.0, mark.asked))
    for (left, length), (right, _) in pairwise([*steps, (100.0, 0)]):
        if length <= 0:
            continue
        y = scale.down(length)
        yield (
            f'<rect class="early-zone" x="{left:.3f}%" y="{y:.1f}" width="{right - left:.3f}%" '
            f'height="{FLOOR - y:.1f}"/>'
        )
        yield (
            f'<line class="asked" x1="{left:.3f}%" x2="{right:.3f}%" y1="{y:.1f}" y2="{y:.1f}"/>'
        )


def mark_of(mark: RequestMark, scale: Scale) -> str:
    """Draw a request: a dot for a page, a square for robots.txt, a triangle if it was early.

    The lower edge of the mark shows the pause: a request in time stands on the line or above it.
    """
    x, y = f"{scale.across(mark.at):.3f}%", f"{scale.down(mark.left):.1f}"
    what = "robots.txt" if mark.purpose == "robots-txt" else "page"
    pause = f"{briefly(mark.left)} after the previous request"
    told = f"{clock(mark.at)}: {what}, {pause}; {briefly(mark.asked)} required"
    if mark.early:
        told = f"{clock(mark.at)}: {what}, EARLY: {mark.early}"
    shape = '<circle class="page" cy="-4" r="4"/>'
    if mark.early:
        shape = '<path class="early" d="M0 0 7-12-7-12z"/>'
    elif mark.purpose == "robots-txt":
        shape = '<rect class="robots-txt" x="-4" y="-9" width="8" height="8"/>'
    tick = f'<line class="axis" x1="{x}" x2="{x}" y1="{FLOOR}" y2="{FLOOR + 5}"/>'
    return f'{tick}<svg x="{x}" y="{y}" class="mark"><title>{shown(told)}</title>{shape}</svg>'


def hours(scale: Scale) -> Iterator[str]:
    """Draw the labels of the time axis: its start, middle and end."""
    has_days = scale.last - scale.first >= DAY
    for share, style in ((0, ""), (50, "middle"), (100, "end")):
        at = scale.first + (scale.last - scale.first) * share // 100
        time = clock(at, has_days)
        yield f'<text x="{share}%" y="{FLOOR + 20}" class="{style} faint">{time}</text>'


def clock(at: int, has_days: bool = False) -> str:  # noqa: FBT001, FBT002  a mere format
    """Format an instant as the time of day, or as date and time."""
    time = stored_time(at)
    return f"{time:%m-%d %H:%M}" if has_days else f"{time:%H:%M:%S}"
