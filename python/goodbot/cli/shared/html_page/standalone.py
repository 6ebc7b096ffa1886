"""A page of HTML in one file: nothing loaded, for light and dark mode, phones and paper.

Scope: the frame of the page and its building blocks. Every text from outside is escaped by `shown`;
what a function calls HTML must be escaped already. A page has no script unless it asks for one of
this folder.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

from goodbot.display import escaped as shown

__all__ = ["Tone", "badge", "code", "page", "section", "shown", "table", "verdict"]

Tone = Literal["good", "bad", "odd", ""]
"""How something is meant: `good`, `bad`, `odd` (look at it), or neither."""


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
        style: The name of a further style sheet of this folder.
        script: The name of a script of this folder; the page must make sense without it.

    """
    css = style_sheet(style)
    code_of_page = static_text(script) if script else ""
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(css, code_of_page)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{shown(title)}</title>\n<style>{css}</style>\n</head>\n<body>\n<header>"
    )
    if kicker:
        yield f'<p class="kicker">{shown(kicker)}</p>'
    yield f"<h1>{shown(title)}</h1>"
    if lede:
        yield f'<p class="lede">{shown(lede)}</p>'
    yield "</header>\n<main>\n"
    yield from body
    yield "</main>\n"
    if foot:
        yield f"<footer><p>{shown(foot)}</p></footer>\n"
    if code_of_page:
        yield f"<script>{code_of_page}</script>\n"
    yield "</body>\n</html>\n"


def section(title: str, body: Iterable[str], *, mark: str = "") -> Iterator[str]:
    """Yield a section.

    Args:
        title: Its title, as text.
        body: Its content, as HTML.
        mark: What stands after the title, as HTML, such as a `badge`.

    """
    yield f"<section><h2>{shown(title)}{' ' if mark else ''}{mark}</h2>\n"
    yield from body
    yield "</section>\n"


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Iterable[int] = ()
) -> Iterator[str]:
    """Yield a table; on a phone each row becomes a block with the heads before the cells.

    Args:
        heads: The names of its columns, as text; the first column names the row.
        rows: Its cells, as HTML.
        numbers: The columns that hold numbers, from 0.

    """
    styles = dict.fromkeys(numbers, ' class="number"')
    yield f'<div class="wide" tabindex="0" role="region" aria-label="{shown(heads[0])}">'
    yield '<table class="stacked"><thead><tr>'
    for column, head in enumerate(heads):
        yield f'<th scope="col"{styles.get(column, "")}>{shown(head)}</th>'
    yield "</tr></thead><tbody>\n"
    for row in rows:
        yield "<tr>"
        for column, (head, cell) in enumerate(zip(heads, row, strict=True)):
            label = f' data-label="{shown(head)}"' if column else ""
            yield f"<td{label}{styles.get(column, '')}>{cell}</td>"
        yield "</tr>\n"
    yield "</tbody></table></div>\n"


def verdict(text: str, tone: Tone = "") -> str:
    """Return the answer of the page, as HTML."""
    return f'<p class="verdict {tone}">{shown(text)}</p>\n'


def badge(text: str, tone: Tone = "") -> str:
    """Return a word that stands out, as HTML."""
    return f'<span class="badge {tone}">{shown(text)}</span>'


def code(text: str) -> str:
    """Return a path, a line or a command, as HTML."""
    return f"<code>{shown(text)}</code>"


@cache
def static_text(name: str) -> str:
    """Return a static part of a page."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def style_sheet(more: str = "") -> str:
    """Return the style sheet, with a further one."""
    return static_text("standalone.css") + (static_text(more) if more else "")


def policy(style: str, script: str = "") -> str:
    """Return the Content-Security-Policy: nothing else is loaded or run, whatever the page shows.

    Source: Content Security Policy Level 3, section 2.3.1.
    """
    scripts = f"; script-src {digest(script)}" if script else ""
    return (
        f"default-src 'none'; style-src {digest(style)}{scripts}; base-uri 'none'; "
        "form-action 'none'"
    )


def digest(text: str) -> str:
    """Return the source expression of a part of the page."""
    found = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{found}'"
