"""The way of one URL through a crawl. Read this first.

`follow` tells it from top to bottom: a URL is taken, asked about, waited for, fetched, read,
recorded and led on. What may live here: the order of these steps, and what is done where one of
them fails. The steps themselves are in:

| step | where |
|---|---|
| taken, when its origin has its turn | `scheduler`, `goodbot.crawl.frontier` |
| asked about, waited for, fetched | `goodbot.robot.attempt` |
| gathered, so that many are read and recorded together | `batch_writer` |
| read: marks, links, what may be indexed and kept | `page_batch` |
| recorded, and where it leads queued | `recorder` |
"""

import asyncio
from datetime import datetime, timedelta
from typing import NamedTuple

from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.bounds import depth_of
from goodbot.crawl.frontier.protocol import Outcome
from goodbot.crawl.run.crawl_run import CrawlRun
from goodbot.errors import Deferred, Disallowed, FetchError, GoodbotError
from goodbot.pace import REASONS as PACE_REASONS
from goodbot.policy.holds import PAUSED
from goodbot.robot.revisit import conditions_of
from goodbot.robot.visit_log import VisitLog
from goodbot.store import LATER_REASONS

__all__ = ["work"]

OF_THE_PACE = {*PACE_REASONS, *LATER_REASONS} - {"visit-time"}
"""Reasons for which a URL keeps its place: only its turn has not come. That a site is closed at
this time of day is recorded: nobody is to wonder why it was not visited."""

NO_TURN = timedelta(days=1)
"""Until an origin is looked at again that wants more time than the robot bears."""


class PathStep(NamedTuple):
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
    """Lead one URL, taken from the queue, to its evidence and to where it leads.

    No worker waits for long: a URL whose turn comes later goes back into its place.
    """
    attempt = run.robot.attempt(
        url.spelling or url.url, longest_wait=0.0, reads_all=url.how == "sitemap-file"
    )
    step = PathStep(out_of_bounds(run, url))
    try:
        if step.outcome is None:
            kept = run.recorder.whole_copy(url)
            await attempt.ask()
            await record_log(run, attempt.log)  # sitemaps that a robots.txt names are queued
            answer = await attempt.fetch(conditions_of(None if kept is None else kept.validators))
            # Names of robots, if the page points to a page that has them.
            answer = await attempt.read_names(answer, run.is_within_bounds)
            await record_log(run, attempt.log)
            run.writer.gather(url, answer, kept)
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001  see `not_fetched`
        await record_log(run, attempt.log)
        step = await not_fetched(run, url, error)
    finally:
        await run.access.free()
        run.recorder.frontier.free(url, step.ready)
    run.commit_soon()
    if step.outcome is not None:
        run.progress.settled(url, step.outcome)
    if not run.writer.may_gather_more():
        await run.writer.record_gathered()  # read, recorded, and where it leads is queued


def out_of_bounds(run: CrawlRun, url: QueuedUrl) -> Outcome | None:
    """Record that a URL which was queued is out of the bounds of this run by now, or in a trap.

    A page of which something is kept is visited all the same, and its links are not taken: what is
    kept must go when its site no longer wants it kept.
    """
    depth = depth_of(url.how, url.depth)
    reason = run.settings.bounds.refuses(url.url, url.origin, depth)
    if reason is None:
        return run.recorder.trapped(url, run.progress.now())
    if run.recorder.keeps(url):
        return None
    outcome = Outcome("skipped", reason)
    run.recorder.frontier.settle(url, outcome, run.progress.now())
    return outcome


async def record_log(run: CrawlRun, log: VisitLog) -> None:
    """Record what a visit did since this was called last: requests, and policies learned."""
    requests, policies = log.requests, log.learned
    log.requests, log.learned = [], []  # nothing is recorded twice, whatever goes wrong
    run.progress.requested(requests)
    for request in requests:
        run.recorder.requested(request)
    if policies:
        await run.access.free()
    for learned in policies:
        run.recorder.learned(learned, run.progress.now(), sitemaps=run.settings.sitemaps)
    run.tell_alerts()


async def not_fetched(run: CrawlRun, url: QueuedUrl, error: BaseException) -> PathStep:
    """Record why there is no answer; what is nobody's fault but ours is raised."""
    await run.access.free()
    now, recorder = run.progress.now(), run.recorder
    if isinstance(error, Disallowed):
        return PathStep(recorder.refused(url, error, now))
    if isinstance(error, Deferred):
        if error.reason == PAUSED:
            recorder.paused(url, error, now, is_known=run.progress.is_paused(url.origin))
            return PathStep(ready=run.progress.look_again(url.origin, now))
        if error.reason in OF_THE_PACE and error.until is not None:
            recorder.give_back(url)
            return PathStep(ready=error.until)
        return PathStep(recorder.deferred(url, error, now), error.until or now + NO_TURN)
    if isinstance(error, FetchError):
        return PathStep(recorder.failed(url, error, now))
    if isinstance(error, asyncio.CancelledError):
        recorder.give_back(url)
    elif isinstance(error, Exception) and not isinstance(error, GoodbotError):
        return PathStep(recorder.broke(url, error, now))  # such as of a user's own fetcher
    raise error
