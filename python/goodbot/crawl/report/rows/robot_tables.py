"""The tables of a report on robots: pages by robots, and what each of them may not use.

Scope: rows. `goodbot.crawl.inventory.robot_access` decides.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache

from goodbot.crawl.folder.database import Database
from goodbot.crawl.inventory.robot_access import AccessAnswer, AccessWord, page_answers
from goodbot.crawl.report.rows.packed_tables import PackedTable, Table, TableColumn
from goodbot.http.instants import instant
from goodbot.indexability.robot_columns import shown_name

__all__ = ["MOST_ROBOTS", "USUAL_ROBOTS", "RobotTables"]

USUAL_ROBOTS = ("Googlebot", "bingbot", "GPTBot")
"""The robots beside that of the crawl, unless others are named."""
MOST_ROBOTS = 12
"""The most robots that have a column; a page of each must fit."""
CLOSED = Table(
    "robots-closed",
    "What robots may not use",
    (
        TableColumn("url", "URL", "url"),
        TableColumn("robot", "robot", "choice"),
        TableColumn("source", "who says so"),
        TableColumn("since", "since", "time"),
        TableColumn("fetch", "fetch", "choice", on_phones=False),
        TableColumn("index", "index", "choice", on_phones=False),
        TableColumn("snippet", "snippet", "choice", on_phones=False),
        TableColumn("train", "train", "choice", on_phones=False),
    ),
    "inventory DIR --for",
)

CLOSED_WORDS = frozenset({"not fetched", "not indexed"})
"""The words of pages that a robot may not use."""


class RobotTables:
    """The tables, filled in one pass.

    Args:
        robots: The robots, by their names.

    """

    def __init__(self, robots: Sequence[str]) -> None:
        """Start without rows."""
        self.robots = list(robots)[:MOST_ROBOTS]
        columns = [
            TableColumn(f"robot-{place}", name, "choice") for place, name in enumerate(self.robots)
        ]
        pages = Table(
            "robots",
            "Pages by robots",
            (TableColumn("url", "URL", "url"), *columns),
            f"inventory DIR --for {','.join(self.robots)} --csv" if self.robots else "",
        )
        closed = Table(
            CLOSED.name, CLOSED.title, CLOSED.columns, f"{CLOSED.command} {','.join(self.robots)}"
        )
        self.pages, self.closed = PackedTable(pages), PackedTable(closed)
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in self.robots}
        """How many pages have each word, by robot."""
        self._patterns: Counter[tuple[str, ...]] = Counter()
        """How many pages have the same words for all robots."""

    @property
    def tables(self) -> tuple[PackedTable, ...]:
        """All tables."""
        return self.pages, self.closed

    def fill(self, database: Database, now: datetime) -> None:
        """Add what each robot may do with each page.

        Args:
            database: The file of the crawl.
            now: The time, an aware `datetime`.

        Raises:
            NotAStoreError: A row is damaged.

        """
        shown = [shown_name(name) for name in self.robots]
        for url, answers in page_answers(database, self.robots, now) if self.robots else ():
            words = tuple(word_for(one.fetch, one.indexed, one.snippet) for one in answers)
            self._patterns[words] += 1
            self.pages.add((url, *words))
            if not CLOSED_WORDS.isdisjoint(words):
                for name, word, answer in zip(shown, words, answers, strict=True):
                    if word in CLOSED_WORDS:
                        self._add_closed(url, name, answer)
        for words, pages in self._patterns.items():  # many pages have the same words
            for name, word in zip(self.robots, words, strict=True):
                self.counts[name][word] += pages
        for table in self.tables:
            table.finish()

    def pages_with(self, wanted: Mapping[int, str]) -> int:
        """Return how many pages have these words for these robots, by their places."""
        return sum(
            pages
            for words, pages in self._patterns.items()
            if all(words[place] == word for place, word in wanted.items())
        )

    def _add_closed(self, url: str, robot: str, answer: AccessAnswer) -> None:
        source = answer.fetch_source if answer.fetch == "disallowed" else answer.index_source
        since = None if answer.since is None else instant(answer.since, "since")
        words = (answer.fetch, answer.indexed, answer.snippet, answer.train)
        self.closed.add((url, robot, source, since, *words))


@cache
def word_for(fetch: AccessWord, index: AccessWord, snippet: AccessWord) -> str:
    """Return what a robot may do with a page, in a word or two."""
    if fetch != "allowed":
        return "not fetched" if fetch == "disallowed" else fetch
    if index == "disallowed":
        return "not indexed"
    if index != "allowed":
        return index
    return "not quoted" if snippet == "disallowed" else "indexed"
