"""The result of `goodbot diff` as a page of HTML in one file.

Scope: the content of the page; its frame and all escaping are those of `html_page`.
"""

from collections.abc import Iterator, Sequence

from goodbot.cli.shared.printing import cut_line
from goodbot.html_page import Tone, badge, code, page, section, shown, table, verdict
from goodbot.http.amounts import counted
from goodbot.knowledge import stamp
from goodbot.site.reasoning import Difference, Effect, FieldChange, RobotComparison, UrlCounts
from goodbot.site.verbs.diff_view.diff_result import (
    MOST_NAMES,
    DiffResult,
    change_words,
    effect_words,
    verdict_words,
)

__all__ = ["html_page"]

MOST_GROUPS = 100
"""How many groups of robots have a section."""
ALL_ROWS = "<code>goodbot diff --json</code> lists all"

TONES: dict[Effect, Tone] = {"same": "good", "stricter": "bad", "laxer": "odd", "both": "bad"}


def html_page(result: DiffResult) -> Iterator[str]:
    """Yield the page."""
    yield from page(
        "What changes in robots.txt",
        content(result),
        kicker="goodbot diff",
        lede=f"{result.before.source} → {result.after.source}",
        foot=(
            "Every path was considered, not a sample."
            if result.comparison.is_complete
            else "The search reached its bound: there may be more differences."
        )
        + f" Made with {stamp()}.",
    )


def content(result: DiffResult) -> Iterator[str]:
    """Yield the answer, then what changes for whom."""
    yield verdict(result.headline(), TONES.get(result.comparison.effect, "odd"))
    for line in (*result.notes(), result.tried.sentence() if result.tried else ""):
        if line:
            yield f'<p class="note">{shown(line)}</p>\n'
    for place, one in result.changed()[:MOST_GROUPS]:
        counts = result.tried.counts.get(place) if result.tried else None
        mark = badge(effect_words(one.effect), TONES.get(one.effect, "odd"))
        yield from section(result.who(one), of_robots(one, counts), mark=mark)
    if len(result.changed()) > MOST_GROUPS:
        more = counted(len(result.changed()) - MOST_GROUPS, "more group")
        yield f'<p class="note">Access changes for {more} of robots; {ALL_ROWS}.</p>\n'
    if result.comparison.changes:
        yield from section("For every robot", of_changes(result.comparison.changes))
    if result.changed() and result.unchanged():
        names = (f"<p>{shown(result.who(one))}</p>\n" for one in result.unchanged())
        yield from section("Nothing changes", names)


def of_robots(one: RobotComparison, counts: UrlCounts | None) -> Iterator[str]:
    """Yield what changes for some robots."""
    if one.differences:
        heads = ["Example", "Now", "Before", "After"]
        yield from table(heads, map(row, one.differences), elsewhere=ALL_ROWS)
    if not one.access.is_complete:
        yield '<p class="note">The search reached its bound: there may be more.</p>\n'
    if one.changes:
        yield from of_changes(one.changes)
    if counts is not None:
        yield from of_counts(counts)
    if len(one.members) > MOST_NAMES:
        yield f'<p class="note">Robots: {shown(", ".join(one.members))}</p>\n'


def row(one: Difference) -> list[str]:
    """Return the cells of a difference."""
    now = badge("disallowed", "bad") if one.is_stricter else badge("allowed", "good")
    sides = []
    for each in (one.before, one.after):
        words, line = verdict_words(each)
        sides.append(f"{shown(words)}{f' {code(cut_line(line))}' if line else ''}")
    return [code(cut_line(one.path)), now, *sides]


def of_changes(changes: Sequence[FieldChange]) -> Iterator[str]:
    """Yield what changes beside access."""
    rows = (
        [
            shown(change.field),
            badge(*(("new", "good") if sign == "+" else ("gone", "bad"))),
            code(v),
        ]
        for change in changes
        for sign, v in change_words(change)
    )
    yield from table(["Beside access", "Change", "Value"], rows, elsewhere=ALL_ROWS)


def of_counts(counts: UrlCounts) -> Iterator[str]:
    """Yield how many URLs change."""
    rows = (
        [
            shown(words),
            f"{number:,}",
            "<br>".join(code(cut_line(one)) for one in examples) or "none",
        ]
        for words, number, examples in (
            ("newly disallowed", counts.newly_disallowed, counts.disallowed_examples),
            ("newly allowed", counts.newly_allowed, counts.allowed_examples),
        )
    )
    yield from table(["URLs", "Number", "Examples"], rows, numbers=[1])
