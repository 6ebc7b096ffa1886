"""URLs that the operator of a crawl holds back: paused sites, and hours that have not begun.

Scope: the sentences and the commands that continue. Other modules decide what is held back.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared.printing import cut_line
from goodbot.http.instants import format_time

if TYPE_CHECKING:
    from goodbot.crawl.folder.database import Database

__all__ = ["held_back"]

SITES_TOLD = 5
"""How many paused sites are named."""


def held_back(database: "Database", folder: str, now: datetime) -> Iterator[str]:
    """Yield a sentence for each reason for which the operator holds queued URLs back.

    Args:
        database: The database of the crawl.
        folder: Its folder, as the user wrote it.
        now: The time: an aware `datetime`.

    """
    from goodbot.crawl.frontier.reading import unfetched_groups  # noqa: PLC0415  slow to load
    from goodbot.crawl.run.settings import CrawlSettings  # noqa: PLC0415  as above
    from goodbot.pace.own_hours import own_hours_begin  # noqa: PLC0415  as above

    waiting = {one.origin for one in unfetched_groups(database, ("queued", "leased"))}
    paused = [
        one for one in database.store.holds() if one.kind == "pause" and one.origin in waiting
    ]
    for one in paused[:SITES_TOLD]:
        command = suggest(folder, one.scope, verb="robot resume")
        yield f"{cut_line(str(one)).rstrip('.')}. To resume the visits: {command}"
    if len(paused) > SITES_TOLD:
        command = suggest(folder, verb="robot block list")
        more = len(paused) - SITES_TOLD
        sites = f"{more:,} more sites are" if more > 1 else "1 more site is"
        yield f"{sites} paused. To list them: {command}"
    settings = CrawlSettings.read(database)
    hours = "" if settings is None else settings.manners.hours
    begin = own_hours_begin(hours, now)
    if waiting and begin is not None:
        yield f"--hours allows visits at {hours} UT only; the next ones start {format_time(begin)}."
