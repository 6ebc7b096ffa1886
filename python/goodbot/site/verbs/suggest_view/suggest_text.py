"""The result of `goodbot audit suggest` on a terminal.

Scope: lines and colours.
"""

from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.http.amounts import counted, format_bytes, some_of_names
from goodbot.site.audit import HEEDS, KeptAway, Suggestion, TargetSums
from goodbot.site.verbs.suggest_view.suggest_result import SuggestResult

__all__ = ["print_result"]

MOST_ROBOTS = 20
"""How many robots are shown; --json has all."""
MOST_EXAMPLES = 3
"""How many differences of a suggestion are shown."""
MOST_NAMES = 8
"""How many names are shown in a row."""


def print_result(result: SuggestResult, printer: Printer) -> None:
    """Print what a change would have kept away, or the suggestions."""
    if result.args.change is not None:
        print_change(result, printer)
    else:
        print_suggestions(result, printer)
    ignoring = [one for one in result.found.robots if one.heeds == "no"]
    if ignoring:
        printer.line()
        names = some_of_names([one.robot for one in ignoring], MOST_NAMES)
        printer.prose(f"Not counted: {names}. {HEEDS['no']}")


def print_change(result: SuggestResult, printer: Printer) -> None:
    """Print what a change would have kept away of each robot."""
    kept = [one for one in result.found.robots if one.kept.requests]
    whole = TargetSums()
    for one in kept:
        whole = whole.plus(one.kept)
    printer.prose(f"{result.args.change} would have kept away {amount(whole)}.")
    for one in kept[:MOST_ROBOTS]:
        print_robot(one, printer)
    if len(kept) > MOST_ROBOTS:
        printer.line(f"  {counted(len(kept) - MOST_ROBOTS, 'more robot')}; --json lists all")


def print_suggestions(result: SuggestResult, printer: Printer) -> None:
    """Print each suggestion with what it changes."""
    if not result.found.suggestions:
        printer.prose("No line would have kept a known robot away that obeys robots.txt.")
        return
    for place, one in enumerate(result.found.suggestions):
        if place:
            printer.line()
        print_suggestion(one, printer)


def print_suggestion(one: Suggestion, printer: Printer) -> None:
    """Print a suggestion."""
    head = f"{', '.join(one.lines)}"
    printer.prose(f"{head} for {one.purpose}: {amount(one.kept)}", accent=Styled(head, "heading"))
    for robot in one.robots[:MOST_ROBOTS]:
        print_robot(robot, printer)
    printer.line("  Append to robots.txt:")
    for line in one.added.splitlines():
        printer.line(f"    {cut_line(line)}")
    differences = [(each.members, found.path) for each in one.comparison.robots
                   for found in each.differences]  # fmt: skip
    for members, path in differences[:MOST_EXAMPLES]:
        printer.line(
            f"  Now disallowed for {some_of_names(members, MOST_NAMES)}, such as {cut_line(path)}"
        )
    if len(differences) > MOST_EXAMPLES:
        more = counted(len(differences) - MOST_EXAMPLES, "more difference")
        printer.line(f"  {more}; --json lists all")
    if not one.comparison.is_complete:
        printer.prose("The search reached its bound: there may be more differences.", "  ")
    if one.search_robots:
        names = some_of_names(one.search_robots, MOST_NAMES)
        printer.prose(f"Search engines may fetch less: {names}.", "  ")


def print_robot(one: KeptAway, printer: Printer) -> None:
    """Print what is kept away of a robot."""
    said = "" if one.heeds == "says-so" else "; nothing is said about obeying"
    if one.disregarded.requests:
        said += f"; {counted(one.disregarded.requests, 'request')} disregarded the present file"
    printer.line(f"  {one.robot}: {amount(one.kept)} of {amount(one.all)}{said}")


def amount(sums: TargetSums) -> str:
    """Return sums in words."""
    return f"{counted(sums.requests, 'request')}, {format_bytes(sums.bytes)}"
