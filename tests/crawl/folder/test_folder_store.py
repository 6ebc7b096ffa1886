"""The store that the database of a crawl has does what every store does."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.folder_store import FolderStore
from goodbot.robot.context import Store
from goodbot.testing import StoreSuite
from goodbot.testing.store_suite import START


class TestFolderStore(StoreSuite):
    """While nothing is gathered, each call is a change of the file."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[FolderStore]:
        """Open a new folder."""
        with Database(tmp_path / "crawl", create=True) as database:
            yield database.store


class TestGatheringFolderStore(StoreSuite):
    """While a crawl runs, accounts are in memory, and changes are committed now and then."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[FolderStore]:
        """Open a new folder, as a crawl does."""
        with Database(tmp_path / "crawl", create=True) as database:
            database.gather(START)
            yield database.store


def test_a_database_has_a_store_and_is_none(tmp_path: Path) -> None:
    """Robots get the store; the transactions of the crawl are the database's."""
    with Database(tmp_path, create=True) as database:
        assert isinstance(database.store, Store)
        assert not isinstance(database, Store)
