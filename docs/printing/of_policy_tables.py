"""The page on the table of policies, from its columns."""

from collections.abc import Iterator

from goodbot.tables.columns import schema
from goodbot.tables.counting import COUNT_COLUMNS, DEFINITIONS
from printing.as_markdown import code, table

__all__ = ["policy_table_page"]

TYPES = {
    "string": "string",
    "names": "dictionary of strings",
    "time": "timestamp[us, UTC]",
    "status": "int16",
    "truth": "bool",
    "bytes": "binary",
    "body": "binary; in Parquet, each body is written once per row group (dictionary encoding)",
    "urls": "list of strings",
    "fields": "list of {name, value}, both strings",
}


def policy_table_page() -> Iterator[str]:
    """Yield the columns of the table of policies, and its metadata."""
    yield "# The table of policies"
    yield ""
    yield (
        "For anyone who reads or writes a table of policies: the columns of the Parquet and Arrow "
        "files that `goodbot tables build` writes."
    )
    yield ""
    yield (
        "Looking for a column? Its row says what it means. Looking for the version? See "
        "[the metadata](#metadata). Looking for what an access or a reason means? See "
        "[statuses](statuses.md). Looking for what a table is built from? See "
        "[Build a table of policies](../how-to/build-a-table-of-policies.md)."
    )
    yield ""
    yield (
        "One row is one policy that was learned for one origin. An origin that could not be "
        "reached has a row, too. The rows are sorted by `origin`, then by `valid_from`; of rows "
        "with the same time, the first one is quoted if all of them allow a URL."
    )
    yield ""
    yield "## Columns"
    yield ""
    yield (
        "A *fact* states what happened. The other columns are *reckoned* from the facts by the "
        "policy layer, in the dialect that the metadata and the column `dialect` name; "
        "`goodbot.tables.columns.reckoning.reckon(table, dialect)` does it again in another one."
    )
    yield ""
    rows = [[code(one.name), TYPES[one.kind], one.is_a, one.meaning] for one in schema.COLUMNS]
    yield from table(["column", "type", "is", "meaning"], rows)
    yield from about_columns()
    yield from about_metadata()
    yield from about_counts()


def about_columns() -> Iterator[str]:
    """Yield what a reader of the columns must know."""
    yield (
        "Lookups need only `origin`, `valid_from`, `valid_until`, `access`, `reason`, `stale` and "
        "`body`, and `dialect` if it is not `rfc9309`. An origin is written as "
        "`goodbot.tables.columns.origins` has it, such as `https://example.com`."
    )
    yield ""
    yield (
        "Polars, DuckDB, pandas and Spark lose the metadata of a file, so the column states the "
        "dialect, too. A file that one of them wrote is read like the original, whatever types of "
        "strings, dictionaries, lists and times it has; times without a zone are in UTC. A table "
        "without the column that has lost its metadata is refused, unless "
        '`dialect="…"` says in which it was built (`open_policies`, `PolicyTable`, '
        "`goodbot.tables.columns.verdicts` and the adapters have this argument; for `goodbot tables "
        "merge` it is `--dialect`). A table in memory that you made by hand counts as `rfc9309` "
        "unless it says otherwise."
    )
    yield ""
    yield (
        "Where robots.txt redirected to what is not in the sources, a row with the access "
        "`unknown` ends what was known before: until the next row, verdicts are null."
    )
    yield ""


def about_metadata() -> Iterator[str]:
    """Yield the metadata, and what a file without it needs."""
    yield "## Metadata"
    yield ""
    yield from table(
        ["key", "value"],
        [
            [code(schema.VERSION_KEY.decode()), f"The version of this schema: {schema.VERSION}."],
            [code(schema.DIALECT_KEY.decode()), "The dialect of the reckoned columns."],
            [
                code(schema.SORTED_KEY.decode()),
                "The columns by which the rows are sorted: `origin,valid_from`.",
            ],
        ],
    )
    yield (
        "A table of another version is refused; the message says how to fix it. A file without "
        "the metadata needs the columns of a lookup and `dialect`; `goodbot tables show` and "
        "`merge` need all facts as well. Keep the rows in order if you can: sorted by `origin` and "
        "`valid_from`, they are opened faster."
    )


def about_counts() -> Iterator[str]:
    """Yield what the figures of `goodbot tables count` count."""
    yield ""
    yield "## Counts"
    yield ""
    yield (
        "`goodbot tables count`, and `goodbot.tables.counting.count_policies`, count what the sites of a table say to robots. What a robot may not fetch is decided by the "
        "parser and the rules, for the group that it obeys, and proven over all paths; no figure is made with regular expressions. See "
        "[Count what sites say to robots](../how-to/count-a-table-of-policies.md)."
    )
    yield ""
    yield from table(
        ["figure", "what it counts"], [[code(name), text] for name, text in DEFINITIONS.items()]
    )
    yield "As CSV and Parquet, each figure is a row:"
    yield ""
    yield from table(
        ["column", "meaning"], [[code(name), text] for name, text in COUNT_COLUMNS.items()]
    )
