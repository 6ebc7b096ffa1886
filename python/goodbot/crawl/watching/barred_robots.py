"""Which robots must not index which pages, by what the pages say, and which of that is new.

Scope: from what a crawl stored. What robots.txt disallows is counted elsewhere.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import TypeAlias

from goodbot.bots.page_reading import page_dialect_for
from goodbot.crawl.folder.database import Database
from goodbot.crawl.inventory.overview import with_facts
from goodbot.crawl.inventory.robot_access import Sites, answers_on
from goodbot.http.amounts import counted

__all__ = ["BarredPages", "BarredThen", "barred_pages", "newly_barred", "snapshot"]

BarredPages: TypeAlias = Mapping[str, Mapping[str, str]]
"""For each page the robots that must not index it, each with the statement that says so."""
BarredThen: TypeAlias = Mapping[str, frozenset[str]]
"""For each robot that was watched the digests of the pages that it had not to index."""


def barred_pages(database: Database, robots: Sequence[str], now: datetime) -> BarredPages:
    """Return the pages that some robots may fetch and must not index, by what the pages say.

    Args:
        database: The file of the crawl.
        robots: The robots, by their names.
        now: The time, an aware `datetime`.

    Raises:
        NotAStoreError: A row is damaged.

    """
    sites = Sites(database, now)
    asked = [(robot, page_dialect_for(robot)) for robot in robots]
    found: dict[str, dict[str, str]] = {}
    for entry, record in with_facts(database):
        if record is None or not record.said or entry.how == "sitemap-file":
            continue  # most pages say nothing to robots
        answers = answers_on(entry, record, sites, asked)
        for robot, answer in zip(robots, answers, strict=True):
            # A canonical link to another page has no time; it is a wish, and no ban.
            is_barred = (answer.fetch, answer.indexed) == ("allowed", "disallowed")
            if is_barred and answer.since is not None:
                found.setdefault(entry.url, {})[robot] = answer.index_source
    return found


def snapshot(barred: BarredPages, robots: Iterable[str]) -> BarredThen:
    """Return what a later run is compared with.

    Args:
        barred: The pages.
        robots: The robots that are watched.

    """
    found: dict[str, set[str]] = {robot: set() for robot in robots}
    for url, sources in barred.items():
        for robot in sources:
            found[robot].add(digest_of(url))
    return {robot: frozenset(pages) for robot, pages in found.items()}


def newly_barred(
    barred: BarredPages, before: BarredThen | None
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each page that robots must not index any more, with these robots in words.

    Args:
        barred: The pages as they are.
        before: As they were in the run before; `None` if that is not known. A robot that was not
            watched then is not among those for which anything is new.

    """
    for url, sources in barred.items() if before else ():
        digest = digest_of(url)
        new: dict[str, list[str]] = {}
        for robot, source in sources.items():
            if before and robot in before and digest not in before[robot]:
                new.setdefault(source, []).append(robot)
        if new:
            watched = len(before or ())
            yield url, tuple(words_of(new[source], source, watched) for source in new)


MOST_NAMED = 5
"""How many robots are named; others are counted."""


def words_of(robots: list[str], source: str, watched: int) -> str:
    """Return for which robots a statement holds, in a line."""
    if len(robots) == watched > 1:
        return f"all {watched} robots that are watched: {source}"
    others = len(robots) - MOST_NAMED
    more = f" and {counted(others, 'other robot')}" if others > 0 else ""
    return f"{', '.join(robots[:MOST_NAMED])}{more}: {source}"


def digest_of(url: str) -> str:
    """Return what stands for a URL in a snapshot."""
    return sha256(url.encode()).hexdigest()[:16]
