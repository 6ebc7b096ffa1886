"""Pages of HTML in one file, all of one family: for light and dark mode, phones and paper."""

from goodbot.display import escaped as shown
from goodbot.html_page.document import (
    charts_style,
    document,
    family_style,
    read_text,
    tables_script,
)
from goodbot.html_page.parts import (
    MOST_ROWS,
    Tone,
    badge,
    code,
    footer,
    header,
    page,
    section,
    table,
    verdict,
)

__all__ = [
    "MOST_ROWS",
    "Tone",
    "badge",
    "charts_style",
    "code",
    "document",
    "family_style",
    "footer",
    "header",
    "page",
    "read_text",
    "section",
    "shown",
    "table",
    "tables_script",
    "verdict",
]
