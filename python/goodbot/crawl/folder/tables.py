"""The tables of a crawl, each with the part that owns it. Times are microseconds since 1970.

What may live here: the tables with their versions. To change a table, add a step to `STEPS`; see
`goodbot.store.versions`. The tables as they stand here are those of version 1.
"""

import json
import sqlite3

from goodbot.crawl.folder.spellings import one_spelling
from goodbot.errors import NotAStoreError
from goodbot.store.packing import REPAIR
from goodbot.store.schema import STORE
from goodbot.store.versions import MigrationStep, Schema, objects_in, objects_of

__all__ = ["CRAWL", "STEPS"]

FRONTIER = (
    "CREATE TABLE origins(id INTEGER PRIMARY KEY, origin TEXT NOT NULL UNIQUE)",
    # `state`: see `states`; `how`: see `records`. `due`: when it may be visited, or visited again;
    # NULL: never. `reason`: why it is in its state, a slug; `source`: who says so. `attempts`:
    # visits in vain; `crashes`: visits in the midst of which the process ended.
    """CREATE TABLE urls(
        id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, origin INTEGER NOT NULL, depth INTEGER
        NOT NULL, hops INTEGER NOT NULL, how TEXT NOT NULL, state TEXT NOT NULL, due INTEGER,
        attempts INTEGER NOT NULL DEFAULT 0, status INTEGER, reason TEXT NOT NULL DEFAULT '',
        source TEXT NOT NULL DEFAULT '', visited INTEGER, target INTEGER, crashes INTEGER NOT NULL
        DEFAULT 0)""",
    "CREATE INDEX queue ON urls(origin, due, id) WHERE state = 'queued'",
    "CREATE INDEX again ON urls(due) WHERE state <> 'queued' AND due IS NOT NULL",
    "CREATE INDEX leading ON urls(target) WHERE target IS NOT NULL",
    "CREATE TABLE settings(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
)

INDEX = (
    # Which page describes which by which words; only where the text may describe the target.
    """CREATE TABLE anchors(
        source INTEGER NOT NULL, target INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY(target, source, text)) WITHOUT ROWID""",
    "CREATE INDEX anchors_of ON anchors(source)",
    # `quotable` is NULL where all of `text` may be quoted. `stale`: 0, its row in `words` is right;
    # 1, it lacks texts of anchors; 2, there is none. `heard_to`: the anchors of sources behind
    # this one do not count, for it has enough.
    """CREATE TABLE documents(
        id INTEGER PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL, quotable TEXT,
        longest_quote INTEGER, until INTEGER, stale INTEGER NOT NULL DEFAULT 2,
        heard_to INTEGER)""",
    "CREATE INDEX stale ON documents(stale DESC, id) WHERE stale <> 0",
    "CREATE INDEX expiring ON documents(until) WHERE until IS NOT NULL",
    # Diacritics do not count (2: nor those of letters with several); marks that are no diacritics
    # are a part of their word, as the vowels of Hindi are.
    """CREATE VIRTUAL TABLE words USING fts5(
        title, text, anchors,
        tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'")""",
)

ARCHIVE = (
    # How long each WARC file is: what is longer was not recorded, and is cut off. One of length 0
    # is gone: its number is not used again.
    "CREATE TABLE files(name TEXT PRIMARY KEY, length INTEGER NOT NULL) WITHOUT ROWID",
    # `url` is the number of the URL; of a robots.txt 0, and `address` is where it was. `at`: when
    # asking began; `until`: from when on it is not to be shown, or NULL. `record` is the UUID of
    # the record, `digest` the SHA-1 of its payload. `original`: of metadata and revisits, the row
    # that they are about. `reason`, `source`: of the verdict that allows to keep it.
    """CREATE TABLE kept(
        id INTEGER PRIMARY KEY, url INTEGER NOT NULL, address TEXT NOT NULL, kind TEXT NOT NULL,
        at INTEGER NOT NULL, until INTEGER, file TEXT NOT NULL, offset INTEGER NOT NULL,
        length INTEGER NOT NULL, record BLOB NOT NULL, digest BLOB NOT NULL, original INTEGER,
        reason TEXT NOT NULL, source TEXT NOT NULL)""",
    "CREATE INDEX kept_of ON kept(url)",
    "CREATE INDEX kept_at ON kept(address) WHERE url = 0",
    "CREATE INDEX kept_in ON kept(file)",
)

EVIDENCE = (
    # One row for each visit or refusal: `verdicts` is JSON, the verdict on each act.
    """CREATE TABLE evidence(
        id INTEGER PRIMARY KEY, url INTEGER NOT NULL, at INTEGER NOT NULL, status INTEGER,
        verdicts TEXT NOT NULL)""",
    "CREATE INDEX evidence_of ON evidence(url)",
    # Every request, for whatever purpose. `not_before`: until when its Retry-After wants nobody.
    # `no_store`: whether it is a robots.txt that may not be kept, so that no policy tells of it.
    """CREATE TABLE requests(
        id INTEGER PRIMARY KEY, origin TEXT NOT NULL, url TEXT NOT NULL, purpose TEXT NOT NULL,
        started INTEGER NOT NULL, ended INTEGER NOT NULL, status INTEGER, failure TEXT,
        octets INTEGER NOT NULL DEFAULT 0, not_before INTEGER, no_store INTEGER NOT NULL
        DEFAULT 0)""",
    "CREATE INDEX requests_of ON requests(origin, started)",
)

VERSION_1: MigrationStep = (*FRONTIER, *INDEX, *ARCHIVE, *EVIDENCE)

VERSION_2: MigrationStep = ()
"""No table differs: from here on `settings` has the version."""

VERSION_3: MigrationStep = (
    # When a request began in time that does not change when the clock is set, and the timeline of
    # that (see `goodbot.store.schema`); NULL and 0 where only the time of day is known. Before this
    # version robots.txt waited for the robot's own floor alone.
    "ALTER TABLE requests ADD COLUMN steady INTEGER",
    "ALTER TABLE requests ADD COLUMN timeline INTEGER NOT NULL DEFAULT 0",
)

VERSION_4: MigrationStep = (
    # The CRC-32 of the recorded bytes of a WARC file; NULL where an older version wrote them. What
    # stands in a compressed record may be the same after a byte of it was changed.
    "ALTER TABLE files ADD COLUMN checksum INTEGER",
)


RENAME_EVENT = (
    "UPDATE evidence SET verdicts = :new || substr(verdicts, length(:old) + 1) "
    "WHERE substr(verdicts, 1, length(:old)) = :old"
)


def rename_put_off(connection: sqlite3.Connection) -> None:
    """Rename an event of the evidence; its name stands at the beginning of the JSON."""
    for space in ("", " "):  # with a space where the text has what UTF-8 has not
        old, new = (f'{{"event":{space}"{name}"' for name in ("put-off", "deferred"))
        connection.execute(RENAME_EVENT, {"old": old, "new": new})


VERSION_5: MigrationStep = (
    "UPDATE urls SET state = 'disallowed' WHERE state = 'forbidden'",
    "UPDATE urls SET state = 'skipped' WHERE state = 'left-out'",
    rename_put_off,
)
"""The names of two states and of an event (`goodbot.crawl.folder.states`)."""

VERSION_6: MigrationStep = (
    # How often the URL was leased: with its number that names a visit. In the other tables, the
    # visit by which a row was written; NULL or 0 where an older version wrote it.
    "ALTER TABLE urls ADD COLUMN visit INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE documents ADD COLUMN visit INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE kept ADD COLUMN visit INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE evidence ADD COLUMN visit INTEGER",
    # One row a visit: what is written twice is there once.
    "DROP INDEX evidence_of",
    "CREATE UNIQUE INDEX evidence_of ON evidence(url, visit)",
    # Pages are found by their address, too: the archive needs no table of another room.
    "DROP INDEX kept_at",
    "CREATE INDEX kept_at ON kept(address)",
)

VERSION_7: MigrationStep = (
    # Of an answer that is kept whole: with what to ask for the page again, NULL where no condition
    # may be sent; and the fields of its latest visit as JSON, NULL where they are the record's.
    "ALTER TABLE kept ADD COLUMN etag TEXT",
    "ALTER TABLE kept ADD COLUMN modified TEXT",
    "ALTER TABLE kept ADD COLUMN fields TEXT",
)

VERSION_8: MigrationStep = (
    # What is kept is visited when it is due, also out of bounds; older versions left it for good.
    """UPDATE urls SET state = 'done', due = coalesce(visited, 0) WHERE state = 'skipped'
        AND (id IN (SELECT id FROM documents) OR id IN (SELECT url FROM kept))""",
)
BOUNDS = "SELECT value FROM settings WHERE name = 'bounds'"
SET_BOUNDS = "UPDATE settings SET value = ? WHERE name = 'bounds'"


def rename_octets(connection: sqlite3.Connection) -> None:
    """Rename the bound of bytes; settings that are damaged stay, and are refused when read."""
    row = connection.execute(BOUNDS).fetchone()
    try:
        bounds = json.loads(row[0]) if row else None
    except (TypeError, ValueError):
        return
    if isinstance(bounds, dict) and "octets" in bounds:
        renamed = {"bytes" if name == "octets" else name: bounds[name] for name in bounds}
        connection.execute(SET_BOUNDS, (json.dumps(renamed),))


VERSION_9: MigrationStep = (
    "ALTER TABLE requests RENAME COLUMN octets TO bytes",
    rename_octets,
)
"""Bytes are called bytes."""

VERSION_10: MigrationStep = (
    # The URL as it was found first, where its escapes are other ones than those that are sent.
    "ALTER TABLE urls ADD COLUMN spelling TEXT NOT NULL DEFAULT ''",
    one_spelling,
)
"""URLs that differ in escapes alone are one (`goodbot.crawl.folder.spellings`)."""

VERSION_11: MigrationStep = (
    # What traps are recognised by (`goodbot.crawl.frontier.traps`). The content of each page that
    # was fetched, as a fingerprint; which URL stands for those that differ in a parameter alone;
    # how many pages were equal, and how many differed; how often each trap was met.
    """CREATE TABLE contents(
        url INTEGER PRIMARY KEY, origin INTEGER NOT NULL, content BLOB NOT NULL)""",
    "CREATE INDEX same_content ON contents(origin, content, url)",
    """CREATE TABLE alike(
        key BLOB PRIMARY KEY, url TEXT NOT NULL, content BLOB NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE compared(
        key BLOB PRIMARY KEY, equal INTEGER NOT NULL, differing INTEGER NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE traps(
        origin TEXT NOT NULL, trap TEXT NOT NULL, links INTEGER NOT NULL, example TEXT NOT NULL,
        why TEXT NOT NULL, PRIMARY KEY(origin, trap)) WITHOUT ROWID""",
)

VERSION_12: MigrationStep = (
    # What was odd about the page, as JSON (`goodbot.crawl.evidence.page_findings`); NULL: nothing,
    # or an older version wrote the row.
    "ALTER TABLE evidence ADD COLUMN findings TEXT",
    "CREATE INDEX odd_pages ON evidence(url, id) WHERE findings IS NOT NULL",
    # What sites want the operator of the robot to know (`goodbot.robot.Remark`), and when they said
    # so first and last.
    """CREATE TABLE remarks(
        origin TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, first INTEGER NOT NULL,
        last INTEGER NOT NULL, PRIMARY KEY(origin, kind, text)) WITHOUT ROWID""",
)

STEPS: tuple[MigrationStep, ...] = (
    VERSION_1,
    VERSION_2,
    VERSION_3,
    VERSION_4,
    VERSION_5,
    VERSION_6,
    VERSION_7,
    VERSION_8,
    VERSION_9,
    VERSION_10,
    VERSION_11,
    VERSION_12,
)
"""Every version of the tables; the number of the last one is the version of new crawls."""

IS_THERE = "SELECT count(*) FROM sqlite_master WHERE name = 'urls'"
VERSION = "SELECT value FROM settings WHERE name = 'format'"
MAX_VERSION = 10
"""No version has as many digits."""


def version_of(connection: sqlite3.Connection) -> int:
    """Read the version of a crawl; 0.1.0 wrote none down.

    Raises:
        NotAStoreError: It is no number.

    """
    if not connection.execute(IS_THERE).fetchone()[0]:
        return 0
    row = connection.execute(VERSION).fetchone()
    if row is None:
        return 1
    version = str(row[0])
    if not (version.isascii() and version.isdigit() and 0 < len(version) < MAX_VERSION):
        message = f"the version of the crawl is {version[:40]!r}, which no goodbot writes; {REPAIR}"
        raise NotAStoreError(message)
    return int(version)


def set_version(connection: sqlite3.Connection, version: int) -> None:
    """Write it down."""
    connection.execute("INSERT OR REPLACE INTO settings VALUES('format', ?)", (str(version),))


CRAWL = Schema("crawl", STEPS, version_of, set_version)

SHADOWS = "words_"
"""How the tables begin that SQLite makes for `words`; its versions may define them otherwise."""
STATISTICS = "sqlite_stat"
"""What ANALYZE makes, which anybody may run."""


def refuse_other_tables(connection: sqlite3.Connection, path: str) -> None:
    """Refuse a file with anything in it but our tables: a trigger or a view would run by itself.

    Raises:
        NotAStoreError: There is something else, or something is missing.

    """
    expected = objects_of(STORE.steps[: STORE.version(connection)])
    expected |= objects_of(CRAWL.steps[: CRAWL.version(connection)])
    found = objects_in(connection)
    differing = sorted({name for _, name, _ in comparable(found) ^ comparable(expected)}, key=str)
    if differing:
        message = (
            f"{path} has something else in place of the tables of a crawl (see {differing[0]!r:.60}"
            "); do not use this folder unless you trust who made it"
        )
        raise NotAStoreError(message)


def comparable(objects: frozenset[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    """Leave out of a list of tables what may differ."""
    return {
        (kind, name, "" if name.startswith(SHADOWS) and kind == "table" else sql)
        for kind, name, sql in objects
        if not (kind == "table" and name.startswith(STATISTICS))
    }
