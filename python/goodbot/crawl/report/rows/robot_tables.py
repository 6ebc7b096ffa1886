"""The tables of a report on robots: pages by robots, and what each of them may not use.

Scope: rows. `goodbot.crawl.inventory.robot_access` decides.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from goodbot.crawl.folder.database import Database
from goodbot.crawl.inventory.robot_access import RobotAccess, robot_access
from goodbot.crawl.report.rows.packed_tables import PackedTable, Table, TableColumn
from goodbot.http.instants import instant

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
        TableColumn("fetch", "fetch", "choice"),
        TableColumn("index", "index", "choice"),
        TableColumn("snippet", "snippet", "choice", on_phones=False),
        TableColumn("train", "train", "choice", on_phones=False),
        TableColumn("source", "who says so"),
        TableColumn("since", "since", "time", on_phones=False),
    ),
    "inventory DIR --for",
)


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
        rows = robot_access(database, self.robots, now) if self.robots else iter(())
        for url, of_page in groupby(rows, key=lambda row: row.url):
            words = []
            for name, row in zip(self.robots, of_page, strict=True):
                word = word_for(row)
                words.append(word)
                self.counts[name][word] += 1
                if row.is_usable is False and row.index != "no page":
                    self._add_closed(row)
            self.pages.add((url, *words))
        for table in self.tables:
            table.finish()

    def _add_closed(self, row: RobotAccess) -> None:
        source = row.fetch_source if row.fetch == "disallowed" else row.index_source
        since = None if row.since is None else instant(row.since, "since")
        answers = (row.fetch, row.index, row.snippet, row.train)
        self.closed.add((row.url, row.robot, *answers, source, since))


def word_for(row: RobotAccess) -> str:
    """Return what a robot may do with a page, in a word or two."""
    if row.fetch != "allowed":
        return "not fetched" if row.fetch == "disallowed" else row.fetch
    if row.index == "disallowed":
        return "not indexed"
    if row.index != "allowed":
        return row.index
    return "not quoted" if row.snippet == "disallowed" else "indexed"
