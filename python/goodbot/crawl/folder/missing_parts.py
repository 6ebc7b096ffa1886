"""The parts of a crawl in several processes, on disk: all that were created must be there.

Scope: noticing that one is missing. `shares` decides whose a site is.
"""

import os

from goodbot.crawl.folder.database import FILE, Database
from goodbot.crawl.folder.shares import Shares, part_folder
from goodbot.errors import NotAStoreError

__all__ = ["CREATED", "refuse_missing_parts"]

CREATED = "parts-created"
"""The setting of a crawl whose processes have all created their parts."""


def refuse_missing_parts(database: Database, shares: Shares) -> None:
    """Refuse a crawl without one of its parts: it would look like a smaller crawl.

    Args:
        database: The database of the crawl, which belongs to no process.
        shares: How its sites are shared out.

    Raises:
        NotAStoreError: A part is missing, although all had been created.

    """
    if not database.setting(CREATED):
        return  # a process that was killed at the beginning has no part yet
    for number in range(shares.count):
        path = part_folder(database.folder, number) / FILE
        if not os.path.lexists(path):
            message = (
                f"{path} is missing, which is a part of the crawl in {database.folder}; restore "
                "it from a backup, or crawl into a new folder"
            )
            raise NotAStoreError(message)
