"""What happens to a crawl in several processes when something goes wrong around it."""

import asyncio
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.missing_parts import CREATED
from goodbot.crawl.folder.open_readonly import folders_of, open_readonly
from goodbot.crawl.processes import face as face_module
from goodbot.crawl.processes.suspension import suspending
from goodbot.errors import NotAStoreError, StoreFullError, StoreUnavailableError
from goodbot.pace import Manners
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.memory_crawls import html, run
from tests.support.crawls.process_crawls import LoopCrawl, crawl_in_parts, parts_crawl_at

if TYPE_CHECKING:
    from collections.abc import Callable

SITES = [f"https://{name}.example" for name in "abc"]
SLOW = Manners(default=5.0, factor=0.0)


def site_of_three() -> FakeSite:
    """Return three sites, each with a first page that links to four others."""
    pages = {f"{origin}/{page}": html("page") for origin in SITES for page in range(4)}
    first = {f"{origin}/": html("home", *(f"/{page}" for page in range(4))) for origin in SITES}
    return FakeSite({"/robots.txt": 404, **first, **pages}, clock=FakeClock())


def crawl_of_three(folder: Path, site: FakeSite) -> LoopCrawl:
    """Return a crawl that takes some time, in three processes."""
    start = [f"{origin}/" for origin in SITES]
    return parts_crawl_at(folder, site, *start, processes=3, manners=SLOW, patience=None)


async def visited(site: FakeSite, count: int) -> None:
    """Wait for some requests."""
    while len(site.visits) < count:
        await site.clock.sleep(0.5)


def test_a_crawl_that_is_suspended_makes_no_request(tmp_path: Path) -> None:
    """Its processes rest meanwhile, which does not end the crawl; then they go on."""
    site = site_of_three()
    crawl = crawl_of_three(tmp_path, site)

    async def main() -> str:
        running = asyncio.ensure_future(crawl.run())
        await visited(site, 8)
        face = crawl._face  # noqa: SLF001  what the signal calls
        assert face is not None
        face.hold()
        await site.clock.sleep(1.0)
        before = len(site.visits)
        await site.clock.sleep(600.0)
        assert len(site.visits) == before
        face.go_on()
        return (await running).ended

    assert run(main()) == "nothing-left"
    assert len(site.visits) == 18


def test_a_visit_that_waits_when_its_crawl_is_suspended_goes_on_waiting(tmp_path: Path) -> None:
    """The target of a redirected robots.txt, for example, has to wait for its turn."""
    moved = Answer(status=301, headers=[("Location", "/r.txt")])
    pages = {f"{origin}/": html("home") for origin in SITES}
    site = FakeSite({"/robots.txt": moved, "/r.txt": 404, **pages}, clock=FakeClock())
    crawl = crawl_of_three(tmp_path, site)

    async def main() -> list[str]:
        running = asyncio.ensure_future(crawl.run())
        await visited(site, len(SITES))
        face = crawl._face  # noqa: SLF001  what the signal calls
        assert face is not None
        face.hold()
        await site.clock.sleep(600.0)
        before = [visit.url for visit in site.visits]
        face.go_on()
        assert (await running).ended == "nothing-left"
        return before

    assert sorted(run(main())) == [f"{origin}/robots.txt" for origin in SITES]
    assert len(site.visits) == 3 * len(SITES)


def test_a_folder_that_cannot_be_written_at_the_beginning_ends_all_in_order(tmp_path: Path) -> None:
    """The face notes there that all parts exist, when every process is ready."""
    site = site_of_three()
    crawl = crawl_of_three(tmp_path, site)
    wrote = Database.write_settings

    def full(database: Database, settings: dict[str, str], **options: bool) -> None:
        if CREATED in settings:
            message = "the disk is full; free some space"
            raise StoreFullError(message)
        wrote(database, settings, **options)

    with (
        patch.object(Database, "write_settings", full),
        pytest.raises(StoreFullError, match="free some space"),
    ):
        run(crawl.run())
    tasks = [pipe.task for pipe in crawl.pipes]
    assert all(task is not None and not task.cancelled() for task in tasks)


def test_ctrl_z_holds_before_the_process_stops() -> None:
    """It goes on when the process does; a handler of the program itself stays."""
    calls: list[str] = []

    async def main() -> None:
        with suspending(lambda: calls.append("hold"), lambda: calls.append("go on")):
            signal.raise_signal(signal.SIGTSTP)
            await asyncio.sleep(0.01)

    def stopped(_process: int, number: int) -> None:
        calls.append(signal.Signals(number).name)

    with patch("os.kill", stopped):
        asyncio.run(main())
    assert calls == ["hold", "SIGSTOP", "go on"]
    own: Callable[..., object] = lambda *_: calls.append("own")  # noqa: E731
    before = signal.signal(signal.SIGTSTP, own)
    try:
        asyncio.run(main())
    finally:
        signal.signal(signal.SIGTSTP, before)
    assert calls[3:] == ["own"]


def test_a_process_that_hangs_is_killed_after_the_second_stop(tmp_path: Path) -> None:
    """The error names it, and the crawl can be resumed."""
    site = site_of_three()
    crawl = crawl_of_three(tmp_path, site)

    async def main() -> None:
        running = asyncio.ensure_future(crawl.run())
        await visited(site, 8)
        hanging = crawl.pipes[1].crawl
        assert hanging is not None
        with patch.object(hanging, "obey"):
            crawl.stop()
            crawl.stop()
            await running

    message = "process 2 of 3 .* was ended because it did not stop"
    with (
        patch.object(face_module, "ENDING", 0.5),
        pytest.raises(StoreUnavailableError, match=message),
    ):
        run(main())
    found = crawl_in_parts(tmp_path, site, processes=None, resume=True, start=(), patience=None)
    assert found.summary.urls == {"done": 15}


def test_a_missing_part_is_refused(tmp_path: Path) -> None:
    """Without it, the crawl would look like a smaller one, and its pages would be fetched again."""
    start = [f"{origin}/" for origin in SITES]
    crawl_in_parts(tmp_path, site_of_three(), *start, processes=3)
    shutil.rmtree(tmp_path / "part-2")
    with (
        pytest.raises(NotAStoreError, match=r"part-2.* is missing, .* restore it"),
        open_readonly(tmp_path),
    ):
        raise AssertionError
    with pytest.raises(NotAStoreError, match="is missing"):
        folders_of(tmp_path)
    with pytest.raises(NotAStoreError, match="is missing"):
        crawl_in_parts(tmp_path, site_of_three(), processes=None, resume=True, start=())
