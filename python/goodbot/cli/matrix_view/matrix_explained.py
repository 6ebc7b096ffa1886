"""A matrix with explanations: each answer with the lines of the file that decided or matched.

Scope: which answers are explained together. The explanation is that of a single robot.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from goodbot.cli.matrix_view.matrix_cells import MatrixTotals, Row
from goodbot.cli.shared.explanation import Explanation
from goodbot.cli.shared.printing import Printer, Styled
from goodbot.cli.shared.verdict_output import style_of

if TYPE_CHECKING:
    import goodbot
    from goodbot.bots import ObeyedRules

MOST_FILES = 100
"""How many explanations are kept for the next URL."""


def print_explained(rows: Iterable[Row], robots: Sequence[str], printer: Printer) -> MatrixTotals:
    """Print each URL, and each different answer with its robots and its explanation."""
    totals = MatrixTotals(robots)
    kept: dict[tuple[goodbot.RobotsTxt, str], Explanation] = {}
    for row in rows:
        totals.add(row)
        printer.line(Styled(row.url, "heading"))
        for answers in group_alike(row):
            verdict, rules = answers[0]
            printer.line()
            named = ", ".join(other.robot for other, _ in answers)
            printer.prose(f"{named}: {verdict}", accent=Styled(named, style_of(verdict)))
            if rules is None or rules.file is None:
                continue
            if len(kept) >= MOST_FILES:
                kept.clear()
            key = (rules.file, rules.name)
            if key not in kept:
                kept[key] = Explanation(rules.file, rules, printer)
            kept[key].show(verdict.rules)
        printer.line()
    return totals


def group_alike(row: Row) -> "list[list[tuple[goodbot.Verdict, ObeyedRules | None]]]":
    """Group the verdicts that have the same explanation."""
    groups: dict[tuple[object, ...], list[tuple[goodbot.Verdict, ObeyedRules | None]]] = {}
    for verdict, rules in zip(row.verdicts, row.rules, strict=True):
        group = None if verdict.group is None else tuple(verdict.group.lines)
        remarks = () if rules is None else rules.remarks
        rule = None if verdict.rule is None else verdict.rule.line
        key = (verdict.allowed, verdict.reason, rule, group, verdict.dialect, remarks)
        groups.setdefault(key, []).append((verdict, rules))
    return list(groups.values())
