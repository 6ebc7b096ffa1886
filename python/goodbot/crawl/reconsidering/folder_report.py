"""What the folder of a crawl holds, reconsidered: a row for each use of each page.

Scope: reading the folder. Nothing is changed. `folder_rewriting` carries out what follows.
"""

from collections.abc import Iterator
from datetime import datetime

from goodbot.bots.page_reading import page_dialect_for
from goodbot.content_use.page_reading import statements_of_page
from goodbot.content_use.page_statements import PageStatements
from goodbot.crawl.archive.kept_copy import kept_copy
from goodbot.crawl.archive.place import FolderPlace
from goodbot.crawl.evidence.reading import VisitRow, visits_of
from goodbot.crawl.folder.database import Database
from goodbot.crawl.inventory.reading import facts_of_url
from goodbot.crawl.inventory.robot_access import read_page
from goodbot.crawl.reconsidering.question import Held, HeldQuestion
from goodbot.history import PolicyTimeline, read_timeline
from goodbot.page import Page
from goodbot.reconsidering import Reconsidered, TakedownList

__all__ = ["crawl_timeline", "held_pages", "origins_of_pages", "reconsider_folder"]

HELD = (
    "SELECT urls.id, urls.url, urls.spelling, origins.origin FROM urls "
    "JOIN origins ON origins.id = urls.origin WHERE urls.id IN (SELECT id FROM documents UNION "
    "SELECT url FROM kept UNION SELECT page FROM outlinks UNION SELECT url FROM page_facts "
    "WHERE title IS NOT NULL OR description IS NOT NULL OR h1 IS NOT NULL "
    "UNION SELECT source FROM anchors) ORDER BY urls.id"
)
ORIGINS = f"SELECT DISTINCT origin FROM ({HELD}) ORDER BY 1"  # noqa: S608  our own words
DIGESTS = "SELECT digest FROM kept WHERE url = ? AND kind IN ('response', 'revisit', 'conversion')"


def crawl_timeline(database: Database, origin: str) -> PolicyTimeline:
    """Return the robots.txt of a site over time, as the crawl has seen it."""
    return read_timeline(database.store, origin)


def origins_of_pages(database: Database) -> list[str]:
    """Return the origins of the pages that are held."""
    return [origin for (origin,) in database.connection.execute(ORIGINS)]


def reconsider_folder(
    database: Database, question: HeldQuestion
) -> Iterator[tuple[int, Reconsidered]]:
    """Yield a row for each use of each page, with the number of its URL.

    Args:
        database: The database of the crawl.
        question: What is asked.

    """
    for url_id, held in held_pages(database, question):
        for row in question.rows(held):
            yield url_id, row


def held_pages(database: Database, question: HeldQuestion) -> Iterator[tuple[int, Held]]:
    """Yield the pages of which anything is held, with the numbers of their URLs."""
    for url_id, url, spelling, origin in database.connection.execute(HELD):
        row = last_visit(database, url_id)
        page = None if row is None else page_of(database, url_id, url, row, question.robot)
        entry = None
        if question.takedown is not None:
            entry = listed(database, url_id, url, question.takedown)
        yield (
            url_id,
            Held(
                url, origin, None if row is None else row.at, str(database.folder), None, "page",
                page, spelling, entry,
            ),
        )  # fmt: skip


def last_visit(database: Database, url_id: int) -> VisitRow | None:
    """Return the visit that fetched what is held; `None` if it was not recorded."""
    found = None
    for row in visits_of(database, url_id):
        if row.said.event in {"visited", "unknown"}:
            found = row
    return found


def page_of(
    database: Database, url_id: int, url: str, row: VisitRow, robot: str
) -> PageStatements | None:
    """Return what a page said of its uses to a robot.

    What it said to the robot of the crawl is recorded. What it said to another one, the copy says
    that is kept, and where there is none, what was stored of what it says to all robots.
    """
    if row.said.uses is not None and robot == row.said.robot:
        return row.said.uses
    copy = kept_copy(database, url, FolderPlace(database.folder))
    if copy is None or copy.encoded or copy.truncated:
        facts = facts_of_url(database, url_id)
        if facts is None or facts.said is None:
            return None
        read = read_page(facts.said, url, robot, page_dialect_for(robot), row.status or 200)
        return statements_of_page(read, row.at)
    page = Page(
        url, copy.content, headers=copy.headers, status=copy.status or 200, robot=robot,
    )  # fmt: skip
    return statements_of_page(page, row.at)


def listed(
    database: Database, url_id: int, url: str, takedown: TakedownList
) -> tuple[int, str] | None:
    """Return the entry of the takedown list that a page is on it by."""
    stored = [
        f"sha1:{digest.hex()}" for (digest,) in database.connection.execute(DIGESTS, (url_id,))
    ]
    found = takedown.entry_of(url, stored)
    if found is None and takedown.algorithms:
        copy = kept_copy(database, url, FolderPlace(database.folder))
        found = None if copy is None else takedown.entry_of_content(copy.content)
    return found


def known_until(database: Database) -> datetime | None:
    """Return when the crawl last requested anything; `None` if it never did."""
    from goodbot.crawl.folder.times import stored_time  # noqa: PLC0415

    row = database.connection.execute("SELECT max(ended) FROM requests").fetchone()
    return None if row[0] is None else stored_time(row[0])
