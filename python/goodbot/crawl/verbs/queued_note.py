"""A note that a crawl is not complete: URLs are queued, so a list lacks what they have."""

import sys
from typing import TYPE_CHECKING

from goodbot.cli.shared.printing import Printer
from goodbot.http.amounts import counted

if TYPE_CHECKING:
    from goodbot.crawl.folder.database import Database

__all__ = ["note_queued"]


def note_queued(database: "Database", so: str = "so this is incomplete") -> None:
    """Note on standard error how many URLs are queued, for another visit or the first one.

    Args:
        database: The database of the crawl.
        so: What follows from URLs that have no result so far.

    """
    from goodbot.crawl.frontier.reading import count_queued  # noqa: PLC0415  slow to load, and seldom needed

    again, first = count_queued(database)
    printer = Printer(sys.stderr)
    if again:
        told = f"{counted(again, 'URL')} {'is' if again == 1 else 'are'} queued for another visit"
        printer.note(f"{told}; until then, what the last visit of each found is listed.")
    if first:
        told = f"{counted(first, 'URL')} {'is' if first == 1 else 'are'} queued without a result"
        printer.note(f"{told}, {so}.")
