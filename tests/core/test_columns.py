"""Many URLs at once: each kind of column gets the answers of `allows`, in a column of its kind."""

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import goodbot

URLS = [
    "https://example.com/private/a",
    "https://example.com/b",
    None,
    "https://example.com/%70rivate",
    "",
    "/private",
    "https://example.com/ü",
    "not a URL",
]
RULES = goodbot.RobotsTxt("User-agent: *\nDisallow: /private\nDisallow: /ü\n").rules_for(
    "ExampleBot"
)
ANSWERS = [None if url is None else RULES.allows(url) for url in URLS]
REASONS = [None if url is None else RULES.verdict(url).reason for url in URLS]
LINES = [2, None, None, 2, None, 2, 3, None]


def dictionary() -> pa.Array:
    """Return texts of which some occur twice, with nulls among the places and among the texts."""
    return pa.DictionaryArray.from_arrays(
        pa.array([*range(len(URLS)), 0, None]), pa.array(URLS, pa.string())
    )


ARROW: dict[str, Callable[[], pa.Array]] = {
    "string": lambda: pa.array(URLS, pa.string()),
    "large-string": lambda: pa.array(URLS, pa.large_string()),
    "string-view": lambda: pa.array(URLS, pa.string_view()),
    "binary": lambda: pa.array(URLS, pa.string()).cast(pa.binary()),
    "large-binary": lambda: pa.array(URLS, pa.string()).cast(pa.large_binary()),
    "binary-view": lambda: pa.array(URLS, pa.string()).cast(pa.binary_view()),
    "sliced": lambda: pa.array(["/x", *URLS, "/y"], pa.string()).slice(1, len(URLS)),
}


@pytest.mark.parametrize("kind", ARROW)
def test_arrow_arrays(kind: str) -> None:
    """Each string type is read, and the result is an Arrow array."""
    array = ARROW[kind]()
    answers = RULES.allows_many(array)
    assert answers.type == pa.bool_()
    assert answers.to_pylist() == ANSWERS
    columns = RULES.verdicts_many(array)
    assert columns["allowed"].to_pylist() == ANSWERS
    assert columns["line"].to_pylist() == LINES
    assert columns["reason"].to_pylist() == REASONS


def test_arrow_dictionaries() -> None:
    """A dictionary's texts are decided once, and its nulls of both kinds stay null."""
    assert RULES.allows_many(dictionary()).to_pylist() == [*ANSWERS, ANSWERS[0], None]
    places, no_texts = pa.array([None, None], pa.int8()), pa.array([], pa.string())
    empty = pa.DictionaryArray.from_arrays(places, no_texts)
    assert RULES.allows_many(empty).to_pylist() == [None, None]


def test_arrow_chunks_and_nulls() -> None:
    """A chunked array returns a chunked array; a column of only nulls returns nulls."""
    chunked = pa.chunked_array([URLS[:3], URLS[3:]], pa.string())
    answers = RULES.allows_many(chunked)
    assert isinstance(answers, pa.ChunkedArray)
    assert answers.to_pylist() == ANSWERS
    assert RULES.allows_many(pa.array([None, None])).to_pylist() == [None, None]
    assert RULES.verdicts_many(pa.array([None]))["reason"].to_pylist() == [None]
    assert RULES.allows_many(pa.array([], pa.string())).to_pylist() == []


class OnlyCapsules:
    """An Arrow array from a library that goodbot does not know."""

    def __init__(self, array: pa.Array) -> None:
        """Store the array."""
        self._array = array

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        """Return the array."""
        return self._array.__arrow_c_array__(requested_schema)


def test_any_arrow_array() -> None:
    """The result for an unknown library's array is a column that every library can read."""
    urls: Any = OnlyCapsules(ARROW["string"]())
    column = RULES.allows_many(urls)
    assert isinstance(column, goodbot.ArrowColumn)
    assert len(column) == len(URLS)
    assert column.tolist() == ANSWERS
    assert pa.array(column).to_pylist() == ANSWERS
    columns = RULES.verdicts_many(urls)
    assert columns["reason"].tolist() == REASONS
    assert columns["line"].tolist() == LINES


def test_polars() -> None:
    """A series keeps its name; lazily typed and categorical ones are read too."""
    series = pl.Series("url", URLS)
    for one in (series, series.cast(pl.Categorical), series.cast(pl.Binary)):
        answers = RULES.allows_many(one)
        assert isinstance(answers, pl.Series)
        assert (answers.name, answers.to_list()) == ("url", ANSWERS)
    assert RULES.allows_many(pl.Series("url", [None])).to_list() == [None]
    with pytest.raises(goodbot.WrongTypeError, match="a table has several columns"):
        RULES.allows_many(pl.DataFrame({"url": URLS, "number": range(len(URLS))}))


def test_what_duckdb_found() -> None:
    """A relation of one column is read as it is, also if functions of Python make its rows."""
    connection: Any = duckdb.connect()
    rows = pa.table({"url": pa.array(URLS, pa.string())})
    found = connection.from_arrow(rows)
    assert RULES.allows_many(found).tolist() == ANSWERS
    assert RULES.verdicts_many(found)["reason"].tolist() == REASONS
    assert pa.array(RULES.allows_many(found.filter("url IS NULL"))).to_pylist() == [None]
    assert RULES.allows_many(found.filter("url = 'no'")).tolist() == []
    connection.create_function("same", lambda urls: urls, ["VARCHAR"], "VARCHAR", type="arrow")
    made = connection.sql("SELECT same('/private/' || i) FROM range(100000) AS numbers(i)")
    assert RULES.allows_many(made).tolist() == [False] * 100_000
    connection.close()


def test_tables_of_one_column() -> None:
    """A table of one column of texts counts as that column; any other one is refused."""
    table = pa.table({"url": pa.array(["/x", *URLS], pa.string_view())})
    assert RULES.allows_many(table.slice(1)).to_pylist() == ANSWERS
    rows = table.to_batches()[0].slice(1)
    assert RULES.allows_many(rows).to_pylist() == ANSWERS
    for frame in (pl.DataFrame({"url": URLS}), pd.DataFrame({"url": URLS})):
        assert RULES.allows_many(frame).tolist() == ANSWERS
    assert RULES.allows_many(pa.table({"url": pa.nulls(2)})).to_pylist() == [None, None]
    for refused, found in ((["a", "b"], "several columns"), (["a"], "not of Int64; cast it")):
        numbers = pa.table({name: [1] for name in refused})
        with pytest.raises(goodbot.WrongTypeError, match=found):
            RULES.allows_many(numbers)


def test_a_stream_that_fails_says_why() -> None:
    """The message of the library that made the stream is repeated."""
    message = "the disk is gone"

    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"url": ["/a"]})
        raise OSError(message)

    reader = pa.RecordBatchReader.from_batches(pa.schema({"url": pa.string()}), batches())
    with pytest.raises(goodbot.WrongTypeError, match=rf"could not be read: .*{message}"):
        RULES.allows_many(reader)


@pytest.mark.parametrize("dtype", ["object", "string"])
def test_pandas(dtype: str) -> None:
    """A series keeps its index and its name, so that it can filter them."""
    series = pd.Series(URLS, index=range(10, 10 + len(URLS)), name="url", dtype=dtype)
    answers = RULES.allows_many(series)
    assert isinstance(answers, pd.Series)
    assert list(answers.index) == list(series.index)
    assert answers.name == "url"
    assert [None if pd.isna(answer) else bool(answer) for answer in answers] == ANSWERS
    full = series.dropna()
    assert RULES.allows_many(full).dtype == bool
    assert list(full[RULES.allows_many(full)]) == [
        url for url, allowed in zip(URLS, ANSWERS, strict=True) if allowed
    ]
    columns = RULES.verdicts_many(series)
    assert columns["reason"].loc[10] == "rule-disallows"
    assert columns["line"].loc[10] == 2


def test_numpy() -> None:
    """Arrays of any shape and string type; masked places are null."""
    texts = [url for url in URLS if url is not None]
    expected = [RULES.allows(url) for url in texts]
    for array in (np.array(texts), np.array(texts, dtype=object), np.array([b"/private", b"/b"])):
        answers = RULES.allows_many(array)
        assert answers.dtype == bool
        assert answers.tolist() == (expected if len(array) == len(texts) else [False, True])
    square = RULES.allows_many(np.array([["/private", "/b"], ["/c", "/private/d"]]))
    assert square.tolist() == [[False, True], [True, False]]
    masked = np.ma.masked_array(["/private", "/b"], mask=[False, True])
    assert RULES.allows_many(masked).tolist() == [False, None]
    assert RULES.verdicts_many(np.array(texts))["line"][0] == 2


def test_sequences() -> None:
    """Lists, tuples and generators work, of `str`, `bytes`, and text that is not Unicode."""
    assert RULES.allows_many(URLS) == ANSWERS
    assert RULES.allows_many(tuple(URLS)) == ANSWERS
    assert RULES.allows_many(url for url in URLS) == ANSWERS
    assert RULES.allows_many([b"/private", "/\ud800", float("nan")]) == [False, True, None]
    assert RULES.allows_many([]) == []


@pytest.mark.parametrize("urls", [{"/a": 1}, {"/a"}, frozenset(["/a"]), {"/a": 1}.keys()])
def test_what_has_no_order_is_refused(urls: object) -> None:
    """Reading the keys of a `dict`, or a set in any order, would be a mistake."""
    for ask in (RULES.allows_many, RULES.verdicts_many):
        with pytest.raises(goodbot.WrongTypeError, match="have no order"):
            ask(urls)


@pytest.mark.parametrize("threads", [2, 7, 2**70])
def test_threads_change_nothing(threads: int) -> None:
    """Any number of threads returns the answers of one; the machine's own number is the maximum."""
    urls = [f"/{'private' if number % 3 else 'b'}/{number}" for number in range(40_000)]
    assert RULES.allows_many(urls, threads=threads) == RULES.allows_many(urls)


def copied(value: object) -> Any:  # noqa: ANN401 -- the type of the argument
    """Pickle a value and read it back."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301 -- written a moment ago


def test_rules_files_and_dialects_come_back_from_a_pickle() -> None:
    """They are equal and answer the same, also in a custom dialect."""
    assert copied(RULES) == RULES
    assert copied(RULES.verdict("/a")) == RULES.verdict("/a")
    mine = goodbot.dialect("bing").replace(tie="disallow")
    assert copied(mine) == mine
    assert copied(goodbot.dialect("lwp")) == goodbot.dialect("lwp")
    robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /a", dialect=mine)
    assert copied(robots).verdict("/a", "x").dialect == "bing+tie=disallow"
