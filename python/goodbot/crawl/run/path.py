"""The way of one URL through a crawl. Read this first.

`follow` tells it from top to bottom: a URL is taken, asked about, waited for, fetched, read,
recorded and led on. What may live here: the order of these steps, and what is done where one of
them fails. The steps themselves are in:

| step | where |
|---|---|
| taken, when its origin has its turn | `scheduler`, `goodbot.crawl.frontier` |
| asked about, waited for, fetched | `goodbot.robot.attempt` |
| read: marks, links, what may be indexed and kept | `page_batch` |
| recorded, and its links queued | `recorder` |
"""

import asyncio
from datetime import datetime, timedelta
from typing import NamedTuple

from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.protocol import Outcome
from goodbot.crawl.run.crawl_run import CrawlRun
from goodbot.errors import Deferred, Disallowed, FetchError, GoodbotError
from goodbot.pace import REASONS as PACE_REASONS
from goodbot.store import LATER_REASONS

__all__ = ["work"]

OF_THE_PACE = {*PACE_REASONS, *LATER_REASONS} - {"visit-time"}
"""Reasons for which a URL keeps its place: only its turn has not come. That a site is closed at
this time of day is recorded: nobody is to wonder why it was not visited."""

NO_TURN = timedelta(days=1)
"""Until an origin is looked at again that wants more time than the robot bears."""


class Step(NamedTuple):
    """How far a URL came for now."""

    outcome: Outcome | None = None
    """What has become of it; `None` if it waits, for its turn or to be recorded."""
    ready: datetime | None = None
    """When its origin may be visited again, if that is not at once."""


async def work(run: CrawlRun) -> None:
    """Lead one URL after another through the crawl, until nothing is left to do now."""
    while (url := await run.scheduler.take()) is not None:
        try:
            await follow(run, url)
        except asyncio.CancelledError:
            if not run.scheduler.is_over:
                raise
        finally:
            run.scheduler.visited()
        # What waits for nothing, such as thousands of disallowed URLs, would hold the loop.
        await asyncio.sleep(0)


async def follow(run: CrawlRun, url: QueuedUrl) -> None:
    """Lead one URL, which was taken from the queue, to its evidence and to where it leads."""
    reason, step = run.out_of_bounds(url), Step()
    try:
        if reason is not None:
            step = Step(run.skip(url, reason))
        else:
            step = await visit(run, url)
    finally:
        await run.access.free()
        run.recorder.frontier.free(url, step.ready)
    run.commit_soon()
    if step.outcome is not None:
        run.tell_settled(url, step.outcome)
    if not run.may_gather_more():
        await run.record_gathered()


async def visit(run: CrawlRun, url: QueuedUrl) -> Step:
    """Ask about a URL, wait for its turn, and fetch it; no worker waits for long.

    The answer is gathered with others, to be read and recorded in batches.
    """
    attempt = run.robot.attempt(url.url, longest_wait=0.0)
    try:
        await attempt.ask()
        if attempt.log.learned:
            await run.access.free()
            run.record_log(attempt.log)  # the sitemaps that robots.txt names are queued
        found = await attempt.fetch()
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001  see `not_fetched`
        await run.access.free()
        run.record_log(attempt.log)
        return not_fetched(run, url, error)
    await run.access.free()
    run.record_log(attempt.log)
    run.gather(url, found)
    return Step()


def not_fetched(run: CrawlRun, url: QueuedUrl, error: BaseException) -> Step:
    """Record why there is no answer; what is nobody's fault but ours is raised."""
    now, recorder = run.now(), run.recorder
    if isinstance(error, Disallowed):
        return Step(recorder.refused(url, error, now))
    if isinstance(error, Deferred):
        if error.reason in OF_THE_PACE and error.until is not None:
            recorder.give_back(url)
            return Step(ready=error.until)
        return Step(recorder.deferred(url, error, now), error.until or now + NO_TURN)
    if isinstance(error, FetchError):
        return Step(recorder.failed(url, error, now))
    if isinstance(error, asyncio.CancelledError):
        recorder.give_back(url)
    elif isinstance(error, Exception) and not isinstance(error, GoodbotError):
        return Step(recorder.broke(url, error, now))  # such as of a user's own fetcher
    raise error
