"""The parts of a page of HTML: its head and foot, sections, tables, answers, words that stand out.

Scope: HTML that all pages of goodbot share. Every text from outside is escaped by `shown`; what a
function calls HTML must be escaped already.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal

from goodbot.display import escaped as shown
from goodbot.html_page.document import document

__all__ = [
    "MOST_ROWS",
    "Tone",
    "badge",
    "code",
    "footer",
    "header",
    "page",
    "section",
    "table",
    "verdict",
]

Tone = Literal["good", "bad", "odd", ""]
"""How something is meant: `good`, `bad`, `odd` (look at it), or neither."""

MOST_ROWS = 1_000
"""The most rows of a table, so that a browser can show it and a reader can find something."""
MOST_CELLS = 10_000
"""The most cells of a table; one of many columns has fewer rows."""
LONG = 24
"""A head with a word of more characters than this is broken where its column ends."""


def page(
    title: str,
    body: Iterable[str],
    *,
    kicker: str = "",
    lede: str = "",
    foot: str = "",
    style: str = "",
    script: str = "",
) -> Iterator[str]:
    """Yield a page, piece by piece.

    Args:
        title: The title, as text.
        body: The content below the title, as HTML.
        kicker: What kind of page it is, as text above the title.
        lede: A sentence below the title, as text.
        foot: A sentence at the end of the page, as text.
        style: A style sheet beside the family's.
        script: A script; the page must make sense without it.

    """

    def whole() -> Iterator[str]:
        yield from header(title, kicker=kicker, lede=lede)
        yield "<main>\n"
        yield from body
        yield "</main>\n"
        yield from footer(foot)

    yield from document(title, whole(), style=style, script=script)


def header(
    title: str,
    more: Iterable[str] = (),
    *,
    kicker: str = "",
    lede: str = "",
    data: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Yield the head of a page.

    Args:
        title: The title, as text.
        more: What follows below, as HTML.
        kicker: What kind of page it is, as text above the title.
        lede: A sentence below the title, as text.
        data: Values for a script, by their names.

    """
    values = "".join(f' data-{name}="{shown(value)}"' for name, value in (data or {}).items())
    yield f"<header{values}>"
    if kicker:
        yield f'<p class="kicker">{shown(kicker)}</p>'
    yield f"<h1>{shown(title)}</h1>"
    if lede:
        yield f'<p class="lede">{shown(lede)}</p>'
    yield from more
    yield "</header>\n"


def footer(text: str) -> Iterator[str]:
    """Yield the foot of a page, if there is a text for it."""
    if text:
        yield f"<footer><p>{shown(text)}</p></footer>\n"


def section(title: str, body: Iterable[str], *, mark: str = "", name: str = "") -> Iterator[str]:
    """Yield a section.

    Args:
        title: Its title, as text.
        body: Its content, as HTML.
        mark: What stands after the title, as HTML, such as a `badge`.
        name: By which name links lead to it; empty if none do.

    """
    place = f' id="{name}"' if name else ""
    yield f"<section{place}><h2>{shown(title)}{' ' if mark else ''}{mark}</h2>\n"
    yield from body
    yield "</section>\n"


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Iterable[int] = (),
    label: str = "",
    count: int | None = None,
    elsewhere: str = "",
) -> Iterator[str]:
    """Yield a table; on a phone each row becomes a block with the heads before the cells.

    It has at most `MOST_ROWS` rows and `MOST_CELLS` cells, and a note if there are more.

    Args:
        heads: The names of its columns, as text; the first column names the row.
        rows: Its cells, as HTML.
        numbers: The columns that hold numbers, from 0.
        label: What the table shows, as text; by default the name of its first column.
        count: How many rows there are, if `rows` has only the first of them.
        elsewhere: Where all rows are, as the end of a sentence in HTML.

    """
    most, given = max(1, min(MOST_ROWS, MOST_CELLS // len(heads))), iter(rows)
    styles = dict.fromkeys(numbers, ' class="number"')
    heads_of = {n: ' class="long"' for n, head in enumerate(heads) if longest_word(head) > LONG}
    yield f'<div class="wide" tabindex="0" role="region" aria-label="{shown(label or heads[0])}">'
    yield '<table class="stacked"><thead><tr>'
    for column, head in enumerate(heads):
        style = styles.get(column) or heads_of.get(column, "")
        yield f'<th scope="col"{style}>{shown(head)}</th>'
    yield "</tr></thead><tbody>\n"
    for row in islice(given, most):
        yield "<tr>"
        for column, (head, cell) in enumerate(zip(heads, row, strict=True)):
            named = f' data-label="{shown(head)}"' if column else ""
            yield f"<td{named}{styles.get(column, '')}>{cell}</td>"
        yield "</tr>\n"
    yield "</tbody></table></div>\n"
    found = most + sum(1 for _ in given) if count is None else count
    if found > most:
        more = f"; {elsewhere}" if elsewhere else ""
        yield f'<p class="note">These are the first {most:,} of {found:,} rows{more}.</p>\n'


def longest_word(text: str) -> int:
    """Return the length of the longest word."""
    return max(map(len, text.split()), default=0)


def verdict(text: str, tone: Tone = "") -> str:
    """Return the answer of the page, as HTML."""
    return f'<p class="verdict {tone}">{shown(text)}</p>\n'


def badge(text: str, tone: Tone = "") -> str:
    """Return a word that stands out, as HTML."""
    return f'<span class="badge {tone}">{shown(text)}</span>'


def code(text: str) -> str:
    """Return a path, a line or a command, as HTML."""
    return f"<code>{shown(text)}</code>"
