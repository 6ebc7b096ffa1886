"""The report as one HTML page: self-contained, for light and dark mode, for screens and paper.

Scope: the frame of the page, its head, and the order of the sections. Every text from outside is
escaped by `shown`, or packed as base64.
"""

from collections.abc import Iterator

from goodbot.crawl.report.html.act_section import act_section
from goodbot.crawl.report.html.crawl_sections import hold_section, remark_section, settings_section
from goodbot.crawl.report.html.history_section import history_section
from goodbot.crawl.report.html.markup import count_mark, grouped, shown
from goodbot.crawl.report.html.outcome_section import outcome_section
from goodbot.crawl.report.html.pace_section import pace_section
from goodbot.crawl.report.html.problem_sections import (
    PROBLEMS,
    change_section,
    finding_section,
    problem_count,
    problem_sections,
    trap_section,
    why_unknown,
)
from goodbot.crawl.report.html.robot_section import robot_section
from goodbot.crawl.report.html.robots_sections import robots_section, trial_section
from goodbot.crawl.report.html.sections import NOTHING, Section, Tables, command_for
from goodbot.crawl.report.rows.finding_table import MOST_CHECKED
from goodbot.crawl.report.rows.packed_tables import Table
from goodbot.crawl.report.rows.summary import ReportSummary
from goodbot.html_page import document, footer, header, read_text, section
from goodbot.http.amounts import counted, format_bytes
from goodbot.http.instants import to_datetime
from goodbot.knowledge import stamp

__all__ = ["page_of"]

REPORT = "goodbot.crawl.report"
"""Where the style sheet and the script lie."""
COMMANDS = {
    "evidence": "evidence DIR URL",
    "copy": "archive show DIR URL",
    "links": "links DIR --to URL",
}
"""The commands that the panel of a row names; the script puts the row's URL in place of `URL`."""


def page_of(summary: ReportSummary, tables: Tables) -> Iterator[str]:
    """Yield the HTML page of a report, piece by piece.

    Args:
        summary: The counts to show.
        tables: The tables with their rows.

    """
    yield from document(
        f"{title_of(summary)}: crawl report",
        body_of(summary, tables),
        style=style_sheet(),
        script=read_text(REPORT, "report.js"),
    )


def style_sheet() -> str:
    """Return what a report has beside the style sheet of all pages."""
    return read_text(REPORT, "report.css")


def body_of(summary: ReportSummary, tables: Tables) -> Iterator[str]:
    """Yield the head, the sections, and the rows of the tables for the script."""
    sections = list(sections_of(summary, tables))
    yield from head(summary, tables)
    yield from contents(sections)
    yield "<main>\n"
    for one in sections:
        mark = count_mark(one.count)
        yield from section(one.title, [one.body, "\n"], mark=mark, name=one.name)
    yield "</main>\n"
    yield from footer(f"Written at {summary.printed:%Y-%m-%d %H:%M:%S} UTC. Made with {stamp()}.")
    for name, packed in tables.items():
        if packed.count:
            yield f'<script type="application/gzip" id="rows-{name}">'
            yield from packed.data()
            yield "</script>\n"


def sections_of(summary: ReportSummary, tables: Tables) -> Iterator[Section]:
    """Yield the sections: what matters to the reader, then politeness, then the rest."""
    yield from problem_sections(summary, tables)
    if summary.latest_run is not None:
        yield change_section(summary, tables, summary.latest_run)
    if len(summary.runs) > 1:
        yield history_section(summary.runs)
    yield finding_section(summary, tables)
    if summary.trial is not None:
        yield trial_section(summary.trial)
    if summary.robot_tables is not None:
        yield robot_section(summary, tables, summary.robot_tables)
    yield robots_section(summary)
    if summary.traps:
        yield trap_section(summary)
    yield pace_section(summary, tables)
    yield outcome_section(summary, tables)
    yield act_section(summary)
    if summary.remarks:
        yield remark_section(summary)
    if summary.holds:
        yield hold_section(summary)
    yield settings_section(summary)


def title_of(summary: ReportSummary) -> str:
    """Return the title: the name of the site, or of the first one."""
    sites = summary.starts or [one.totals.origin for one in summary.paces]
    if not sites:
        return f"Crawl by {summary.robot}"
    count = summary.start_sites or summary.origins
    others = f" and {counted(count - 1, 'more site')}" if count > 1 else ""
    return f"{sites[0].partition('://')[2]}{others}"


def head(summary: ReportSummary, tables: Tables) -> Iterator[str]:
    """Yield the title, the number of each kind of problem, and the verdict on politeness."""
    words = {name: command_for(summary, command) for name, command in COMMANDS.items()}
    if len(summary.starts) == 1:
        words["site"] = summary.starts[0]  # tables leave it out of URLs
    yield from header(
        title_of(summary), tiles(summary, tables), kicker="goodbot report", lede=span_of(summary),
        data=words,
    )  # fmt: skip


def tiles(summary: ReportSummary, tables: Tables) -> Iterator[str]:
    """Yield the number of each kind of problem, and the verdict on politeness."""
    yield '\n<ul class="tiles">'
    for one in PROBLEMS:
        packed, unknown = tables[one.name], why_unknown(summary, one.name)
        yield tile(packed.table, None if unknown else problem_count(summary, packed), one.tile)
    if summary.latest_run is None:
        found = sum(one.count for one in summary.findings)
        yield tile(tables["findings"].table, found, "in all, by severity and code")
    else:
        changed = tables["changes"].count if summary.urls <= MOST_CHECKED else None
        yield tile(tables["changes"].table, changed, "since before the latest run")
    style = "bad" if summary.early else "good"
    yield f'</ul>\n<p class="verdict {style}"><a href="#pauses">{shown(summary.verdict)}</a></p>\n'


def tile(table: Table, count: int | None, words: str) -> str:
    """Return a number at the top of the page, which leads to its rows; `None`: it is not known."""
    style = "" if count else ' class="zero"'
    number = NOTHING if count is None else grouped(count)
    return (
        f'<li{style}><a href="#{table.name}"><span class="big">{number}</span> '
        f"<strong>{shown(table.title)}</strong> <small>{shown(words)}</small></a></li>"
    )


def contents(sections: list[Section]) -> Iterator[str]:
    """Yield the list of sections."""
    yield '<nav aria-label="Sections"><ul>'
    for one in sections:
        count = f" <span>{grouped(one.count)}</span>" if one.count else ""
        yield f'<li><a href="#{one.name}">{shown(one.short or one.title)}{count}</a></li>'
    yield "</ul></nav>\n"


def span_of(summary: ReportSummary) -> str:
    """Return a sentence on the requests: how many, to how many sites, when, how many bytes."""
    if summary.first is None or summary.last is None:
        return "This crawl has not requested anything yet."
    first, last = to_datetime(summary.first), to_datetime(summary.last)
    return (
        f"{summary.robot} made {counted(summary.requests, 'request')} to "
        f"{counted(summary.origins, 'site')} between "
        f"{first:%Y-%m-%d %H:%M:%S} and {last:%Y-%m-%d %H:%M:%S} UTC: "
        f"{grouped(summary.pages)} for pages and "
        f"{grouped(summary.requests - summary.pages)} for robots.txt. "
        f"{format_bytes(summary.bytes)} received."
    )
