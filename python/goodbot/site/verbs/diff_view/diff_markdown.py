"""The result of `goodbot diff` as Markdown, for a comment in a review.

Scope: GitHub Flavored Markdown. Texts from outside are in code spans, in which nothing has a
meaning; outside of them, all punctuation is escaped (CommonMark 0.31, sections 2.4 and 6.1).
"""

import re
from collections.abc import Iterator, Sequence

from goodbot.cli.shared.printing import cut_line, escaped
from goodbot.http.amounts import counted
from goodbot.site.reasoning import Difference, FieldChange, RobotComparison, UrlCounts
from goodbot.site.verbs.diff_view.diff_result import (
    DiffResult,
    change_words,
    effect_words,
    verdict_words,
)

__all__ = ["markdown_lines"]

MOST_ROWS = 30
"""How many differences are shown for each group of robots: a comment has a limit."""
MOST_GROUPS = 30
"""How many groups of robots are shown."""

PUNCTUATION = re.compile(r"([\\`*_{}\[\]<>()#+!|~&@$^])")
RUNS = re.compile("`+")


def markdown_lines(result: DiffResult) -> Iterator[str]:
    """Yield the lines of a comment."""
    yield f"### robots.txt: {prose(result.headline())}"
    yield ""
    yield f"{code(result.before.source)} → {code(result.after.source)}"
    changed = result.changed()
    for place, one in changed[:MOST_GROUPS]:
        counts = result.tried.counts.get(place) if result.tried else None
        yield ""
        yield f"#### {result.who(one, code)}: {effect_words(one.effect)}"
        yield from of_robots(one, counts)
    if len(changed) > MOST_GROUPS:
        yield ""
        yield f"{counted(len(changed) - MOST_GROUPS, 'more group')} of robots; see `--json`."
    if result.comparison.changes:
        yield ""
        yield "#### For every robot"
        yield from of_changes(result.comparison.changes)
    for line in (
        *result.dialect_notes(code),
        prose(result.unexamined()),
        prose(result.tried.sentence()) if result.tried else "",
    ):
        if line:
            yield ""
            yield line


def of_robots(one: RobotComparison, counts: UrlCounts | None) -> Iterator[str]:
    """Yield what changes for some robots."""
    if one.differences:
        yield ""
        yield "| now | example | before | after |"
        yield "| --- | --- | --- | --- |"
        yield from map(row, one.differences[:MOST_ROWS])
    if len(one.differences) > MOST_ROWS:
        yield ""
        yield f"{counted(len(one.differences) - MOST_ROWS, 'more difference')}; see `--json`."
    if not one.access.is_complete:
        yield ""
        yield "The search reached its bound: there may be more differences."
    yield from of_changes(one.changes)
    if counts is not None:
        yield from of_counts(counts)


def row(one: Difference) -> str:
    """Return a row of the table."""
    sides = []
    for verdict in (one.before, one.after):
        words, line = verdict_words(verdict)
        sides.append(f"{words}: {cell(line)}" if line else prose(words))
    now = "disallowed" if one.is_stricter else "allowed"
    return f"| {now} | {cell(one.path)} | {' | '.join(sides)} |"


def of_changes(changes: Sequence[FieldChange]) -> Iterator[str]:
    """Yield what changes beside access, as a list."""
    if changes:
        yield ""
    for change in changes:
        values = list(change_words(change))
        for sign, value in values[:MOST_ROWS]:
            word = "new" if sign == "+" else "gone"
            yield f"- {prose(change.field)}, {word}: {code(value)}"
        if len(values) > MOST_ROWS:
            yield f"- {prose(change.field)}: {counted(len(values) - MOST_ROWS, 'more change')}"


def of_counts(counts: UrlCounts) -> Iterator[str]:
    """Yield how many URLs change."""
    yield ""
    for number, words, examples in (
        (counts.newly_disallowed, "newly disallowed", counts.disallowed_examples),
        (counts.newly_allowed, "newly allowed", counts.allowed_examples),
    ):
        such = f", such as {', '.join(map(code, examples))}" if examples else ""
        yield f"- {number:,} {words}{such}"


def code(text: str) -> str:
    """Return a text as a code span, in which nothing has a meaning.

    >>> code("/b`c"), code("`"), code("")
    ('``/b`c``', '`` ` ``', '` `')
    """
    shown = escaped(cut_line(text))
    fence = "`" * (max(map(len, RUNS.findall(shown)), default=0) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") or not shown.strip() else ""
    return f"{fence}{pad}{shown}{pad}{fence}" if shown else "` `"


def cell(text: str) -> str:
    r"""Return a text as a code span in a table, where a `|` would end the cell.

    >>> cell("/a|b")
    '`/a\\|b`'
    """
    return code(text).replace("|", "\\|")


def prose(text: str) -> str:
    r"""Return a text in which no punctuation has a meaning.

    >>> prose("a * [b](c) | @d")
    'a \\* \\[b\\]\\(c\\) \\| \\@d'
    """
    return PUNCTUATION.sub(r"\\\1", escaped(text))
