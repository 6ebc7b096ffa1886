"""Rows on their way from one crawl folder to another: cut out of one, and brought into another.

Scope: the statements about every table. What a segment is, `goodbot.crawl.fleet` knows: some
minutes of the crawl of a worker, as a crawl folder of its own.

What a page is like replaces what an earlier visit found, as in a crawl in one folder; visits,
requests and answers of robots.txt are added. Numbers that a folder assigns for itself are assigned
anew.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import field
from pathlib import Path
from typing import Any, NamedTuple

from goodbot.crawl.folder.database import FILE, SIGNED_BY, Database
from goodbot.errors import NoOriginError
from goodbot.http.address import address_of
from goodbot.lazy_dataclass import dataclass

__all__ = [
    "CUT",
    "ChosenVisits",
    "Removals",
    "RowSummary",
    "bring_in",
    "clear",
    "copy_rows",
    "drop_results",
    "has_results",
    "order_requests",
    "summarize",
]

CUT = "cut"
"""The setting with the name of the segment that was cut last."""
REMOVED = "removed"
"""The setting of a segment that says what its visits removed, as JSON."""

RESULTS = ("evidence", "requests", "kept", "files", "outlinks", "inlinks", "page_facts")
INDEXED = ("documents", "outdated", "anchors")
MOVED = (*RESULTS, *INDEXED, "traps")
"""The tables whose rows leave the folder with a segment."""
COPIED = (*MOVED, "settings", "manners", "remarks", "timelines")
"""Those that a segment has whole."""

NAMED = """INSERT INTO temp.named(id)
    SELECT url FROM main.evidence UNION SELECT url FROM main.kept WHERE url <> 0
    UNION SELECT page FROM main.outlinks UNION SELECT page FROM main.inlinks
    UNION SELECT target FROM main.inlinks UNION SELECT url FROM main.page_facts
    UNION SELECT id FROM main.documents UNION SELECT source FROM main.anchors
    UNION SELECT target FROM main.anchors"""
LED_TO = """INSERT OR IGNORE INTO temp.named(id)
    WITH RECURSIVE led(id) AS (SELECT target FROM folder.urls JOIN temp.named USING(id)
        WHERE target IS NOT NULL
        UNION SELECT target FROM folder.urls JOIN led USING(id) WHERE target IS NOT NULL)
    SELECT id FROM led"""
OF_NAMED = {
    "urls": "id IN (SELECT id FROM temp.named)",
    "origins": "id IN (SELECT origin FROM main.urls)",
    "contents": "url IN (SELECT url FROM main.evidence)",
    "policies": "origin IN (SELECT origin FROM main.origins UNION SELECT origin FROM requests)",
    "senders": "id IN (SELECT sender FROM main.requests)",
}
"""Which rows of these tables a segment has, in the order in which they are copied."""
NUMBERS_OF_BODIES = "SELECT octets FROM main.policies"
COPY_BODY = "INSERT INTO main.octets SELECT * FROM folder.octets WHERE id = ?"
HAS_RESULTS = (
    "SELECT EXISTS(SELECT 1 FROM evidence) OR EXISTS(SELECT 1 FROM requests) "
    "OR EXISTS(SELECT 1 FROM kept)"
)
TIMES = (
    "SELECT (SELECT count(*) FROM evidence), min(at), max(at) FROM (SELECT at FROM evidence "
    "UNION ALL SELECT started FROM requests)"
)
VISITED_ORIGINS = (
    "SELECT origins.origin FROM evidence JOIN urls ON urls.id = evidence.url "
    "JOIN origins ON origins.id = urls.origin UNION SELECT origin FROM requests"
)
LAST_MANNERS = (
    "DELETE FROM manners WHERE after < (SELECT max(after) FROM manners)",
    "UPDATE manners SET after = 0",
)


@dataclass
class Removals:
    """What the visits of a segment removed, by the numbers of the URLs."""

    archive: set[int] = field(default_factory=set)
    index: set[int] = field(default_factory=set)
    links: set[int] = field(default_factory=set)
    inventory: dict[int, str] = field(default_factory=dict)
    """Whose texts were withdrawn, and why."""
    described: set[int] = field(default_factory=set)
    """The pages whose texts of links replace those stored before."""

    def clear(self) -> None:
        """Note nothing any more: a segment has what was noted."""
        for one in (self.archive, self.index, self.links, self.inventory, self.described):
            one.clear()

    def as_json(self) -> str:
        """Return the form that is stored in the segment."""
        return json.dumps(
            {
                "archive": sorted(self.archive),
                "index": sorted(self.index),
                "links": sorted(self.links),
                "inventory": sorted(self.inventory.items()),
                "described": sorted(self.described),
            }
        )

    @classmethod
    def from_json(cls, text: str) -> "Removals":
        """Read the form that is stored in the segment."""
        plain = json.loads(text or "{}")
        sets = {name: set(plain.get(name, ())) for name in ("archive", "index", "links")}
        described = set(plain.get("described", ()))
        return cls(**sets, inventory=dict(plain.get("inventory", ())), described=described)


@dataclass(frozen=True, slots=True)
class ChosenVisits:
    """Which visits of segments are wanted."""

    origins: frozenset[str] | None = None
    """The origins; `None` for all."""
    since: int | None = None
    """From when on, in microseconds since 1970; `None` from the beginning."""
    before: int | None = None
    """Until when; `None` to the end."""

    def has(self, origin: str, at: int) -> bool:
        """Return whether a visit or a request is wanted."""
        is_ours = self.origins is None or origin in self.origins
        is_late = self.since is None or at >= self.since
        return is_ours and is_late and (self.before is None or at < self.before)


def columns_of(connection: sqlite3.Connection, table: str, schema: str = "main") -> list[str]:
    """Return the names of the columns of a table."""
    rows = connection.execute("SELECT name FROM pragma_table_info(?, ?)", (table, schema))
    return [f'"{name}"' for (name,) in rows]


def copy_rows(source: Path, target: Path, removals: Removals) -> None:
    """Make a segment of what a folder has recorded, in a new folder; the former stays as it is.

    Args:
        source: The folder, all of whose changes are committed.
        target: The folder of the segment.
        removals: What its visits removed.

    """
    with Database(target, create=True) as database:
        database.commit()
    with closing(sqlite3.connect(target / FILE, isolation_level=None)) as connection:
        connection.execute("ATTACH ? AS folder", (str(source / FILE),))
        connection.execute("CREATE TEMP TABLE named(id INTEGER PRIMARY KEY)")
        connection.execute("BEGIN")
        for table in COPIED:
            copy_table(connection, table)
        connection.execute(NAMED)
        connection.execute(LED_TO)
        for table, condition in OF_NAMED.items():
            copy_table(connection, table, condition)
        bodies = {one for (text,) in connection.execute(NUMBERS_OF_BODIES) for one in text.split()}
        connection.executemany(COPY_BODY, [(int(one),) for one in sorted(bodies)])
        row = (REMOVED, removals.as_json())
        connection.execute("INSERT OR REPLACE INTO settings VALUES(?, ?)", row)
        # Such as the queue, which is not in a folder that is read by itself.
        connection.execute("DELETE FROM settings WHERE name = 'elsewhere'")
        connection.execute("COMMIT")


def has_results(database: Database) -> bool:
    """Return whether a folder has something for a segment."""
    with database.reading() as connection:
        return bool(connection.execute(HAS_RESULTS).fetchone()[0])


class RowSummary(NamedTuple):
    """What the visits of a folder are."""

    visits: int
    first: int | None
    """When the first visit or request took place, in microseconds since 1970."""
    last: int | None
    origins: frozenset[str]


def summarize(database: Database) -> RowSummary:
    """Return what the visits of a folder are."""
    with database.reading() as connection:
        visits, first, last = connection.execute(TIMES).fetchone()
        origins = frozenset(one for (one,) in connection.execute(VISITED_ORIGINS))
    return RowSummary(visits, first, last, origins)


def copy_table(connection: sqlite3.Connection, table: str, condition: str = "true") -> None:
    """Copy rows of a table from the folder."""
    names = ", ".join(columns_of(connection, table))
    connection.execute(
        f"INSERT OR REPLACE INTO main.{table}({names}) SELECT {names} FROM folder.{table} "  # noqa: S608  our own words
        f"WHERE {condition}"
    )


def clear(database: Database, cut: str) -> None:
    """Remove what a segment has from the folder, in one change.

    Args:
        database: The database of the folder.
        cut: The name of the segment, which the folder keeps.

    """
    with database.changing() as connection:
        for table in MOVED:
            connection.execute(f"DELETE FROM {table}")  # noqa: S608  our own words
        for statement in LAST_MANNERS:
            connection.execute(statement)
        database.write_settings({CUT: cut})


def drop_results(database: Database, url_ids: Collection[int] | None = None) -> None:
    """Remove what visits found from a segment, but not that they took place.

    Args:
        database: The database of the segment.
        url_ids: The numbers of the URLs; `None` for all.

    """
    with database.changing() as connection:
        which = "true" if url_ids is None else "{} IN (SELECT value FROM json_each(?))"
        values = () if url_ids is None else (json.dumps(sorted(url_ids)),)
        columns = {
            "kept": "url", "outlinks": "page", "inlinks": "page", "page_facts": "url",
            "documents": "id", "outdated": "id", "anchors": "source", "contents": "url",
        }  # fmt: skip
        for table, column in columns.items():
            rest = " AND url <> 0" if table == "kept" else ""
            connection.execute(f"DELETE FROM {table} WHERE {which.format(column)}{rest}", values)  # noqa: S608
        removals = Removals.from_json(database.setting(REMOVED))
        gone = Removals() if url_ids is None else without(removals, url_ids)
        database.write_settings({REMOVED: gone.as_json()})


def without(removals: Removals, url_ids: Collection[int]) -> Removals:
    """Return removals without those of some URLs."""
    left = set(url_ids)
    return Removals(
        removals.archive - left,
        removals.index - left,
        removals.links - left,
        {one: why for one, why in removals.inventory.items() if one not in left},
        removals.described - left,
    )


# Bringing in.


VISITS = (
    "SELECT evidence.id, evidence.url, at, origins.origin FROM segment.evidence "
    "JOIN segment.urls ON urls.id = evidence.url JOIN segment.origins ON origins.id = urls.origin"
)
ORIGINS = "INSERT OR IGNORE INTO main.origins(origin) SELECT origin FROM segment.origins"
MET_TRAPS = "SELECT origin, trap, links, example, why FROM segment.traps"
ADD_TRAP = (
    "INSERT INTO main.traps(origin, trap, links, example, why) VALUES(?, ?, ?, ?, ?) "
    "ON CONFLICT(origin, trap) DO UPDATE SET links = links + excluded.links"
)
REMARKS = "SELECT origin, kind, text, first, last FROM segment.remarks"
ADD_REMARK = (
    "INSERT INTO main.remarks(origin, kind, text, first, last) VALUES(?, ?, ?, ?, ?) "
    "ON CONFLICT(origin, kind, text) DO UPDATE SET first = min(first, excluded.first), "
    "last = max(last, excluded.last)"
)
TIMELINES = (
    "INSERT OR IGNORE INTO main.timelines(boot, zero, ahead) "
    "SELECT boot, zero, ahead FROM segment.timelines"
)
TIMELINE_NUMBERS = (
    "SELECT s.id, m.id FROM segment.timelines AS s JOIN main.timelines AS m USING(boot)"
)
SENDERS = "SELECT id, worker, machine, process, ahead FROM segment.senders"
ADD_SENDER = (
    "INSERT OR IGNORE INTO main.senders(worker, machine, process, ahead) VALUES(?, ?, ?, ?)"
)
SENDER_NUMBER = (
    "SELECT id FROM main.senders WHERE worker = ? AND machine = ? AND process = ? AND ahead = ?"
)
REQUESTS = "SELECT {} FROM segment.requests ORDER BY id"
MANNERS = "SELECT after, stated, is_known FROM {}.manners ORDER BY after"
SAME_MANNERS = "SELECT stated, is_known FROM main.manners ORDER BY after DESC LIMIT 1"
ADD_MANNERS = "INSERT OR REPLACE INTO main.manners(after, stated, is_known) VALUES(?, ?, ?)"
NUMBERS = "CREATE TEMP TABLE numbers(id INTEGER PRIMARY KEY, place INTEGER NOT NULL)"
NEW_NUMBERS = (
    "INSERT INTO temp.numbers SELECT id, row_number() OVER (ORDER BY started, id) "
    "FROM main.requests"
)
IS_OUT_OF_ORDER = "SELECT 1 FROM temp.numbers WHERE id <> place LIMIT 1"
MANNERS_OF_EACH = (
    "SELECT place - 1, (SELECT max(after) FROM main.manners WHERE after < id) "
    "FROM temp.numbers ORDER BY place"
)
RENUMBER = (
    "UPDATE main.requests SET id = -(SELECT place FROM temp.numbers AS n WHERE n.id = requests.id)",
    "UPDATE main.requests SET id = -id",
    "DELETE FROM main.manners",
)
KEPT = "SELECT {} FROM segment.kept ORDER BY id"
FACTS = (
    "INSERT INTO main.page_facts({names}) SELECT {names} FROM segment.page_facts "
    "WHERE url IN (SELECT id FROM temp.visited) ON CONFLICT(url) DO UPDATE SET {changes}, "
    "said_since = CASE WHEN page_facts.said IS excluded.said THEN page_facts.said_since "
    "ELSE excluded.said_since END"
)
WITHDRAW = (
    "UPDATE main.page_facts SET title = NULL, description = NULL, h1 = NULL, language = NULL, "
    "simhash = NULL, withheld = ?2 WHERE url = ?1"
)


def bring_in(
    database: Database, segment: Path, chosen: ChosenVisits, prefix: str, worker: str = ""
) -> dict[int, str]:
    """Add the rows of a segment to a folder; later segments come after earlier ones.

    The files of the archive keep their names after a prefix; `WarcArchive.take_in` takes them in.

    Args:
        database: The database of the folder, outside of a change.
        segment: The folder of the segment, which an older goodbot may have written.
        chosen: Which visits are wanted.
        prefix: What the names of its files begin with from now on.
        worker: Who sent the requests of which the segment does not say that, because an older
            goodbot wrote it; empty for nobody.

    Returns:
        The URLs that were visited, by their numbers.

    Raises:
        NotAStoreError: It is no segment, or damaged.
        StoreError: It cannot be read.

    """
    with Database(segment) as upgraded:
        removals = Removals.from_json(upgraded.setting(REMOVED))
        signers = upgraded.setting(SIGNED_BY)
    connection = database.connection
    connection.execute("ATTACH ? AS segment", (str(segment / FILE),))
    try:
        with database.changing():
            visited = bring_rows(connection, chosen, removals, prefix, worker)
            if signers and visited:
                known = [*filter(None, database.setting(SIGNED_BY).split(", "))]
                signed = dict.fromkeys([*known, *signers.split(", ")])
                database.write_settings({SIGNED_BY: ", ".join(signed)})
            return visited
    finally:
        with suppress(sqlite3.Error):
            connection.execute("DROP TABLE IF EXISTS temp.visited")
        connection.execute("DETACH segment")


def bring_rows(
    connection: sqlite3.Connection,
    chosen: ChosenVisits,
    removals: Removals,
    prefix: str,
    worker: str,
) -> dict[int, str]:
    """Add the rows of an attached segment; see `bring_in`."""
    visits = [row for row in connection.execute(VISITS) if chosen.has(row[3], row[2])]
    visited = {row[1] for row in visits}
    connection.execute("CREATE TEMP TABLE visited(id INTEGER PRIMARY KEY)")
    connection.executemany("INSERT INTO temp.visited VALUES(?)", [(one,) for one in visited])
    connection.execute(ORIGINS)
    bring_urls(connection)
    names = [one for one in columns_of(connection, "evidence") if one != '"id"']
    text = ", ".join(names)
    connection.executemany(
        f"INSERT OR IGNORE INTO main.evidence({text}) "  # noqa: S608  our own words
        f"SELECT {text} FROM segment.evidence WHERE id = ?",
        [(row[0],) for row in sorted(visits)],
    )
    bring_requests(connection, chosen, worker)
    remove_earlier(connection, removals, visited)
    bring_pages(connection)
    bring_kept(connection, chosen, visited, prefix)
    rows = connection.execute(MET_TRAPS).fetchall()
    connection.executemany(ADD_TRAP, [row for row in rows if is_of(row[0], chosen)])
    rows = connection.execute(REMARKS).fetchall()
    connection.executemany(ADD_REMARK, [row for row in rows if is_of(row[0], chosen)])
    found = connection.execute("SELECT id, url FROM segment.urls JOIN temp.visited USING(id)")
    return dict(found.fetchall())


def is_of(origin: str, chosen: ChosenVisits) -> bool:
    """Return whether an origin is wanted."""
    return chosen.origins is None or origin in chosen.origins


def bring_urls(connection: sqlite3.Connection) -> None:
    """Add the URLs that are visited, and those to which they lead; known ones stay as they are."""
    names = [one for one in columns_of(connection, "urls") if one != '"origin"']
    text = ", ".join(names)
    read = ", ".join(f"u.{one}" for one in names)
    connection.execute(
        f"INSERT OR IGNORE INTO main.urls({text}, origin) SELECT {read}, m.id "  # noqa: S608
        "FROM segment.urls AS u JOIN segment.origins AS s ON s.id = u.origin "
        "JOIN main.origins AS m ON m.origin = s.origin "
        "WHERE u.id IN (SELECT id FROM temp.visited "
        "UNION SELECT target FROM segment.inlinks JOIN temp.visited AS v ON v.id = page "
        "UNION SELECT target FROM segment.anchors JOIN temp.visited AS v ON v.id = source "
        "UNION SELECT target FROM segment.urls JOIN temp.visited AS v USING(id))"
    )


def bring_senders(connection: sqlite3.Connection, worker: str) -> dict[int | None, int | None]:
    """Add those who sent requests; return the new number of each, also of one that is not named."""
    found = {row[0]: row[1:] for row in connection.execute(SENDERS)}
    if worker:
        found[None] = (worker, "", 0, 0)
    numbers: dict[int | None, int | None] = {None: None}
    for number, sender in found.items():
        connection.execute(ADD_SENDER, sender)
        (numbers[number],) = connection.execute(SENDER_NUMBER, sender).fetchone()
    return numbers


def bring_requests(connection: sqlite3.Connection, chosen: ChosenVisits, worker: str) -> None:
    """Add requests in their order, each with the settings of the robot at that time."""
    senders = bring_senders(connection, worker)
    connection.execute(TIMELINES)
    lines = {0: 0, **dict(connection.execute(TIMELINE_NUMBERS).fetchall())}
    names = columns_of(connection, "requests")
    plain = [one.strip('"') for one in names]
    places = {name: place for place, name in enumerate(plain)}
    manners = connection.execute(MANNERS.format("segment")).fetchall()
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM main.requests").fetchone()
    added: list[list[Any]] = []
    for row in connection.execute(REQUESTS.format(", ".join(names))):
        while manners and manners[0][0] < row[0]:
            state_manners(connection, last, manners.pop(0))
        if chosen.has(row[places["origin"]], row[places["started"]]):
            last += 1
            values = list(row)
            values[places["id"]] = last
            values[places["timeline"]] = lines.get(row[places["timeline"]], 0)
            values[places["sender"]] = senders.get(row[places["sender"]])
            added.append(values)
    marks = ", ".join("?" * len(names))
    connection.executemany(
        f"INSERT INTO main.requests({', '.join(names)}) VALUES({marks})",
        added,
    )


def order_requests(connection: sqlite3.Connection) -> None:
    """Renumber all requests in the order of time; segments come as they were published.

    Pauses are reckoned from one request to the next, and two workers may have had a site in turn.
    """
    connection.execute(NUMBERS)
    connection.execute(NEW_NUMBERS)
    if connection.execute(IS_OUT_OF_ORDER).fetchone():
        stated = {row[0]: row[1:] for row in connection.execute(MANNERS.format("main"))}
        changes: list[tuple[Any, ...]] = []
        before = None
        for after, manners in connection.execute(MANNERS_OF_EACH):
            if manners is not None and manners != before:
                changes.append((after, *stated[manners]))
                before = manners
        for statement in RENUMBER:
            connection.execute(statement)
        connection.executemany(ADD_MANNERS, changes)
    connection.execute("DROP TABLE temp.numbers")


def state_manners(connection: sqlite3.Connection, after: int, row: Sequence[Any]) -> None:
    """Note the settings of the robot for the requests after one, unless they hold already."""
    if connection.execute(SAME_MANNERS).fetchone() != tuple(row[1:]):
        connection.execute(ADD_MANNERS, (after, *row[1:]))


def remove_earlier(
    connection: sqlite3.Connection, removals: Removals, visited: Collection[int]
) -> None:
    """Remove what earlier segments have and the visits of this one removed or replace."""

    def remove(table: str, column: str, url_ids: Iterable[int]) -> None:
        rows = [(one,) for one in url_ids if one in visited]
        connection.executemany(f"DELETE FROM main.{table} WHERE {column} = ?", rows)  # noqa: S608

    def new(table: str, column: str) -> set[int]:
        statement = f"SELECT {column} FROM segment.{table}"  # noqa: S608  our own words
        return {one for (one,) in connection.execute(statement)}

    pages = removals.links | new("outlinks", "page")
    remove("inlinks", "page", pages)
    remove("outlinks", "page", pages)
    remove("kept", "url", removals.archive | (new("kept", "url") - {0}))
    documents = removals.index | new("documents", "id")
    remove("documents", "id", documents)
    remove("outdated", "id", documents)
    remove("anchors", "source", removals.index | removals.described)
    rows = [(one, why) for one, why in removals.inventory.items() if one in visited]
    connection.executemany(WITHDRAW, rows)


def bring_pages(connection: sqlite3.Connection) -> None:
    """Add links, facts and texts of pages, in place of those of earlier visits."""
    for table, column in (
        ("outlinks", "page"), ("inlinks", "page"), ("documents", "id"), ("outdated", "id"),
        ("anchors", "source"),
    ):  # fmt: skip
        names = ", ".join(columns_of(connection, table))
        connection.execute(
            f"INSERT OR REPLACE INTO main.{table}({names}) SELECT {names} FROM segment.{table} "  # noqa: S608
            f"WHERE {column} IN (SELECT id FROM temp.visited)"
        )
    names_of = columns_of(connection, "page_facts")
    changed = [one for one in names_of if one not in {'"url"', '"said_since"'}]
    changes = ", ".join(f"{one} = excluded.{one}" for one in changed)
    connection.execute(FACTS.format(names=", ".join(names_of), changes=changes))
    connection.execute(
        "INSERT OR REPLACE INTO main.contents(url, origin, content) "
        "SELECT c.url, m.id, c.content FROM segment.contents AS c "
        "JOIN segment.origins AS s ON s.id = c.origin JOIN main.origins AS m USING(origin) "
        "WHERE c.url IN (SELECT id FROM temp.visited)"
    )


def bring_kept(
    connection: sqlite3.Connection, chosen: ChosenVisits, visited: Collection[int], prefix: str
) -> None:
    """Add what the archive has, with numbers of its own and the files under their new names."""
    names = [one.strip('"') for one in columns_of(connection, "kept")]
    places = {name: place for place, name in enumerate(names)}
    (base,) = connection.execute("SELECT coalesce(max(id), 0) FROM main.kept").fetchone()
    added = []
    for row in connection.execute(KEPT.format(", ".join(names))):
        url, address, at = (row[places[name]] for name in ("url", "address", "at"))
        if url not in visited if url else not chosen.has(origin_in(address), at):
            continue
        values = list(row)
        values[places["id"]] += base
        if values[places["original"]] is not None:
            values[places["original"]] += base
        values[places["file"]] = f"{prefix}/{values[places['file']]}"
        added.append(values)
    marks = ", ".join("?" * len(names))
    connection.executemany(
        f"INSERT INTO main.kept({', '.join(names)}) VALUES({marks})",
        added,
    )


def origin_in(url: str) -> str:
    """Return the origin of a URL; empty if it has none."""
    try:
        return address_of(url)[0]
    except NoOriginError:
        return ""
