"""The report as one HTML page: self-contained, without scripts, for light and dark mode.

Scope: the sections and sentences of the page. Every text from outside is escaped by `shown`.
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
    "header": "HTTP header",
    "meta": "META",
    "pi": "processing instruction",
    "mark": "marks on parts of the page",
}
NOTHING = "-"
MOST_BARS = 14
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""The page must neither load nor run anything, whatever a site writes into its URLs."""


def page_of(summary: ReportSummary) -> str:
    """Return the HTML page of a report.

    Args:
        summary: The counts to show.

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
    """Yield the title, the verdict and the main counts."""
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
    """Return a sentence on the requests: how many, to how many sites, when, how many bytes."""
    if summary.first is None or summary.last is None:
        return "This crawl has not requested anything yet."
    first, last = to_datetime(summary.first), to_datetime(summary.last)
    return (
        f"{counted(summary.requests, 'request')} to {counted(summary.origins, 'site')} between "
        f"{first:%Y-%m-%d %H:%M:%S} and {last:%Y-%m-%d %H:%M:%S} UTC: "
        f"{grouped(summary.pages)} for pages and "
        f"{grouped(summary.requests - summary.pages)} for robots.txt. "
        f"{format_bytes(summary.bytes)} received."
    )


def outcome_section(summary: ReportSummary) -> Iterator[str]:
    """Yield the section on what happened to the URLs."""
    yield "<section><h2>What happened to each URL</h2>"
    if not summary.outcomes:
        yield "<p>The crawl has not found any URLs yet.</p></section>"
        return
    drawn = outcome_bars(summary.outcomes)
    yield figure("outcomes", "URLs by outcome", drawn)
    for one in summary.not_kept:
        links = counted(one.count, "more link")
        yield (
            f"<p>Not recorded: {links}, because there were too many with the reason "
            f"<code>{shown(one.reason)}</code>.</p>"
        )
    rows = [outcome_row(one, summary.urls) for one in summary.outcomes]
    heads = ["outcome", "reason", "URLs", "share"]
    yield table("Outcomes as a table", heads, rows, numbers={2, 3})
    yield answer_table(summary)
    yield (
        "<p>To list the URLs that were not fetched, with the reason and its source, run "
        "<code>goodbot skipped DIR</code>.</p>"
    )
    yield "</section>"


def answer_table(summary: ReportSummary) -> str:
    """Return a table of the latest responses of each site."""
    rows = [[one.origin, grouped(one.total), str(one)] for one in summary.answers]
    heads = ["site", "URLs requested", "latest responses"]
    return table("Responses by site", heads, rows, numbers={1})


def outcome_bars(outcomes: Sequence[OutcomeCount]) -> list[Bar]:
    """Return a bar for each of the most frequent outcomes, and one for all others."""
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
    """Return the table row of an outcome."""
    share = f"{100 * one.count / urls:.1f} %"
    return [label_of(one.state), one.reason or NOTHING, grouped(one.count), share]


def figure(identity: str, title: str, drawn: Sequence[Bar]) -> str:
    """Return a bar chart with a text description for screen readers."""
    description = "; ".join(f"{bar.name}: {bar.told}" for bar in drawn)
    return f"<figure>{bars(identity, title, description, drawn)}</figure>"


def style_of(state: str) -> str:
    """Return the CSS class of a state."""
    return state if state in STATES else "other"


def named(state: str, reason: str) -> str:
    """Return the name of an outcome: the state and the reason."""
    word = label_of(state)
    return word if reason in {"", word} else f"{word}: {reason}"


def act_section(summary: ReportSummary) -> Iterator[str]:
    """Yield the section on what the pages allow a robot to do."""
    yield "<section><h2>What the pages allow</h2>"
    others = ""
    if summary.no_documents:
        count = grouped(summary.no_documents)
        others = f" Error responses, such as 404, are not counted ({count})."
    yield (
        f"<p>Based on the latest visit to each of {counted(summary.documents, 'page')}.{others}</p>"
    )
    if summary.acts:
        yield ACT_LEGEND
        yield figure("acts", "Pages by what they allow", [act_bar(one) for one in summary.acts])
        rows = [act_row(one) for one in summary.acts]
        heads = ["act", "yes", "except some parts", "no", "restricted by"]
        yield table("Permissions as a table", heads, rows, numbers={1, 2, 3})
    yield "</section>"


ACT_LEGEND = (
    '<p class="legend"><span><i class="whole"></i> yes</span><span><i class="partly"></i> '
    'except some parts</span><span><i class="disallowed"></i> no</span></p>'
)


def act_bar(one: ActCount) -> Bar:
    """Return the bar of an act."""
    return Bar(
        ACTS.get(one.act, one.act),
        [(one.whole, "whole"), (one.partly, "partly"), (one.disallowed, "disallowed")],
        f"{grouped(one.whole)} yes, {grouped(one.partly)} in part, {grouped(one.disallowed)} no",
    )


def act_row(one: ActCount) -> list[str]:
    """Return the table row of an act."""
    kinds = [f"{KINDS.get(kind, kind)}: {grouped(n)}" for kind, n in one.kinds.most_common()]
    counts = map(grouped, (one.whole, one.partly, one.disallowed))
    return [ACTS.get(one.act, one.act), *counts, ", ".join(kinds) or NOTHING]


def hold_section(summary: ReportSummary) -> Iterator[str]:
    """Yield the section on blocks and pauses, if there are any."""
    if not summary.holds:
        return
    yield "<section><h2>Blocked or paused by the operator</h2>"
    rows = [
        [one.scope, one.kind, f"{one.at:%Y-%m-%d %H:%M:%S} UTC", one.by, one.why]
        for one in summary.holds
    ]
    heads = ["site or URL", "decision", "since", "by", "reason"]
    yield table("Blocks and pauses", heads, rows, is_open=True)
    yield "</section>"


def finding_section(summary: ReportSummary) -> Iterator[str]:
    """Yield the section on findings: what is odd about the pages."""
    yield "<section><h2>Findings on the pages</h2>"
    if not summary.findings:
        yield "<p>No findings.</p></section>"
        return
    yield (
        "<p>Based on the latest response for each page. To list the pages that have a finding, "
        "run <code>goodbot findings DIR --code CODE</code>.</p>"
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
    heads = ["severity", "code", "pages", "findings", "example page", "its finding"]
    yield table("Findings by code", heads, rows, numbers={2, 3}, is_open=True)
    yield "</section>"


def trap_section(summary: ReportSummary) -> Iterator[str]:
    """Yield the section on traps, if any were found."""
    if not summary.traps:
        return
    yield "<section><h2>Traps</h2>"
    yield (
        "<p>These links seem to lead to ever more URLs without new content. A link is counted "
        "once for each page that has it. To list them by site, run <code>goodbot findings DIR "
        "--code TRAP</code>; to list those that were skipped, run <code>goodbot skipped "
        "DIR</code>.</p>"
    )
    rows = [
        [one.code, grouped(one.sites), grouped(one.links), one.url, one.why]
        for one in summary.traps
    ]
    heads = ["trap", "sites", "links", "example", "how it was recognised"]
    yield table("Links into traps", heads, rows, numbers={1, 2}, is_open=True)
    yield "</section>"


def remark_section(summary: ReportSummary) -> Iterator[str]:
    """Yield the section on messages from sites to the operator, if there are any."""
    if not summary.remarks:
        return
    yield "<section><h2>Messages from sites</h2>"
    rows = [
        [one.origin, one.kind, one.text, f"{one.first:%Y-%m-%d}", f"{one.last:%Y-%m-%d}"]
        for one in summary.remarks
    ]
    heads = ["site", "kind", "message", "first seen", "last seen"]
    yield table("Messages in robots.txt", heads, rows, is_open=True)
    if summary.remarks_not_shown:
        yield f"<p>Not shown: {counted(summary.remarks_not_shown, 'more message')}.</p>"
    yield "</section>"


def setting_section(summary: ReportSummary) -> Iterator[str]:
    """Yield the section on the settings of the crawl."""
    yield "<section><h2>About this crawl</h2>"
    rows = [[name.replace("_", " "), value] for name, value in summary.settings.items()]
    yield table("Settings", ["setting", "value"], rows)
    yield (
        "<p>To see the history of one URL, with the lines of robots.txt that decided, run "
        "<code>goodbot evidence DIR URL</code>.</p>"
        f"<p>Report written by goodbot at {summary.printed:%Y-%m-%d %H:%M:%S} UTC.</p></section>"
    )
