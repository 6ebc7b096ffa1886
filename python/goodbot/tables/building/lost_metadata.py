"""Tables of policies that went through another library, which loses the metadata of a file.

Scope: how a file without the metadata is known to be a table of policies, which dialect it has, and
which columns are cast. Polars, DuckDB and pandas write strings, contents and lists in types of
their own, which are read as they are; numbers and times are cast.
"""

import os
from collections.abc import Iterable
from typing import Any

from goodbot.errors import MisuseError
from goodbot.tables.columns.schema import DEFAULT_DIALECT, arrow_schema, pyarrow

LOOKED_UP = ("origin", "valid_from", "valid_until", "access", "reason", "stale", "body")
"""The columns without which no question can be answered."""


def is_of_policies(names: Iterable[str]) -> bool:
    """Return whether a file with these columns is a table of policies."""
    return {*LOOKED_UP} <= {*names}


def check_columns(names: Iterable[str], path: str | os.PathLike[str]) -> None:
    """Check that a file without the metadata has the columns of a table of policies.

    Raises:
        MisuseError: One is missing.

    """
    known = {*names}
    missing = [name for name in LOOKED_UP if name not in known]
    if missing:
        message = (
            f"{os.fspath(path)} is not a table of policies: it has no column {missing[0]!r}; make "
            "one with `goodbot tables build`"
        )
        raise MisuseError(message)


def find_dialect(column: Any, path: str | os.PathLike[str]) -> str:  # noqa: ANN401  pyarrow's
    """Return the dialect that the rows of a table state; of a table without rows, `rfc9309`.

    Args:
        column: The column `dialect`.
        path: The file, for the message.

    Raises:
        MisuseError: The rows state several, or one states none.

    """
    stated = as_strings(column).unique().to_pylist()
    found = {name for name in stated if name is not None}
    if column.null_count or len(found) > 1:
        told = "null" if column.null_count else " and ".join(sorted(found)[:2])
        message = (
            f"the column 'dialect' of {os.fspath(path)} has {told}; all rows need the one dialect "
            "that they were built in, so merge tables with `goodbot tables merge`"
        )
        raise MisuseError(message)
    return found.pop() if found else DEFAULT_DIALECT


def as_strings(column: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return a column of strings of any type, also of a dictionary, as plain strings.

    Source: pyarrow can neither cast nor decode a dictionary of string views, as Polars writes them.
    """
    pa = pyarrow()
    plain = pa.large_string()
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    decoded = [
        chunk.dictionary.cast(plain).take(chunk.indices)
        if pa.types.is_dictionary(chunk.type)
        else chunk.cast(plain)
        for chunk in chunks
    ]
    return pa.chunked_array(decoded, plain)


def no_dialect(path: str | os.PathLike[str]) -> MisuseError:
    """Return the error for a table that does not state its dialect anywhere."""
    message = (
        f"{os.fspath(path)} has no column 'dialect', and has lost the metadata that states the "
        "dialect too; keep that column, or build the table again with `goodbot tables build` (in "
        "Python, open_policies can be passed the dialect)"
    )
    return MisuseError(message)


def fit_to_schema(table: Any, path: str | os.PathLike[str]) -> Any:  # noqa: ANN401  a pyarrow.Table
    """Return a table with times, numbers and truths in the types of the schema.

    A time without a zone is in UTC. pandas makes floats of statuses if some are null.

    Raises:
        MisuseError: A column has another type, or values that do not fit.

    """
    pa = pyarrow()
    for field in arrow_schema():
        place = table.schema.get_field_index(field.name)
        is_cast = any(
            test(field.type)
            for test in (pa.types.is_timestamp, pa.types.is_integer, pa.types.is_boolean)
        )
        if place < 0 or not is_cast or table.schema.field(place).type == field.type:
            continue
        try:
            # Nanoseconds are cut: goodbot counts microseconds.
            cut = pa.types.is_timestamp(field.type)
            column = table.column(place).cast(field.type, safe=not cut)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            given = table.schema.field(place).type
            message = (
                f"the column {field.name!r} of {os.fspath(path)} is {given} and cannot be read as "
                f"{field.type}; write it in this type"
            )
            raise MisuseError(message) from error
        table = table.set_column(place, field, column)
    return table
