"""The section of a report that shows what happened to each URL.

Scope: the bars by outcome, the responses by site, and the table of all URLs.
"""

from collections.abc import Iterator, Sequence

from goodbot.crawl.folder.states import STATES
from goodbot.crawl.report.html.markup import code, grouped, leading, rows_of, shown, table
from goodbot.crawl.report.html.plots import Bar, bars
from goodbot.crawl.report.html.sections import Section, Tables, command_for
from goodbot.crawl.report.rows.summary import OutcomeCount, ReportSummary
from goodbot.crawl.report.rows.url_tables import ERROR
from goodbot.http.amounts import counted
from goodbot.http.payment import PRICED
from goodbot.http.served import DECLARED, SERVED, Served

__all__ = ["outcome_section"]

MOST_BARS = 14


def outcome_section(summary: ReportSummary, tables: Tables) -> Section:
    """Return the section on what happened to the URLs."""
    return Section("urls", "All URLs", "\n".join(body(summary, tables)), summary.urls)


def body(summary: ReportSummary, tables: Tables) -> Iterator[str]:
    """Yield the parts of the section."""
    if not summary.outcomes:
        yield '<p class="none">The crawl has not found any URLs yet.</p>'
        return
    yield f"<figure>{bars(outcome_bars(summary.outcomes))}</figure>"
    if summary.queued_again:
        again = counted(summary.queued_again, "URL")
        are = "is" if summary.queued_again == 1 else "are"
        yield f"<p>{again} {are} queued for another visit, and shown as the last one left them.</p>"
    for one in summary.not_kept:
        links = counted(one.count, "more link")
        yield (
            f"<p>Not recorded: {links}, because there were too many with the reason "
            f"{code(one.reason)}.</p>"
        )
    packed = tables["urls"]
    yield from rows_of(packed, command_for(summary, packed.table.command))
    skipped = code(command_for(summary, "report skipped DIR"))
    yield f"<p>To list the URLs that were not fetched, with what decided, run {skipped}.</p>"
    yield declared_table(summary)
    yield answer_table(summary)


def declared_table(summary: ReportSummary) -> str:
    """Return a table of what robots.txt declares to the robot and what the site served to it."""
    found = summary.declared_served
    columns: list[Served | None] = [
        served for served in (*SERVED, None) if any(found[word, served] for word in DECLARED)
    ]
    rows = [
        [f"{word}: {meaning}", *(grouped(found[word, served]) for served in columns)]
        for word, meaning in DECLARED.items()
        if any(found[word, served] for served in columns)
    ]
    heads = ["declared", *(served or "not requested" for served in columns)]
    title = f"Declared to {summary.robot} and served: URLs"
    return table(title, heads, rows, numbers=set(range(1, len(heads))))


def answer_table(summary: ReportSummary) -> str:
    """Return a table of the latest responses of each site."""
    rows = [[one.origin, grouped(one.total), str(one)] for one in summary.answers]
    heads = ["site", "URLs requested", "latest responses"]
    return table("Responses by site", heads, rows, numbers={1})


def outcome_bars(outcomes: Sequence[OutcomeCount]) -> list[Bar]:
    """Return a bar for each of the most frequent outcomes, and one for all others."""
    most, rest = outcomes[:MOST_BARS], outcomes[MOST_BARS:]
    drawn = [
        Bar(
            shown(named(one.outcome, one.reason)),
            [(one.count, style_of(one))],
            leading("urls", grouped(one.count), outcome=one.outcome, why=one.reason),
        )
        for one in most
    ]
    if rest:
        count = sum(one.count for one in rest)
        drawn.append(Bar(f"{len(rest)} other reasons", [(count, "other")], grouped(count)))
    return drawn


def style_of(one: OutcomeCount) -> str:
    """Return the CSS class of an outcome; an error response is not one of success."""
    if one.outcome in {ERROR, PRICED}:
        return "error"
    return one.state if one.state in STATES else "other"


def named(outcome: str, reason: str) -> str:
    """Return the name of an outcome: the state in words, and the reason."""
    return outcome if reason in {"", outcome} else f"{outcome}: {reason}"
