"""A crawl of very many pages: the rows of a crawl, copied under other queries.

Each copy has the same paths, so that robots.txt, statements and findings hold for as many pages in
a hundred as in the crawl itself. Copies of pages and the full-text index are not among the rows.
"""

from sqlite3 import Connection

from goodbot.crawl.folder.database import Database
from goodbot.crawl.links.compact_rows import packed_ids, unpacked_ids

__all__ = ["copy_pages"]

COPIES = (
    "WITH RECURSIVE copies(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM copies WHERE n < :copies) "
)
URL = "{0} || iif(instr({0}, '?'), '&', '?') || 'copy=' || n"
OTHER_URL = URL.format("url")
FIXED = {
    "urls": {
        "id": "id + n * :step",
        "url": OTHER_URL,
        "how": "iif(how = 'start', 'link', how)",
        "due": "NULL",
        "target": "target + n * :step",
        "spelling": "''",
        "before": "''",
    },
    "page_facts": {
        "url": "url + n * :step",
        "title": "title || ' ' || n",
        "description": "description || ' ' || n",
        "canonical": f"iif(canonical IS NULL, NULL, {URL.format('canonical')})",
        "simhash": "random()",
    },
    "requests": {
        "id": "NULL",
        "url": OTHER_URL,
        "started": "started + n * :seconds",
        "ended": "ended + n * :seconds",
        "not_before": "not_before + n * :seconds",
        "steady": "steady + n * :seconds",
    },
    "evidence": {"id": "NULL", "url": "url + n * :step"},
    "inlinks": {"target": "target + n * :step", "page": "page + n * :step"},
    "outlinks": {"page": "page + n * :step", "targets": "shifted(targets, n * :step)"},
}
"""The columns that differ in a copy, by table."""


def copy_pages(database: Database, copies: int) -> None:
    """Copy what a crawl knows of its pages.

    Args:
        database: The file of the crawl.
        copies: How often; a site has that many times as many pages more.

    """
    with database.changing() as connection:
        connection.create_function("shifted", 2, shifted, deterministic=True)
        (step,) = connection.execute("SELECT max(id) FROM urls").fetchone()
        (span,) = connection.execute("SELECT max(ended) - min(started) FROM requests").fetchone()
        values = {"copies": copies, "step": step, "seconds": span + 60_000_000}
        for table, changed in FIXED.items():
            connection.execute(statement(connection, table, changed), values)


def statement(connection: Connection, table: str, changed: dict[str, str]) -> str:
    """Return the statement that copies the rows of a table."""
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    columns = ", ".join(changed.get(name, name) for name in names)
    return f"{COPIES} INSERT INTO {table} SELECT {columns} FROM copies, {table}"  # noqa: S608  of the schema


def shifted(targets: bytes, by: int) -> bytes:
    """Return packed numbers of URLs, each of them greater; 0 is the number of none."""
    return packed_ids([number and number + by for number in unpacked_ids(targets)])
