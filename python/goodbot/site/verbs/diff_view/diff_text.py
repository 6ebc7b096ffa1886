"""The result of `goodbot diff` on a terminal.

Scope: lines and colours; the words are shared with the other forms.
"""

from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.http.amounts import counted
from goodbot.site.reasoning import Difference, FieldChange, RobotComparison, UrlCounts
from goodbot.site.verbs.diff_view.diff_result import (
    DiffResult,
    change_words,
    effect_words,
    verdict_words,
)

__all__ = ["print_diff"]

MOST_DIFFERENCES = 8
"""How many differences are shown for each group of robots."""
MOST_VALUES = 5
"""How many values of a field are shown."""

STYLES = {"same": "allowed", "stricter": "disallowed", "laxer": "warning"}


def print_diff(result: DiffResult, printer: Printer) -> None:
    """Print the result: the answer first, then what changes for whom."""
    style = STYLES.get(result.comparison.effect, "disallowed")
    headline = result.headline()
    printer.prose(headline, accent=Styled(headline.partition(" ")[0], style))
    printer.line(Styled(f"- {result.before.source}", "faint"))
    printer.line(Styled(f"+ {result.after.source}", "faint"))
    for place, one in result.changed():
        counts = result.tried.counts.get(place) if result.tried else None
        print_robots(result.who(one), one, counts, printer)
    if result.comparison.changes:
        printer.line()
        printer.line(Styled("For every robot", "heading"))
        for change in result.comparison.changes:
            print_change(change, printer)
    print_rest(result, printer)


def print_robots(
    who: str, one: RobotComparison, counts: UrlCounts | None, printer: Printer
) -> None:
    """Print what changes for some robots."""
    printer.line()
    words = effect_words(one.effect)
    access = "access is " if one.effect == "same" else ""
    printer.prose(f"{who}: {access}{words}", accent=Styled(who, "heading"))
    for difference in one.differences[:MOST_DIFFERENCES]:
        print_difference(difference, printer)
    if len(one.differences) > MOST_DIFFERENCES:
        more = counted(len(one.differences) - MOST_DIFFERENCES, "more difference")
        printer.prose(f"{more}; --json lists all", "  ")
    if not one.access.is_complete:
        printer.prose("The search reached its bound: there may be more differences.", "  ")
    for change in one.changes:
        print_change(change, printer)
    if counts is not None:
        print_counts(counts, printer)


def print_difference(one: Difference, printer: Printer) -> None:
    """Print a difference: the example, and both lines."""
    word, style = ("disallows", "disallowed") if one.is_stricter else ("allows", "allowed")
    printer.line("  ", Styled(f"now {word}", style), f" {cut_line(one.path)}")
    for label, verdict in (("before", one.before), ("after", one.after)):
        words, line = verdict_words(verdict)
        printer.line(f"    {label:6}  {words}", f": {cut_line(line)}" if line else "")


def print_change(change: FieldChange, printer: Printer) -> None:
    """Print what changes beside access."""
    values = list(change_words(change))
    for sign, value in values[:MOST_VALUES]:
        style = "allowed" if sign == "+" else "disallowed"
        printer.line(f"  {change.field}: ", Styled(sign, style), f" {cut_line(value)}")
    if len(values) > MOST_VALUES:
        more = counted(len(values) - MOST_VALUES, "more change")
        printer.line(f"  {change.field}: {more}; --json lists all")


def print_counts(counts: UrlCounts, printer: Printer) -> None:
    """Print how many URLs change."""
    for number, words, style, examples in (
        (counts.newly_disallowed, "newly disallowed", "disallowed", counts.disallowed_examples),
        (counts.newly_allowed, "newly allowed", "allowed", counts.allowed_examples),
    ):
        printer.line("  ", Styled(f"{number:,} {words}", style if number else "faint"))
        for example in examples:
            printer.line(f"    {cut_line(example)}")


def print_rest(result: DiffResult, printer: Printer) -> None:
    """Print for whom nothing changes, and what was not compared."""
    lines = list(result.notes())
    if result.changed() and (same := result.unchanged()):
        names = [name for one in same for name in one.names]
        known = sum(len(one.known) for one in same)
        others = f" and {counted(known, 'known robot')}" if known else ""
        if names:
            lines.append(f"Nothing changes for {listed(names)}{others}.")
    if result.tried is not None:
        lines.append(f"{result.tried.sentence()}.")
    if any(lines):
        printer.line()
    for line in filter(None, lines):
        printer.prose(line)


def listed(names: list[str]) -> str:
    """Return names, and how many others there are."""
    shown = [f"{name} (every other robot)" if name == "*" else name for name in names]
    more = len(shown) - MOST_DIFFERENCES
    return ", ".join(shown[:MOST_DIFFERENCES]) + (f" and {more} more" if more > 0 else "")
