"""The orders of the operator reach the processes of a crawl, also after a write has failed."""

import asyncio
from pathlib import Path
from unittest.mock import patch

import pytest

from goodbot.crawl.folder import orders
from goodbot.crawl.folder.orders import Order
from goodbot.crawl.folder.shares import Shares
from goodbot.crawl.processes import process_crawl
from goodbot.errors import StoreFullError, StoreUnavailableError
from goodbot.testing import FakeClock, FakeSite
from tests.support.crawls.memory_crawls import SITE
from tests.support.crawls.process_crawls import LoopCrawl, parts_crawl_at
from tests.support.robot_sites import run


async def passed_on(crawl: LoopCrawl) -> None:
    """Pass orders on until none waits, or it no longer tries."""
    task = asyncio.ensure_future(crawl._pass_on_orders(Shares.of(2, [SITE])))  # noqa: SLF001
    while orders.waiting(Path(crawl.folder)) and not task.done():  # noqa: ASYNC110  the files are what counts
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def test_an_order_is_passed_on_after_a_full_disk(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It waits until it can be written, and the log says once why."""
    site = FakeSite({}, clock=FakeClock())
    leave, tries = orders.leave, iter(range(4))

    def fail_first(folder: Path, order: Order, name: str) -> str:
        if next(tries) < 2:
            message = "the disk is full"
            raise StoreFullError(message)
        return leave(folder, order, name)

    leave(tmp_path, Order("pause", SITE, site.clock.now()))
    with (
        patch.object(orders, "leave", fail_first),
        patch.object(process_crawl, "LOOK_AFTER", 0.0),
    ):
        run(passed_on(parts_crawl_at(tmp_path, site)))
    assert orders.waiting(tmp_path) == []
    assert [len(orders.waiting(tmp_path / part)) for part in ("part-1", "part-2")] == [1, 1]
    assert caplog.text.count("cannot be passed on: the disk is full") == 1


def test_each_part_gets_an_order_once(tmp_path: Path) -> None:
    """Those that can be written do not wait for the others, and a part never gets it again.

    A process may have carried it out meanwhile: `forget` again would remove what came since.
    """
    parts = [tmp_path / name for name in ("part-1", "part-2", "part-3")]
    name = orders.leave(tmp_path, Order("forget", SITE, FakeClock().now()))
    parts[1].write_text("a file, where a folder should be")
    passed: set[tuple[str, Path]] = set()
    for _ in range(3):
        with pytest.raises((OSError, StoreUnavailableError)):
            orders.pass_on(tmp_path, parts, passed)
        assert orders.waiting(tmp_path) == [name]
        orders.done(parts[0], name)  # as its process does
    parts[1].unlink()
    orders.pass_on(tmp_path, parts, passed)
    assert orders.waiting(tmp_path) == []
    assert [orders.waiting(part) for part in parts] == [[], [name], [name]]
    assert not passed


def test_an_order_that_cannot_be_read_now_is_not_lost(tmp_path: Path) -> None:
    """For example, when too many files are open."""
    name = orders.leave(tmp_path, Order("pause", SITE, FakeClock().now()))
    with (
        patch.object(orders, "open_own", side_effect=OSError(24, "Too many open files")),
        pytest.raises(OSError, match="Too many"),
    ):
        orders.pass_on(tmp_path, [tmp_path / "part-1"])
    assert orders.waiting(tmp_path) == [name]


def test_a_file_that_is_no_order_is_removed_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The operator would otherwise take it for carried out."""
    name = "order-00000000000000000002-00000001.json"
    (tmp_path / name).write_text('{"do": "dance"}', "utf-8")
    orders.pass_on(tmp_path, [tmp_path / "part-1"])
    assert orders.waiting(tmp_path) == []
    assert f"{name} is not a valid order; it was removed" in caplog.text
