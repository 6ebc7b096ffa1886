"""What robots.txt declared and the server served, on a terminal and on the page of an audit.

Scope: text and HTML. The pairs are counted in `goodbot.site.audit.declared_served`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from goodbot.cli.shared.printing import Printer, Styled, print_table
from goodbot.html_page import shown, table
from goodbot.http.amounts import counted
from goodbot.http.served import DECLARED, SERVED, Declared, Served, is_contrary
from goodbot.site.audit import AuditedRobot, DeclaredServed

TITLE = "Declared and served"
NOT_LOGGED = "not in the log"
"""What stands for an answer whose status the log does not have."""
COLUMNS: tuple[Served | None, ...] = (*SERVED, None)
MOST_PLACES = 5
"""How many folders are printed for a robot and a pair; --json has all."""
MOST_WEEKS = 6
"""How many weeks are named for a folder; --json has all."""

WordPair = tuple[Declared, Served | None]


def pair_words(pair: WordPair) -> str:
    """Return a pair in words, such as `allowed and refused`."""
    return f"{pair[0]} and {pair[1] or NOT_LOGGED}"


def served_columns(robots: Iterable[AuditedRobot]) -> list[Served | None]:
    """Return the words that any robot got; the others need no column."""
    found = {served for robot in robots for _, served in robot.pairs}
    return [served for served in COLUMNS if served in found or served == "served"]


def pair_rows(
    robots: Iterable[AuditedRobot], columns: Sequence[Served | None]
) -> Iterator[list[str]]:
    """Yield a row for each robot and what was declared, with how many requests got what."""
    for robot in robots:
        for declared in DECLARED:
            counts = [robot.pairs[declared, served] for served in columns]
            if any(counts):
                yield [robot.robot, declared, *(f"{count:,}" if count else "" for count in counts)]


def contrary_places(robot: AuditedRobot) -> list[tuple[WordPair, str, dict[date, int]]]:
    """Return where the site does otherwise than robots.txt says: pair, folder, requests by week.

    Pairs are in the order of their words, and folders in that of their requests.
    """
    found: dict[WordPair, dict[str, Counter[date]]] = {}
    for one in robot.declared_served:
        if is_contrary(one.declared, one.served):
            folders = found.setdefault((one.declared, one.served), {})
            folders.setdefault(one.folder, Counter())[one.week] += one.requests
    ordered = sorted(found, key=lambda pair: (pair[0], COLUMNS.index(pair[1])))
    return [
        (pair, folder, dict(sorted(weeks.items())))
        for pair in ordered
        for folder, weeks in sorted(
            found[pair].items(), key=lambda item: (-item[1].total(), item[0])
        )
    ]


def weeks_in_words(weeks: dict[date, int]) -> str:
    """Return how many requests came in each week, the latest weeks if there are many."""
    named = [f"{week}: {count:,}" for week, count in weeks.items()][-MOST_WEEKS:]
    earlier = len(weeks) - len(named)
    before = [f"{counted(earlier, 'earlier week')}"] if earlier else []
    return ", ".join([*before, *named])


def print_declared(robots: Sequence[AuditedRobot], printer: Printer) -> None:
    """Print what was declared and served for each robot, and where the two do not agree."""
    if not any(robot.requests for robot in robots):
        return
    columns = served_columns(robots)
    printer.line("")
    printer.line(Styled(TITLE, "heading"))
    heads = ["Robot", "Declared", *((one or NOT_LOGGED).capitalize() for one in columns)]
    print_table(heads, pair_rows(robots, columns), printer)
    for robot in robots:
        print_contrary(robot, printer)


def print_contrary(robot: AuditedRobot, printer: Printer) -> None:
    """Print in which folders and weeks a robot got something else than robots.txt says."""
    places = contrary_places(robot)
    for pair in dict.fromkeys(pair for pair, _, _ in places):
        own = [(folder, weeks) for each, folder, weeks in places if each == pair]
        total = counted(robot.pairs[pair], "request")
        said = f"{robot.robot}: {pair_words(pair)}: {total}."
        printer.prose(said, "  ", Styled(f"{robot.robot}:", "heading"))
        for folder, weeks in own[:MOST_PLACES]:
            requests = counted(sum(weeks.values()), "request")
            weekly = f"by week: {weeks_in_words(weeks)}"
            printer.prose(f"{folder}: {requests}, {weekly}", "    ")
        if len(own) > MOST_PLACES:
            more = counted(len(own) - MOST_PLACES, "more folder")
            printer.line(f"    and {more}; --json has all")


def declared_section(robots: Sequence[AuditedRobot]) -> Iterator[str]:
    """Yield the tables of the page: pairs by robot, and by folder and week."""
    columns = served_columns(robots)
    heads = ["robot", "declared", *((one or NOT_LOGGED) for one in columns)]
    rows = ([shown(cell) for cell in row] for row in pair_rows(robots, columns))
    yield from table(heads, rows, numbers=range(2, len(heads)))
    yield "<ul>\n"
    for word, meaning in (*DECLARED.items(), *SERVED.items()):
        yield f"<li><strong>{word}</strong> {shown(meaning)}</li>\n"
    yield "</ul>\n<h3>By folder and week</h3>\n"
    found = [(robot.robot, one) for robot in robots for one in robot.declared_served]
    found.sort(key=lambda item: not is_contrary(item[1].declared, item[1].served))
    heads = ["robot", "folder", "week from", "declared and served", "requests"]
    elsewhere = "<code>goodbot audit --json</code> has all"
    rows = (week_row(*item) for item in found)
    yield from table(heads, rows, numbers=(4,), elsewhere=elsewhere)
    yield (
        '<p class="note">What the site does otherwise than its robots.txt says comes first.</p>\n'
    )


def week_row(robot: str, one: DeclaredServed) -> list[str]:
    """Return the cells of a pair in a folder and a week."""
    return [
        shown(robot),
        shown(one.folder),
        f"{one.week}",
        shown(pair_words((one.declared, one.served))),
        f"{one.requests:,}",
    ]
