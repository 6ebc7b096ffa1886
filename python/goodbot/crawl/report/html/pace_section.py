"""The section of a report that shows the pause before each request.

Scope: the sentences and tables of that section; the drawings are in `plots`.
"""

import json
from collections.abc import Iterable, Iterator

from goodbot.crawl.report.html.markup import counted_title, grouped, leading, rows_of, shown, table
from goodbot.crawl.report.html.plots import timeline
from goodbot.crawl.report.html.sections import NOTHING, Section, Tables, command_for
from goodbot.crawl.report.html.settings_table import changes_of
from goodbot.crawl.report.rows.cells import briefly
from goodbot.crawl.report.rows.summary import OriginPace, ReportSummary
from goodbot.http.amounts import counted, format_bytes
from goodbot.http.instants import to_datetime

__all__ = ["pace_section"]

MOST_DRAWN = 12
HEADS = [
    "site",
    "requests",
    "pages",
    "received",
    "tightest pause",
    "required",
    "required by",
    "early requests",
]
INTRODUCTION = (
    "<p>Each mark is a request. The lower edge of the mark shows the pause before it, from the end "
    "of the previous request to the same site, on a logarithmic scale. The line is the pause that "
    "was required for a page at that moment: by the robots.txt in force or, if it states none, by "
    "the robot's own settings.</p>"
    "<p>This check uses the recorded times of the requests and is independent of the code that "
    "made the robot wait. It covers Visit-time and Retry-After too. Requests for robots.txt itself "
    "do not have to observe Crawl-delay or Request-rate. If a site forbids storing its robots.txt "
    "(no-store), only the robot's own minimum pause can be checked.</p>"
)
BETWEEN_HOSTS = (
    "<p>The robot visited some hosts that share a server as one site. Each host is checked on its "
    "own here: the pauses between requests to different hosts of a server are not part of this "
    "check.</p>"
)
LEGEND = """<p class="legend">
<span><svg width="14" height="14"><circle class="page" cx="7" cy="7" r="4"/></svg> page</span>
<span><svg width="14" height="14"><rect class="robots-txt" x="3" y="3" width="8" height="8"/></svg>
robots.txt</span>
<span><svg width="22" height="14"><line class="asked" x1="0" x2="22" y1="7" y2="7"/></svg>
required pause</span>
<span><svg width="22" height="14"><rect class="early-zone" width="22" height="14"/></svg>
too early for a page</span>
<span><svg width="14" height="14"><path class="early" d="M7 13 13 2 1 2z"/></svg>
early request</span></p>"""


def pace_section(summary: ReportSummary, tables: Tables) -> Section:
    """Return the section: each site's pauses, compared with what was required."""
    html = "\n".join(body(summary, tables))
    return Section("pauses", "Pauses between requests", html, short="Pauses")


def body(summary: ReportSummary, tables: Tables) -> Iterator[str]:
    """Yield the parts of the section."""
    yield INTRODUCTION
    if any(json.loads(one.stated).get("groups") for one in summary.manners):
        yield BETWEEN_HOSTS
    if summary.newest_settings:
        yield (
            f"<p>{counted(summary.newest_settings, 'request')} came from an older version of "
            "goodbot, which did not store when the robot's own settings changed. They are compared "
            "with the newest of these settings.</p>"
        )
    yield from own_settings(summary)
    yield from drawings(summary)
    yield from early_table(summary.paces)
    rows = [pace_row(one) for one in summary.paces]
    yield table("Pauses by site as a table", HEADS, rows, numbers={1, 2, 3, 4, 5, 7})
    hidden = summary.origins - len(summary.paces)
    if hidden > 0:
        early = summary.early - sum(one.early for one in summary.paces)
        yield (
            f"<p>Not listed: {counted(hidden, 'more site')} with "
            f"{counted(early, 'early request')}.</p>"
        )
    packed = tables["requests"]
    if packed.count:
        yield f'<h3 id="requests">{counted_title(packed.table.title, packed.count)}</h3>'
        yield from rows_of(packed, command_for(summary, packed.table.command))


def own_settings(summary: ReportSummary) -> Iterator[str]:
    """Yield a table of the robot's own settings if they changed during the crawl."""
    if len(summary.manners) > 1:
        changes = changes_of([one.stated for one in summary.manners])
        rows = [
            [f"{to_datetime(one.since):%Y-%m-%d %H:%M:%S}", change]
            for one, change in zip(summary.manners, changes, strict=True)
        ]
        yield table("The robot's own settings changed", ["since (UTC)", "settings"], rows)


def drawings(summary: ReportSummary) -> Iterator[str]:
    """Yield a drawing of the pauses for each of the first sites."""
    drawn = [one for one in summary.paces[:MOST_DRAWN] if one.marks]
    if drawn:
        yield LEGEND
    yield '<div class="panels">'
    for number, pace in enumerate(drawn):
        site = pace.totals.origin
        sentence = leading("requests", told(pace), site=site)
        yield f"<figure><figcaption><h3>{shown(site)}</h3><p>{sentence}</p></figcaption>"
        yield f"{timeline(f'pace-{number}', pace)}</figure>"
    yield "</div>"
    others = summary.origins - len(drawn)
    if others and drawn:
        yield f"<p>Not drawn: {counted(others, 'site')} with fewer requests or only one.</p>"


def told(pace: OriginPace) -> str:
    """Return a sentence on how close any request came to being early."""
    closest = pace.closest
    start = counted(pace.totals.requests, "request")
    if closest is None:
        return f"{start}."
    early = "none early" if not pace.early else f"{pace.early:,} EARLY"
    few = len(pace.marks)
    thinned = (
        f" Drawn: {counted(few, 'request')}, the tightest of each period."
        if few < pace.measured
        else ""
    )
    return (
        f"{start}, {early}. Tightest pause: {briefly(closest.left)}; required: "
        f"{briefly(closest.asked)} ({pace.source}).{thinned}"
    )


def pace_row(pace: OriginPace) -> list[str]:
    """Return the table row of a site."""
    closest, totals = pace.closest, pace.totals
    pauses = (
        [NOTHING, NOTHING] if closest is None else [briefly(closest.left), briefly(closest.asked)]
    )
    counts = [grouped(totals.requests), grouped(totals.pages), format_bytes(totals.bytes)]
    return [totals.origin, *counts, *pauses, pace.source or NOTHING, grouped(pace.early)]


def early_table(paces: Iterable[OriginPace]) -> Iterator[str]:
    """Yield a table of the requests that were early, if there are any."""
    rows = [
        [url, "" if at is None else f"{at:%Y-%m-%d %H:%M:%S.%f}", why]
        for pace in paces
        for url, at, why in pace.named
    ]
    if rows:
        yield table("Early requests", ["URL", "time (UTC)", "why"], rows, is_open=True)
