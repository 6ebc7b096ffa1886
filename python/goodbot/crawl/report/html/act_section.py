"""The section of a report that shows what the pages allow a robot to do.

Scope: the bars and the table by act.
"""

from collections.abc import Iterator

from goodbot.crawl.report.html.markup import grouped, leading, shown, table
from goodbot.crawl.report.html.plots import Bar, bars
from goodbot.crawl.report.html.sections import NOTHING, Section
from goodbot.crawl.report.rows.acts import act_name
from goodbot.crawl.report.rows.summary import ActCount, ReportSummary
from goodbot.http.amounts import counted

__all__ = ["act_section"]

KINDS = {
    "header": "HTTP header",
    "meta": "META",
    "pi": "processing instruction",
    "mark": "marks on parts of the page",
}
LEGEND = (
    '<p class="legend"><span><i class="whole"></i> yes</span><span><i class="partly"></i> '
    'except some parts</span><span><i class="disallowed"></i> no</span></p>'
)


def act_section(summary: ReportSummary) -> Section:
    """Return the section on what the pages allow."""
    return Section("acts", "What the pages allow", "\n".join(body(summary)), short="Permissions")


def body(summary: ReportSummary) -> Iterator[str]:
    """Yield the parts of the section."""
    others = ""
    if summary.no_documents:
        count = grouped(summary.no_documents)
        others = f" Error responses, such as 404, are not counted ({count})."
    yield (
        f"<p>Based on the latest visit to each of {counted(summary.documents, 'page')}.{others}</p>"
    )
    if summary.acts:
        counts = summary.acts.values()
        yield LEGEND
        yield f"<figure>{bars([act_bar(one) for one in counts])}</figure>"
        heads = ["act", "yes", "except some parts", "no", "restricted by"]
        rows = [act_row(one) for one in counts]
        yield table("Permissions as a table", heads, rows, numbers={1, 2, 3})


def act_bar(one: ActCount) -> Bar:
    """Return the bar of an act, whose numbers lead to its pages."""
    name = act_name(one.act)
    told = (
        f"{leading('urls', grouped(one.whole), denied=f'!{name}', partly=f'!{name}')} yes, "
        f"{leading('urls', grouped(one.partly), partly=f'~{name}')} in part, "
        f"{leading('urls', grouped(one.disallowed), denied=f'~{name}')} no"
    )
    parts = [(one.whole, "whole"), (one.partly, "partly"), (one.disallowed, "disallowed")]
    return Bar(shown(name), parts, told)


def act_row(one: ActCount) -> list[str]:
    """Return the table row of an act."""
    kinds = [f"{KINDS.get(kind, kind)}: {grouped(n)}" for kind, n in one.kinds.most_common()]
    counts = map(grouped, (one.whole, one.partly, one.disallowed))
    return [act_name(one.act), *counts, ", ".join(kinds) or NOTHING]
