"""The page of a report: HTML with everything in it, without a script, in light and in dark.

What may live here: words and their order. Every text that comes from elsewhere goes through
`shown`.
"""

from collections.abc import Iterable, Iterator, Sequence

from goodbot.crawl.folder.states import STATES, label_of
from goodbot.crawl.report.plots import Bar, bars, shown, timeline
from goodbot.crawl.report.style import STYLE
from goodbot.crawl.report.summary import OriginPace, Summary, briefly
from goodbot.http.amounts import counted, format_bytes
from goodbot.http.instants import to_datetime

__all__ = ["page_of"]

ACTS = {
    "index": "index",
    "follow": "follow links",
    "anchor": "use link texts",
    "archive": "keep a copy",
    "snippet": "quote",
    "image_index": "index images",
    "translate": "translate",
    "train": "train on",
    "train_images": "train on images",
}
KINDS = {
    "header": "header",
    "meta": "META",
    "pi": "processing instruction",
    "mark": "marks on parts",
}
NOTHING = "-"
MOST_BARS = 14
MOST_DRAWN = 12
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Nothing may be loaded, nor run: whatever a site has put into its names stays text."""

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


def page_of(summary: Summary) -> str:
    """Give the page.

    Args:
        summary: What was counted.

    Returns:
        HTML, to be written as UTF-8.

    """
    title = f"Crawl by {summary.robot}"
    body = "\n".join(
        [
            *heading(summary, title),
            *pace_section(summary),
            *outcome_section(summary),
            *act_section(summary),
            *setting_section(summary),
        ]
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{shown(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def heading(summary: Summary, title: str) -> Iterator[str]:
    """Say in sentences what was done."""
    style = "bad" if summary.early else "good"
    yield f"<header><h1>{shown(title)}</h1>"
    yield f'<p class="verdict {style}">{shown(summary.verdict)}</p>'
    yield f"<p>{shown(span_of(summary))}</p>"
    tiles = (
        (summary.urls, "URLs known"),
        (summary.of_state("done", "redirected"), label_of("done")),
        *((summary.of_state(one), label_of(one)) for one in ("disallowed", "failed", "skipped")),
        (summary.of_state("queued", "leased"), label_of("queued")),
    )
    told = (f"<div><dd>{grouped(count)}</dd><dt>{name}</dt></div>" for count, name in tiles)
    yield f'<dl class="tiles">{"".join(told)}</dl></header>'


def span_of(summary: Summary) -> str:
    """Say how many requests there were, where, when, and how much came."""
    if summary.first is None or summary.last is None:
        return "Nothing was requested."
    first, last = to_datetime(summary.first), to_datetime(summary.last)
    return (
        f"{counted(summary.requests, 'request')} at {counted(summary.origins, 'origin')}, "
        f"{grouped(summary.pages)} of them for pages and "
        f"{grouped(summary.requests - summary.pages)} for robots.txt, from "
        f"{first:%Y-%m-%d %H:%M:%S} to {last:%Y-%m-%d %H:%M:%S} UTC. "
        f"{format_bytes(summary.octets)} of content came."
    )


def pace_section(summary: Summary) -> Iterator[str]:
    """Show the pauses of each origin, against what was asked for."""
    yield "<section><h2>Was anybody visited too early?</h2>"
    yield (
        "<p>Each mark is a request; its foot is at the pause between the end of the one before it "
        "and its own start, on a scale where each step multiplies. The line is the least pause "
        "that the site asked for at that moment, by the robots.txt in force then, or what the "
        "manners of the robot ask for where the site is silent. Counted from the times of the "
        "requests, apart from what made the robot wait; Visit-time and Retry-After are looked at "
        "as well. robots.txt itself waits for neither Crawl-delay nor rates; where it may not be "
        "kept (no-store), only the floor of the robot can be looked at.</p>"
    )
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
    yield from early_table(summary.paces)
    rows = [pace_row(one) for one in summary.paces]
    heads = ["origin", "requests", "pages", "received", "closest pause", "asked for", "by", "early"]
    yield table("Every origin as a table", heads, rows, numbers={1, 2, 3, 4, 5, 7})
    hidden = summary.origins - len(summary.paces)
    if hidden > 0:
        early = summary.early - sum(one.early for one in summary.paces)
        yield f"<p>{counted(hidden, 'origin')} more, with {early} early requests.</p>"
    yield "</section>"


def told(pace: OriginPace) -> str:
    """Say the closest that a request came to being early."""
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
    """Give the row of an origin."""
    closest = pace.closest
    pauses = (
        [NOTHING, NOTHING] if closest is None else [briefly(closest.left), briefly(closest.asked)]
    )
    counts = [grouped(pace.requests), grouped(pace.pages), format_bytes(pace.octets)]
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


def outcome_section(summary: Summary) -> Iterator[str]:
    """Show what became of the URLs."""
    yield "<section><h2>What became of each URL, and why?</h2>"
    found = summary.outcomes
    most, rest = found[:MOST_BARS], found[MOST_BARS:]
    drawn = [
        Bar(named(one.state, one.reason), [(one.count, style_of(one.state))], grouped(one.count))
        for one in most
    ]
    if rest:
        count = sum(one.count for one in rest)
        drawn.append(Bar(f"{len(rest)} other reasons", [(count, "other")], grouped(count)))
    if not drawn:
        yield "<p>No URL is known.</p></section>"
        return
    description = "; ".join(f"{bar.name}: {bar.told}" for bar in drawn)
    yield "<figure>" + bars("outcomes", "URLs by outcome", description, drawn) + "</figure>"
    for one in summary.not_kept:
        links = counted(one.count, "more link")
        yield f"<p>{links} led to URLs that were not kept ({shown(one.reason)}): too many.</p>"
    heads = ["outcome", "reason", "URLs", "share"]
    rows = [
        [
            label_of(one.state),
            one.reason or NOTHING,
            grouped(one.count),
            f"{100 * one.count / summary.urls:.1f} %",
        ]
        for one in found
    ]
    yield table("The same as a table", heads, rows, numbers={2, 3})
    yield "<p><code>goodbot skipped</code> lists what was not fetched, and who says so.</p>"
    yield "</section>"


def style_of(state: str) -> str:
    """Give the class of the style sheet for a state."""
    return state if state in STATES else "other"


def named(state: str, reason: str) -> str:
    """Name an outcome."""
    word = label_of(state)
    return f"{word}: {reason}" if reason else word


def act_section(summary: Summary) -> Iterator[str]:
    """Show what the pages let a robot do."""
    yield "<section><h2>What do the pages let a robot do?</h2>"
    others = ""
    if summary.no_documents:
        others = (
            f" {counted(summary.no_documents, 'answer')} more had a status that says that it is "
            "not the document, and nothing was taken from there."
        )
    yield f"<p>Of {counted(summary.documents, 'page')}, each by its last visit.{others}</p>"
    if summary.acts:
        drawn = [
            Bar(
                ACTS.get(one.act, one.act),
                [(one.whole, "whole"), (one.partly, "partly"), (one.disallowed, "disallowed")],
                f"{grouped(one.whole)} yes, {grouped(one.partly)} in part, "
                f"{grouped(one.disallowed)} no",
            )
            for one in summary.acts
        ]
        yield (
            '<p class="legend"><span><i class="whole"></i> yes</span><span><i class="partly"></i> '
            'without some parts</span><span><i class="disallowed"></i> no</span></p>'
        )
        description = "; ".join(f"{bar.name}: {bar.told}" for bar in drawn)
        yield "<figure>" + bars("acts", "Pages by what they allow", description, drawn)
        yield "</figure>"
        heads = ["act", "yes", "without some parts", "no", "who says no"]
        rows = [
            [
                ACTS.get(one.act, one.act),
                *map(grouped, (one.whole, one.partly, one.disallowed)),
                ", ".join(f"{KINDS.get(k, k)} {grouped(n)}" for k, n in one.kinds.most_common())
                or NOTHING,
            ]
            for one in summary.acts
        ]
        yield table("The same as a table", heads, rows, numbers={1, 2, 3})
    yield "</section>"


def setting_section(summary: Summary) -> Iterator[str]:
    """Say how the crawl was run."""
    yield "<section><h2>How it was run</h2>"
    rows = [[name.replace("_", " "), value] for name, value in summary.settings.items()]
    yield table("Settings", ["setting", "value"], rows)
    yield (
        f"<p>Printed {summary.printed:%Y-%m-%d %H:%M:%S} UTC by goodbot. "
        "<code>goodbot evidence DIR URL</code> tells the story of any one URL, with the "
        "lines that decided.</p></section>"
    )


def table(
    title: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: Iterable[int] = (),
    is_open: bool = False,
) -> str:
    """Give a table that can be folded."""
    styles = dict.fromkeys(numbers, ' class="number"')
    lines = ["<details open>" if is_open else "<details>", f"<summary>{shown(title)}</summary>"]
    lines.append('<div class="wide" tabindex="0"><table><thead><tr>')
    lines += [
        f'<th scope="col"{styles.get(number, "")}>{shown(head)}</th>'
        for number, head in enumerate(heads)
    ]
    lines.append("</tr></thead><tbody>")
    for row in rows:
        cells = (
            f"<td{styles.get(number, '')}>{shown(cell)}</td>" for number, cell in enumerate(row)
        )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    lines.append("</tbody></table></div></details>")
    return "\n".join(lines)


def grouped(number: int) -> str:
    """Write a number with its thousands apart."""
    return f"{number:,}"
