"""Every index passes the suite."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from goodbot.crawl.folder.database import Database
from goodbot.crawl.index.sqlite import SQLiteIndex
from goodbot.testing.index_suite import IndexSuite, OpenIndex

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from goodbot.crawl.index.protocol import Index


class TestFolder(IndexSuite):
    """The index in the database of a crawl."""

    @pytest.fixture
    def open_index(self, tmp_path: Path) -> Iterator[OpenIndex]:
        """Open the file again each time, as another process does."""
        before: list[Database] = []
        with ExitStack() as stack:

            def open_index() -> Index:
                for database in before:
                    database.commit()
                database = stack.enter_context(Database(tmp_path, create=True))
                before.append(database)
                return SQLiteIndex(database)

            yield open_index
