"""Targets, and tables in Markdown, for all parts of the report."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A target, and the measured value."""

    wanted: str
    measured: str
    met: bool


def at_least(what: str, value: float, least: float, unit: str) -> Target:
    """Return a target that is met by at least this value."""
    return Target(f"{what}: at least {least:g}{unit}", f"{value:.1f}{unit}", value >= least)


def at_most(what: str, value: float, most: float, unit: str) -> Target:
    """Return a target that is met by at most this value."""
    return Target(f"{what}: at most {most:g}{unit}", f"{value:.1f}{unit}", value <= most)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table with aligned columns, figures to the right."""
    lines = [head, *rows]
    widths = [max(3, *(len(line[column]) for line in lines)) for column in range(len(head))]
    right = [
        bool(rows) and all(row[column][:1].isdigit() or not row[column] for row in rows)
        for column in range(len(head))
    ]
    rule = "|".join(
        "-" * (width + 1) + (":" if is_right else "-")
        for width, is_right in zip(widths, right, strict=True)
    )

    def line(cells: Sequence[str]) -> str:
        aligned = (
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(cells, widths, right, strict=True)
        )
        return "| " + " | ".join(aligned) + " |"

    return "\n".join([line(head), f"|{rule}|", *(line(row) for row in rows), ""])
