"""The table of pages whose title or text other pages have, too.

Scope: groups of pages. Only pages that may be indexed are compared, as only of these texts are
stored.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from goodbot._core import near_duplicates
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.reading import urls_of
from goodbot.crawl.inventory.overview import FEWEST_WORDS
from goodbot.crawl.inventory.reading import BriefFacts
from goodbot.crawl.report.rows.packed_tables import PackedTable, Table, TableColumn

__all__ = ["DUPLICATES", "DuplicateFinder"]

HASHES = 2**64
"""How many hashes of texts there are."""
LOOKED_UP = 1_000
"""How many pages are looked up together, each with the first one of its group."""

DUPLICATES = Table(
    "duplicates",
    "Duplicates",
    (
        TableColumn("url", "URL", "url"),
        TableColumn("same", "shared", "choice"),
        TableColumn("pages", "pages", "number"),
        TableColumn("first", "first of these pages", "url"),
        TableColumn("title", "title"),
    ),
    "inventory DIR",
)


class Group(NamedTuple):
    """Pages that share their title, or nearly their text."""

    same: str
    """`title` or `text`."""
    title: str
    """The title that they share; empty if it is their text."""
    pages: Sequence[int]
    """The numbers of their URLs, in the order in which they were found."""


class DuplicateFinder:
    """Finds pages with the same title or nearly the same text."""

    def __init__(self) -> None:
        """Start without pages."""
        self._first: dict[tuple[str, str], int] = {}
        """The first page with each title; few titles have another one."""
        self._others: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._hashes: dict[int, int] = {}

    def add(self, origin: str, facts: BriefFacts) -> None:
        """Add a page that may be indexed."""
        if facts.title:
            title = (origin, facts.title)
            if self._first.setdefault(title, facts.url_id) != facts.url_id:
                self._others[title].append(facts.url_id)
        if facts.simhash is not None and (facts.words or 0) >= FEWEST_WORDS:
            self._hashes[facts.url_id] = facts.simhash % HASHES

    def fill(self, database: Database, table: PackedTable) -> int:
        """Add a row for each page that has duplicates, group by group, the largest first.

        Returns:
            The number of pages; one that shares both its title and its text has two rows.

        """
        groups = sorted(self._groups(), key=lambda one: (-len(one.pages), one.pages[0]))
        listed = ((group, url_id) for group in groups for url_id in group.pages)
        while some := list(islice(listed, LOOKED_UP)):
            numbers = {number for group, url_id in some for number in (url_id, group.pages[0])}
            urls = urls_of(database, numbers)
            for group, url_id in some:
                first = urls[group.pages[0]]
                table.add((urls[url_id], group.same, len(group.pages), first, group.title))
        table.finish()
        return len({url_id for group in groups for url_id in group.pages})

    def _groups(self) -> Iterator[Group]:
        """Yield the groups of more than one page."""
        for title, others in self._others.items():
            yield Group("title", title[1], [self._first[title], *others])
        texts: dict[int, list[int]] = defaultdict(list)
        numbers = list(self._hashes)
        for number, leader in zip(
            numbers, near_duplicates(list(self._hashes.values())), strict=True
        ):
            texts[leader].append(number)
        for pages in texts.values():
            if len(pages) > 1:
                yield Group("text", "", pages)
