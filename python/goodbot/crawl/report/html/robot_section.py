"""The section of a report on pages by robots.

Scope: the sentences and tables; `robot_tables` has the rows.
"""

from collections.abc import Iterator
from itertools import combinations

from goodbot.crawl.report.html.markup import code, grouped, leading, rows_of, shown, table
from goodbot.crawl.report.html.sections import Section, Tables, command_for
from goodbot.crawl.report.rows.finding_table import MOST_CHECKED
from goodbot.crawl.report.rows.robot_tables import RobotTables
from goodbot.crawl.report.rows.summary import ReportSummary

__all__ = ["robot_section"]

WORDS = ("indexed", "not quoted", "not indexed", "not fetched", "no page", "not kept", "unknown")


def robot_section(summary: ReportSummary, tables: Tables, found: RobotTables) -> Section:
    """Return the section."""
    body = "\n".join(robot_body(summary, tables, found))
    return Section("robots", "Pages by robots", body, tables["robots-closed"].count, "By robots")


def robot_body(summary: ReportSummary, tables: Tables, found: RobotTables) -> Iterator[str]:
    """Yield the counts, the links to what two robots do not share, and both tables."""
    if not found.robots:
        inventory = code(command_for(summary, "inventory DIR --for Googlebot,GPTBot"))
        yield (
            f"<p>The crawl has more than {grouped(MOST_CHECKED)} URLs, so robots are not compared "
            f"here unless you name them with {code('--for')}; or run {inventory}.</p>"
        )
        return
    yield (
        "<p>What each robot may do with each page, reckoned from robots.txt and from what the page "
        "says to all robots, not from the verdicts of this crawl. Filter two columns to compare "
        "two robots.</p>"
    )
    words = [word for word in WORDS if any(found.counts[name][word] for name in found.robots)]
    rows = [[name, *(grouped(found.counts[name][word]) for word in words)] for name in found.robots]
    numbers = set(range(1, len(words) + 1))
    yield table("Pages by robot", ["robot", *words], rows, numbers=numbers, is_open=True)
    yield from comparisons(found)
    closed = tables["robots-closed"]
    yield f'<h3 id="robots-closed">{shown(closed.table.title)}</h3>'
    if closed.count:
        yield from rows_of(closed, command_for(summary, closed.table.command))
    else:
        yield '<p class="none">Every one of these robots may use every page.</p>'
    pages = tables["robots"]
    yield f"<h3>{shown(pages.table.title)}</h3>"
    yield from rows_of(pages, command_for(summary, pages.table.command))


def comparisons(found: RobotTables) -> Iterator[str]:
    """Yield links to the pages that one robot may index and another one may not fetch or index."""
    links, robots = [], found.robots
    for one, other in combinations(range(len(robots)), 2):
        for first, second in ((one, other), (other, one)):
            for word in ("not indexed", "not fetched"):
                pages = found.pages_with({first: "indexed", second: word})
                if pages:
                    where = {f"robot-{first}": "indexed", f"robot-{second}": word}
                    text = f"{robots[first]} indexed, {robots[second]} {word}: {grouped(pages)}"
                    links.append(f"<li>{leading('robots', text, **where)}</li>")
    if links:
        yield "<details open><summary>Compare two robots</summary><ul>"
        yield from links
        yield "</ul></details>"
    elif len(robots) > 1:
        yield "<p>No page may be indexed by one of these robots and not by another one.</p>"
