"""Columns of times, in the form that the core reads.

Scope: a NumPy array, a sequence of `datetime` or one `datetime`; Arrow columns go through as they
are.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from typing import Any

from goodbot.errors import WrongTypeError
from goodbot.http.instants import checked_time

__all__ = ["microseconds", "time_column"]

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MICROSECOND = timedelta(microseconds=1)


def time_column(at: object, rows: int) -> Any:  # noqa: ANN401  Arrow, of any library
    """Return times as the core reads them: anything with the Arrow interface, or microseconds.

    Args:
        at: A column of timestamps, a NumPy array of `datetime64`, a sequence of `datetime` and
            `None`, or one `datetime` for all rows.
        rows: How many rows there are.

    Raises:
        WrongTypeError: It is something else.
        WrongValueError: A `datetime` is naive.

    """
    if hasattr(at, "__arrow_c_array__") or hasattr(at, "__arrow_c_stream__"):
        return at
    if isinstance(at, datetime):
        return [microseconds(at)] * rows
    if hasattr(at, "dtype") and hasattr(at, "astype"):
        return of_numpy(at)
    if isinstance(at, Iterable) and not isinstance(at, str | bytes):
        return [None if one is None else microseconds(one) for one in at]
    message = f"at must be a column of times, a datetime or None, not {type(at).__name__}"
    raise WrongTypeError(message)


def of_numpy(array: Any) -> list[int | None]:  # noqa: ANN401  of NumPy, which need not be there
    """Return the microseconds of an array of NumPy; not-a-time is null.

    Raises:
        WrongTypeError: It is no array of `datetime64`.

    """
    if array.dtype.kind == "O":
        return [None if one is None else microseconds(one) for one in array.tolist()]
    if array.dtype.kind != "M":
        message = f"at must be an array of datetime64, not of {array.dtype}"
        raise WrongTypeError(message)
    numbers = array.astype("datetime64[us]").astype("int64").tolist()
    least = -(2**63)
    return [None if one == least else one for one in numbers]


def microseconds(time: object) -> int:
    """Return the microseconds since 1970 of an aware `datetime`.

    Raises:
        WrongTypeError: It is not a `datetime`.
        WrongValueError: It is naive.

    """
    return (checked_time(time, "at") - EPOCH) // MICROSECOND
