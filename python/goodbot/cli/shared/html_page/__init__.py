"""A page of HTML in one file, for the verbs that print one with `--html`."""

from goodbot.cli.shared.html_page.standalone import (
    Tone,
    badge,
    code,
    page,
    section,
    shown,
    table,
    verdict,
)

__all__ = ["Tone", "badge", "code", "page", "section", "shown", "table", "verdict"]
