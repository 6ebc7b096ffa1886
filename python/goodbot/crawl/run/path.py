"""The path of one URL through a crawl. Read this first.

`follow` shows all steps from top to bottom. Scope: the order of the steps, and what happens when
one of them fails. The steps themselves are in:

| step | module |
|---|---|
| take a URL from the queue when its origin is ready | `scheduler`, `goodbot.crawl.frontier` |
| check robots.txt, wait, fetch | `goodbot.robot.attempt` |
| gather responses, so that many are read and recorded together | `batch_writer` |
| read a response: marks, links, what may be indexed and kept | `page_batch` |
| record the result, and queue the links | `recorder` |
"""

import asyncio
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.bounds import depth_of
from goodbot.crawl.frontier.protocol import Outcome
from goodbot.crawl.run.crawl_run import CrawlRun
from goodbot.errors import Deferred, Disallowed, FetchError, GoodbotError
from goodbot.pace import REASONS as PACE_REASONS
from goodbot.policy.holds import PAUSED
from goodbot.robot.beside import WORTH_A_THREAD
from goodbot.robot.revisit import conditions_of
from goodbot.robot.visit_log import Learned, VisitLog
from goodbot.robot.visiting import Reads
from goodbot.store import LATER_REASONS

__all__ = ["work"]

OF_THE_PACE = {*PACE_REASONS, *LATER_REASONS} - {"visit-time"}
"""Reasons for which a URL keeps its place in the queue, because only its turn has not come yet. A
site that is closed at this time of day is recorded, to explain why the URL was not visited."""

NO_TURN = timedelta(days=1)
"""How long to leave an origin alone that wants longer pauses than the robot accepts."""


class PathStep(NamedTuple):
    """How far a URL has come for now."""

    outcome: Outcome | None = None
    """The result; `None` while the URL waits for its turn or to be recorded."""
    ready: datetime | None = None
    """When its origin may be visited again; `None` for at once."""


async def work(run: CrawlRun) -> None:
    """Process one URL after another, until nothing is left to do for now."""
    task, scheduler = asyncio.current_task(), run.scheduler
    while (url := scheduler.take_now(task) or await wait_for_url(run, task)) is not None:
        taken = scheduler.taken
        try:
            await follow(run, url)
        except asyncio.CancelledError:
            if not scheduler.is_over:
                raise
        finally:
            scheduler.visited(task)
        # Thousands of disallowed URLs in a row, none of which waits, would block the event loop. A
        # URL during which another worker took one has waited.
        if scheduler.taken == taken:
            await asyncio.sleep(0)


async def wait_for_url(run: CrawlRun, task: "asyncio.Task[None] | None") -> QueuedUrl | None:
    """Record what was gathered, so that it is not delayed, and wait for the next URL."""
    await run.writer.record_before_pause()
    return await run.scheduler.take(task)


async def follow(run: CrawlRun, url: QueuedUrl) -> None:
    """Process one URL from the queue: fetch it, and record its evidence and its links.

    No worker waits for long: a URL whose turn comes later goes back to its place in the queue.
    """
    is_check = run.settings.bounds.checks(url.url, url.origin, url.how)
    attempt = run.robot.attempt(
        url.spelling or url.url, longest_wait=0.0, reads=what_to_read(url, is_check=is_check)
    )
    outcome, ready = out_of_bounds(run, url), None
    try:
        if outcome is None:
            kept = run.recorder.whole_copy(url)
            await attempt.ask()
            await record_log(run, attempt.log)  # queues the sitemaps that robots.txt names
            answer = await attempt.fetch(conditions_of(None if kept is None else kept.validators))
            run.scheduler.answered(url.origin)
            # If the page links to a list of robots' names, read that first.
            answer = await attempt.read_names(answer, run.is_within_bounds)
            await record_log(run, attempt.log)
            run.writer.gather(url, answer, kept, is_check=is_check)
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001  see `not_fetched`
        await record_log(run, attempt.log)
        outcome, ready = await not_fetched(
            run, url, error, is_check=is_check, permission=attempt.permission
        )
    finally:
        if run.access.is_taken:
            await run.access.free()
        run.recorder.frontier.free(url, ready)
    run.commit_soon()
    if outcome is not None:
        run.progress.settled(url, outcome)
    if run.writer.is_full():
        await run.writer.record_gathered()


def what_to_read(url: QueuedUrl, *, is_check: bool) -> Reads:
    """Return which responses to read; sitemaps are read whatever their type."""
    if is_check:
        return "header"
    return "all" if url.how == "sitemap-file" else "types"


def out_of_bounds(run: CrawlRun, url: QueuedUrl) -> Outcome | None:
    """Skip a queued URL that is outside the bounds of this run, or in a trap.

    A link to another site is visited if it is to be checked.

    A page that is in the index or the archive is visited anyway, without following its links: it
    must be removed when its site no longer allows keeping it.
    """
    depth = depth_of(url.how, url.depth)
    bounds = run.settings.bounds
    reason = bounds.refuses(url.url, url.origin, depth)
    if reason is None or bounds.checks(url.url, url.origin, url.how):
        return run.recorder.trapped(url, run.progress.now)
    if run.recorder.keeps(url.id):
        return None
    outcome = Outcome("skipped", reason)
    run.recorder.frontier.settle(url, outcome, run.progress.now())
    return outcome


async def record_log(run: CrawlRun, log: VisitLog) -> None:
    """Record what a visit did since the last call: its requests, and the policies it learned."""
    requests, policies = log.requests, log.learned
    if requests or policies:
        log.requests, log.learned = [], []  # so that nothing is recorded twice after an error
        run.progress.requested(requests)
        for request in requests:
            run.recorder.requested(request)
        for learned in policies:
            await record_policy(run, learned)
    if run.recorder.alerts:
        run.tell_alerts()


async def record_policy(run: CrawlRun, learned: Learned) -> None:
    """Record a policy; in a thread if its robots.txt is large: to compress it would hold the loop.

    The requests that are pending are recorded with it, other sites' too.
    """
    sitemaps = run.settings.sitemaps
    record = partial(run.recorder.learned, learned, run.progress.now(), sitemaps=sitemaps)
    if run.recorder.pending_size() < WORTH_A_THREAD:
        await run.access.free()
        record()
    else:
        await run.access.in_thread(record)
    if run.shared is not None and learned.record is not None:
        await run.shared.share(learned.policy.origin, learned.record, run.progress.now())


async def not_fetched(
    run: CrawlRun,
    url: QueuedUrl,
    error: BaseException,
    *,
    is_check: bool,
    permission: str = "",
) -> PathStep:
    """Record why there is no response; raise errors that are not the site's."""
    await run.access.free()
    now, recorder = run.progress.now(), run.recorder
    if isinstance(error, Disallowed):
        return PathStep(recorder.refused(url, error, now, is_check=is_check))
    if isinstance(error, Deferred):
        if error.reason == PAUSED:
            recorder.paused(url, error, now, is_known=run.progress.is_paused(url.origin))
            return PathStep(ready=run.progress.look_again(url.origin, now))
        if error.reason in OF_THE_PACE and error.until is not None:
            recorder.give_back(url)
            return PathStep(ready=error.until)
        return PathStep(recorder.deferred(url, error, now), error.until or now + NO_TURN)
    if isinstance(error, FetchError):
        return PathStep(recorder.failed(url, error, now, permission))
    if isinstance(error, asyncio.CancelledError):
        recorder.give_back(url)
    elif isinstance(error, Exception) and not isinstance(error, GoodbotError):
        return PathStep(recorder.broke(url, error, now))  # for example, in a user's own fetcher
    raise error
