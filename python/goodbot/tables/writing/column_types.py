"""The types of columns in several Parquet files: checked, and made one for the output.

Scope: it decides by the footers, before a row is read. What has no type in common is refused, as
nothing may be lost.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from goodbot.errors import MisuseError, WrongTypeError, WrongValueError
from goodbot.tables.writing.url_files import ChosenColumns, UrlFile

UNITS = ("s", "ms", "us", "ns")


OR_NEWEST = "name a column of timestamps with {at}, or use the newest policies with {newest}; or"
OF_OR_NEWEST = MappingProxyType({"at": "at=", "newest": "newest=True"})


def check_columns(
    files: Sequence[UrlFile],
    columns: ChosenColumns,
    cure: str = OR_NEWEST,
    settings: Mapping[str, str] = OF_OR_NEWEST,
) -> None:
    """Check that each file has the columns, each once, with URLs and times in them.

    Args:
        files: The files.
        columns: The columns.
        cure: What to do if a column has no times, beside converting it.
        settings: What that says of each setting in Python.

    Raises:
        WrongTypeError: A column of URLs or of times has something else.
        WrongValueError: A file lacks a column, or has two of one name.

    """
    for file in files:
        for name in columns.read:
            count = file.schema.names.count(name)
            if count == 0:
                message = f"{file.path} has no column {name!r}, which {files[0].path} has"
                raise WrongValueError(message)
            if count > 1:
                message = f"{file.path} has {count} columns {name!r}; rename one of them"
                raise WrongValueError(message)
        kind = file.schema.field(columns.url).type
        if not is_text(kind):
            message = (
                f"{file.path}: the column {columns.url!r} is of {kind}, not of URLs; name a column "
                "of strings"
            )
            raise WrongTypeError(message)
        if columns.at is not None:
            check_times(file, columns.at, cure, settings)


def check_times(file: UrlFile, name: str, cure: str, settings: Mapping[str, str]) -> None:
    """Check that a column has times.

    Raises:
        WrongTypeError: It has something else.

    """
    import pyarrow as pa  # noqa: PLC0415  an extra

    kind = file.schema.field(name).type
    if not (pa.types.is_timestamp(kind) or pa.types.is_null(kind)):
        message = (
            f"{file.path}: the column {name!r} is of {kind}, not of times; {cure} convert it, for "
            f"example by `{name}::TIMESTAMPTZ` in DuckDB"
        )
        raise WrongTypeError(message, settings)


def is_text(kind: Any) -> bool:  # noqa: ANN401  a type of pyarrow
    """Return whether a type is one of strings or bytes, by itself or in a dictionary."""
    import pyarrow as pa  # noqa: PLC0415  an extra

    known = pa.types
    if known.is_dictionary(kind):
        return is_text(kind.value_type)
    tests = (
        known.is_null, known.is_string, known.is_large_string, known.is_string_view,
        known.is_binary, known.is_large_binary, known.is_binary_view,
    )  # fmt: skip
    return any(test(kind) for test in tests)


def copied_schema(files: Sequence[UrlFile], names: Sequence[str]) -> Any:  # noqa: ANN401  of Arrow
    """Return the schema of the columns that are copied, for the rows of all files.

    Raises:
        MisuseError: A column has types that have none in common.

    """
    import pyarrow as pa  # noqa: PLC0415  an extra

    fields = []
    for name in names:
        found = [file.schema.field(name) for file in files]
        common = found[0].type
        for file, field in zip(files, found, strict=True):
            kind = common_type(common, field.type)
            if kind is None:
                raise not_the_type(file.path, name, field.type, common)
            common = kind
        is_nullable = any(field.nullable for field in found)
        fields.append(found[0].with_type(common).with_nullable(is_nullable))
    return pa.schema(fields)


def not_the_type(path: str, name: str, kind: object, common: object) -> MisuseError:
    """Return the error for a file whose column cannot be copied beside those of other files."""
    message = (
        f"{path}: the column {name!r} is of {kind}, which does not fit {common}, the type of the "
        "files before; write the files with one type, or do not copy the column"
    )
    return WrongTypeError(message)


def common_type(one: Any, other: Any) -> Any:  # noqa: ANN401  types of pyarrow
    """Return a type that has all values of two types; `None` if there is none."""
    import pyarrow as pa  # noqa: PLC0415  an extra

    known = pa.types
    if one == other or known.is_null(other):
        return one
    if known.is_null(one):
        return other
    if known.is_dictionary(one) or known.is_dictionary(other):
        return common_type(*(value_type(kind) for kind in (one, other)))
    if known.is_timestamp(one) and known.is_timestamp(other):
        # Without a zone, times are in UTC.
        zone = one.tz if one.tz == other.tz else "UTC"
        return pa.timestamp(max(one.unit, other.unit, key=UNITS.index), zone)
    for test, widest in (
        (known.is_signed_integer, pa.int64()),
        (known.is_unsigned_integer, pa.uint64()),
        (known.is_floating, pa.float64()),
        (is_string, pa.large_string()),
        (is_text, pa.large_binary()),
    ):
        if test(one) and test(other):
            return widest
    return None


def value_type(kind: Any) -> Any:  # noqa: ANN401  a type of pyarrow
    """Return the type of the values of a dictionary, or else the type itself."""
    import pyarrow as pa  # noqa: PLC0415  an extra

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def is_string(kind: Any) -> bool:  # noqa: ANN401  a type of pyarrow
    """Return whether a type is one of strings."""
    import pyarrow as pa  # noqa: PLC0415  an extra

    known = pa.types
    tests = (known.is_string, known.is_large_string, known.is_string_view)
    return any(test(kind) for test in tests)
