"""The parts of a crawl that are only written, in the folder and in memory, pass their suites."""

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl.evidence.evidence import Evidence
from goodbot.crawl.evidence.remarks import remarks
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Discovery
from goodbot.crawl.frontier.memory import MemoryFrontier
from goodbot.crawl.frontier.protocol import Outcome, QueueEntry
from goodbot.crawl.frontier.sqlite import SQLiteFrontier
from goodbot.crawl.frontier.sqlite_traps import SQLiteTrapMemory
from goodbot.crawl.frontier.trap_memory import PlainTrapMemory
from goodbot.crawl.inventory.page_record import PageRecord
from goodbot.crawl.inventory.reading import stored_facts
from goodbot.crawl.inventory.sqlite import SQLiteInventory
from goodbot.crawl.links.compact_rows import unpacked_ids
from goodbot.crawl.links.sqlite import SQLiteLinks
from goodbot.crawl.testing import EvidenceSuite, InventorySuite, LinkSuite, TrapSuite
from goodbot.crawl.testing.evidence_suite import START
from goodbot.crawl.testing.trap_suite import PAGES, SITE, OpenTraps
from goodbot.store.account import to_time
from tests.support.crawls.memory_parts import MemoryEvidence, MemoryInventory, MemoryLinks

Opens = Callable[[], Database]


@pytest.fixture
def opens(tmp_path: Path) -> Iterator[Opens]:
    """Return a function that opens the folder of a crawl, again and again."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(Database(tmp_path / "crawl", create=True))


def rows_of(database: Database, asked: str) -> list[Any]:
    """Return rows of a folder."""
    return database.connection.execute(asked).fetchall()


class TestEvidence(EvidenceSuite):
    """Evidence in the folder."""

    database: Database

    @pytest.fixture
    def open_evidence(self, opens: Opens) -> Callable[[], Evidence]:
        """Open the folder each time."""

        def opened() -> Evidence:
            self.database = opens()
            return Evidence(self.database)

        return opened

    def visits(self, _evidence: Any) -> list[tuple[int, int | None, datetime]]:  # noqa: ANN401
        """Read the table."""
        found = rows_of(self.database, "SELECT url, visit, at FROM evidence ORDER BY id")
        return [(url_id, visit, to_time(at)) for url_id, visit, at in found]

    def requests(self, _evidence: Any) -> list[tuple[str, int | str]]:  # noqa: ANN401
        """Read the table."""
        return rows_of(
            self.database, "SELECT url, coalesce(status, failure) FROM requests ORDER BY id"
        )

    def remarks(self, _evidence: Any) -> list[tuple[str, str]]:  # noqa: ANN401
        """Read the table."""
        return [(one.origin, one.text) for one in remarks(self.database)]


class TestMemoryEvidence(EvidenceSuite):
    """Evidence in lists."""

    @pytest.fixture
    def open_evidence(self) -> Callable[[], MemoryEvidence]:
        """Open the same lists."""
        evidence = MemoryEvidence()
        return lambda: evidence

    def visits(self, evidence: Any) -> list[tuple[int, int | None, datetime]]:  # noqa: ANN401
        """Read the list."""
        return [(url_id, visit, row.at) for url_id, visit, row in evidence.rows]

    def requests(self, evidence: Any) -> list[tuple[str, int | str]]:  # noqa: ANN401
        """Read the list."""
        return [
            (one.url, getattr(one, "status", getattr(one, "kind", ""))) for one in evidence.events
        ]

    def remarks(self, evidence: Any) -> list[tuple[str, str]]:  # noqa: ANN401
        """Read the dictionary."""
        return [(origin, text) for origin, _, text in evidence.remarks]


class TestLinks(LinkSuite):
    """Links in the folder."""

    database: Database

    @pytest.fixture
    def open_links(self, opens: Opens) -> Callable[[], SQLiteLinks]:
        """Open the folder each time."""

        def opened() -> SQLiteLinks:
            self.database = opens()
            return SQLiteLinks(self.database)

        return opened

    def targets(self, _links: Any) -> dict[int, list[int]]:  # noqa: ANN401
        """Read both tables, which say the same."""
        forwards = {
            page: [target for target in unpacked_ids(packed) if target]
            for page, packed in rows_of(self.database, "SELECT page, targets FROM outlinks")
        }
        backwards = set(rows_of(self.database, "SELECT page, target FROM inlinks"))
        assert backwards == {(page, one) for page, found in forwards.items() for one in found}
        return forwards


class TestMemoryLinks(LinkSuite):
    """Links in a dictionary."""

    @pytest.fixture
    def open_links(self) -> Callable[[], MemoryLinks]:
        """Open the same dictionary."""
        links = MemoryLinks()
        return lambda: links

    def targets(self, links: Any) -> dict[int, list[int]]:  # noqa: ANN401
        """Read the dictionary."""
        return {page: targets for page, (_, targets) in links.pages.items()}


class TestInventory(InventorySuite):
    """An inventory in the folder."""

    database: Database

    @pytest.fixture
    def open_inventory(self, opens: Opens) -> Callable[[], SQLiteInventory]:
        """Open the folder each time."""

        def opened() -> SQLiteInventory:
            self.database = opens()
            return SQLiteInventory(self.database)

        return opened

    def facts(self, _inventory: Any) -> dict[int, PageRecord]:  # noqa: ANN401
        """Read the table."""
        return {one.url_id: one.record for one in stored_facts(self.database)}


class TestMemoryInventory(InventorySuite):
    """An inventory in a dictionary."""

    @pytest.fixture
    def open_inventory(self) -> Callable[[], MemoryInventory]:
        """Open the same dictionary."""
        inventory = MemoryInventory()
        return lambda: inventory

    def facts(self, inventory: Any) -> dict[int, PageRecord]:  # noqa: ANN401
        """Read the dictionary."""
        return {url_id: record for url_id, (_, record) in inventory.pages.items()}


def queue_pages(frontier: Any, queued: Collection[str]) -> None:  # noqa: ANN401  either queue
    """Put all pages in a queue, and settle those that are not to be queued."""
    found = [(Discovery(url, "start"), QueueEntry(url, SITE, depth=0)) for url in PAGES]
    frontier.add(found, START)
    while (taken := frontier.take(START)) is not None:
        later = Outcome("queued", "test", due=START + timedelta(days=1))
        outcome = later if taken.url in queued else Outcome("done", "test")
        frontier.settle(taken, outcome, START)
        frontier.free(taken, None)


class TestTraps(TrapSuite):
    """A memory in the folder."""

    @pytest.fixture
    def open_traps(self, opens: Opens) -> OpenTraps:
        """Open the folder each time."""

        def opened(queued: Collection[str]) -> SQLiteTrapMemory:
            database = opens()
            queue_pages(SQLiteFrontier(database, START), queued)
            return SQLiteTrapMemory(database)

        return opened


class TestPlainTraps(TrapSuite):
    """A memory that lasts as long as the process."""

    @pytest.fixture
    def open_traps(self) -> OpenTraps:
        """Return the same memory each time."""
        waiting: set[str] = set()
        memory = PlainTrapMemory(waiting.__contains__)

        def opened(queued: Collection[str]) -> PlainTrapMemory:
            waiting.update(queued)
            return memory

        return opened


def test_the_pages_of_the_suite_can_be_queued_and_settled() -> None:
    """The helper above does what it says."""
    frontier = MemoryFrontier(START)
    queue_pages(frontier, PAGES[:1])
    assert frontier.how_many() == {"queued": 1, "done": 2}
