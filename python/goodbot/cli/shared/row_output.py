"""Rows as CSV or as JSON lines, each printed as soon as it is known."""

import csv
import json
from collections.abc import Iterable, Sequence
from typing import Any

import goodbot
from goodbot.cli.shared.printing import Printer

__all__ = ["check_one_format", "csv_line", "print_rows"]

FORMULA = frozenset("=+-@\t")
"""The beginnings of cells that a spreadsheet would compute."""


class WrittenLines(list[str]):
    """The rows that were written and not taken yet."""

    write = list.append


WRITTEN = WrittenLines()
CSV = csv.writer(WRITTEN, lineterminator="")
"""Writes a row with one call of `write`. A writer for each row would take longer than the row."""


def check_one_format(*, as_json: bool, as_csv: bool, parquet: str | None) -> None:
    """Check that at most one form of output was asked for.

    Raises:
        MisuseError: There are two.

    """
    if as_json + as_csv + (parquet is not None) > 1:
        message = "--json, --csv and --parquet are three formats; use one of them"
        raise goodbot.MisuseError(message)


def print_rows(
    rows: Iterable[dict[str, Any]], fields: Sequence[str], printer: Printer, *, as_csv: bool
) -> int:
    """Print each row, as JSON or as CSV; return how many there are.

    Args:
        rows: The rows, with plain values.
        fields: The names of their values, in their order: the header of CSV.
        printer: Prints them.
        as_csv: Whether to print CSV.

    """
    count = 0
    if as_csv:
        printer.line(csv_line(fields))
    for row in rows:
        count += 1
        printer.line(csv_line(list(row.values())) if as_csv else json.dumps(row))
    return count


def csv_line(cells: Sequence[object]) -> str:
    """Return a row of CSV; a quote precedes a cell that a spreadsheet would compute."""
    texts = ["" if one is None else str(one) for one in cells]
    CSV.writerow([f"'{text}" if text[:1] in FORMULA else text for text in texts])
    return WRITTEN.pop()
