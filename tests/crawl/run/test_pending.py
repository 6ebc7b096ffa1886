"""What waits to be recorded waits again if the change with it is undone, whenever that is."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from goodbot.crawl.folder.database import Database
from goodbot.crawl.run.pending import Pending
from goodbot.errors import StoreFullError

if TYPE_CHECKING:
    from pathlib import Path


class FullDisk:
    """A part of a change that fails at its end, as writing to a full disk does."""

    def complete(self, connection: sqlite3.Connection) -> None:  # noqa: ARG002  see `ChangePart`
        """Fail."""
        message = "database or disk is full"
        raise sqlite3.OperationalError(message)

    def drop(self) -> None:
        """Do nothing."""


def record(database: Database, pending: Pending[int], *, fails: bool) -> list[int]:
    """Return what waits, taken in a change."""
    with database.changing():
        found = [*pending.take()]
        if fails:
            database.at_end(FullDisk())
        return found


def test_nothing_is_lost_or_taken_twice(tmp_path: Path) -> None:
    """Also if the change fails at its very end, and another one succeeded before."""
    with Database(tmp_path, create=True) as database:
        pending: Pending[int] = Pending(database)
        pending.add(1)
        assert record(database, pending, fails=False) == [1]
        pending.add(2)
        pending.add(3)
        for _ in range(2):
            with pytest.raises(StoreFullError):
                record(database, pending, fails=True)
            assert [*pending] == [2, 3]
        pending.add(4)
        assert record(database, pending, fails=False) == [2, 3, 4]
        assert record(database, pending, fails=False) == []
