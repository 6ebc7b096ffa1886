"""Reading a table of policies: whole for questions over columns, or row by row.

Scope: opening files. `origin_rows` reads one origin, `lost_metadata` knows tables that went through
another library. What the rows mean, `goodbot.tables.columns` and the policy layer decide.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from goodbot.errors import MisuseError
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer
from goodbot.tables.building.damaged_files import name_if_damaged
from goodbot.tables.building.lost_metadata import (
    check_columns,
    find_dialect,
    fit_to_schema,
    no_dialect,
)
from goodbot.tables.building.parquet_footer import parquet_file
from goodbot.tables.building.sound_columns import arrow_batches, check_each_once, decodable, sound
from goodbot.tables.building.table_writing import check_ending
from goodbot.tables.columns.column_kinds import check_kinds, is_of_kind
from goodbot.tables.columns.fact_rows import answers_in_rows, check_facts
from goodbot.tables.columns.policy_table import CACHE_BYTES, PolicyTable
from goodbot.tables.columns.schema import VERSION_KEY, check_version, pyarrow, read_dialect


@contextmanager
def readable(path: str | os.PathLike[str]) -> Iterator[None]:
    """Read a file; if it is of another kind, say which it is and what to do.

    Raises:
        MisuseError: The file is damaged, or of another kind.
        OSError: It cannot be read; pyarrow's own error would not name the file.

    """
    check_ending(path)
    Path(path).open("rb").close()
    cure = "build it again with `goodbot tables build`"
    with name_if_damaged(path, "a table of policies", cure):
        yield


def read_schema(path: str | os.PathLike[str]) -> Any:  # noqa: ANN401  pyarrow's
    """Return the schema of a table, checked.

    Raises:
        MisuseError: It is not a table of policies, or of an unknown version.
        OSError: It cannot be read.

    """
    pa = pyarrow()

    with readable(path):
        if Path(path).suffix == ".parquet":
            with parquet_file(path) as file:
                schema = file.schema_arrow
        else:
            with pa.memory_map(os.fspath(path)) as mapped:
                schema = pa.ipc.open_file(mapped).schema
        decodable(schema)
    check_each_once(schema.names, path)
    if has_metadata(schema):
        check_version(schema.metadata, os.fspath(path))
    else:
        check_columns(schema.names, path)
    return schema


def has_metadata(schema: Any) -> bool:  # noqa: ANN401  pyarrow's
    """Return whether a schema has the metadata of a table of policies."""
    return VERSION_KEY in (schema.metadata or {})


def check_table(path: str | os.PathLike[str], dialect: str | None = None) -> str:
    """Check that a file is a whole table of policies; return its dialect.

    Args:
        path: The table.
        dialect: What to return if the file does not state it.

    Raises:
        MisuseError: It is not a table of policies, or facts are missing.
        OSError: It cannot be read.

    """
    return dialect_in(path, schema_with_facts(path), dialect)


def schema_with_facts(path: str | os.PathLike[str]) -> Any:  # noqa: ANN401  pyarrow's
    """Return the schema of a table, checked to have all facts.

    Raises:
        MisuseError: It is not a table of policies, facts are missing, or its origins are no texts.
        OSError: It cannot be read.

    """
    schema = read_schema(path)
    try:
        check_facts(schema.names)
    except MisuseError as error:
        message = f"{os.fspath(path)} is not whole: {error}"
        raise MisuseError(message) from error
    try:
        # Rows are found by it, before their other columns are read.
        check_kinds(pyarrow().schema([schema.field("origin")]))
    except MisuseError as error:
        raise unsound_error(path, error) from error
    return schema


def dialect_in(path: str | os.PathLike[str], schema: Any, dialect: str | None = None) -> str:  # noqa: ANN401  pyarrow's
    """Return the dialect of a table: that of its metadata, or else of its column.

    Args:
        path: The table.
        schema: Its schema.
        dialect: What to return if it states none.

    Raises:
        MisuseError: It states none, or several.
        OSError: It cannot be read.

    """
    pyarrow()
    if has_metadata(schema):
        return read_dialect(schema.metadata)
    if "dialect" not in schema.names:
        if dialect is None:
            raise no_dialect(path)
        return dialect
    with readable(path):
        if Path(path).suffix == ".parquet":
            with parquet_file(path) as file:
                table = file.read(columns=["dialect"])
        else:
            table = arrow_table(path, schema, ["dialect"])
        sound(table)
    return find_dialect(table.column("dialect"), path)


def open_table(path: str | os.PathLike[str], *, dialect: str | None = None) -> Any:  # noqa: ANN401  pyarrow's
    """Return the whole table as a `pyarrow.Table`; an Arrow file is memory-mapped.

    A file that went through Polars, DuckDB or pandas, and so has no metadata, must have the column
    `dialect`.

    Args:
        path: The table.
        dialect: The dialect that it was built in, if the file does not state it.

    Raises:
        MisuseError: It is not a table of policies, or of an unknown version.
        MissingExtraError: pyarrow is not installed.
        OSError: It cannot be read.

    """
    pyarrow()
    schema = read_schema(path)
    dialect_in(path, schema, dialect)
    with readable(path):
        if Path(path).suffix == ".parquet":
            place = schema.get_field_index("body")
            is_plain = place >= 0 and is_of_kind(schema.field(place).type, "body")
            bodies = ["body"] if is_plain else []
            with parquet_file(path, read_dictionary=bodies) as file:
                table = file.read()
        else:
            table = arrow_table(path, schema)
        sound(table)
    return table if has_metadata(schema) else fit_to_schema(table, path)


def open_policies(
    path: str | os.PathLike[str],
    *,
    held: timedelta | None = None,
    cache_bytes: int = CACHE_BYTES,
    dialect: str | None = None,
) -> PolicyTable:
    """Open a table of policies for questions over columns (`goodbot.tables.columns.verdicts`).

    Args:
        path: The table; an Arrow file is memory-mapped, a Parquet file is read.
        held: How long a policy permits anything after it was learned; by default as long as it is
            fresh.
        cache_bytes: The most bytes that compiled rules take.
        dialect: The dialect that the table must have been reckoned in; by default any. A file that
            has lost its metadata, and has no column `dialect`, needs it.

    Raises:
        MisuseError: It is not a table of policies, or of an unknown version.
        MissingExtraError: pyarrow is not installed.
        OSError: It cannot be read.

    """
    table = open_table(path, dialect=dialect)
    return PolicyTable(table, held=held, cache_bytes=cache_bytes, dialect=dialect)


def read_facts(path: str | os.PathLike[str]) -> Iterator[RobotsTxtAnswer]:
    """Yield the facts of each row, a part of the file at a time.

    Raises:
        MisuseError: It is not a table of policies.
        OSError: It cannot be read.

    """
    pyarrow()
    schema_with_facts(path)
    with readable(path):
        if Path(path).suffix == ".parquet":
            with parquet_file(path) as file:
                for batch in file.iter_batches(batch_size=1_024):
                    yield from answers_in_batches([sound(batch)], path)
            return
        for batch in arrow_batches(path):
            yield from answers_in_batches([batch], path)


def arrow_table(
    path: str | os.PathLike[str],
    schema: Any,  # noqa: ANN401  pyarrow's
    columns: Sequence[str] | None = None,
) -> Any:  # noqa: ANN401  pyarrow's
    """Return columns of an Arrow file as a table, each part validated; by default all columns."""
    found = list(arrow_batches(path, columns))
    if columns is not None:
        schema = pyarrow().schema([schema.field(column) for column in columns])
    return pyarrow().Table.from_batches(found, schema)


def answers_in_batches(
    batches: Sequence[Any], path: str | os.PathLike[str]
) -> Iterator[RobotsTxtAnswer]:
    """Yield the facts of some rows of a file.

    Raises:
        MisuseError: A row has no origin or no time, or a column has another type.

    """
    table = fit_to_schema(pyarrow().Table.from_batches(batches), path)
    try:
        yield from answers_in_rows(table)
    except MisuseError as error:
        raise unsound_error(path, error) from error


def unsound_error(path: str | os.PathLike[str], error: MisuseError) -> MisuseError:
    """Return the error for a table with values that no table of policies has."""
    return MisuseError(f"{os.fspath(path)} is not a sound table of policies: {error}")
