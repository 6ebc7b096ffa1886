"""The outcome of a visit is recorded part by part: once, and completely after any crash.

Here each part is stored in a file of its own, so that no transaction covers all of them.
"""

from __future__ import annotations

import asyncio
import gc
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl.archive.place import MemoryPlace
from goodbot.crawl.archive.warc_archive import WarcArchive
from goodbot.crawl.evidence.evidence import Evidence
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.bounds import Bounds
from goodbot.crawl.frontier.memory import MemoryFrontier
from goodbot.crawl.index.sqlite import SQLiteIndex
from goodbot.crawl.links.page_links import NO_LINKS
from goodbot.crawl.links.reading import LinkReader
from goodbot.crawl.links.sqlite import SQLiteLinks
from goodbot.crawl.run.crawl_parts import Parts
from goodbot.crawl.run.crawl_run import YOUNG, calm_collector
from goodbot.crawl.run.page_batch import FetchResult
from goodbot.crawl.run.recorder import Recorder
from goodbot.robot import Robot
from goodbot.testing import FakeClock, FakeSite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from goodbot.crawl.folder.records import QueuedUrl
    from goodbot.crawl.run.visit_outcome import VisitOutcome

SITE = "https://a.example"
PAGE = f"{SITE}/lamps"
HTML = "<title>Lamps</title><p>A brass lamp. <a href=/chairs>old chairs</a> <a href=/x>x</a>"


class CrashError(Exception):
    """Stands for the end of the process."""


class Crawl:
    """A crawl whose parts are stored separately."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        """Open all parts, and queue the page."""
        names = ("run", "archive", "evidence", "index", "links")
        self.files = {
            name: stack.enter_context(Database(folder / name, create=True)) for name in names
        }
        self.clock = FakeClock()
        self.site = FakeSite({"/robots.txt": 404, "/lamps": HTML}, clock=self.clock)
        self.frontier = MemoryFrontier(self.clock.now())
        archive = WarcArchive(self.files["archive"], user_agent="ExampleBot", place=MemoryPlace())
        self.archive = stack.enter_context(archive)
        self.evidence = Evidence(self.files["evidence"])
        self.index = SQLiteIndex(self.files["index"])
        self.links = SQLiteLinks(self.files["links"])
        self.recorder = self.opened()
        self.recorder.start([PAGE], self.clock.now())

    def opened(self) -> Recorder:
        """Open the recorder again."""
        parts = Parts(self.frontier, self.archive, self.evidence, self.index, links=self.links)
        bounds = Bounds(origins=frozenset({SITE}))
        return Recorder(self.files["run"], bounds, self.clock.now(), parts=parts)

    def crash(self) -> None:
        """Open the parts as another process would."""
        self.clock.advance(60)
        self.frontier = MemoryFrontier(self.clock.now(), self.frontier.rows)
        self.recorder = self.opened()

    def take(self) -> QueuedUrl:
        """Return the next URL of the queue, and free its origin."""
        taken = self.frontier.take(self.clock.now())
        assert taken is not None
        self.frontier.free(taken, None)
        return taken

    def visit(self) -> list[VisitOutcome]:
        """Fetch the page from the queue, and decide on its outcome."""
        taken, before = self.take(), []
        while taken.url != PAGE:  # after a crash it is the last in the queue
            before.append(taken)
            taken = self.take()
        for one in before:
            self.frontier.give_back(one)

        async def fetched() -> Any:  # noqa: ANN401
            robot = Robot(
                "ExampleBot/1.0",
                info_url="https://example.com/bot",
                contact="bot@example.com",
                fetcher=self.site,
                clock=self.clock,
            )
            async with robot:
                return await robot.visit(PAGE, redirects=0)

        visit = asyncio.run(fetched())
        return self.recorder.read([FetchResult(taken, visit, self.clock.now())])

    def count(self, name: str, table: str, condition: str = "TRUE") -> int:
        """Count the rows of a part."""
        said = f"SELECT count(*) FROM {table} WHERE {condition}"  # noqa: S608  our own words
        return int(self.files[name].connection.execute(said).fetchone()[0])

    def check_complete(self, visits: int = 1) -> None:
        """Assert that every record of the page is there once."""
        states = {row.url: row.state for row in self.frontier.rows}
        assert states == {PAGE: "done", f"{SITE}/chairs": "queued", f"{SITE}/x": "queued"}
        assert self.count("archive", "kept", "kind = 'response'") == 1
        copy = self.archive.show(PAGE)
        assert copy is not None
        assert copy.content == HTML.encode()
        assert self.count("evidence", "evidence") == visits
        assert self.count("index", "anchors") == 2
        assert self.count("links", "inlinks") == 2
        stored = LinkReader(self.files["links"], self.clock.now()).of_page(1)
        assert [(one.target, one.text) for one in stored] == [(2, "old chairs"), (3, "x")]
        found = self.index.search("brass", now=self.clock.now()).pages
        assert [page.url_id for page in found] == [1]


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Crawl]:
    """Open a crawl."""
    with ExitStack() as stack:
        yield Crawl(tmp_path, stack)


PARTS = (
    ("frontier", "add"),
    ("links", "record"),
    ("archive", "keep"),
    ("evidence", "keep"),
    ("index", "describe"),
    ("index", "put"),
    ("frontier", "settle"),
)


def break_behind(crawl: Crawl, part: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """End the process when a part has been written."""
    whole = getattr(crawl, part)
    does = getattr(whole, method)

    def and_crash(*values: Any, **words: Any) -> None:  # noqa: ANN401
        does(*values, **words)
        raise CrashError

    monkeypatch.setattr(whole, method, and_crash)


def test_an_outcome_is_written_down_once(crawl: Crawl) -> None:
    """The result is the same however often an outcome is recorded."""
    outcomes = crawl.visit()
    for _ in range(3):
        (settled,) = crawl.recorder.apply(outcomes)
        assert settled.state == "done"
        crawl.check_complete()


@pytest.mark.parametrize(("part", "method"), PARTS)
def test_an_outcome_is_completed_after_an_error(
    part: str, method: str, crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If recording is repeated after any part, every record is there once."""
    outcomes = crawl.visit()
    with monkeypatch.context() as broken:
        break_behind(crawl, part, method, broken)
        with pytest.raises(CrashError):
            crawl.recorder.apply(outcomes)
    is_settled = method == "settle"
    assert (crawl.frontier.rows[0].state == "done") == is_settled, "settling is the last part"
    crawl.recorder.apply(outcomes)
    crawl.check_complete()


@pytest.mark.parametrize(("part", "method"), PARTS)
def test_a_visit_is_made_again_after_a_crash(
    part: str, method: str, crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same holds unless the URL was settled; a lost visit leaves at most its evidence."""
    outcomes = crawl.visit()
    with monkeypatch.context() as broken:
        break_behind(crawl, part, method, broken)
        with pytest.raises(CrashError):
            crawl.recorder.apply(outcomes)
    crawl.crash()
    if method == "settle":
        crawl.check_complete()
        return
    again = crawl.visit()
    assert again[0].taken.visit == 2
    crawl.recorder.apply(again)
    has_old_evidence = part in {"evidence", "index"}
    crawl.check_complete(visits=1 + has_old_evidence)
    # Records of the lost process arrive too late, whichever part they are for.
    crawl.recorder.apply(outcomes)
    crawl.check_complete(visits=1 + has_old_evidence)


def test_what_comes_late_past_the_queue_does_no_harm(crawl: Crawl) -> None:
    """Each part notices that a newer visit was recorded."""
    old = crawl.visit()[0]
    crawl.crash()
    crawl.recorder.apply(crawl.visit())
    late = replace(old.document, text="of yesterday") if old.document else None
    assert late is not None
    crawl.index.put(1, late, old.taken.visit)
    crawl.index.remove(1, old.taken.visit)
    crawl.archive.forget(1, old.taken.visit)
    crawl.links.record(1, NO_LINKS, [], old.taken.visit)
    crawl.links.remove(1, old.taken.visit)
    crawl.check_complete()


def test_what_is_given_back_is_not_settled(crawl: Crawl) -> None:
    """A response that was read too late leaves no records."""
    outcomes = crawl.visit()
    crawl.recorder.give_back(outcomes[0].taken)
    crawl.recorder.apply(outcomes)
    assert [row.state for row in crawl.frontier.rows] == ["queued"]
    assert crawl.archive.show(PAGE) is None
    assert not crawl.count("evidence", "evidence")
    assert 1 not in crawl.index


@pytest.mark.parametrize(("before", "during"), [(700, YOUNG), (0, 0), (YOUNG + 1, YOUNG + 1)])
def test_a_run_calls_the_collector_rarely(before: int, during: int) -> None:
    """A run raises the threshold of the collector for its own time; a host's own setting stays."""
    usual = gc.get_threshold()
    gc.unfreeze()  # what tests/conftest.py froze
    try:
        gc.set_threshold(before, 9, 8)
        with calm_collector():
            assert gc.get_threshold() == (during, 9, 8)
        assert gc.get_threshold() == (before, 9, 8)
        assert not gc.get_freeze_count()
    finally:
        gc.set_threshold(*usual)
