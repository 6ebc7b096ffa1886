"""The building blocks of a report's HTML: escaped text, numbers, tables.

Scope: HTML that does not depend on what a crawl is.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import urlencode

from goodbot import html_page
from goodbot.crawl.report.rows.cells import NUMERIC, cell_text
from goodbot.crawl.report.rows.packed_tables import STATIC_ROWS, PackedTable, TableColumn
from goodbot.display import printable
from goodbot.html_page import code, shown

__all__ = ["code", "count_mark", "counted_title", "grouped", "leading", "rows_of", "shown", "table"]


def table(
    title: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: Iterable[int] = (),
    is_open: bool = False,
) -> str:
    """Return a small table that the reader can unfold.

    Args:
        title: The title of the table.
        heads: The names of its columns.
        rows: Its cells, as text.
        numbers: The columns that hold numbers, from 0.
        is_open: Whether it is unfolded from the start.

    """
    cells = ([shown(cell) for cell in row] for row in rows)
    lines = ["<details open>" if is_open else "<details>", f"<summary>{shown(title)}</summary>\n"]
    lines += html_page.table(heads, cells, numbers=numbers, label=title)
    lines.append("</details>")
    return "".join(lines)


def rows_of(packed: PackedTable, command: str) -> Iterator[str]:
    """Yield the first rows of a table; the script shows all of them in their place.

    Args:
        packed: The table with its rows.
        command: The command that lists all rows; empty if there is none.

    """
    one = packed.table
    sort = f' data-sort="{one.sort}"' if one.sort else ""
    yield f'<div class="rows" data-table="{one.name}" data-count="{packed.count}"{sort}>'
    yield f'<div class="wide first" tabindex="0" role="region" aria-label="{shown(one.title)}">'
    yield f"<table><thead><tr>{''.join(map(column_head, one.columns))}</tr></thead><tbody>"
    for row in packed.first:
        pairs = zip(one.columns, row, strict=True)
        yield f"<tr>{''.join(cell(column, value) for column, value in pairs)}</tr>"
    yield "</tbody></table></div>"
    more = []
    if packed.count > STATIC_ROWS:
        more.append(f"These are the first {STATIC_ROWS} of {grouped(packed.count)} rows.")
    if command:
        more.append(f"All rows: {code(command)}")
    if more:
        yield f'<p class="first note">{" ".join(more)}</p>'
    if packed.stored < packed.count:
        yield (
            f'<p class="note">This file has the first {grouped(packed.stored)} of '
            f"{grouped(packed.count)} rows.</p>"
        )
    yield "</div>"


def column_head(column: TableColumn) -> str:
    """Return the heading of a column, with what the script needs to know of it."""
    phones = "" if column.on_phones else ' data-wide=""'
    leads = f' data-leads="{column.leads_to}"' if column.leads_to else ""
    return (
        f'<th scope="col" data-name="{column.name}" data-kind="{column.kind}"{phones}{leads}'
        f"{style(column)}>{shown(column.label)}</th>"
    )


def cell(column: TableColumn, value: Any) -> str:  # noqa: ANN401  text or a number
    """Return the cell of a column."""
    return f"<td{style(column)}>{shown(cell_text(column.kind, value))}</td>"


def style(column: TableColumn) -> str:
    """Return the classes of a column's cells; paper has no room for those of wide windows."""
    kind = "number" if column.kind in NUMERIC else column.kind
    return f' class="{kind}"' if column.on_phones else f' class="{kind} wide-only"'


def leading(table_name: str, text: str, **where: str) -> str:
    """Return a text, usually a number, that leads to its rows in a table.

    Args:
        table_name: The table.
        text: The text of the link.
        where: The values that the rows have, by column: the value, `~` and an item of a list, or
            `!` and an item that a list does not have.

    """
    values = {name: printable(value) for name, value in where.items()}
    rows = f' data-where="{shown(urlencode(values))}"' if where else ""
    return f'<a class="leads" href="#{table_name}"{rows}>{shown(text)}</a>'


def counted_title(title: str, count: int) -> str:
    """Return a title with the number of what it stands above."""
    return f"{shown(title)} {count_mark(count)}"


def count_mark(count: int | None) -> str:
    """Return the number that stands after a title."""
    return "" if count is None else f'<span class="count">{grouped(count)}</span>'


def grouped(number: int) -> str:
    """Format a number with commas between thousands."""
    return f"{number:,}"
