"""The folder of a site that is watched: whose it is, and what its next run is compared with.

Scope: reading the crawl in it, and reading and writing the history of its runs. The changes
themselves are found in `goodbot.crawl.watching`.
"""

from collections.abc import Sequence
from datetime import datetime, timezone

from goodbot._core import origin
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.frontier.reading import brief_urls, start_urls
from goodbot.crawl.watching.barred_robots import BarredThen, barred_pages, snapshot
from goodbot.crawl.watching.last_run import latest_run
from goodbot.crawl.watching.looking_back import look_back
from goodbot.crawl.watching.run_extent import RunExtent, extent_of
from goodbot.crawl.watching.watch_history import append_run, read_barred, read_runs, write_barred
from goodbot.crawl.watching.watch_run import WatchRun
from goodbot.errors import MisuseError

__all__ = ["extent_in", "look_back_in", "refuse_other_site", "remember", "remember_crawl"]

READ = ("evidence", "inventory", "links")
"""The parts of a crawl that are read."""


def refuse_other_site(folder: str, site: str) -> None:
    """Refuse a folder that has another site.

    Raises:
        MisuseError: The folder watches another site, or its crawl has nothing of this one.

    """
    runs = read_runs(folder)
    if runs:
        other = "" if runs[0].site == site else f"watches {runs[0].site}"
    else:
        with open_readonly(folder, reads=READ) as database:
            own = {one.origin for one in brief_urls(database) if one.state != "skipped"}
            first = next(map(origin, start_urls(database)), "other sites")
        other = "" if not own or site in own else f"has a crawl of {first}"
    if other:
        message = f"{folder} {other}; name another folder"
        raise MisuseError(message)


def remember_crawl(folder: str, site: str, robots: Sequence[str]) -> None:
    """Make a crawl that was not watched the first run of the history, if it came to its end.

    Later runs are compared with it, however many of them fail.
    """
    if read_runs(folder):
        return
    with open_readonly(folder, reads=READ) as database:
        is_whole = extent_of(database).is_whole
    if is_whole:
        remember(folder, *look_back_in(folder, site, (), robots, datetime.now(timezone.utc)))


def extent_in(folder: str) -> RunExtent:
    """Return how far the latest run of a crawl came."""
    with open_readonly(folder, reads=READ) as database:
        return extent_of(database, latest_run(database.settings()))


def look_back_in(
    folder: str, site: str, logs: Sequence[str], robots: Sequence[str], now: datetime
) -> tuple[WatchRun, BarredThen]:
    """Find what changed since the run before, and what robots must not index now."""
    runs, log = read_runs(folder), None
    if logs:
        from goodbot.crawl.watching.log_changes import read_logs  # noqa: PLC0415  an extra

        every = (run.log for run in reversed(runs))
        log = read_logs(logs, folder, site, next((one for one in every if one is not None), None))
    with open_readonly(folder, reads=READ) as database:
        barred = barred_pages(database, robots, now)
        found = look_back(
            database,
            site,
            now=now,
            since=runs[-1].at if runs else None,
            robots=robots,
            log=log,
            barred=(barred, read_barred(folder)),
        )
    return found, snapshot(barred, robots)


def remember(folder: str, found: WatchRun, barred: BarredThen) -> None:
    """Add a run to the history: the next one is compared with it."""
    append_run(folder, found)
    write_barred(folder, barred)
