"""An accessor for pandas: may a robot fetch the URLs of a series, by the robots.txt of the time.

Importing this module adds `robots` to every series::

    import goodbot.tables.pandas

    frame["url"].robots.allows("GPTBot", policies, at=frame["fetch_time"])

The URLs may be of any dtype for strings, also categorical, of object, or of Arrow. The answers have
the index of the series; what is unknown is `<NA>`.
"""

from collections.abc import Sequence
from typing import Any

from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.missing import needs
from goodbot.tables.columns import PolicyTable, verdicts
from goodbot.tables.verdict_columns import ArrowArray

with needs("pandas"):
    import pandas as pd
    import pyarrow as pa

__all__ = ["RobotsAccessor"]

NULLABLE = {
    pa.bool_(): pd.BooleanDtype(),
    pa.uint32(): pd.UInt32Dtype(),
    pa.int64(): pd.Int64Dtype(),
}


@pd.api.extensions.register_series_accessor("robots")
class RobotsAccessor:
    """Verdicts on the URLs of a series, as `series.robots`."""

    def __init__(self, series: "pd.Series[Any]") -> None:
        """Store the series; it is read when a question is asked."""
        self._series = series

    def allows(
        self,
        robot: str,
        policies: PolicyTable | object,
        at: object = None,
        *,
        dialect: str | None = None,
    ) -> "pd.Series[Any]":
        """Return whether a robot may fetch each URL, as a series of the dtype `boolean`.

        Args:
            robot: A product token or a whole User-Agent string.
            policies: A `PolicyTable`, or a table of policies with the Arrow interface.
            at: The time of each row: a series with the same index, or anything else with as many
                times; or one time for all. Without it, the newest policy counts.
            dialect: The dialect in which the policies were reckoned, if the table does not state
                it; see `PolicyTable`.

        Raises:
            WrongTypeError: The series has no URLs, or `at` no times.
            WrongValueError: `at` has another index or length.
            MisuseError: See `goodbot.tables.columns.verdicts`.

        """
        answers = self.verdicts(robot, policies, at, dialect=dialect)[robot]
        return answers.rename(self._series.name)

    def verdicts(
        self,
        robots: str | Sequence[str],
        policies: PolicyTable | object,
        at: object = None,
        *,
        explain: bool = False,
        dialect: str | None = None,
    ) -> pd.DataFrame:
        """Return a frame with a column of verdicts for each robot.

        Args:
            robots: One robot or several.
            policies: See `allows`.
            at: See `allows`.
            explain: Whether to add the reason, line and policy of each verdict, and the age of the
                policy, as `goodbot.tables.columns.verdicts` does.
            dialect: See `allows`.

        Raises:
            MisuseError: See `allows`.

        """
        urls = as_urls(self._series)
        times = None if at is None else as_times(at, self._series.index)
        answers = verdicts(urls, policies, robots, times, explain=explain, dialect=dialect)
        found = pa.table(answers)
        frame: pd.DataFrame = found.to_pandas(types_mapper=NULLABLE.get)
        return frame.set_axis(self._series.index, axis=0)


def as_urls(series: "pd.Series[Any]") -> "ArrowArray | list[object]":
    """Return the URLs of a series: an Arrow array, or the objects that a row of the series may be.

    A column of objects has what a program has gathered, also numbers; such a row has no origin.

    Raises:
        WrongTypeError: Its dtype is that of other values.

    """
    if series.isna().all():  # such a column, also an empty one, may be of any type
        return pa.nulls(len(series), pa.string())
    values = getattr(series.dtype, "categories", series)
    if values.dtype == object:
        return series.tolist()
    try:
        return pa.array(series, from_pandas=True)
    except UnicodeEncodeError:  # a lone surrogate
        return series.tolist()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        message = f"the series has values that are no URLs ({error}); use series.astype('string')"
        raise WrongTypeError(message) from error


def plain_times(values: Any) -> ArrowArray:  # noqa: ANN401  times of any library
    """Return times as an Arrow array without a dictionary or runs.

    A relation of DuckDB is a stream of tables with one column.
    """
    if hasattr(values, "__arrow_c_stream__") and not hasattr(values, "dtype"):
        times = pa.chunked_array(values).combine_chunks()
    else:
        times = pa.array(values, from_pandas=True)
    if pa.types.is_struct(times.type) and times.type.num_fields == 1:
        times = times.field(0)
    if pa.types.is_run_end_encoded(times.type) or pa.types.is_dictionary(times.type):
        times = times.cast(times.type.value_type)
    return times


def as_times(at: object, index: "pd.Index[Any]") -> ArrowArray:
    """Return a time for each row as an Arrow array.

    Raises:
        WrongTypeError: They are no times.
        WrongValueError: They have another index or length.

    """
    if isinstance(at, pd.Series) and not at.index.equals(index):
        message = (
            "at has another index than the URLs; select the same rows from both, or pass "
            "at.array to go by position"
        )
        raise WrongValueError(message)
    values: Any = [at] * len(index) if pd.api.types.is_scalar(at) else at
    try:
        times = plain_times(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError) as error:
        message = f"at must have times ({error}); use pd.to_datetime(at, utc=True)"
        raise WrongTypeError(message) from error
    if len(times) != len(index):
        message = f"at has {len(times):,} times for {len(index):,} URLs; pass one for each"
        raise WrongValueError(message)
    if not len(times) or times.null_count == len(times):
        return pa.nulls(len(times), pa.timestamp("us", "UTC"))
    if not pa.types.is_timestamp(times.type):
        message = f"at must have times, not {times.type}; use pd.to_datetime(at, utc=True)"
        raise WrongTypeError(message)
    return times
