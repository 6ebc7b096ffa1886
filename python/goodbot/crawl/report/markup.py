"""The building blocks of a report's HTML: escaped text, tables, numbers.

Scope: HTML that does not depend on what a crawl is.
"""

from collections.abc import Iterable, Mapping, Sequence

from goodbot.display import escaped as shown

__all__ = ["grouped", "shown", "table"]


def table(
    title: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: Iterable[int] = (),
    is_open: bool = False,
) -> str:
    """Return a table that the reader can unfold.

    Args:
        title: The title of the table.
        heads: The names of its columns.
        rows: Its cells, as text.
        numbers: The columns that hold numbers, from 0.
        is_open: Whether it is unfolded from the start.

    """
    styles = dict.fromkeys(numbers, ' class="number"')
    lines = ["<details open>" if is_open else "<details>", f"<summary>{shown(title)}</summary>"]
    lines.append('<div class="wide" tabindex="0"><table><thead><tr>')
    lines += cells("th", ' scope="col"', heads, styles)
    lines.append("</tr></thead><tbody>")
    lines += [f"<tr>{''.join(cells('td', '', row, styles))}</tr>" for row in rows]
    lines.append("</tbody></table></div></details>")
    return "\n".join(lines)


def cells(tag: str, attributes: str, row: Sequence[str], styles: Mapping[int, str]) -> list[str]:
    """Return the cells of a row as HTML."""
    return [
        f"<{tag}{attributes}{styles.get(column, '')}>{shown(cell)}</{tag}>"
        for column, cell in enumerate(row)
    ]


def grouped(number: int) -> str:
    """Format a number with commas between thousands."""
    return f"{number:,}"
