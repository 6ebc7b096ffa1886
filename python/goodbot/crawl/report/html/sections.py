"""A section of a report, and the words that several of them share.

Scope: the record, and the commands that a section names.
"""

import shlex
from collections.abc import Mapping

from goodbot.crawl.report.rows.packed_tables import PackedTable
from goodbot.crawl.report.rows.summary import ReportSummary
from goodbot.lazy_dataclass import dataclass

__all__ = ["NOTHING", "Section", "Tables", "command_for"]

NOTHING = "-"

Tables = Mapping[str, PackedTable]
"""The tables of a report, by name."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page."""

    name: str
    """The `id` of the section."""
    title: str
    body: str
    """What follows the heading, as HTML."""
    count: int | None = None
    """The number beside the title; `None` for none."""
    short: str = ""
    """The title in the list of sections, if it is another."""


def command_for(summary: ReportSummary, command: str) -> str:
    """Return a command of goodbot on the folder of the crawl; `command` has `DIR` in its place."""
    words = command.replace("DIR", shlex.quote(summary.folder), 1)
    return f"goodbot {words}" if command else ""
