"""A crawl with an index, for tests: pages go in, numbers of pages come out."""

from datetime import datetime, timezone
from pathlib import Path

from goodbot import Page
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Document
from goodbot.crawl.index.indexable import document_of
from goodbot.crawl.index.sqlite import SQLiteIndex
from goodbot.crawl.searching import Results, search

NOW = datetime(2025, 1, 1, tzinfo=timezone.utc)
PROFILE = "http://example.org/xmdp/robots-profile#"
ADD = """INSERT INTO urls(id, url, origin, depth, hops, how, state, visited)
    VALUES(?, ?, 1, 0, 0, '', '', ?)"""


class Crawl:
    """A database with an index to which pages are added."""

    def __init__(self, folder: Path | str) -> None:
        """Create the database."""
        self.database = Database(folder, create=True)
        self.index = SQLiteIndex(self.database)

    def know(self, *numbers: int) -> None:
        """Add rows for URLs."""
        with self.database.changing() as connection:
            connection.executemany(
                ADD, [(number, f"https://a.example/{number}", number) for number in numbers]
            )

    def put(self, number: int, html: str, profile: str = PROFILE) -> None:
        """Handle a page as the crawl does: add it to the index, or remove it."""
        page = read(html, profile)
        document = document_of(page, NOW)
        with self.database.changing():
            if document is None:
                self.index.remove(number)
            else:
                self.index.put(number, document)

    def text(self, number: int, text: str, title: str = "") -> None:
        """Add a text of which every part may be quoted."""
        self.index.put(number, Document(title, text, text, None, None))

    def search(self, query: str, **words: int) -> Results:
        """Search at a fixed time."""
        return search(self.database, query, now=NOW, **words)

    def found(self, query: str) -> set[int]:
        """Return the numbers of the pages found; the total must agree with them."""
        results = self.search(query, limit=10_000)
        numbers = {int(hit.url.rpartition("/")[2]) for hit in results.hits}
        assert len(numbers) == len(results.hits) == results.total
        return numbers


def read(html: str, profile: str = PROFILE) -> Page:
    """Read a page whose HEAD names the Robot Exclusion Profile."""
    return Page("https://a.example/", f'<head profile="{profile}">{html}')
