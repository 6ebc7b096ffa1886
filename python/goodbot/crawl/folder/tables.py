"""The tables of a crawl, by the room that owns them. Times are in microseconds since 1970.

Scope: the tables and their versions. To change a table, add a step to `STEPS`; see
`goodbot.store.versions`. The statements for each room are those of version 1.
"""

import json
import sqlite3

from goodbot._core import sha256
from goodbot.crawl.folder.spellings import one_spelling
from goodbot.errors import NotAStoreError
from goodbot.store.packing import REPAIR
from goodbot.store.schema import STORE
from goodbot.store.versions import MigrationStep, Schema, objects_in, objects_of

__all__ = ["CRAWL", "LAST_REQUEST", "STEPS"]

FRONTIER = (
    "CREATE TABLE origins(id INTEGER PRIMARY KEY, origin TEXT NOT NULL UNIQUE)",
    # `state`: see `states`; `how`: see `records`. `due`: when it may be visited or revisited; NULL:
    # never. `reason`: why it is in its state, as a slug; `source`: the statement that decided.
    # `attempts`: failed visits; `crashes`: visits during which the process ended.
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
    # Texts of links: which page describes which page how. Only texts that may be used that way.
    """CREATE TABLE anchors(
        source INTEGER NOT NULL, target INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY(target, source, text)) WITHOUT ROWID""",
    "CREATE INDEX anchors_of ON anchors(source)",
    # `quotable` is NULL if all of `text` may be quoted. `stale`: 0, its row in `words` is current;
    # 1, the row lacks anchor texts; 2, there is no row. `heard_to`: anchors from sources with a
    # higher number do not count, because the document has enough of them.
    """CREATE TABLE documents(
        id INTEGER PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL, quotable TEXT,
        longest_quote INTEGER, until INTEGER, stale INTEGER NOT NULL DEFAULT 2,
        heard_to INTEGER)""",
    "CREATE INDEX stale ON documents(stale DESC, id) WHERE stale <> 0",
    "CREATE INDEX expiring ON documents(until) WHERE until IS NOT NULL",
    # Diacritics are ignored (2: also on letters with several of them). Marks that are not
    # diacritics belong to their word, such as the vowels of Hindi.
    """CREATE VIRTUAL TABLE words USING fts5(
        title, text, anchors,
        tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'")""",
)

ARCHIVE = (
    # The recorded length of each WARC file: anything beyond it was not recorded, and is cut off. A
    # file of length 0 was removed; its number is not used again.
    "CREATE TABLE files(name TEXT PRIMARY KEY, length INTEGER NOT NULL) WITHOUT ROWID",
    # `url` is the number of the URL, or 0 for a robots.txt; `address` is the URL it came from.
    # `at`: when the request began; `until`: when to stop showing it, or NULL. `record` is the UUID
    # of the record, `digest` the SHA-1 of its payload. `original`: for metadata and revisits, the
    # row that they refer to. `reason`, `source`: those of the verdict that allows keeping it.
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
    # One row for each visit or refusal. `verdicts` is JSON: the verdict on each act.
    """CREATE TABLE evidence(
        id INTEGER PRIMARY KEY, url INTEGER NOT NULL, at INTEGER NOT NULL, status INTEGER,
        verdicts TEXT NOT NULL)""",
    "CREATE INDEX evidence_of ON evidence(url)",
    # Every request, for any purpose. `not_before`: no request before this time, says its
    # Retry-After. `no_store`: whether it is a robots.txt that must not be stored as a policy.
    """CREATE TABLE requests(
        id INTEGER PRIMARY KEY, origin TEXT NOT NULL, url TEXT NOT NULL, purpose TEXT NOT NULL,
        started INTEGER NOT NULL, ended INTEGER NOT NULL, status INTEGER, failure TEXT,
        octets INTEGER NOT NULL DEFAULT 0, not_before INTEGER, no_store INTEGER NOT NULL
        DEFAULT 0)""",
    "CREATE INDEX requests_of ON requests(origin, started)",
)

VERSION_1: MigrationStep = (*FRONTIER, *INDEX, *ARCHIVE, *EVIDENCE)

VERSION_2: MigrationStep = ()
"""No table differs; from this version on, `settings` has the version."""

VERSION_3: MigrationStep = (
    # When a request began in time that does not jump when the clock is set, and its timeline (see
    # `goodbot.store.schema`); NULL and 0 if only the time of day is known. Before this version,
    # requests for robots.txt only kept the robot's own minimum pause.
    "ALTER TABLE requests ADD COLUMN steady INTEGER",
    "ALTER TABLE requests ADD COLUMN timeline INTEGER NOT NULL DEFAULT 0",
)

VERSION_4: MigrationStep = (
    # The CRC-32 of the recorded bytes of a WARC file; NULL if an older version wrote them. Needed
    # because a changed byte in a compressed record need not change what it decompresses to.
    "ALTER TABLE files ADD COLUMN checksum INTEGER",
)


RENAME_EVENT = (
    "UPDATE evidence SET verdicts = :new || substr(verdicts, length(:old) + 1) "
    "WHERE substr(verdicts, 1, length(:old)) = :old"
)


def rename_put_off(connection: sqlite3.Connection) -> None:
    """Rename an event in the evidence; its name is at the beginning of the JSON."""
    for space in ("", " "):  # texts with lone surrogates were written with a space
        old, new = (f'{{"event":{space}"{name}"' for name in ("put-off", "deferred"))
        connection.execute(RENAME_EVENT, {"old": old, "new": new})


VERSION_5: MigrationStep = (
    "UPDATE urls SET state = 'disallowed' WHERE state = 'forbidden'",
    "UPDATE urls SET state = 'skipped' WHERE state = 'left-out'",
    rename_put_off,
)
"""Two states and one event have new names (`goodbot.crawl.folder.states`)."""

VERSION_6: MigrationStep = (
    # How often the URL was leased; together with its number this identifies a visit. In the other
    # tables: the visit that wrote the row; NULL or 0 if an older version wrote it.
    "ALTER TABLE urls ADD COLUMN visit INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE documents ADD COLUMN visit INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE kept ADD COLUMN visit INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE evidence ADD COLUMN visit INTEGER",
    # One row a visit: writing it again replaces it.
    "DROP INDEX evidence_of",
    "CREATE UNIQUE INDEX evidence_of ON evidence(url, visit)",
    # Pages are found by their address, so that the archive needs no table of another room.
    "DROP INDEX kept_at",
    "CREATE INDEX kept_at ON kept(address)",
)

VERSION_7: MigrationStep = (
    # For a response that is kept whole: the validators for a conditional request, NULL if none may
    # be sent; and the header fields of the latest visit as JSON, NULL if they are the record's.
    "ALTER TABLE kept ADD COLUMN etag TEXT",
    "ALTER TABLE kept ADD COLUMN modified TEXT",
    "ALTER TABLE kept ADD COLUMN fields TEXT",
)

VERSION_8: MigrationStep = (
    # Kept pages are revisited when due, even outside the bounds; older versions never did so.
    """UPDATE urls SET state = 'done', due = coalesce(visited, 0) WHERE state = 'skipped'
        AND (id IN (SELECT id FROM documents) OR id IN (SELECT url FROM kept))""",
)
BOUNDS = "SELECT value FROM settings WHERE name = 'bounds'"
SET_BOUNDS = "UPDATE settings SET value = ? WHERE name = 'bounds'"


def rename_octets(connection: sqlite3.Connection) -> None:
    """Rename the limit on bytes; damaged settings stay as they are, and are refused when read."""
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
"""The column and the setting `octets` are now named `bytes`."""

VERSION_10: MigrationStep = (
    # The URL as first found, if its escapes differ from those that are sent.
    "ALTER TABLE urls ADD COLUMN spelling TEXT NOT NULL DEFAULT ''",
    one_spelling,
)
"""URLs that differ only in their escapes are merged (`goodbot.crawl.folder.spellings`)."""

VERSION_11: MigrationStep = (
    # How traps are recognised (`goodbot.crawl.frontier.traps`). The content of each fetched page as
    # a fingerprint; the URL that represents those that differ only in a parameter; how many pages
    # were equal and how many differed; how often each trap was met.
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
    # Findings on the page, as JSON (`goodbot.crawl.evidence.page_findings`); NULL: none, or an
    # older version wrote the row.
    "ALTER TABLE evidence ADD COLUMN findings TEXT",
    "CREATE INDEX odd_pages ON evidence(url, id) WHERE findings IS NOT NULL",
    # Remarks of sites to the operator of the robot (`goodbot.robot.Remark`), with the times at
    # which each was received first and last.
    """CREATE TABLE remarks(
        origin TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, first INTEGER NOT NULL,
        last INTEGER NOT NULL, PRIMARY KEY(origin, kind, text)) WITHOUT ROWID""",
)

VERSION_13: MigrationStep = (
    # The links of each page and the entries of each sitemap (`goodbot.crawl.links`). `targets`: the
    # numbers of the URLs they lead to; `kinds`: how, a byte each; `details`: the links one by one;
    # `omitted`: how many more there are. `withheld`: why no texts are stored; `until`: when to stop
    # showing them, or NULL.
    """CREATE TABLE outlinks(
        page INTEGER PRIMARY KEY, visit INTEGER NOT NULL, targets BLOB NOT NULL, kinds BLOB NOT
        NULL, details BLOB, omitted INTEGER NOT NULL, withheld TEXT NOT NULL, until INTEGER)""",
    # The same backwards: which pages link to a URL. The index has those that are not ordinary:
    # external, not to be followed, or in a sitemap.
    """CREATE TABLE inlinks(
        target INTEGER NOT NULL, page INTEGER NOT NULL, kind INTEGER NOT NULL,
        PRIMARY KEY(target, page)) WITHOUT ROWID""",
    "CREATE INDEX odd_links ON inlinks(page) WHERE kind > 1",
    # URLs whose latest visit failed, or whose answer is an error: those that make a link broken.
    "CREATE INDEX failing ON urls(status) WHERE status >= 400 OR state = 'failed' OR attempts > 0",
)

VERSION_14: MigrationStep = (
    # The facts of each page (`goodbot.crawl.inventory.page_record`). Columns with words are NULL
    # where the page must not be indexed; `withheld` says why. `first_byte` is in microseconds,
    # `until` is when to stop showing the words, and `simhash` is a signed number.
    """CREATE TABLE page_facts(
        url INTEGER PRIMARY KEY, visit INTEGER NOT NULL, status INTEGER NOT NULL, bytes INTEGER NOT
        NULL, first_byte INTEGER, content_type TEXT NOT NULL, indexable INTEGER, reason TEXT NOT
        NULL, source TEXT NOT NULL, until INTEGER, title TEXT, description TEXT, h1 TEXT, withheld
        TEXT NOT NULL, language TEXT, canonical TEXT, h1_count INTEGER NOT NULL, words INTEGER,
        simhash INTEGER, resources TEXT NOT NULL, alternates TEXT NOT NULL, more INTEGER NOT
        NULL)""",
    # The time that the server took, from when the connection was ready until the header had come,
    # in microseconds; NULL if it was not measured.
    "ALTER TABLE requests ADD COLUMN first_byte INTEGER",
)

VERSION_15: MigrationStep = (
    # A crawl by several processes has a folder of this form for each. `handed`: the URLs of other
    # processes that this one found, in the order of `seq`; in other columns a URL of `handed` is
    # the negative of its number. `received`: up to which `seq` this process has queued what another
    # one found (`goodbot.crawl.frontier.handover`).
    """CREATE TABLE handed(
        id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, origin TEXT NOT NULL, part INTEGER NOT
        NULL, seq INTEGER NOT NULL, depth INTEGER NOT NULL, hops INTEGER NOT NULL, how TEXT NOT
        NULL, reason TEXT NOT NULL, source TEXT NOT NULL, spelling TEXT NOT NULL)""",
    "CREATE UNIQUE INDEX handed_to ON handed(part, seq)",
    "CREATE TABLE received(part INTEGER PRIMARY KEY, seq INTEGER NOT NULL)",
)

LAST_REQUEST = "coalesce((SELECT max(id) FROM requests), 0)"
"""The number of the last request, as SQL: settings apply to the requests after it."""

VERSION_16: MigrationStep = (
    # The robot's own settings of the pace, as JSON, for the requests with numbers above `after`.
    # `is_known` is 0 if an older version made these requests, which kept only the newest settings.
    """CREATE TABLE manners(
        after INTEGER PRIMARY KEY, stated TEXT NOT NULL, is_known INTEGER NOT NULL)""",
    """INSERT INTO manners
        SELECT 0, coalesce((SELECT value FROM settings WHERE name = 'manners'), '{}'), 0
        WHERE EXISTS (SELECT 1 FROM requests)""",
)

VERSION_17: MigrationStep = (
    # The state of a URL before it was queued for another visit, until that has a result; otherwise
    # empty. What the last visit found is known that long.
    "ALTER TABLE urls ADD COLUMN before TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX visited_before ON urls(before) WHERE before <> ''",
)

VERSION_18: MigrationStep = (
    # META description and META keywords, a line each, which are found with the text; and the
    # description if it may be shown with a result.
    "ALTER TABLE documents ADD COLUMN described TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE documents ADD COLUMN abstract TEXT NOT NULL DEFAULT ''",
)

VERSION_19: MigrationStep = (
    # The few requests for robots.txt, so that nobody looks for them among those for pages.
    """CREATE INDEX robots_txt_requests ON requests(origin, started)
        WHERE purpose = 'robots-txt'""",
)

VERSION_20: MigrationStep = (
    # What a page says to all robots (`goodbot.page.said_to_all`), and since when it is known to say
    # so; NULL if that is not kept, as of pages that an older version visited.
    "ALTER TABLE page_facts ADD COLUMN said TEXT",
    "ALTER TABLE page_facts ADD COLUMN said_since INTEGER",
)

VERSION_21: MigrationStep = (
    # Who sent a request, if that was a worker of a fleet (`goodbot.crawl.evidence.senders`): its
    # name, its machine and process, and how far the clock of the machine was ahead of the one by
    # which requests are timed; and the number of the lease under which it was sent. NULL: the
    # machine with the folder.
    """CREATE TABLE senders(
        id INTEGER PRIMARY KEY, worker TEXT NOT NULL, machine TEXT NOT NULL, process INTEGER NOT
        NULL, ahead INTEGER NOT NULL, UNIQUE(worker, machine, process, ahead))""",
    "ALTER TABLE requests ADD COLUMN sender INTEGER",
    "ALTER TABLE requests ADD COLUMN lease INTEGER",
)

VERSION_22: MigrationStep = (
    # The pages whose entries in `words` are outdated, with the meanings of `stale` in `documents`,
    # which is no longer used. There, a change of it wrote the whole text of the page again, and
    # links outdate entries all the time.
    "CREATE TABLE outdated(id INTEGER PRIMARY KEY, stale INTEGER NOT NULL)",
    "INSERT INTO outdated SELECT id, stale FROM documents WHERE stale <> 0",
    "CREATE INDEX outdated_first ON outdated(stale DESC, id)",
    "DROP INDEX stale",
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
    VERSION_13,
    VERSION_14,
    VERSION_15,
    VERSION_16,
    VERSION_17,
    VERSION_18,
    VERSION_19,
    VERSION_20,
    VERSION_21,
    VERSION_22,
)
"""The step to each version; new crawls have the version of the last one."""

IS_THERE = "SELECT count(*) FROM sqlite_master WHERE name = 'urls'"
VERSION = "SELECT value FROM settings WHERE name = 'format'"
MAX_VERSION = 10
"""Every version has fewer digits than this."""


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of a crawl's tables; 0.1.0 did not store it.

    Raises:
        NotAStoreError: The stored version is not a number.

    """
    if not connection.execute(IS_THERE).fetchone()[0]:
        return 0
    row = connection.execute(VERSION).fetchone()
    if row is None:
        return 1
    version = str(row[0])
    if not (version.isascii() and version.isdigit() and 0 < len(version) < MAX_VERSION):
        message = f"the version of the crawl is {version[:40]!r}, which is not a number; {REPAIR}"
        raise NotAStoreError(message)
    return int(version)


def set_version(connection: sqlite3.Connection, version: int) -> None:
    """Store the version."""
    connection.execute("INSERT OR REPLACE INTO settings VALUES('format', ?)", (str(version),))


CRAWL = Schema("crawl", STEPS, version_of, set_version)

NEWEST = "e69e1d963c7c16187295c6304601cbc1a911b97a730b049edb66f225c0ca254e"
"""The digest of the tables of the newest version, as `tests/crawl/folder/test_versions.py` finds
it: to make those tables for comparison takes longer than most questions to a folder."""
SHADOWS = "words_"
"""The prefix of the tables that SQLite creates for `words`, in its own way in each version."""
STATISTICS = "sqlite_stat"
"""The prefix of the tables ANALYZE creates, which anyone may run."""


def refuse_other_tables(connection: sqlite3.Connection, path: str) -> None:
    """Refuse a file that has anything but our tables: a trigger or a view would run by itself.

    Raises:
        NotAStoreError: The file has other tables, or lacks one of ours.

    """
    found = comparable(objects_in(connection))
    is_newest = STORE.is_current(connection) and CRAWL.is_current(connection)
    if is_newest and digest_of(found) == NEWEST:
        return
    expected = objects_of(STORE.steps[: STORE.version(connection)])
    expected |= objects_of(CRAWL.steps[: CRAWL.version(connection)])
    differing = sorted({name for _, name, _ in found ^ comparable(expected)}, key=str)
    if differing:
        message = (
            f"{path} has other tables than those of a crawl (see {differing[0]!r:.60}); do not use "
            "this folder unless you trust its origin"
        )
        raise NotAStoreError(message)


def comparable(objects: frozenset[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    """Return a list of tables without the details that may differ."""
    return {
        (kind, name, "" if name.startswith(SHADOWS) and kind == "table" else sql)
        for kind, name, sql in objects
        if not (kind == "table" and name.startswith(STATISTICS))
    }


def digest_of(objects: set[tuple[str, str, str]]) -> str:
    """Return a digest of a list of tables."""
    return sha256(repr(sorted(objects, key=repr)).encode()).hex()
