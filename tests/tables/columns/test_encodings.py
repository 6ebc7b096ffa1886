"""Columns in encodings: dictionaries, runs and tables of one column are their values."""

from typing import Any

import pyarrow as pa
import pytest

from goodbot.tables.columns import verdicts
from tests.support.columns.captures import TIMES, URLS, UTC, policies


def in_runs(array: pa.Array, values: pa.Array | None = None) -> pa.Array:
    """Return the same values as runs of one row each."""
    ends = pa.array(range(1, len(array) + 1), pa.int32())
    return pa.RunEndEncodedArray.from_arrays(ends, array if values is None else values)


ENCODED = {
    "a dictionary": lambda array: array.dictionary_encode(),
    "a dictionary in chunks": lambda array: pa.chunked_array(
        [array[:3].dictionary_encode(), array[3:].dictionary_encode()]
    ),
    "runs": in_runs,
    "runs of a dictionary": lambda array: in_runs(array.dictionary_encode()),
    "a slice of runs": lambda array: in_runs(pa.concat_arrays([array[:2], array])).slice(2),
    "a table of one column": lambda array: pa.table({"only": array}),
}


@pytest.mark.parametrize("encode", ENCODED.values(), ids=ENCODED)
def test_encoded_times_and_urls_are_those_of_their_values(encode: Any) -> None:  # noqa: ANN401
    """Dictionaries, runs and tables of one column, as engines hand them over."""
    urls, times = pa.array(URLS, pa.string()), pa.array(TIMES, UTC)
    plain = pa.table(verdicts(urls, policies(), "GPTBot", times, explain=True))
    for form in (
        (urls, encode(times)),
        (encode(urls), times),
        (encode(urls.cast(pa.string_view())), encode(times))
        if encode is in_runs
        else (encode(urls.cast(pa.large_string())), encode(times)),
    ):
        assert pa.table(verdicts(form[0], policies(), "GPTBot", form[1], explain=True)) == plain


def test_runs_of_several_rows_repeat_their_value() -> None:
    """A run may be longer than a row, null, or without any value that is not null."""
    ends = pa.array([2, 5], pa.int16())
    times = pa.RunEndEncodedArray.from_arrays(ends, pa.array([TIMES[0], None], UTC))
    urls = pa.RunEndEncodedArray.from_arrays(ends, pa.array([URLS[1], URLS[0]]))
    found = verdicts(urls, policies(), "CCBot", times, explain=True)
    assert found["CCBot"].tolist() == [True, True, None, None, None]
    assert found["CCBot:reason"].tolist()[2:] == ["no-time"] * 3
    nothing = pa.RunEndEncodedArray.from_arrays(pa.array([5], pa.int64()), pa.nulls(1))
    assert verdicts(urls, policies(), "CCBot", nothing)["CCBot"].tolist() == [None] * 5
