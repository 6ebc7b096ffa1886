"""The last sections of a report: messages of sites, the operator's orders, the settings.

Scope: the sentences and tables of these sections.
"""

from goodbot.crawl.report.html.markup import code, table
from goodbot.crawl.report.html.sections import Section, command_for
from goodbot.crawl.report.html.settings_table import settings_rows
from goodbot.crawl.report.rows.summary import ReportSummary
from goodbot.http.amounts import counted

__all__ = ["hold_section", "remark_section", "settings_section"]


def hold_section(summary: ReportSummary) -> Section:
    """Return the section on blocks and pauses."""
    rows = [
        [one.scope, one.kind, f"{one.at:%Y-%m-%d %H:%M:%S} UTC", one.by, one.why]
        for one in summary.holds
    ]
    heads = ["site or URL", "decision", "since", "by", "reason"]
    body = table("Blocks and pauses", heads, rows, is_open=True)
    return Section("holds", "Blocked or paused by the operator", body, len(rows), "Orders")


def remark_section(summary: ReportSummary) -> Section:
    """Return the section on messages from sites to the operator."""
    rows = [
        [one.origin, one.kind, one.text, f"{one.first:%Y-%m-%d}", f"{one.last:%Y-%m-%d}"]
        for one in summary.remarks
    ]
    heads = ["site", "kind", "message", "first seen", "last seen"]
    body = table("Messages in robots.txt", heads, rows, is_open=True)
    more = summary.remarks_not_shown
    if more:
        body += f"<p>Not shown: {counted(more, 'more message')}.</p>"
    return Section("messages", "Messages from sites", body, len(rows) + more, "Messages")


def settings_section(summary: ReportSummary) -> Section:
    """Return the section on the settings of the crawl."""
    heads = ["setting", "value"]
    evidence = code(command_for(summary, "evidence DIR URL"))
    copy = code(command_for(summary, "archive show DIR URL"))
    body = (
        f"{table('Settings', heads, settings_rows(summary.settings), is_open=True)}"
        "<p>For the history of one URL, with the lines of robots.txt that decided, run "
        f"{evidence}; for its kept copy, run {copy}.</p>"
    )
    return Section("about", "About this crawl", body, short="About")
