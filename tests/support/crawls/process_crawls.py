"""Crawls in several processes, run in one event loop, so that they are quick and use a fake clock.

Each process is a `PartCrawl` with its own part of the folder. Messages go through queues instead of
pipes, and all share one site in memory and its clock.
"""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.frontier.reading import entries
from goodbot.crawl.processes import companion
from goodbot.crawl.processes.messages import Begin, Lost, Message
from goodbot.crawl.processes.part_crawl import PartCrawl
from goodbot.crawl.processes.pipes import PartPipe
from goodbot.crawl.processes.process_crawl import ProcessCrawl
from goodbot.crawl.run import crawl_run
from goodbot.testing import FakeClock, FakeSite
from tests.support.crawls.memory_crawls import ME, QUICK, SITE, Crawled, html, run

if TYPE_CHECKING:
    from goodbot.crawl import CrawlEvent

__all__ = ["SITES", "LoopCrawl", "LoopPipe", "crawl_in_parts", "parts_crawl_at", "ring", "states"]

SITES = [f"https://{name}.example" for name in "abcde"]


class LoopPipe:
    """The connection to a process that is a task of the same loop."""

    def __init__(self, site: FakeSite) -> None:
        """Start nothing yet."""
        self._site = site
        self.messages: asyncio.Queue[Message] = asyncio.Queue()
        self.crawl: PartCrawl | None = None
        self.task: asyncio.Task[None] | None = None

    def send(self, message: Message) -> None:
        """Start with the first message; pass on all others."""
        if isinstance(message, Begin):
            self.crawl = PartCrawl(
                message, self.messages.put_nowait, fetcher=self._site, clock=self._site.clock
            )
            self.task = asyncio.ensure_future(self.crawl.work())
            self.task.add_done_callback(self._is_done)
        elif self.crawl is not None:
            asyncio.get_running_loop().call_soon(self.crawl.obey, message)

    def _is_done(self, task: "asyncio.Task[None]") -> None:
        """Report a process that is gone without a word."""
        if task.cancelled() or task.exception() is not None:
            self.messages.put_nowait(Lost(-9))

    async def receive(self) -> Message:
        """Wait for the next message."""
        return await self.messages.get()

    def kill(self) -> None:
        """Cancel the task."""
        if self.task is not None:
            self.task.cancel()

    async def close(self) -> None:
        """Wait for the task."""
        if self.task is not None:
            await asyncio.wait({self.task})


class LoopCrawl(ProcessCrawl):
    """A crawl whose processes are tasks of one loop."""

    def __init__(self, folder: Path, site: FakeSite, **options: Any) -> None:  # noqa: ANN401  of many types
        """Use the site's clock."""
        super().__init__(folder, "ExampleBot/1.0", **options)
        self._clock = site.clock
        self._site = site
        self.pipes: list[LoopPipe] = []

    async def _pipes(self, count: int) -> list[PartPipe]:
        """Make the tasks."""
        self.pipes = [LoopPipe(self._site) for _ in range(count)]
        return [*self.pipes]


def parts_crawl_at(
    folder: Path,
    site: FakeSite,
    *start: str,
    processes: int | None = 2,
    **options: Any,  # noqa: ANN401  of many types
) -> LoopCrawl:
    """Return a crawl of a site in several processes; by default it starts at the first page."""
    begin = start or (f"{SITE}/",)
    given: dict[str, Any] = {
        "manners": QUICK,
        "allow_private": True,
        "start": begin,
        **ME,
        **options,
    }
    return LoopCrawl(folder, site, processes=processes, **given)


def crawl_in_parts(
    folder: Path,
    site: FakeSite,
    *start: str,
    again: bool = False,
    early: bool = False,
    remove: bool = False,
    **options: Any,  # noqa: ANN401  of many types
) -> Crawled:
    """Crawl a site to the end in several processes."""
    events: list[CrawlEvent] = []
    at_work = parts_crawl_at(folder, site, *start, on_event=events.append, **options)
    with (
        patch.object(crawl_run, "PART_COMMIT_AFTER", 0.0),
        patch.object(crawl_run, "HAND_OVER_AFTER", 0.0),
        patch.object(companion, "NEWS_AFTER", 0.0),
    ):
        return Crawled(run(at_work.run(again=again, early=early, remove=remove)), events)


def ring(clock: FakeClock | None = None) -> FakeSite:
    """Return five sites with four pages each, that link to each other's pages."""
    routes = {}
    for at, origin in enumerate(SITES):
        other, third = SITES[(at + 1) % 5], SITES[(at + 2) % 5]
        routes[f"{origin}/robots.txt"] = "User-agent: *\nDisallow: /private"
        routes[f"{origin}/"] = html("home", "/1", f"{other}/", f"{third}/2", f"{other}/private")
        routes[f"{origin}/1"] = html("one", "/", f"{third}/3")
        routes[f"{origin}/2"] = html("two", f"{other}/1")
        routes[f"{origin}/3"] = html("three", f"{SITES[0]}/")
    return FakeSite(routes, clock=clock or FakeClock())


def states(folder: Path) -> dict[str, tuple[str, str]]:
    """Return the state and the reason of each URL of a crawl."""
    with open_readonly(folder) as database:
        found = list(entries(database))
    assert len(found) == len({one.url for one in found}), "a URL is there twice"
    assert len(found) == len({one.url_id for one in found}), "a number is there twice"
    return {one.url: (one.state, one.reason) for one in found}
