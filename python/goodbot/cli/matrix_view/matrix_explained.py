"""A matrix with explanations: each answer with the lines of the file that decided or matched.

Scope: which answers are explained together. The explanation is that of a single robot.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from goodbot.cli.matrix_view.matrix_cells import MatrixTotals, RobotAnswer, Row
from goodbot.cli.shared.explanation import Explanation
from goodbot.cli.shared.printing import Printer, Styled
from goodbot.cli.shared.verdict_output import style_of

if TYPE_CHECKING:
    import goodbot

__all__ = ["print_explained"]

MOST_FILES = 100
"""How many explanations are kept for the next URL."""


def print_explained(rows: Iterable[Row], robots: Sequence[str], printer: Printer) -> MatrixTotals:
    """Print each URL, and each different answer with its robots and its explanation."""
    totals = MatrixTotals(robots)
    kept: dict[tuple[goodbot.RobotsTxt, str], Explanation] = {}
    for row in rows:
        totals.add(row)
        printer.line(Styled(row.url, "heading"))
        for answers in alike(row.answers):
            first = answers[0]
            printer.line()
            named = ", ".join(one.robot for one in answers)
            printer.prose(
                f"{named}: {first.verdict}", accent=Styled(named, style_of(first.verdict))
            )
            if first.file is None or first.family is None:
                continue
            if len(kept) >= MOST_FILES:
                kept.clear()
            key = (first.file, first.robot)
            if key not in kept:
                kept[key] = Explanation(first.file, first.family, printer)
            kept[key].show(first.verdict.rules)
        printer.line()
    return totals


def alike(answers: Sequence[RobotAnswer]) -> list[list[RobotAnswer]]:
    """Group the answers that have the same explanation."""
    groups: dict[tuple[object, ...], list[RobotAnswer]] = {}
    for answer in answers:
        verdict, family = answer.verdict, answer.family
        group = None if verdict.group is None else tuple(verdict.group.lines)
        remarks = () if family is None else family.remarks
        rule = None if verdict.rule is None else verdict.rule.line
        key = (verdict.allowed, verdict.reason, rule, group, verdict.dialect, remarks)
        groups.setdefault(key, []).append(answer)
    return list(groups.values())
