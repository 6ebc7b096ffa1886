"""Which values a table of policies must have, in whatever types a library has written them.

Scope: the check before rows become facts. What the columns mean, `schema` says.
"""

from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

from goodbot.errors import MisuseError
from goodbot.http.instants import EPOCH, MICROSECOND
from goodbot.tables.columns.schema import COLUMNS, pyarrow

KEYS = ("origin", "valid_from", "answered")
"""What each row has."""
TIMES = tuple(column.name for column in COLUMNS if column.kind == "time")
FIRST = datetime.min.replace(tzinfo=timezone.utc, day=2) - EPOCH
LAST = datetime(9999, 1, 1, tzinfo=timezone.utc) - EPOCH
"""Times that a zone or a lifetime cannot carry out of the calendar."""
WANTED = {
    "string": "strings", "names": "strings", "time": "timestamps in UTC", "status": "integers",
    "truth": "truth values", "bytes": "binary", "body": "binary", "urls": "lists of strings",
    "fields": "lists of {name, value}, both strings",
}  # fmt: skip
"""Of each kind of column, how to say what it has."""


def check_keys(table: Any) -> None:  # noqa: ANN401  a pyarrow.Table
    """Check that each row says of which site it is, and of when.

    Raises:
        MisuseError: One does not, or its time is not in the calendar.

    """
    for name in KEYS:
        if table.column(name).null_count:
            message = f"a row has no {name!r}; build the table again, or remove such rows"
            raise MisuseError(message)
    pa = pyarrow()
    import pyarrow.compute as compute  # noqa: PLC0415, PLR0402  an extra

    first, last = FIRST // MICROSECOND, LAST // MICROSECOND
    for name in TIMES:
        if name not in table.column_names:  # one that is reckoned again
            continue
        column = table.column(name)
        if pa.types.is_timestamp(column.type):
            bounds = compute.min_max(column.cast(pa.int64())).as_py()
            if bounds["min"] is not None and not first <= bounds["min"] <= bounds["max"] <= last:
                message = (
                    f"the column {name!r} has a time outside of the years 1 to 9998; correct it"
                )
                raise MisuseError(message)


def check_kinds(schema: Any) -> None:  # noqa: ANN401  a pyarrow.Schema
    """Check that each column has values of its kind, in any of the types that libraries write.

    Raises:
        MisuseError: One has not.

    """
    known = pyarrow().types
    for name, kind in (
        (column.name, column.kind) for column in COLUMNS if column.name in schema.names
    ):
        given = schema.field(name).type
        inner = given.value_type if known.is_dictionary(given) else given
        if not (known.is_null(inner) or is_of_kind(given, kind)):
            message = f"the column {name!r} is {given}; write it as {WANTED[kind]}"
            raise MisuseError(message)


def is_of_kind(given: Any, kind: str) -> bool:  # noqa: ANN401  a type of pyarrow
    """Return whether a type has values of a kind of column."""
    known = pyarrow().types
    given = given.value_type if known.is_dictionary(given) else given
    if kind == "urls":
        return is_list(given) and (
            known.is_null(given.value_type) or is_of_kind(given.value_type, "string")
        )
    if kind == "fields":
        return is_list(given) and is_field(given.value_type)
    return any(test(given) for test in choose_tests(kind))


def choose_tests(kind: str) -> tuple[Callable[[Any], bool], ...]:
    """Return which types have values of a kind that is no list."""
    known = pyarrow().types
    texts = (known.is_string, known.is_large_string, known.is_string_view)
    octets = (
        known.is_binary, known.is_large_binary, known.is_binary_view, known.is_fixed_size_binary,
    )  # fmt: skip
    by_kind = {
        "string": texts, "names": texts, "bytes": octets, "body": octets,
        "time": (known.is_timestamp,), "status": (known.is_integer,), "truth": (known.is_boolean,),
    }  # fmt: skip
    return by_kind[kind]


def is_list(given: Any) -> bool:  # noqa: ANN401  a type of pyarrow
    """Return whether a type is one of lists."""
    known = pyarrow().types
    return any(test(given) for test in (known.is_list, known.is_large_list, known.is_list_view))


def is_field(given: Any) -> bool:  # noqa: ANN401  a type of pyarrow
    """Return whether a type has a name and a value, both texts; of no values, any."""
    known = pyarrow().types
    if known.is_null(given):
        return True
    if not known.is_struct(given):
        return False
    inside = {field.name: field.type for field in given}
    return {"name", "value"} <= inside.keys() and all(
        known.is_null(inside[name]) or is_of_kind(inside[name], "string")
        for name in ("name", "value")
    )
