"""Looking at a crawl, also while it goes on.

What may live here: how a crawl is opened by who changes nothing.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from goodbot.crawl.database import Database
from goodbot.store.failures import told

__all__ = ["looking"]


@contextmanager
def looking(folder: str | os.PathLike[str]) -> Iterator[Database]:
    """Open a crawl as it is at one moment, whatever a crawl that is under way adds meanwhile.

    Args:
        folder: The folder of the crawl.

    Raises:
        NotAStoreError: There is no crawl in the folder, or its file is damaged.
        StoreError: The file cannot be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Database(folder, create=True).close()
    ...     with looking(folder) as database:
    ...         database.connection.execute("SELECT count(*) FROM urls").fetchone()
    (0,)
    """
    with closing(Database(folder)) as database:
        try:
            # One view for every statement; nothing is changed, so there is nothing to commit.
            database.connection.execute("BEGIN")
            yield database
        except sqlite3.Error as error:
            raise told(error, database.path) from error
