"""A document of HTML in one file: nothing is loaded, and nothing runs that is not its own.

Scope: the frame around the body, the family's style sheet, and the policy that lets these alone
apply. `parts` has what stands in the body.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

from goodbot.display import escaped as shown

__all__ = ["charts_style", "document", "family_style", "read_text", "tables_script"]


def document(
    title: str, body: Iterable[str], *, style: str = "", script: str = "", robots: str = ""
) -> Iterator[str]:
    """Yield a document, piece by piece, in light or dark as the reader's system is.

    Args:
        title: The title of the window, as text.
        body: What stands in the body, as HTML.
        style: A style sheet beside the family's.
        script: A script; the document must make sense without it.
        robots: What the document says to robots, such as `noindex`.

    """
    css = family_style() + style
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(css, script)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
    )
    if robots:
        yield f'<meta name="robots" content="{shown(robots)}">\n'
    yield f"<title>{shown(title)}</title>\n<style>{css}</style>\n</head>\n<body>\n"
    yield from body
    if script:
        yield f"<script>{script}</script>\n"
    yield "</body>\n</html>\n"


@cache
def read_text(package: str, name: str) -> str:
    """Return a file that lies in a package, such as a style sheet."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def family_style() -> str:
    """Return the style sheet of all pages."""
    return read_text(__package__, "family.css")


def charts_style() -> str:
    """Return the style sheet of lanes over time, and of tables that are searched and sorted."""
    return read_text(__package__, "charts.css")


def tables_script() -> str:
    """Return the script by which tables are searched and sorted."""
    return read_text(__package__, "tables.js")


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
