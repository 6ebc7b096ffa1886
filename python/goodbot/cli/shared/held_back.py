"""What the operator of a crawl holds back: sites that are paused, and hours that have not begun.

What may live here: the sentences, and how to go on. What is held back is decided elsewhere.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared.printing import cut_line
from goodbot.cli.shared.time_format import format_time

if TYPE_CHECKING:
    from goodbot.crawl.folder.database import Database

__all__ = ["held_back"]

SITES_TOLD = 5
"""Of so many sites it is said that they are paused."""


def held_back(database: "Database", folder: str, now: datetime) -> Iterator[str]:
    """Yield a sentence for each thing by which the operator holds queued URLs back.

    Args:
        database: The file of the crawl.
        folder: Its folder, as the user has it.
        now: The time: an aware `datetime`.

    """
    from goodbot.crawl.frontier.reading import unfetched_groups  # noqa: PLC0415  slow to load
    from goodbot.crawl.run.settings import CrawlSettings  # noqa: PLC0415  as above
    from goodbot.pace.own_hours import own_hours_begin  # noqa: PLC0415  as above

    waiting = {one.origin for one in unfetched_groups(database, ("queued", "leased"))}
    paused = [one for one in database.holds() if one.kind == "pause" and one.origin in waiting]
    for one in paused[:SITES_TOLD]:
        command = suggest(folder, one.scope, verb="resume")
        yield f"{cut_line(str(one)).rstrip('.')}. To visit it again: {command}"
    if len(paused) > SITES_TOLD:
        command = suggest(folder, verb="block list")
        yield f"{len(paused) - SITES_TOLD:,} more sites are paused: {command}"
    settings = CrawlSettings.read(database)
    hours = "" if settings is None else settings.manners.hours
    begin = own_hours_begin(hours, now)
    if waiting and begin is not None:
        yield f"The robot's own hours are {hours} UT, and begin at {format_time(begin)}."
