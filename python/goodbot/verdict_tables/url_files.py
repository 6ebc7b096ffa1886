"""The Parquet files that have the URLs: which they are, their columns, and their rows in batches.

Scope: reading. Common Crawl's columnar index is known by the names of its columns, so that its
files can be used as they were published: the time of a capture is `fetch_time`, and the place of
its record is in `warc_filename`, `warc_record_offset` and `warc_record_length`.

Source: Common Crawl, "Columnar index", cc-index-table.
"""

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from goodbot.display import short_repr
from goodbot.errors import MisuseError, WrongValueError
from goodbot.policy_tables.damaged_files import named_if_damaged

__all__ = [
    "ChosenColumns",
    "UrlColumns",
    "UrlFile",
    "as_times",
    "batches",
    "chosen_columns",
    "files_in",
    "url_file",
]

BATCH_ROWS, BATCH_BYTES = 1 << 16, 16 << 20
"""How many rows are read at a time at most, and about how many bytes."""
READ_BYTES = 1 << 20
"""How much of a column is read at once."""

FROM_CSV = (
    "write a Parquet file, for example from CSV by "
    "duckdb -c \"COPY (FROM 'urls.csv') TO 'urls.parquet'\""
)
"""What to do with a file of another kind."""

COMMON_CRAWL = {"url", "url_host_name", "fetch_time", "fetch_status", "warc_filename"}
"""The columns by which Common Crawl's index is recognised."""
OF_A_CAPTURE = (
    "fetch_status",
    "warc_filename",
    "warc_record_offset",
    "warc_record_length",
)
"""What is copied of its other columns, to find the record of a capture."""


class UrlFile(NamedTuple):
    """A Parquet file and what its footer says."""

    path: str
    size: int
    changed: int
    """When it was changed, in nanoseconds."""
    schema: Any
    """Its schema, of Arrow."""
    rows: tuple[int, ...]
    """How many rows each row group has."""


@dataclass(frozen=True, slots=True)
class UrlColumns:
    """The names of columns, as a caller has them."""

    url: str = "url"
    """The URLs."""
    at: str | None = None
    """The times, which are in UTC if they have no zone; by default `fetch_time` in Common Crawl's
    index, and otherwise the newest policies count."""
    newest: bool = False
    """Whether the newest policies count in Common Crawl's index, too."""
    copied: Sequence[str] | None = None
    """Those that the output has beside the verdicts; by default the URL and the time, and in Common
    Crawl's index where the capture is."""

    __repr__ = short_repr


class ChosenColumns(NamedTuple):
    """The columns that are read."""

    url: str
    at: str | None
    """The time of each URL; `None` if the newest policies count."""
    copied: tuple[str, ...]
    """Those that the output has too."""

    @property
    def read(self) -> list[str]:
        """All of them, each once."""
        return list(dict.fromkeys([*self.asked, *self.copied]))

    @property
    def asked(self) -> list[str]:
        """Those that verdicts depend on."""
        return list(dict.fromkeys([self.url, *([self.at] if self.at else [])]))


def files_in(sources: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the files that paths, folders and patterns name, each once.

    Raises:
        MisuseError: One of them names no file.

    """
    found: list[str] = []
    for source in map(str, map(Path, sources)):
        if Path(source).is_dir():
            files = sorted(map(str, Path(source).rglob("*.parquet")))
            fault = "has no file *.parquet"
        elif Path(source).exists():
            files, fault = [source], ""
        else:
            files = sorted(one for one in glob.glob(source, recursive=True) if Path(one).is_file())  # noqa: PTH207  a whole path
            fault = "does not exist"
        if not files:
            message = f"{source} {fault}; name a Parquet file, a folder of them, or a pattern"
            raise MisuseError(message)
        found += files
    return list(dict.fromkeys(found))


def url_file(path: str) -> UrlFile:
    """Read the footer of a Parquet file.

    Raises:
        MisuseError: It is no Parquet file.
        OSError: It cannot be read.

    """
    import pyarrow.parquet as parquet  # noqa: PLC0415, PLR0402  an extra

    facts = Path(path).stat()
    with named_if_damaged(path, "Parquet", FROM_CSV), parquet.ParquetFile(path) as file:
        found = file.metadata
        rows = tuple(found.row_group(place).num_rows for place in range(found.num_row_groups))
        return UrlFile(path, facts.st_size, facts.st_mtime_ns, file.schema_arrow, rows)


def chosen_columns(schema: Any, wanted: UrlColumns) -> ChosenColumns:  # noqa: ANN401  of Arrow
    """Return the columns to read, by name or as Common Crawl's index has them.

    Raises:
        WrongValueError: A column does not exist, or only the newest policies are meant and a time.

    """
    url, at, copied = wanted.url, wanted.at, wanted.copied
    names = set(schema.names)
    is_common_crawl = names >= COMMON_CRAWL
    if wanted.newest and at is not None:
        message = "the newest policies need no time; omit one of {at} and {newest}"
        raise WrongValueError(message, {"at": "at", "newest": "newest"})
    if at is None and is_common_crawl and not wanted.newest:
        at = "fetch_time"
    if copied is None:
        capture = [one for one in OF_A_CAPTURE if is_common_crawl and one in names]
        copied = (url, *([at] if at else []), *capture)
    chosen = ChosenColumns(url, at, tuple(dict.fromkeys(copied)))
    missing = [one for one in chosen.read if one not in names]
    if missing:
        message = (
            f"there is no column {missing[0]!r}; the columns are {', '.join(sorted(names)[:30])}"
        )
        raise WrongValueError(message)
    return chosen


def batches(file: UrlFile, row_group: int, columns: Sequence[str]) -> Iterator[Any]:
    """Yield columns of a row group in batches, so that memory use does not grow with it."""
    import pyarrow.parquet as parquet  # noqa: PLC0415, PLR0402  an extra

    with (
        named_if_damaged(file.path, "Parquet"),
        parquet.ParquetFile(file.path, buffer_size=READ_BYTES) as opened,
    ):
        rows = batch_rows(opened.metadata.row_group(row_group), columns)
        yield from opened.iter_batches(
            rows, row_groups=[row_group], columns=list(columns), use_threads=False
        )


def batch_rows(group: Any, columns: Sequence[str]) -> int:  # noqa: ANN401  of pyarrow
    """Return how many rows of a row group are read at a time."""
    chunks = [group.column(place) for place in range(group.num_columns)]
    read = [one for one in chunks if one.path_in_schema.split(".")[0] in set(columns)]
    each = sum(one.total_uncompressed_size for one in read) / max(group.num_rows, 1)
    return max(min(BATCH_ROWS, int(BATCH_BYTES / max(each, 1))), 1)


def as_times(column: Any) -> Any:  # noqa: ANN401  Arrow's
    """Return a column of times; one of nulls has no type of its own."""
    import pyarrow as pa  # noqa: PLC0415  an extra

    return column.cast(pa.timestamp("us", "UTC")) if pa.types.is_null(column.type) else column
