"""Columns of files from others, validated in full before one of their values is used.

Scope: pyarrow believes what a file says of itself. An offset that leads out of a buffer, a place
that a dictionary has not, or a size below zero ends the process when the value is read, not when
the file is opened. What the values mean is decided elsewhere.

Source: Apache Arrow, "Security Considerations": untrusted data must be validated in full.
"""

import os
from collections.abc import Iterable, Iterator
from typing import Any

from goodbot.errors import MisuseError
from goodbot.tables.columns.schema import COLUMNS, pyarrow

POLICY_COLUMNS = tuple(column.name for column in COLUMNS)


def sound(columns: Any) -> Any:  # noqa: ANN401  a RecordBatch or Table of pyarrow
    """Return columns after all of their values were validated.

    Raises:
        pyarrow.ArrowInvalid: One cannot be read, or a text is not UTF-8.

    """
    columns.validate(full=True)
    return columns


def sound_octets(batch: Any) -> Any:  # noqa: ANN401  a RecordBatch of pyarrow
    """Return columns after all was validated, except that texts, such as URLs, may be any bytes.

    Raises:
        pyarrow.ArrowInvalid: A value cannot be read.

    """
    pa = pyarrow()
    as_octets = {
        pa.string(): pa.binary(), pa.large_string(): pa.large_binary(),
        pa.string_view(): pa.binary_view(),
    }  # fmt: skip
    batch.validate()
    for column in batch.columns:
        octets = as_octets.get(column.type)
        if octets is not None:
            column.view(octets).validate(full=True)
        elif pa.types.is_dictionary(column.type) and column.dictionary.type in as_octets:
            column.dictionary.view(as_octets[column.dictionary.type]).validate(full=True)
            places = column.indices
            places.validate(full=True)
            check_places(places, len(column.dictionary))
        else:
            column.validate(full=True)
    return batch


def check_places(places: Any, count: int) -> None:  # noqa: ANN401  a pyarrow.Array
    """Check that a dictionary has all places that are named.

    Raises:
        pyarrow.ArrowInvalid: It has not.

    """
    import pyarrow.compute as compute  # noqa: PLC0415, PLR0402  an extra

    bounds = compute.min_max(places).as_py()
    if bounds["min"] is not None and not 0 <= bounds["min"] <= bounds["max"] < count:
        message = "a place is outside of its dictionary"
        raise pyarrow().ArrowInvalid(message)


def arrow_batches(
    path: str | os.PathLike[str], columns: Iterable[str] | None = None
) -> Iterator[Any]:
    """Yield the parts of an Arrow file, each validated; the file is mapped while they are used.

    Args:
        path: The file.
        columns: The only columns to read; by default all.

    Raises:
        pyarrow.ArrowInvalid: It is damaged.
        OSError: It cannot be read.

    """
    pa = pyarrow()
    # The buffers of the parts keep the file mapped.
    mapped = pa.memory_map(os.fspath(path))
    chosen = None
    if columns is not None:
        names = pa.ipc.open_file(mapped).schema.names
        chosen = [names.index(column) for column in columns]
    reader = pa.ipc.open_file(mapped, options=ipc_options(chosen))
    for number in range(reader.num_record_batches):
        yield sound(reader.get_batch(number))


def ipc_options(columns: list[int] | None = None) -> Any:  # noqa: ANN401  pyarrow's
    """Return how to read an Arrow file from somebody else: in this thread."""
    return pyarrow().ipc.IpcReadOptions(
        included_fields=columns, use_threads=False, ensure_native_endian=True
    )


def decodable(schema: Any) -> Any:  # noqa: ANN401  a pyarrow.Schema
    """Return a schema of which all names can be read.

    Raises:
        UnicodeDecodeError: One is not UTF-8.

    """
    str(schema.names)
    for field in schema:
        str(field.type)
    return schema


def check_each_once(
    names: Iterable[str], path: str | os.PathLike[str], known: Iterable[str] = POLICY_COLUMNS
) -> None:
    """Check that no column that is read is there twice: neither would be the right one.

    Raises:
        MisuseError: One is.

    """
    found = list(names)
    for name in known:
        if found.count(name) > 1:
            message = f"{os.fspath(path)} has several columns {name!r}; rename all but one"
            raise MisuseError(message)
