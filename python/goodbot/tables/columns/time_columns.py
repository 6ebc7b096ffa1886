"""Columns of times, in the form that the core reads.

Scope: arrays of NumPy and pandas, a sequence of `datetime` or one time; Arrow columns go through as
they are.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.instants import checked_time, instant

NOT_A_TIME = -(2**63)
"""How NumPy stores it."""
TOO_FINE = ("[ps]", "[fs]", "[as]")
"""Units of which no time of this century fits."""


def time_column(at: object) -> Any:  # noqa: ANN401  Arrow, of any library
    """Return times as the core reads them: Arrow, a list of microseconds, or those of all rows.

    Args:
        at: A column of timestamps, a NumPy array of `datetime64`, an index of pandas, a sequence of
            `datetime` and `None`, or one `datetime` or `datetime64` for all rows.

    Raises:
        WrongTypeError: It is something else.
        WrongValueError: A `datetime` is naive, an array has several dimensions, or a time is too
            far away.

    """
    if hasattr(at, "__arrow_c_array__") or hasattr(at, "__arrow_c_stream__"):
        return at
    if isinstance(at, datetime):
        return microseconds(at)
    if hasattr(at, "dtype") and hasattr(at, "astype"):
        return convert_numpy(at)
    if isinstance(at, Iterable) and not isinstance(at, str | bytes):
        return [microseconds_or_null(time) for time in at]
    message = (
        f"at must be a column of times, a datetime or None, not {type(at).__name__}; "
        "datetime.fromisoformat('2026-01-31T12:00:00+00:00') makes a time of a text"
    )
    raise WrongTypeError(message)


def convert_numpy(given: Any) -> list[int | None] | int:  # noqa: ANN401  of NumPy, which need not be there
    """Return the microseconds of an array or of one time; not-a-time is null in an array.

    Raises:
        WrongTypeError: It has no times.
        WrongValueError: See `time_column`.

    """
    if getattr(given, "tz", None) is not None:  # an index of pandas
        given = given.tz_convert("UTC").tz_localize(None)
    array = given.to_numpy() if hasattr(given, "to_numpy") else given
    if array.ndim > 1:
        message = f"at has {array.ndim} dimensions; pass one column of times"
        raise WrongValueError(message)
    if array.dtype.kind == "O":
        return [microseconds_or_null(time) for time in array.tolist()]
    if array.dtype.kind != "M" or array.dtype.str.endswith(TOO_FINE):
        message = (
            f"at must have datetime64 of a unit from years to nanoseconds, not {array.dtype}; use "
            "array.astype('datetime64[us]')"
        )
        raise WrongTypeError(message)
    whole = array.astype("datetime64[us]")
    is_time = array.astype("int64") != NOT_A_TIME
    if not array.dtype.str.endswith("[ns]") and (whole.astype(array.dtype) != array)[is_time].any():
        message = f"at has a time that does not fit in microseconds: {array.dtype}"
        raise WrongValueError(message)
    numbers = whole.astype("int64").tolist()
    if array.ndim == 0:
        return convert_one(numbers)
    return [None if number == NOT_A_TIME else number for number in numbers]


def convert_one(number: int) -> int:
    """Return the microseconds of the one time for all rows.

    Raises:
        WrongValueError: It is not-a-time.

    """
    if number == NOT_A_TIME:
        message = "at is NaT, which is no time; pass None to ask for the newest policies"
        raise WrongValueError(message)
    return number


def microseconds_or_null(time: object) -> int | None:
    """Return the microseconds since 1970 of a time in a sequence; `None` if it is missing."""
    return None if is_missing(time) else microseconds(time)


def is_missing(time: object) -> bool:
    """Return whether a value stands for a missing time: None, NaN, or NaT of NumPy or pandas."""
    return time is None or (isinstance(time, datetime | float) and time != time)  # noqa: PLR0124


def microseconds(time: object) -> int:
    """Return the microseconds since 1970 of an aware `datetime`, rounded down.

    Raises:
        WrongTypeError: It is not a `datetime`.
        WrongValueError: It is naive, or not-a-time.

    """
    if isinstance(time, datetime) and is_missing(time):
        return convert_one(NOT_A_TIME)
    return instant(checked_time(time, "at"), "at")
