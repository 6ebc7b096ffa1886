"""The page of a report: HTML with everything in it, without a script, in light and in dark.

What may live here: words and their order. Every text that comes from elsewhere goes through
`shown`.
"""

from collections.abc import Iterator, Sequence

from goodbot.crawl.folder.states import STATES, label_of
from goodbot.crawl.report.markup import grouped, shown, table
from goodbot.crawl.report.pace_section import pace_section
from goodbot.crawl.report.plots import Bar, bars
from goodbot.crawl.report.style import STYLE
from goodbot.crawl.report.summary import ActCount, OutcomeCount, ReportSummary
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
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Nothing may be loaded, nor run: whatever a site has put into its names stays text."""


def page_of(summary: ReportSummary) -> str:
    """Return the page.

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
            *finding_section(summary),
            *trap_section(summary),
            *remark_section(summary),
            *hold_section(summary),
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


def heading(summary: ReportSummary, title: str) -> Iterator[str]:
    """Report in sentences what was done."""
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


def span_of(summary: ReportSummary) -> str:
    """Return how many requests there were, where, when, and how much came."""
    if summary.first is None or summary.last is None:
        return "Nothing was requested."
    first, last = to_datetime(summary.first), to_datetime(summary.last)
    return (
        f"{counted(summary.requests, 'request')} at {counted(summary.origins, 'origin')}, "
        f"{grouped(summary.pages)} of them for pages and "
        f"{grouped(summary.requests - summary.pages)} for robots.txt, from "
        f"{first:%Y-%m-%d %H:%M:%S} to {last:%Y-%m-%d %H:%M:%S} UTC. "
        f"{format_bytes(summary.bytes)} of content came."
    )


def outcome_section(summary: ReportSummary) -> Iterator[str]:
    """Show what became of the URLs."""
    yield "<section><h2>What became of each URL, and why?</h2>"
    if not summary.outcomes:
        yield "<p>No URL is known.</p></section>"
        return
    drawn = outcome_bars(summary.outcomes)
    yield figure("outcomes", "URLs by outcome", drawn)
    for one in summary.not_kept:
        links = counted(one.count, "more link")
        yield f"<p>{links} led to URLs that were not kept ({shown(one.reason)}): too many.</p>"
    rows = [outcome_row(one, summary.urls) for one in summary.outcomes]
    heads = ["outcome", "reason", "URLs", "share"]
    yield table("The same as a table", heads, rows, numbers={2, 3})
    yield answer_table(summary)
    yield "<p><code>goodbot skipped</code> lists what was not fetched, and who says so.</p>"
    yield "</section>"


def answer_table(summary: ReportSummary) -> str:
    """Return a table of what each site answered."""
    rows = [[one.origin, grouped(one.total), str(one)] for one in summary.answers]
    heads = ["site", "URLs asked for", "their last answers"]
    return table("Answers by site", heads, rows, numbers={1})


def outcome_bars(outcomes: Sequence[OutcomeCount]) -> list[Bar]:
    """Return a bar for each of the most frequent outcomes, and one for the rest."""
    most, rest = outcomes[:MOST_BARS], outcomes[MOST_BARS:]
    drawn = [
        Bar(named(one.state, one.reason), [(one.count, style_of(one.state))], grouped(one.count))
        for one in most
    ]
    if rest:
        count = sum(one.count for one in rest)
        drawn.append(Bar(f"{len(rest)} other reasons", [(count, "other")], grouped(count)))
    return drawn


def outcome_row(one: OutcomeCount, urls: int) -> list[str]:
    """Return the row of an outcome."""
    share = f"{100 * one.count / urls:.1f} %"
    return [label_of(one.state), one.reason or NOTHING, grouped(one.count), share]


def figure(identity: str, title: str, drawn: Sequence[Bar]) -> str:
    """Return a figure of bars, described for those who do not see it."""
    description = "; ".join(f"{bar.name}: {bar.told}" for bar in drawn)
    return f"<figure>{bars(identity, title, description, drawn)}</figure>"


def style_of(state: str) -> str:
    """Return the class of the style sheet for a state."""
    return state if state in STATES else "other"


def named(state: str, reason: str) -> str:
    """Name an outcome."""
    word = label_of(state)
    return f"{word}: {reason}" if reason else word


def act_section(summary: ReportSummary) -> Iterator[str]:
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
        yield ACT_LEGEND
        yield figure("acts", "Pages by what they allow", [act_bar(one) for one in summary.acts])
        rows = [act_row(one) for one in summary.acts]
        heads = ["act", "yes", "without some parts", "no", "who says no"]
        yield table("The same as a table", heads, rows, numbers={1, 2, 3})
    yield "</section>"


ACT_LEGEND = (
    '<p class="legend"><span><i class="whole"></i> yes</span><span><i class="partly"></i> '
    'without some parts</span><span><i class="disallowed"></i> no</span></p>'
)


def act_bar(one: ActCount) -> Bar:
    """Return the bar of an act."""
    return Bar(
        ACTS.get(one.act, one.act),
        [(one.whole, "whole"), (one.partly, "partly"), (one.disallowed, "disallowed")],
        f"{grouped(one.whole)} yes, {grouped(one.partly)} in part, {grouped(one.disallowed)} no",
    )


def act_row(one: ActCount) -> list[str]:
    """Return the row of an act."""
    kinds = [f"{KINDS.get(kind, kind)} {grouped(n)}" for kind, n in one.kinds.most_common()]
    counts = map(grouped, (one.whole, one.partly, one.disallowed))
    return [ACTS.get(one.act, one.act), *counts, ", ".join(kinds) or NOTHING]


def hold_section(summary: ReportSummary) -> Iterator[str]:
    """Show what the operator has decided, if that is anything."""
    if not summary.holds:
        return
    yield "<section><h2>What did the operator decide?</h2>"
    rows = [
        [one.scope, one.kind, f"{one.at:%Y-%m-%d %H:%M:%S} UTC", one.by, one.why]
        for one in summary.holds
    ]
    yield table("Sites and URLs left alone", ["what", "how", "since", "by", "why"], rows)
    yield "</section>"


def finding_section(summary: ReportSummary) -> Iterator[str]:
    """Show what is odd about the pages."""
    yield "<section><h2>What is odd about the pages?</h2>"
    if not summary.findings:
        yield "<p>Nothing was found.</p></section>"
        return
    yield (
        "<p>Each page by its last answer. <code>goodbot findings DIR --code CODE</code> lists the "
        "pages.</p>"
    )
    rows = [
        [
            one.severity,
            one.code,
            grouped(one.pages),
            grouped(one.count),
            one.url,
            NOTHING if one.example is None else str(one.example),
        ]
        for one in summary.findings
    ]
    heads = ["severity", "code", "pages", "findings", "such as", "there"]
    yield table("Findings by code", heads, rows, numbers={2, 3}, is_open=True)
    yield "</section>"


def trap_section(summary: ReportSummary) -> Iterator[str]:
    """Show which traps were met."""
    if not summary.traps:
        return
    yield "<section><h2>Which traps were met?</h2>"
    yield (
        "<p>Links that seem to lead to ever more URLs and to nothing new, each as often as it was "
        "found. <code>goodbot findings DIR --code TRAP</code> lists them by site, and "
        "<code>goodbot skipped DIR</code> what was left out.</p>"
    )
    rows = [
        [one.code, grouped(one.sites), grouped(one.links), one.url, one.why]
        for one in summary.traps
    ]
    heads = ["trap", "sites", "links", "such as", "what shows it"]
    yield table("Links into traps", heads, rows, numbers={1, 2}, is_open=True)
    yield "</section>"


def remark_section(summary: ReportSummary) -> Iterator[str]:
    """Show what sites want the operator to know."""
    if not summary.remarks:
        return
    yield "<section><h2>What do the sites want you to know?</h2>"
    rows = [
        [one.origin, one.kind, one.text, f"{one.first:%Y-%m-%d}", f"{one.last:%Y-%m-%d}"]
        for one in summary.remarks
    ]
    heads = ["site", "kind", "what it says", "first", "last"]
    yield table("Remarks of robots.txt", heads, rows, is_open=True)
    if summary.remarks_not_shown:
        yield f"<p>And {counted(summary.remarks_not_shown, 'more remark')}.</p>"
    yield "</section>"


def setting_section(summary: ReportSummary) -> Iterator[str]:
    """Show how the crawl was run."""
    yield "<section><h2>How it was run</h2>"
    rows = [[name.replace("_", " "), value] for name, value in summary.settings.items()]
    yield table("Settings", ["setting", "value"], rows)
    yield (
        f"<p>Printed {summary.printed:%Y-%m-%d %H:%M:%S} UTC by goodbot. "
        "<code>goodbot evidence DIR URL</code> tells the story of any one URL, with the "
        "lines that decided.</p></section>"
    )
