"""The account of a site comes from the process that has it, whenever that process is ready."""

import asyncio
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from unittest.mock import patch

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.lock import FolderLock
from goodbot.crawl.folder.shares import Shares
from goodbot.crawl.processes import part_database
from goodbot.crawl.processes.messages import Command, Message
from goodbot.crawl.processes.part_crawl import PartCrawl
from goodbot.crawl.processes.part_database import WANT_AGAIN, PartDatabase
from goodbot.store import Later
from goodbot.testing import FakeClock, FakeSite
from tests.support.crawls.memory_crawls import html, moved
from tests.support.crawls.process_crawls import crawl_in_parts

ONE, OTHER = "https://a.example", "https://b.example"
NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


def test_an_account_is_wanted_again_while_nobody_answers(tmp_path: Path) -> None:
    """The first request may be lost; more than one in a few seconds would be too many."""
    Database(tmp_path, create=True).close()
    wanted: list[str] = []
    part = PartDatabase(tmp_path, 1, Shares.of(2, [OTHER, ONE]), wanted.append)
    tenths = [NOW + timedelta(seconds=number / 10) for number in range(101)]
    answers = [part.store.acquire(OTHER, now, 60, "ExampleBot") for now in tenths]
    part.close()
    assert {type(answer) for answer in answers} == {Later}
    assert wanted == [OTHER] * (1 + timedelta(seconds=10) // WANT_AGAIN)


def test_a_process_that_still_opens_moves_an_account_later(tmp_path: Path) -> None:
    """It may wait for the process of an earlier run; one request for the account is enough."""
    routes: dict[str, Any] = {
        f"{ONE}/robots.txt": moved(f"{OTHER}/robots.txt"),
        f"{ONE}/": html("one"),
        f"{OTHER}/robots.txt": "User-agent: *\nDisallow: /private",
        f"{OTHER}/": html("other"),
    }
    asked = asyncio.Event()
    obey, lock = PartCrawl.obey, PartCrawl._lock  # noqa: SLF001  what delays the opening

    def note(crawl: PartCrawl, message: Message) -> None:
        obey(crawl, message)
        if isinstance(message, Command) and message.do == "move":
            asked.set()

    async def wait(crawl: PartCrawl) -> FolderLock:
        if crawl.folder.name == "part-1":
            await asked.wait()
        return await lock(crawl)

    with (
        patch.object(PartCrawl, "obey", note),
        patch.object(PartCrawl, "_lock", wait),
        patch.object(part_database, "WANT_AGAIN", timedelta(days=1)),
    ):
        found = crawl_in_parts(
            tmp_path,
            FakeSite(routes, clock=FakeClock()),
            *(f"{OTHER}/", f"{ONE}/"),
            patience=None,
            bounds={"seconds": 3600.0, "disk": None, "pages": None},
        )
    assert asked.is_set()
    assert (found.summary.ended, found.summary.urls) == ("nothing-left", {"done": 2})
