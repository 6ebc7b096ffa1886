"""The Parquet files that have the URLs: their columns, and their rows in batches.

Scope: reading. Common Crawl's columnar index is known by the names of its columns, so that its
files can be used as they were published: the place of a record is in `warc_filename`,
`warc_record_offset` and `warc_record_length`. The time of a capture is in `fetch_time`, there and
in any other file that has this column.

Source: Common Crawl, "Columnar index", cc-index-table.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from goodbot.display import short_repr
from goodbot.errors import WrongValueError
from goodbot.lazy_dataclass import dataclass
from goodbot.tables.building.damaged_files import name_if_damaged
from goodbot.tables.building.parquet_footer import parquet_file
from goodbot.tables.building.sound_columns import decodable, sound_octets

BATCH_ROWS, BATCH_BYTES = 1 << 16, 16 << 20
"""How many rows are read at a time at most, and about how many bytes."""
READ_BYTES = 1 << 20
"""How much of a column is read at once."""

FROM_CSV = (
    "write a Parquet file, for example from CSV by "
    "duckdb -c \"COPY (FROM 'urls.csv') TO 'urls.parquet'\""
)
"""What to do with a file of another kind."""
DAMAGED = "the file is damaged or incomplete; copy or write it again"
EMPTY = "the file is empty; copy or write it again"
MAGIC = b"PAR1"
"""How a Parquet file begins."""

FETCH_TIME = "fetch_time"
"""The column of the times, unless the caller names another one. Common Crawl's index has it, and so
has what is made of that; not to use it would silently judge old captures by new policies."""

COMMON_CRAWL = {"url", "url_host_name", FETCH_TIME, "fetch_status", "warc_filename"}
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


@dataclass(frozen=True, slots=True, repr=False)
class UrlColumns:
    """The names of columns, as a caller has them."""

    url: str = "url"
    """The URLs."""
    at: str | None = None
    """The times, which are in UTC if they have no zone; by default `fetch_time` if the files have
    it, and otherwise the newest policies count."""
    newest: bool = False
    """Whether the newest policies count although the files have a column `fetch_time`."""
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


def url_file(path: str) -> UrlFile:
    """Read the footer of a Parquet file.

    Raises:
        MisuseError: It is no Parquet file, or damaged.
        OSError: It cannot be read.

    """
    facts = Path(path).stat()
    with readable(path, cure_of(path)), parquet_file(path) as file:
        found = file.metadata
        rows = tuple(found.row_group(place).num_rows for place in range(found.num_row_groups))
        schema = decodable(file.schema_arrow)
        return UrlFile(path, facts.st_size, facts.st_mtime_ns, schema, rows)


@contextmanager
def readable(path: str, cure: str) -> Iterator[None]:
    """Read a Parquet file; if that fails, the error names it.

    Args:
        path: The file.
        cure: What to do if its content is no Parquet.

    Raises:
        MisuseError: Its content is no Parquet.
        OSError: It cannot be read.

    """
    try:
        with name_if_damaged(path, "Parquet", cure):
            yield
    except OSError as error:
        # pyarrow's has no name, as if it were about what is written.
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), path) from error


def cure_of(path: str) -> str:
    """Return what to do with a file if it cannot be read as Parquet, by how it begins.

    Raises:
        OSError: It cannot be read at all.

    """
    with Path(path).open("rb") as file:
        start = file.read(len(MAGIC))
    if not start:
        return EMPTY
    return DAMAGED if start == MAGIC else FROM_CSV


def chosen_columns(files: Sequence[UrlFile], wanted: UrlColumns) -> ChosenColumns:
    """Return the columns to read, by name or as Common Crawl's index has them.

    Raises:
        WrongValueError: A column does not exist, or only the newest policies are meant and a time.

    """
    url, at, copied = wanted.url, time_column_of(files, wanted), wanted.copied
    names = set(files[0].schema.names)
    if copied is None:
        capture = [name for name in OF_A_CAPTURE if names >= COMMON_CRAWL and name in names]
        copied = (url, *([at] if at else []), *capture)
    chosen = ChosenColumns(url, at, tuple(dict.fromkeys(copied)))
    missing = [name for name in chosen.read if name not in names]
    if missing:
        message = (
            f"there is no column {missing[0]!r}; the columns are {', '.join(sorted(names)[:30])}"
        )
        if missing[0] == url:
            message = f"{message}; name that of the URLs with {{url}}"
            raise WrongValueError(message, {"url": "UrlColumns(url=…)"})
        raise WrongValueError(message)
    return chosen


def time_column_of(files: Sequence[UrlFile], wanted: UrlColumns) -> str | None:
    """Return the column of the times; `None` if the newest policies count.

    Raises:
        WrongValueError: Only the newest policies are meant and a time, or some of the files have a
            column `fetch_time` and others have not.

    """
    if wanted.newest and wanted.at is not None:
        message = "the newest policies need no time; omit one of {at} and {newest}"
        raise WrongValueError(message, {"at": "at", "newest": "newest"})
    having = [FETCH_TIME in file.schema.names for file in files]
    if wanted.newest or wanted.at is not None or not any(having):
        return wanted.at
    if not all(having):
        without, with_it = files[having.index(False)].path, files[having.index(True)].path
        message = (
            f"{without} has no column {FETCH_TIME!r}, which {with_it} has; judge them apart, name "
            "another column of times with {at}, or use the newest policies for all with {newest}"
        )
        raise WrongValueError(message, {"at": "at=", "newest": "newest=True"})
    return FETCH_TIME


def batches(file: UrlFile, row_group: int, columns: Sequence[str]) -> Iterator[Any]:
    """Yield columns of a row group in batches, so that memory use does not grow with it."""
    import pyarrow.parquet as parquet  # noqa: PLC0415, PLR0402  an extra

    with (
        readable(file.path, DAMAGED),
        parquet.ParquetFile(file.path, buffer_size=READ_BYTES) as opened,
    ):
        rows = batch_rows(opened.metadata.row_group(row_group), columns)
        found = opened.iter_batches(
            rows, row_groups=[row_group], columns=list(columns), use_threads=False
        )
        yield from map(sound_octets, found)


def batch_rows(group: Any, columns: Sequence[str]) -> int:  # noqa: ANN401  of pyarrow
    """Return how many rows of a row group are read at a time."""
    chunks = [group.column(place) for place in range(group.num_columns)]
    read = [chunk for chunk in chunks if chunk.path_in_schema.split(".")[0] in set(columns)]
    each = sum(chunk.total_uncompressed_size for chunk in read) / max(group.num_rows, 1)
    return max(min(BATCH_ROWS, int(BATCH_BYTES / max(each, 1))), 1)


def as_times(column: Any) -> Any:  # noqa: ANN401  Arrow's
    """Return a column of times; one of nulls has no type of its own."""
    import pyarrow as pa  # noqa: PLC0415  an extra

    return column.cast(pa.timestamp("us", "UTC")) if pa.types.is_null(column.type) else column
