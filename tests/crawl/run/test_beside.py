"""Threads of a crawl, and access to the database while they run."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import goodbot.crawl.run.batch_writer as writer_module
import goodbot.crawl.run.crawl as crawl_module
import goodbot.crawl.run.crawl_run as run_module
from goodbot._core import warc_record
from goodbot.crawl import Crawl
from goodbot.crawl.archive import warc
from goodbot.crawl.archive.warc_archive import FAST_LEVEL
from goodbot.crawl.folder.database import Database
from goodbot.crawl.run import recorder as ledger_module
from goodbot.crawl.run.page_batch import FetchResult, PageBatch, read_answers
from goodbot.crawl.run.recorder import Recorder
from goodbot.net import Response
from goodbot.robot import Visit
from goodbot.robot.beside import WORTH_A_THREAD
from goodbot.robot.origin_state import AppliedPolicy, OriginState
from goodbot.robot.visit import Hop
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.memory_crawls import (
    SITE,
    crawl,
    crawl_at,
    html,
    kept,
    paths,
    rows,
    run,
    searched,
    site_of,
)
from tests.support.waiting import HANGS

pytestmark = pytest.mark.stress

MANY = "".join(f"<p>word{number} <a href=/p{number % 7}>a link</a>" for number in range(4_000))
"""A page that weighs enough to be read in a thread."""
HUGE = MANY * 5
"""A page that is read alone."""
SITEMAP = "".join(f"<url><loc>{SITE}/p{number}</loc></url>" for number in range(7))
OTHERS = [f"https://s{number}.example/" for number in range(12)]


def site_with_much() -> FakeSite:
    """Return a site with small and large pages and a sitemap."""
    pages: dict[str, Any] = {f"p{one}": html(f"small{one}", "/many") for one in range(7)}
    pages["sitemap.xml"] = Answer(body=f"<urlset>{SITEMAP}</urlset>".encode())
    return site_of(
        f"User-agent: *\nAllow: /\nSitemap: {SITE}/sitemap.xml",
        home=html("home", "/many", "/huge"),
        many=f"<title>many</title>{MANY}",
        huge=f"<title>huge</title>{HUGE}<p data-nosnippet>hidden",
        **pages,
    )


def is_here(thread: int) -> bool:
    """Return whether this runs in the thread of the test, which is that of the event loop."""
    return thread == threading.get_ident()


class Reader:
    """Records in which thread responses are read, and can delay one of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Wrap the reader."""
        self.threads: dict[str, int] = {}
        self.is_reading = threading.Event()
        self.may_go_on = threading.Event()
        self.waits_at = ""
        self._read = read_answers
        monkeypatch.setattr(ledger_module, "read_answers", self.read)

    def read(self, answers: list[FetchResult], *more: Any, **options: Any) -> PageBatch:  # noqa: ANN401  handed on
        """Read after a delay."""
        for one in answers:
            path = one.taken.url.removeprefix(SITE)
            self.threads[path] = threading.get_ident()
            if path == self.waits_at:
                self.is_reading.set()
                assert self.may_go_on.wait(HANGS)
        return self._read(answers, *more, **options)


def test_what_is_large_is_read_in_a_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small pages are read on the event loop, which is cheaper; sitemaps are read in threads."""
    reader = Reader(monkeypatch)
    threads: dict[str, int] = {}
    visited = Recorder.visited

    def written(self: Recorder, answers: list[FetchResult], read: PageBatch) -> Any:  # noqa: ANN401
        threads.update(dict.fromkeys((one.taken.url for one in answers), threading.get_ident()))
        return visited(self, answers, read)

    monkeypatch.setattr(Recorder, "visited", written)
    crawl(tmp_path, site_with_much())
    here = {path for path, thread in reader.threads.items() if is_here(thread)}
    assert {"/", "/p1"} <= here
    assert not {"/many", "/huge"} & here
    assert not is_here(threads[f"{SITE}/huge"])
    assert is_here(threads[f"{SITE}/"])


def test_small_pages_are_never_read_in_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches stay small enough for the event loop, however many pages follow one another."""
    reader = Reader(monkeypatch)
    pages: dict[str, Any] = {f"p{one}": html("word " * 300 + "<b>x</b>" * 20) for one in range(100)}
    site = site_of("", home=html("home", *(f"/{name}" for name in pages)), **pages)
    crawl(tmp_path, site)
    assert len(reader.threads) == 101
    assert all(is_here(thread) for thread in reader.threads.values())


def test_a_crawl_is_taken_up_in_a_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading a queue of a million URLs takes a second, and so does `again`."""
    threads: list[int] = []

    class Watched(Recorder):
        """Records in which thread the queue is opened and due URLs are queued."""

        def __init__(self, *given: Any, **options: Any) -> None:  # noqa: ANN401  handed on
            threads.append(threading.get_ident())
            super().__init__(*given, **options)
            queue = self.frontier.again

            def again(now: datetime, *, early: bool) -> int:
                threads.append(threading.get_ident())
                return queue(now, early=early)

            monkeypatch.setattr(self.frontier, "again", again)

    monkeypatch.setattr(crawl_module, "Recorder", Watched)
    crawl(tmp_path, site_of(home="home"), again=True)
    assert len(threads) == 2
    assert not any(is_here(thread) for thread in threads)


def test_a_sitemap_that_may_be_large_is_read_in_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few bytes of gzip may expand to very many."""
    reader = Reader(monkeypatch)
    lines = "".join(f"{SITE}/q{number}\n" for number in range(3_000))
    listed: dict[str, Any] = {"list.txt": Answer(body=lines.encode())}
    site = site_of(f"Sitemap: {SITE}/list.txt", home="home", **listed)
    crawl(tmp_path, site)
    assert not is_here(reader.threads["/list.txt"])
    assert len(rows(tmp_path)) == 3_002


def outcome(folder: Path) -> Any:  # noqa: ANN401  compared alone
    """Return all results of a crawl, except for times."""
    found = {url: (row.state, row.reason, row.depth) for url, row in rows(folder).items()}
    urls = (f"{SITE}/many", f"{SITE}/huge")
    words = {word: searched(folder, word) for word in ("word7", "small3", "hidden", "link")}
    return found, words, [kept(folder, url) for url in urls]


def test_threads_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The results are the same whether everything runs on the event loop or in threads."""
    crawl(tmp_path / "a", site_with_much())
    monkeypatch.setattr(writer_module, "MOST_AT_ONCE", 0)
    crawl(tmp_path / "b", site_with_much())
    monkeypatch.setattr(writer_module, "MOST_AT_ONCE", 1 << 40)
    monkeypatch.setattr(writer_module, "LARGE", 1 << 40)
    crawl(tmp_path / "c", site_with_much())
    assert outcome(tmp_path / "a") == outcome(tmp_path / "b") == outcome(tmp_path / "c")


def test_one_at_a_time_has_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a thread uses the database, neither the event loop nor another thread does."""
    trespasses: list[str] = []
    lent_to: set[int] = set()
    reading = Database.reading  # every use goes through it
    connection: Any = vars(Database)["connection"].fget

    def check(database: Database, what: str) -> None:
        here = threading.get_ident()
        if (database.lent is not None) == is_main(here):
            trespasses.append(what)
        if not is_main(here):
            lent_to.add(here)

    def is_main(thread: int) -> bool:
        return thread == main

    @contextmanager
    def watched(self: Database) -> Iterator[Any]:
        check(self, "change")
        with reading(self) as found:
            yield found

    def looked(self: Database) -> Any:  # noqa: ANN401  a connection
        check(self, "look")
        return connection(self)

    main = threading.get_ident()
    monkeypatch.setattr(writer_module, "MOST_AT_ONCE", 2_000)
    monkeypatch.setattr(run_module, "COMMIT_AFTER", 0.001)
    monkeypatch.setattr(Database, "reading", watched)
    monkeypatch.setattr(Database, "connection", property(looked))
    crawl(tmp_path, site_with_much(), *OTHERS, f"{SITE}/", workers=8)
    assert not trespasses
    assert lent_to


def until(is_so: Callable[[], bool]) -> Callable[[], Any]:
    """Return a coroutine that waits on the event loop until a condition holds."""

    async def wait() -> None:
        for _ in range(int(HANGS * 1000)):
            if is_so():
                return
            await asyncio.sleep(0.001)
        pytest.fail("it never was so")

    return wait


def test_others_are_visited_while_a_document_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document that takes forever blocks neither the event loop nor visits to other sites."""
    reader = Reader(monkeypatch)
    reader.waits_at = "/huge"
    site = site_with_much()
    at_work = crawl_at(tmp_path, site, f"{SITE}/huge", *OTHERS)

    async def main() -> None:
        crawling = asyncio.ensure_future(at_work.run())
        await until(reader.is_reading.is_set)()
        await until(lambda: {visit.url for visit in site.visits} >= set(OTHERS))()
        await until(lambda: all(other in reader.threads for other in OTHERS))()
        reader.may_go_on.set()
        await crawling

    run(main())
    assert rows(tmp_path)[f"{SITE}/huge"].state == "done"


def stopped_while_reading(at_work: Crawl, reader: Reader, times: int = 1) -> Any:  # noqa: ANN401
    """Crawl, and stop while a document is being read."""

    async def main() -> Any:  # noqa: ANN401  a summary
        crawling = asyncio.ensure_future(at_work.run())
        await until(reader.is_reading.is_set)()
        for _ in range(times):
            at_work.stop()
        return await asyncio.wait_for(crawling, HANGS)

    return run(main())


@pytest.mark.parametrize("times", [1, 2])
def test_a_crawl_that_is_stopped_does_not_wait_for_a_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """The URL goes back into the queue for the next run; a second stop does so at once."""
    reader = Reader(monkeypatch)
    reader.waits_at = "/huge"
    monkeypatch.setattr(run_module, "GRACE", 0.01 if times == 1 else HANGS * 10)
    at_work = crawl_at(tmp_path, site_with_much(), f"{SITE}/huge")
    summary = stopped_while_reading(at_work, reader, times)
    reader.may_go_on.set()
    assert summary.ended == "stopped"
    assert rows(tmp_path)[f"{SITE}/huge"].state == "queued"
    crawl(tmp_path, site_with_much(), f"{SITE}/huge")
    assert rows(tmp_path)[f"{SITE}/huge"].state == "done"
    assert searched(tmp_path, "word7") == ["/huge", "/many"]


def test_what_is_read_in_time_is_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document that is read within the period of grace is recorded."""
    reader = Reader(monkeypatch)
    reader.waits_at = "/huge"
    at_work = crawl_at(tmp_path, site_with_much(), f"{SITE}/huge")
    threading.Timer(0.1, reader.may_go_on.set).start()
    stopped_while_reading(at_work, reader)
    assert rows(tmp_path)[f"{SITE}/huge"].state == "done"


def test_what_nobody_foresaw_costs_one_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a thread fails on one of several documents, only that one is lost."""

    def breaks(answers: list[FetchResult], *more: Any, **options: Any) -> PageBatch:  # noqa: ANN401  handed on
        if any(one.taken.url.endswith("/many") for one in answers):
            raise ZeroDivisionError
        return read_answers(answers, *more, **options)

    monkeypatch.setattr(ledger_module, "read_answers", breaks)
    monkeypatch.setattr(writer_module, "MOST_AT_ONCE", 0)
    crawl(tmp_path, site_with_much())
    assert paths(tmp_path, "failed") == ["/many"]
    assert rows(tmp_path)[f"{SITE}/many"].reason == "unforeseen"


def test_a_large_robots_txt_is_read_in_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rules and pace are read in a thread too; a small file is read at once."""
    threads: dict[str, int] = {}
    applied = OriginState.applied

    def noted(self: OriginState, policy: Any) -> AppliedPolicy:  # noqa: ANN401  handed on
        threads[self.origin] = threading.get_ident()
        return applied(self, policy)

    monkeypatch.setattr(OriginState, "applied", noted)
    rates = "User-agent: *\n" + "Request-rate: 1/1\n" * 10_000
    crawl(tmp_path / "a", site_of(rates, home="home"))
    assert not is_here(threads[SITE])
    crawl(tmp_path / "b", site_of("User-agent: *", home="home"))
    assert is_here(threads[SITE])


def visit_of(body: bytes) -> Visit:
    """Return a visit with a response."""
    now = FakeClock().now()
    answer = Response(SITE, 200, (("Content-Type", "text/html"),), body, now, now)
    verdict: Any = None
    return Visit((Hop(SITE, verdict, answer),), "answered")


def test_a_large_robots_txt_is_archived_in_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record is made in a thread with the database; the usual level takes ten times as long.

    That of a small file is made on the event loop.
    """
    threads: dict[bool, int] = {}
    levels: dict[bool, set[int]] = {True: set(), False: set()}
    made = warc_record

    def noted(*given: Any) -> tuple[bytes, bytes, bytes]:  # noqa: ANN401  as the core has them
        payload, level = given[-2][1] or b"", given[-1]
        is_large = len(payload) >= WORTH_A_THREAD
        levels[is_large].add(level)
        if payload.startswith(b"User-agent"):
            threads[is_large] = threading.get_ident()
        return made(*given)

    monkeypatch.setattr(warc, "warc_record", noted)
    crawl(tmp_path, site_of("User-agent: *\n".ljust(WORTH_A_THREAD), home="home"))
    crawl(tmp_path / "small", site_of("User-agent: *\n", home="home"))
    assert levels == {True: {FAST_LEVEL}, False: {warc.LEVEL}}
    assert (is_here(threads[True]), is_here(threads[False])) == (False, True)


@pytest.mark.parametrize(("body", "is_large"), [(MANY.encode(), True), (b"<p>a", False)])
def test_a_page_can_be_read_beside_the_loop(
    monkeypatch: pytest.MonkeyPatch, body: bytes, *, is_large: bool
) -> None:
    """`Visit.read` reads a large page once, in a thread; `page` is the same page."""
    threads: list[int] = []
    read = Visit._read  # noqa: SLF001  where it is read

    def noted(self: Visit) -> Any:  # noqa: ANN401  a page
        threads.append(threading.get_ident())
        return read(self)

    monkeypatch.setattr(Visit, "_read", noted)
    visit = visit_of(body)

    async def main() -> None:
        page = await visit.read()
        assert page is visit.page is await visit.read()

    asyncio.run(main())
    assert [is_here(thread) for thread in threads] == [not is_large]


def test_pages_are_read_side_by_side() -> None:
    """Reading one page does not wait for another: no lock is shared."""
    first, second = visit_of(MANY.encode()), visit_of(b"<p>a")
    begun, may_go_on = threading.Event(), threading.Event()

    class Slow(Visit):
        def _read(self) -> Any:  # noqa: ANN401  a page
            begun.set()
            assert may_go_on.wait(HANGS)
            return super()._read()

    slow = Slow(first.hops, "answered")
    thread = threading.Thread(target=lambda: slow.page)
    thread.start()
    assert begun.wait(HANGS)
    assert second.page.text() == "a"
    may_go_on.set()
    thread.join()


def test_urls_that_wait_for_nothing_do_not_hold_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other tasks run between two URLs that robots.txt disallows."""
    links = "".join(f"<a href=/x{number}>x</a>" for number in range(300))
    site = site_of("User-agent: *\nDisallow: /x", home=html(links))
    turns, at = [0], []
    refused = Recorder.refused

    def noted(self: Recorder, *given: Any, **named: Any) -> Any:  # noqa: ANN401  handed on
        at.append(turns[0])
        return refused(self, *given, **named)

    def count() -> None:
        turns[0] += 1
        asyncio.get_running_loop().call_soon(count)

    async def counted() -> None:
        asyncio.get_running_loop().call_soon(count)
        await crawl_at(tmp_path, site, workers=1).run()

    monkeypatch.setattr(Recorder, "refused", noted)
    run(counted())
    assert len(at) == 300
    # Each of the 16 workers refuses at most one URL between two turns of the event loop.
    assert max(map(at.count, at)) <= 16


def test_a_page_with_a_large_header_is_read_in_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parsing its fields costs as much as reading content."""
    reader = Reader(monkeypatch)
    fields = [("X-Robots-Tag", "noindex, " * 3_000)]
    large = Answer(body=b"<p>small", headers=[("Content-Type", "text/html"), *fields])
    crawl(tmp_path, site_of(home=html("home", "/large"), large=large))
    assert is_here(reader.threads["/"])
    assert not is_here(reader.threads["/large"])
