"""Pieces of the page of a report: escaped text, tables, numbers.

What may live here: HTML that knows nothing of crawls.
"""

import html
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["grouped", "shown", "table"]


def shown(text: str) -> str:
    r"""Escape a text for HTML; what could turn the direction of writing is written as an escape.

    >>> shown("<b>\u202e")
    '&lt;b&gt;\\u202e'
    """
    if not text.isprintable():
        text = "".join(
            one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
        )
    return html.escape(text)


def table(
    title: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: Iterable[int] = (),
    is_open: bool = False,
) -> str:
    """Return a table that can be folded.

    Args:
        title: What it shows.
        heads: The names of its columns.
        rows: Its cells, as text.
        numbers: Which columns hold numbers.
        is_open: Whether it is unfolded at first.

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
    """Return the cells of a row."""
    return [
        f"<{tag}{attributes}{styles.get(column, '')}>{shown(cell)}</{tag}>"
        for column, cell in enumerate(row)
    ]


def grouped(number: int) -> str:
    """Write a number with its thousands apart."""
    return f"{number:,}"
