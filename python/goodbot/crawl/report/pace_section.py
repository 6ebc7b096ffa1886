"""Was anybody visited too early? The section of a report that shows every pause.

What may live here: words and their order; the plots are in `plots`.
"""

from collections.abc import Iterable, Iterator

from goodbot.crawl.report.markup import grouped, shown, table
from goodbot.crawl.report.plots import timeline
from goodbot.crawl.report.summary import OriginPace, ReportSummary, briefly
from goodbot.http.amounts import counted, format_bytes

__all__ = ["pace_section"]

NOTHING = "-"
MOST_DRAWN = 12
HEADS = ["origin", "requests", "pages", "received", "closest pause", "asked for", "by", "early"]
INTRODUCTION = (
    "<p>Each mark is a request; its foot is at the pause between the end of the one before it "
    "and its own start, on a scale where each step multiplies. The line is the least pause "
    "that the site asked for at that moment, by the robots.txt in force then, or what the "
    "manners of the robot ask for where the site is silent. Counted from the times of the "
    "requests, apart from what made the robot wait; Visit-time and Retry-After are looked at "
    "as well. robots.txt itself waits for neither Crawl-delay nor rates; where it may not be "
    "kept (no-store), only the floor of the robot can be looked at.</p>"
)
LEGEND = """<p class="legend">
<span><svg width="14" height="14"><circle class="page" cx="7" cy="7" r="4"/></svg> a page</span>
<span><svg width="14" height="14"><rect class="robots-txt" x="3" y="3" width="8" height="8"/></svg>
robots.txt</span>
<span><svg width="22" height="14"><line class="asked" x1="0" x2="22" y1="7" y2="7"/></svg>
the pause that was asked for</span>
<span><svg width="22" height="14"><rect class="early-zone" width="22" height="14"/></svg>
too early for a page</span>
<span><svg width="14" height="14"><path class="early" d="M7 13 13 2 1 2z"/></svg>
an early request</span></p>"""


def pace_section(summary: ReportSummary) -> Iterator[str]:
    """Show the pauses of each origin, against what was asked for."""
    yield "<section><h2>Was anybody visited too early?</h2>"
    yield INTRODUCTION
    yield from drawings(summary)
    yield from early_table(summary.paces)
    rows = [pace_row(one) for one in summary.paces]
    yield table("Every origin as a table", HEADS, rows, numbers={1, 2, 3, 4, 5, 7})
    hidden = summary.origins - len(summary.paces)
    if hidden > 0:
        early = summary.early - sum(one.early for one in summary.paces)
        yield f"<p>{counted(hidden, 'origin')} more, with {early} early requests.</p>"
    yield "</section>"


def drawings(summary: ReportSummary) -> Iterator[str]:
    """Draw the pauses of the first origins."""
    drawn = [one for one in summary.paces[:MOST_DRAWN] if one.marks]
    if drawn:
        yield LEGEND
    yield '<div class="panels">'
    for number, pace in enumerate(drawn):
        yield f"<figure><figcaption><h3>{shown(pace.origin)}</h3><p>{shown(told(pace))}</p>"
        yield f"</figcaption>{timeline(f'pace-{number}', pace)}</figure>"
    yield "</div>"
    others = summary.origins - len(drawn)
    if others and drawn:
        yield f"<p>{counted(others, 'origin')} more with fewer requests, or with one alone.</p>"


def told(pace: OriginPace) -> str:
    """Return how close any request came to being early, as a sentence."""
    closest = pace.closest
    start = counted(pace.requests, "request")
    if closest is None:
        return f"{start}."
    early = "None was early" if not pace.early else f"{pace.early} EARLY"
    few = len(pace.marks)
    thinned = f" Drawn: {few}, the closest of each part of the time." if few < pace.measured else ""
    return (
        f"{start}. {early}: the closest pause was {briefly(closest.left)} where "
        f"{briefly(closest.asked)} was asked for ({pace.source}).{thinned}"
    )


def pace_row(pace: OriginPace) -> list[str]:
    """Return the row of an origin."""
    closest = pace.closest
    pauses = (
        [NOTHING, NOTHING] if closest is None else [briefly(closest.left), briefly(closest.asked)]
    )
    counts = [grouped(pace.requests), grouped(pace.pages), format_bytes(pace.bytes)]
    return [pace.origin, *counts, *pauses, pace.source or NOTHING, grouped(pace.early)]


def early_table(paces: Iterable[OriginPace]) -> Iterator[str]:
    """List requests that were early."""
    rows = [
        [url, "" if at is None else f"{at:%Y-%m-%d %H:%M:%S.%f}", why]
        for pace in paces
        for url, at, why in pace.named
    ]
    if rows:
        yield table("Requests that were early", ["URL", "when", "why"], rows, is_open=True)
