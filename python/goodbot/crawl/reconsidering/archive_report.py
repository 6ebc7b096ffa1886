"""What web archives hold, reconsidered: a row for each use of each record, and what becomes of it.

Scope: from the rows of a scan to answers, which are noted in the scan for `archive_rewriting`.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from functools import partial

from goodbot.content_use.page_statements import PageStatements
from goodbot.crawl.imports.file_timelines import FileTimelines
from goodbot.crawl.imports.survey import ANSWERS, ANSWERS_FROM, answers_in
from goodbot.crawl.reconsidering.file_scan import statements
from goodbot.crawl.reconsidering.question import Held, HeldQuestion
from goodbot.http.instants import instant, to_datetime
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer
from goodbot.reconsidering import HeldUse, Reconsidered

__all__ = ["ScannedAnswers", "origins_in", "reconsider_archives", "timelines_of"]

JUDGED = (
    "SELECT id, file, start, kind, url, spelling, origin, at, said, listed, entry, name, digest, "
    "refers, refers_url, refers_date, is_robots_txt, others FROM records "
    "WHERE kind NOT IN ('warcinfo') ORDER BY id"
)
REPORTED = {"response", "revisit", "resource", "conversion"}
"""The types of records that are reported; the others go with the one that they are about."""
OF_ORIGINAL = "SELECT said FROM records WHERE kind = 'response' AND"
ORIGINAL = (
    f"{OF_ORIGINAL} name = ? AND name <> '' LIMIT 1",
    f"{OF_ORIGINAL} url = ? AND date = ? AND date <> '' LIMIT 1",
    f"{OF_ORIGINAL} digest = ? AND digest <> '' LIMIT 1",
)
"""How the record is found that another one refers to, the surest way first (WARC 1.1 6.7)."""
NOTE = "UPDATE records SET do = ?, why = ? WHERE id = ?"
GO_ALONG = (
    # What describes a page that goes, and was captured with it.
    """UPDATE records SET do = 'along', why = (SELECT why FROM records AS one
        WHERE one.url = records.url AND one.date = records.date AND one.do <> ''
        AND one.kind IN ('response', 'revisit') LIMIT 1)
        WHERE do = '' AND kind IN ('request', 'metadata') AND url <> ''
        AND EXISTS (SELECT 1 FROM records AS one WHERE one.url = records.url
        AND one.date = records.date AND one.do <> '' AND one.kind IN ('response', 'revisit'))""",
    # What was made of such a page, and names its URL.
    """UPDATE records SET do = 'along', why = (SELECT why FROM records AS one
        WHERE one.url = records.refers_url AND records.refers_date IN ('', one.date)
        AND one.do <> '' LIMIT 1)
        WHERE do = '' AND kind IN ('metadata', 'conversion', 'resource', 'continuation')
        AND refers_url <> '' AND EXISTS (SELECT 1 FROM records AS one
        WHERE one.url = records.refers_url AND records.refers_date IN ('', one.date)
        AND one.do <> '')""",
    """UPDATE records SET do = 'along', why = (SELECT why FROM records AS one
        JOIN refs USING (file, number) WHERE refs.name = records.name AND one.do <> '' LIMIT 1)
        WHERE do = '' AND kind = 'request' AND name <> '' AND name IN
        (SELECT refs.name FROM records JOIN refs USING (file, number) WHERE do <> '')""",
)
FRONTIER = (
    "CREATE TEMP TABLE reached(id INTEGER PRIMARY KEY, name TEXT NOT NULL, why TEXT NOT NULL)"
)
GOING = "INSERT INTO reached SELECT id, name, why FROM records WHERE do <> '' AND name <> ''"
NEXT = """CREATE TEMP TABLE following AS SELECT records.id, records.name, min(reached.why) AS why
    FROM reached JOIN refs ON refs.name = reached.name JOIN records USING (file, number)
    WHERE do = ''
    AND kind IN ('request', 'metadata', 'conversion', 'continuation', 'resource')
    GROUP BY records.id"""
"""What describes a record that goes, or was made of it; and what describes that, and so on."""


class ScannedAnswers:
    """The responses for robots.txt in scanned files, as `FileTimelines` asks for them.

    Args:
        scan: The scan.

    """

    def __init__(self, scan: sqlite3.Connection) -> None:
        """Store the scan."""
        self._scan = scan

    def answers(self, url: str) -> list[RobotsTxtAnswer]:
        """Return the responses for a URL in order of their times."""
        return answers_in(url, self._scan.execute(ANSWERS, (url,)))

    def answers_from(self, url: str, at: datetime) -> list[RobotsTxtAnswer]:
        """Return the first response for a URL from a time on, and those of the same time."""
        return answers_in(url, self._scan.execute(ANSWERS_FROM, (url, instant(at, "at"))))


def timelines_of(scan: sqlite3.Connection, dialect: str = "rfc9309") -> FileTimelines:
    """Return the robots.txt over time that the scanned files have."""
    return FileTimelines(ScannedAnswers(scan), dialect)


def origins_in(scan: sqlite3.Connection) -> list[str]:
    """Return the origins of the records."""
    rows = scan.execute("SELECT DISTINCT origin FROM records WHERE origin <> '' ORDER BY 1")
    return [origin for (origin,) in rows]


def reconsider_archives(
    scan: sqlite3.Connection, question: HeldQuestion, applied: Collection[HeldUse] = ()
) -> Iterator[Reconsidered]:
    """Yield a row for each use of each record; note which records go.

    Args:
        scan: The scan.
        question: What is asked.
        applied: The uses by which records go.

    """
    names = dict(scan.execute("SELECT id, name FROM scanned"))
    notes = scan.cursor()
    scan.execute("BEGIN")
    for row in scan.execute(JUDGED):
        number, file, start, kind, url, spelling, origin, at, said, listed, entry = row[:11]
        is_file, others = row[16:18]
        if kind not in REPORTED and not origin and listed is None and not others:
            continue
        pages = list(pages_of(scan, said, kind, row))
        places = [(url, origin, spelling), *(json.loads(others) if others else ())]
        held = partial(
            Held, at=None if at is None else to_datetime(at), file=names[file], offset=start,
            kind=kind, entry=None if listed is None else (listed, entry),
        )  # fmt: skip
        found = strictest(
            question.rows(held(url=url, origin=origin, spelling=spelling, page=page))
            for url, origin, spelling in places
            for page in pages
        )
        going = [one for one in found if one.do != "keep" and one.use in applied]
        going = [one for one in going if not is_file or one.use == "takedown"]
        if going:
            notes.execute(NOTE, (going[0].do, why(going[0]), number))
        if kind in REPORTED and not is_file:
            yield from found
    for statement in GO_ALONG:
        scan.execute(statement)
    follow_references(scan)
    scan.execute("COMMIT")


def follow_references(scan: sqlite3.Connection) -> None:
    """Note that what refers to a record that goes does so, too, through any number of records."""
    scan.execute(FRONTIER)
    scan.execute(GOING)
    while scan.execute("SELECT 1 FROM reached LIMIT 1").fetchone():
        scan.execute(NEXT)
        scan.execute(
            "UPDATE records SET do = 'along', why = (SELECT why FROM following AS one "
            "WHERE one.id = records.id) WHERE id IN (SELECT id FROM following)"
        )
        scan.execute("DELETE FROM reached")
        scan.execute("INSERT INTO reached SELECT id, name, why FROM following WHERE name <> ''")
        scan.execute("DROP TABLE following")
    scan.execute("DROP TABLE reached")


def pages_of(
    scan: sqlite3.Connection, said: str | None, kind: str, row: tuple[object, ...]
) -> Iterator[PageStatements | None]:
    """Yield what the page of a record says; for a revisit also what its original says."""
    own = statements(said)
    original = None
    if kind in {"revisit", "conversion", "metadata"}:
        digest, refers, url, date = row[12:16]
        keys = ((refers,), (url, date), (digest,))
        for statement, key in zip(ORIGINAL, keys, strict=True):
            found = scan.execute(statement, key).fetchone()
            if found is not None:
                original = statements(found[0])
                break
    if original is not None:
        yield original
    if own is not None or original is None:
        yield own


def strictest(answers: Iterable[Iterable[Reconsidered]]) -> list[Reconsidered]:
    """Return the rows of one record; of several readings of its page, the most restrictive."""
    best: dict[str, Reconsidered] = {}
    for rows in answers:
        for one in rows:
            before = best.get(one.use)
            if before is None or (before.do in {"keep", "withhold"} and one.do != "keep"):
                best[one.use] = one
    return list(best.values())


def why(row: Reconsidered) -> str:
    """Return by which statement a record goes, as JSON."""
    return json.dumps(
        {
            name: getattr(row, name)
            for name in ("use", "do", "then", "now", "reason", "line", "source")
        }
    )
