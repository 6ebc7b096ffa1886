"""The sections of a report that come first: what a site's owner may want to mend.

Scope: the sentences of these sections; `url_tables` decides which URLs belong to them.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from goodbot.crawl.inventory.site_findings import SLOW_MS
from goodbot.crawl.report.html.markup import code, counted_title, grouped, rows_of, shown, table
from goodbot.crawl.report.html.sections import NOTHING, Section, Tables, command_for
from goodbot.crawl.report.rows.finding_table import MOST_CHECKED
from goodbot.crawl.report.rows.link_tables import MOST_LINKS
from goodbot.crawl.report.rows.packed_tables import PackedTable
from goodbot.crawl.report.rows.summary import ReportSummary
from goodbot.http.instants import in_seconds

__all__ = [
    "PROBLEMS",
    "change_section",
    "finding_section",
    "problem_sections",
    "trap_section",
    "why_unknown",
]


class Problem(NamedTuple):
    """One kind of problem, with its table."""

    name: str
    """The name of the table."""
    tile: str
    """The words below its number at the top of the page."""
    none: str
    """The sentence if there are none."""
    meaning: str
    """What the rows are, as a sentence."""


PROBLEMS = (
    Problem(
        "broken",
        "errors, no answer, or redirects to these",
        "Every URL that was requested gave a usable response.",
        "The response was an error, such as 404, or there was none; or the URL redirects to one "
        "of these. Those to which most pages link come first.",
    ),
    Problem(
        "redirects",
        "chains, and redirects that fail",
        "No redirect leads to another one, to an error, or to a page that robots must not fetch.",
        "These redirects lead to another redirect (chain), to an error or nowhere (broken), or to "
        "a page that robots.txt disallows (blocked). A chain counts once, at its start.",
    ),
    Problem(
        "blocked",
        "must not be fetched",
        "Nothing that was found must not be fetched.",
        "robots.txt disallows these URLs, robots.txt could not be fetched, or the operator of the "
        "robot blocked them.",
    ),
    Problem(
        "not-indexable",
        "pages that belong in no index",
        "No page that was fetched says that it, or its present address, belongs in no index.",
        "These pages were fetched, and say that they, or their present address, belong in no "
        "index.",
    ),
    Problem(
        "duplicates",
        "same title or nearly the same text",
        "No two pages of a site have the same title, and no two nearly the same text.",
        "Other pages of the same site have the same title, or other pages have nearly the same "
        "text; a page with both has two rows. Only pages that may be indexed are compared.",
    ),
    Problem(
        "orphans",
        "in a sitemap, but linked from no page",
        "Every page that a sitemap lists can be reached by links.",
        "A sitemap lists these pages, but no page links to them, directly or by a redirect: "
        "readers do not find them.",
    ),
    Problem(
        "slow",
        f"first byte after more than {SLOW_MS:,} ms",
        f"The first byte of every page came within {SLOW_MS:,} ms.",
        f"Their first byte came more than {SLOW_MS:,} ms after the connection was ready.",
    ),
)
"""The kinds of problems, in the order of the page."""


OF_FACTS = {"slow", "duplicates", "orphans"}
"""The problems that only the inventory knows."""
OF_FINDINGS = {"redirects", "orphans"}
"""The problems that are looked for together with the findings."""
OLDER = "Not known: this crawl was made by an older version of goodbot, which did not store it."
TOO_LARGE = f"Not looked for here: the crawl has more than {MOST_CHECKED:,} URLs."


def why_unknown(summary: ReportSummary, name: str) -> str:
    """Return why it is not known whether a crawl has a kind of problem; empty if it is."""
    if name in OF_FACTS and summary.requests > 0 and not summary.pages_with_facts:
        return OLDER
    return TOO_LARGE if name in OF_FINDINGS and summary.urls > MOST_CHECKED else ""


def problem_sections(summary: ReportSummary, tables: Tables) -> Iterator[Section]:
    """Yield the sections."""
    for one in PROBLEMS:
        packed, unknown = tables[one.name], why_unknown(summary, one.name)
        if packed.count:
            body = [f"<p>{shown(meaning_of(summary, one))}</p>", *table_of(summary, packed)]
            if one.name == "broken":
                body += broken_links(summary, tables["broken-links"])
        else:
            body = [f'<p class="none">{shown(unknown or one.none)}</p>']
        if unknown == TOO_LARGE:
            body.append(f"<p>Run {code(command_for(summary, packed.table.command))}.</p>")
        count = None if unknown else problem_count(summary, packed)
        yield Section(one.name, packed.table.title, "\n".join(body), count)


def meaning_of(summary: ReportSummary, one: Problem) -> str:
    """Return what the rows of a problem are; of blocked URLs also whether they were requested."""
    if one.name != "blocked":
        return one.meaning
    if not summary.permitted:
        return f"{one.meaning} They were not requested."
    return (
        f"{one.meaning} They were not requested, except those with the reason own-site: their "
        "owner permitted it."
    )


def problem_count(summary: ReportSummary, packed: PackedTable) -> int:
    """Return how many URLs have a kind of problem; a page with two duplicates is one URL."""
    return summary.duplicate_pages if packed.table.name == "duplicates" else packed.count


def change_section(summary: ReportSummary, tables: Tables, since: datetime) -> Section:
    """Return the section on what changed in the latest run."""
    packed = tables["changes"]
    command = command_for(summary, f"report compare DIR --since {since:%Y-%m-%dT%H:%M:%S}")
    body = [
        f"<p>What differs from before the latest run, which started at {in_seconds(since)}.</p>"
    ]
    if packed.count:
        body += rows_of(packed, command)
    elif summary.urls > MOST_CHECKED:
        body += [f'<p class="none">{TOO_LARGE}</p>', f"<p>Run {code(command)}.</p>"]
    else:
        body.append('<p class="none">Nothing that was visited again has changed.</p>')
    count = None if summary.urls > MOST_CHECKED else packed.count
    return Section("changes", packed.table.title, "\n".join(body), count)


def table_of(summary: ReportSummary, packed: PackedTable) -> Iterator[str]:
    """Yield a table with the command that lists all its rows."""
    return rows_of(packed, command_for(summary, packed.table.command))


def broken_links(summary: ReportSummary, links: PackedTable) -> Iterator[str]:
    """Yield the table of the links to broken URLs, if links are stored."""
    if links.count:
        yield f'<h3 id="broken-links">{counted_title(links.table.title, links.count)}</h3>'
        yield from table_of(summary, links)
        if links.count == MOST_LINKS:
            command = code(command_for(summary, links.table.command))
            yield f"<p>These are the first {grouped(MOST_LINKS)}; for all, run {command}.</p>"


FINDINGS_MEANING = (
    "What is odd about the pages in their latest responses: what they say to robots, their titles "
    "and headings, links, redirects and sitemaps. The most severe come first, then the most "
    "frequent."
)


def finding_section(summary: ReportSummary, tables: Tables) -> Section:
    """Return the section on findings: what is odd about the pages."""
    packed = tables["findings"]
    if not packed.count:
        body = ['<p class="none">No findings.</p>', *cut_findings(summary)]
        return Section("findings", "Findings", "\n".join(body), 0)
    body = [
        f"<p>{FINDINGS_MEANING}</p>",
        *cut_findings(summary),
        *table_of(summary, packed),
    ]
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
    body.append(table("Findings by code", heads, rows, numbers={2, 3}))
    count = sum(one.count for one in summary.findings)
    return Section("findings", "Findings", "\n".join(body), count)


def cut_findings(summary: ReportSummary) -> Iterator[str]:
    """Yield a sentence on the findings that are not in the report of a large crawl."""
    if summary.urls > MOST_CHECKED:
        command = code(command_for(summary, "report findings DIR"))
        yield (
            f"<p>The crawl has more than {grouped(MOST_CHECKED)} URLs, so only findings on what "
            f"pages say to robots are listed here; for all, run {command}.</p>"
        )


def trap_section(summary: ReportSummary) -> Section:
    """Return the section on traps."""
    commands = [
        code(command_for(summary, one))
        for one in ("report findings DIR --code TRAP", "report skipped DIR")
    ]
    rows = [
        [one.code, grouped(one.sites), grouped(one.links), one.url, one.why]
        for one in summary.traps
    ]
    heads = ["trap", "sites", "links", "example", "how it was recognised"]
    body = (
        "<p>These links seem to lead to ever more URLs without new content. A link is counted "
        f"once for each page that has it. To list them by site, run {commands[0]}; to list those "
        f"that were skipped, run {commands[1]}.</p>"
        f"{table('Links into traps', heads, rows, numbers={1, 2}, is_open=True)}"
    )
    return Section("traps", "Traps", body, len(rows))
