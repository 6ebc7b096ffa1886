"""Every index passes the suite."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from goodbot.crawl.folder.database import Database
from goodbot.crawl.index.sqlite import SQLiteIndex
from goodbot.crawl.testing.index_suite import IndexSuite, OpenIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from goodbot.crawl.folder.records import Document
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


def without_description(document: Document) -> Document:
    """Return a document without what can be found of its description and keywords."""
    return replace(document, described=())


def without_abstract(document: Document) -> Document:
    """Return a document without its abstract."""
    return replace(document, abstract="")


def with_longer_abstract(document: Document) -> Document:
    """Return a document whose abstract may be of any length."""
    return replace(document, longest_quote=None)


SUITE = IndexSuite()


@pytest.mark.parametrize(
    ("drops", "test"),
    [
        (without_description, SUITE.test_description_and_keywords_assist_searching),
        (without_description, SUITE.test_the_description_is_the_abstract_of_a_result),
        (without_abstract, SUITE.test_the_description_is_the_abstract_of_a_result),
        (without_abstract, SUITE.test_what_is_put_is_there_after_a_crash),
        (with_longer_abstract, SUITE.test_an_abstract_is_no_longer_than_a_quotation),
    ],
)
def test_the_suite_fails_for_an_index_that_drops_what_the_author_says(
    drops: Callable[[Document], Document], test: Callable[[OpenIndex], None], tmp_path: Path
) -> None:
    """The same tests hold for the index that drops nothing."""

    class Dropping(SQLiteIndex):
        """An index that stores less than it was given."""

        def put(self, url_id: int, document: Document, visit: int = 0) -> None:
            super().put(url_id, drops(document), visit)

    with Database(tmp_path, create=True) as database, pytest.raises(AssertionError):
        test(lambda: Dropping(database))
