"""The columns of a table of requests: from Arrow to compact sequences.

Scope: types and memory. A log has millions of rows with few texts, so that texts are places in a
list of the distinct ones, and numbers are in arrays.
"""

from array import array
from collections.abc import Sequence
from typing import Any

from goodbot.errors import MissingExtraError, WrongTypeError

NUMBERS = {"line": "int64", "time": "timestamp[us]", "status": "int64", "bytes": "int64"}
"""The types of the columns that are not texts."""


def pyarrow_of_audit() -> Any:  # noqa: ANN401  a module
    """Return pyarrow.

    Raises:
        MissingExtraError: It is not installed.

    """
    try:
        import pyarrow as pa  # noqa: PLC0415  an extra
    except ImportError as error:
        message = (
            "auditing a log needs pyarrow, which is not installed; install it with "
            "pip install 'goodbot[audit]', or '.[audit]' in a checkout"
        )
        raise MissingExtraError(message) from error
    return pa


def compact(table: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return a table with its texts as dictionaries and its times in microseconds.

    Raises:
        WrongTypeError: A column has another type.

    """
    pa = pyarrow_of_audit()
    text = pa.dictionary(pa.int32(), pa.string())
    for place, name in enumerate(table.column_names):
        column, kind = table.column(name), NUMBERS.get(name, "string")
        if column.type == text or (pa.types.is_timestamp(column.type) and column.type.unit == "us"):
            continue
        try:
            # Nanoseconds are cut, which is within the resolution of the clock.
            column = column.cast(kind, safe=name != "time")
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            message = f"the column {name!r} is {column.type}, not {kind}"
            raise WrongTypeError(message) from error
        column = column.dictionary_encode() if kind == "string" else column
        table = table.set_column(place, name, column)
    return table


def encode_texts(table: Any, name: str) -> tuple[Sequence[int], list[str]]:  # noqa: ANN401  pyarrow's
    """Return the place of each text of a compact column, and the texts; null is an empty one."""
    column = table.column(name).combine_chunks()
    names = [text or "" for text in column.dictionary.to_pylist()]
    places = column.indices
    if places.null_count:
        places = places.fill_null(len(names))
        names.append("")
    return read_numbers(places, "i"), names


def texts(table: Any, name: str) -> list[str]:  # noqa: ANN401  pyarrow's
    """Return a compact column of texts; null is an empty one. Equal texts share their memory."""
    places, names = encode_texts(table, name)
    return [names[place] for place in places]


def integers(table: Any, name: str) -> Sequence[int | None]:  # noqa: ANN401  pyarrow's
    """Return a column of integers of 64 bits. Equal numbers beside a null share their memory."""
    column = table.column(name).combine_chunks()
    if not column.null_count:
        return read_numbers(column, "q")
    column = column.dictionary_encode()
    values = column.dictionary.to_pylist()
    return [None if place is None else values[place] for place in column.indices.to_pylist()]


def read_numbers(column: Any, code: str) -> "array[int]":  # noqa: ANN401  pyarrow's
    """Return the numbers of an Arrow array without nulls, whose size is that of the type code."""
    numbers = array(code)
    _, values = column.buffers()
    if values is not None:
        first, size = column.offset * numbers.itemsize, len(column) * numbers.itemsize
        numbers.frombytes(memoryview(values)[first : first + size])
    return numbers
