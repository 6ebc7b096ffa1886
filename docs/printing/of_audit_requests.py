"""The page on the file of judged requests that `goodbot audit` writes."""

from collections.abc import Iterator

from goodbot.site.audit import REQUEST_COLUMNS
from goodbot.site.audit.files.request_files import SCHEMA_VERSION, VERSION_KEY
from printing.as_markdown import code, table

__all__ = ["audit_requests_page"]

TYPES = {
    "string": "string",
    "name": "string, dictionary encoded in Parquet",
    "integer": "int64",
    "time": "timestamp[us, UTC]",
}


def audit_requests_page() -> Iterator[str]:
    """Yield the columns and the metadata."""
    yield "# Judged requests"
    yield ""
    yield (
        "For anyone who reads the file that `goodbot audit --requests FILE` writes: the columns of "
        "the Parquet table, which are also the keys of each line of JSON."
    )
    yield ""
    yield (
        "One row is one request of a robot, in the order of time; requests of people are not in "
        "the file. Addresses are shortened, so that the file can be shared. A target may still "
        "hold what a person typed, such as a search."
    )
    yield ""
    yield "## Columns"
    yield ""
    yield from table(
        ["column", "type", "meaning"],
        [[code(one.name), TYPES[one.kind], one.meaning] for one in REQUEST_COLUMNS],
    )
    yield (
        f"The metadata of a Parquet file has the key {code(VERSION_KEY)} with the version of this "
        f"schema: {SCHEMA_VERSION}."
    )
    yield ""
    yield (
        "[Audits of logs](audits.md) says what each outcome and each reason means, and which "
        "document says so."
    )
