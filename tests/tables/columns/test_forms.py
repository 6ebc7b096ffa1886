"""Columns of every form have the same answers; malformed ones raise, and none crashes."""

import pickle
import struct
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import goodbot
import goodbot.tables.pandas
from goodbot.tables.columns import PolicyTable, allows, origins, verdicts

assert goodbot.tables.pandas  # it registers the accessor

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
URLS = ["https://a.example/a", "https://a.example/b", None, "https://b.example/b", "text"]
EXPECTED = [True, False, None, True, None]
BODIES = [b"User-agent: *\nDisallow: /b", b"User-agent: *\nDisallow: /c"]


def table(**columns: Any) -> pa.Table:  # noqa: ANN401
    """Return the policies of two origins, with some columns replaced."""
    given = {
        "origin": pa.array(["https://a.example", "https://b.example"]),
        "valid_from": pa.array([NOON] * 2, pa.timestamp("us", "UTC")),
        "valid_until": pa.array([NOON + timedelta(days=1)] * 2, pa.timestamp("us", "UTC")),
        "access": pa.array(["rules"] * 2),
        "reason": pa.array(["found"] * 2),
        "stale": pa.array([False] * 2),
        "body": pa.array(BODIES, pa.binary()),
    }
    return pa.table(given | columns)


@pytest.mark.parametrize("form", [list, tuple, partial(np.array, dtype=object), np.array])
def test_a_text_that_cannot_be_sent_is_no_url(form: Callable[[list[str]], Any]) -> None:
    """A lone surrogate has no bytes: no policy is asked, as `Policy.verdict` refuses it."""
    urls = ["https://a.example/\ud800", "https://a.example/a"]
    with pytest.raises(goodbot.NoOriginError):
        goodbot.Policy.from_response(
            "https://a.example/robots.txt", 200, {}, BODIES[0], now=NOON
        ).verdict(urls[0], "ExampleBot")
    found = verdicts(form(urls), table(), "ExampleBot", NOON, explain=True)
    assert found["ExampleBot"].tolist() == [None, True]
    assert found["ExampleBot:reason"].tolist() == ["no-origin", "no-rule-matches"]
    assert origins(form(urls)).tolist() == [None, "https://a.example"]
    rules = goodbot.RobotsTxt(BODIES[0]).rules_for("ExampleBot")
    assert rules.allows_many(urls) == [rules.allows(url) for url in urls]


A = "https://a.example/a"
OBJECTS = [A, 1.5, None, float("nan"), 3, True, b"https://a.example/b", NOON, [A], {A: A}, pd.NA,
           pd.NaT, Decimal(1), Decimal("nan"), np.array([1.0, 2.0]), object(), 10**30]  # fmt: skip
MISSING = {2, 3, 10, 11, 13}
OF_OBJECTS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "generator": iter,
    "NumPy": lambda values: pd.Series(values, dtype=object).to_numpy(),
    "pandas": partial(pd.Series, dtype=object),
    "a frame of pandas": lambda values: pd.DataFrame({"url": pd.Series(values, dtype=object)}),
    "an index": lambda values: pd.Index(values, dtype=object),
    "Polars": partial(pl.Series, dtype=pl.Object),
    "a frame of Polars": lambda values: pl.DataFrame({"url": pl.Series(values, dtype=pl.Object)}),
}


@pytest.mark.parametrize("form", OF_OBJECTS)
def test_a_value_that_is_no_text_is_no_url(form: str) -> None:
    """A column of objects has whatever a program gathered; a row of it refuses no column."""
    make = OF_OBJECTS[form]
    rules = goodbot.RobotsTxt(BODIES[0]).rules_for("ExampleBot")
    for values, missing in ((OBJECTS, MISSING), ([1.5, 2.5], set()), ([2], set()), ([None], {0})):
        found = verdicts(make(values), table(), "ExampleBot", NOON, explain=True)
        answers = [values[row] == A if isinstance(values[row], str | bytes) else None
                   for row in range(len(values))]  # fmt: skip
        assert found["ExampleBot"].tolist() == answers
        reasons = found["ExampleBot:reason"].tolist()
        assert [row for row, one in enumerate(reasons) if one is None] == sorted(missing)
        assert [row for row, one in enumerate(reasons) if one == "no-origin"] == [
            row for row, one in enumerate(answers) if one is None and row not in missing
        ]
        assert [one is not None for one in origins(make(values)).tolist()] == [
            one is not None for one in answers
        ]
        known = [None if pd.isna(one) else bool(one) for one in rules.allows_many(make(values))]
        assert known == answers


@pytest.mark.parametrize("values", [OBJECTS[:9], [A, "https://a.example/b", 1.5], [1.5, A], [A]])
@pytest.mark.parametrize("dtype", ["object", "category"])
def test_a_series_of_objects_has_an_answer_each(values: list[Any], dtype: str) -> None:
    """The accessor of pandas answers as the library does, also for categories of objects."""
    if dtype == "category":
        values = [one for one in values if not isinstance(one, list | dict)]
    series: Any = pd.Series(values, dtype=object).astype(dtype)
    wanted = verdicts(values, table(), "ExampleBot", NOON, explain=True)
    found = series.robots.verdicts("ExampleBot", table(), NOON, explain=True)
    for name in ("ExampleBot", "ExampleBot:reason"):
        assert [None if pd.isna(one) else one for one in found[name]] == wanted[name].tolist()


def test_a_column_of_another_type_is_refused() -> None:
    """Its type says that it has no URLs, and the message says what to do."""
    for column in (np.array([1, 2]), np.array([1.5]), np.array([True])):
        with pytest.raises(goodbot.WrongTypeError, match=r"not of \w+; cast it with urls.astype"):
            verdicts(column, table(), "ExampleBot")
    for series in (pd.Series([1, 2]), pl.Series([1.5])):
        with pytest.raises(goodbot.WrongTypeError, match="cast it to a string type"):
            verdicts(series, table(), "ExampleBot")
    assert allows(np.array([]), table(), "ExampleBot").tolist() == []


def times(unit: str, zone: str | None = "UTC") -> pa.Array:
    """Return the same time for each URL."""
    return pa.array([NOON.replace(tzinfo=None)] * len(URLS), pa.timestamp(unit)).cast(
        pa.timestamp(unit, zone)
    )


STRINGS = pa.array(URLS)
FORMS: dict[str, Callable[[], Any]] = {
    "list": lambda: URLS,
    "NumPy": lambda: np.array(URLS, dtype=object),
    "string": lambda: STRINGS,
    "large string": lambda: STRINGS.cast(pa.large_string()),
    "string view": lambda: STRINGS.cast(pa.string_view()),
    "binary": lambda: STRINGS.cast(pa.binary()),
    "dictionary": STRINGS.dictionary_encode,
    "slice": lambda: pa.array(["x", *URLS, "y"])[1:-1],
    "chunks": lambda: pa.chunked_array([URLS[:2], [], URLS[2:]]),
    "Polars": lambda: pl.Series(URLS),
    "Polars categories": lambda: pl.Series(URLS, dtype=pl.Categorical),
    "pandas": lambda: pd.Series(URLS, dtype="string[pyarrow]"),
    "pandas categories": lambda: pd.Series(URLS, dtype="category"),
}


@pytest.mark.parametrize("form", FORMS)
def test_urls_of_every_form(form: str) -> None:
    """The kind of the column changes nothing."""
    for at in (None, NOON, times("us")):
        assert allows(FORMS[form](), table(), "ExampleBot", at).tolist() == EXPECTED


AT: dict[str, Callable[[], Any]] = {
    **{unit: partial(times, unit) for unit in ("s", "ms", "us", "ns")},
    "without a zone": lambda: times("us", None),
    "of another zone": lambda: times("us", "Asia/Kathmandu"),
    "chunks": lambda: pa.chunked_array([times("us")[:1], times("us")[1:]]),
    "slice": lambda: pa.concat_arrays([times("s"), times("s")])[2:-3],
    "datetime64": lambda: np.array([NOON.replace(tzinfo=None)] * len(URLS), "datetime64[s]"),
    "objects of NumPy": lambda: np.array([NOON] * len(URLS), dtype=object),
    "list": lambda: [NOON] * len(URLS),
    "Polars": lambda: pl.Series([NOON] * len(URLS)),
}


@pytest.mark.parametrize("form", AT)
def test_times_of_every_form(form: str) -> None:
    """A time without a zone is in UTC, and each unit means the same time."""
    assert allows(URLS, table(), "ExampleBot", AT[form]()).tolist() == EXPECTED


def test_times_count_to_the_microsecond() -> None:
    """What permits until a time does so no longer at that time; nanoseconds are rounded down."""
    end = pa.scalar(NOON + timedelta(days=1), pa.timestamp("ns", "UTC")).value
    at = pa.array([end - 1_000, end - 1, end, end + 999], pa.timestamp("ns", "UTC"))
    found = allows([URLS[0]] * 4, table(), "ExampleBot", at).tolist()
    assert found == [True, True, None, None]
    held = PolicyTable(table(), held=timedelta(days=1))
    assert allows([URLS[0]] * 4, held, "ExampleBot", at).tolist() == [True] * 4
    far = pa.array([2**62, -(2**62)], pa.timestamp("s", "UTC"))
    assert allows([URLS[0]] * 2, table(), "ExampleBot", far).tolist() == [None, None]


def test_a_null_time_has_a_reason_of_its_own() -> None:
    """It is not the newest policy that decides then."""
    for at in (pa.nulls(2), pa.nulls(2, pa.timestamp("us")), [None, None]):
        found = verdicts(URLS[:2], table(), "ExampleBot", at, explain=True)
        assert found["ExampleBot:reason"].tolist() == ["no-time", "no-time"]


COLUMNS: dict[str, Callable[[], pa.Table]] = {
    "large": lambda: table(origin=table()["origin"].cast(pa.large_string())),
    "views": lambda: table(body=table()["body"].cast(pa.binary_view())),
    "dictionaries": lambda: table(
        **{name: table()[name].dictionary_encode() for name in ("origin", "access", "body")}
    ),
    "milliseconds": lambda: table(valid_from=table()["valid_from"].cast(pa.timestamp("ms"))),
    "unsorted": lambda: table().take([1, 0]),
    "slice": lambda: pa.concat_tables([table(), table()])[1:3].sort_by("origin"),
    "chunks": lambda: pa.concat_tables([table()[:1], table()[:0], table()[1:]]),
    "record batch": lambda: table().to_batches()[0],
    "Polars": lambda: pl.DataFrame(table()),
    "facts beside": lambda: table().append_column("headers", pa.array([[{"name": "a"}], None])),
}


@pytest.mark.parametrize("form", COLUMNS)
def test_policies_of_every_form(form: str) -> None:
    """The kind of the table's columns changes nothing, and neither does their order."""
    policies = PolicyTable(COLUMNS[form]())
    assert len(policies) == 2
    assert policies.origins.tolist() == ["https://a.example", "https://b.example"]
    assert allows(URLS, policies, "ExampleBot", NOON).tolist() == EXPECTED


def test_unsorted_urls_have_the_answers_of_their_rows() -> None:
    """Rows are grouped by origin where that pays, and the answers stay in their places."""
    numbers = [(n * 7_919) % 997 for n in range(20_000)]
    urls = [f"https://{'ab'[n % 2]}.example/{'bc'[n % 3 % 2]}{n}" for n in numbers]
    expected = [allows([url], table(), "ExampleBot", NOON).tolist()[0] for url in urls[:200]]
    for threads in (1, 2):
        found = verdicts(urls, table(), ["ExampleBot", "OtherBot"], NOON, threads=threads)
        assert found["ExampleBot"].tolist()[:200] == expected
        assert found["ExampleBot"] == found["OtherBot"]


def test_empty_columns() -> None:
    """Neither URLs nor policies need be there."""
    none = table()[:0]
    assert allows([], table(), "ExampleBot", []).tolist() == []
    assert allows(pa.array([], pa.string()), none, "ExampleBot").tolist() == []
    found = verdicts(URLS, none, "ExampleBot", NOON, explain=True)
    assert found["ExampleBot:reason"].tolist() == [
        "unknown", "unknown", None, "unknown", "no-origin"
    ]  # fmt: skip
    assert len(PolicyTable(none)) == 0
    assert PolicyTable(none).origins.tolist() == []


def test_the_answers_are_a_table_of_any_library() -> None:
    """It has the Arrow stream interface, can be pickled, and names its columns."""
    found = verdicts(URLS, table(), ["ExampleBot", "OtherBot"], NOON, explain=True)
    arrow = pa.table(found)
    names = ["", ":reason", ":line", ":policy"]
    titles = [f"{robot}{name}" for robot in ("ExampleBot", "OtherBot") for name in names]
    assert arrow.column_names == found.column_names == [*titles, "age"]
    assert arrow["ExampleBot"].to_pylist() == EXPECTED
    assert arrow.schema.field("ExampleBot:reason").type == pa.dictionary(pa.int32(), pa.string())
    assert arrow.schema.field("age").type == pa.duration("us")
    assert arrow.to_pydict() == found.to_pydict()
    assert pl.DataFrame(found)["ExampleBot"].to_list() == EXPECTED
    again = pickle.loads(pickle.dumps(found))  # noqa: S301  ours
    assert (again, hash(again), len(again)) == (found, hash(found), len(URLS))
    assert repr(found).startswith("<ArrowTable ExampleBot, ")
    with pytest.raises(KeyError):
        found["no such column"]


def test_a_small_cache_changes_nothing() -> None:
    """Rules that are not kept are compiled again."""
    for size in (0, 1_000):
        policies = PolicyTable(table(), cache_bytes=size)
        assert allows(URLS * 3, policies, "ExampleBot", NOON).tolist() == EXPECTED * 3


# Misuse.


def spoilt_offsets() -> pa.Array:
    """Return an array whose offsets point outside its texts, unknown to pyarrow."""
    memory = bytearray(struct.pack("=3i", 0, 0, 0))
    array = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(memory), pa.py_buffer(b"https://a.example")]
    )
    struct.pack_into("=3i", memory, 0, 0, 2**30, 4)
    return array


def wrong_keys() -> pa.Array:
    """Return a dictionary with a key that has no value."""
    return pa.DictionaryArray.from_arrays(pa.array([0, 9], pa.int32()), ["rules"], safe=False)


WRONG: dict[str, Callable[[], object]] = {
    "at of another length": lambda: allows(URLS, table(), "ExampleBot", times("s")[1:]),
    "a naive datetime": lambda: allows(URLS, table(), "ExampleBot", NOON.replace(tzinfo=None)),
    "malformed URLs": lambda: allows(spoilt_offsets(), table(), "ExampleBot"),
    "malformed origins": lambda: PolicyTable(table(origin=spoilt_offsets())),
    "malformed bodies": lambda: PolicyTable(table(body=spoilt_offsets())),
    "malformed names": lambda: PolicyTable(table(access=wrong_keys())),
    "an unknown access": lambda: PolicyTable(table(access=pa.array(["rules", "maybe"]))),
    "a null origin": lambda: PolicyTable(table(origin=pa.array(["https://a.example", None]))),
    "a null time": lambda: PolicyTable(table(valid_from=pa.nulls(2, pa.timestamp("us")))),
    "a missing column": lambda: PolicyTable(table().drop_columns("stale")),
    "a negative lifetime": lambda: PolicyTable(table(), held=timedelta(-1)),
    "no robot": lambda: allows(URLS, table(), ""),
    "a robot twice": lambda: verdicts(URLS, table(), ["ExampleBot", "ExampleBot"]),
    "no robots": lambda: verdicts(URLS, table(), []),
    "no threads": lambda: allows(URLS, table(), "ExampleBot", threads=0),
    "a number for at": lambda: allows(URLS, table(), "ExampleBot", 5),
    "numbers for at": lambda: allows(URLS, table(), "ExampleBot", pa.array(range(5))),
    "numbers of NumPy": lambda: allows(URLS, table(), "ExampleBot", np.arange(5)),
    "a table for urls": lambda: allows(table(), table(), "ExampleBot"),
    "a list for policies": lambda: allows(URLS, [], "ExampleBot"),
    "one column for policies": lambda: allows(URLS, STRINGS, "ExampleBot"),
    "a column of another type": lambda: PolicyTable(table(stale=pa.array([0, 1]))),
    "a number for held": lambda: PolicyTable(table(), held=5),  # type: ignore[arg-type]
    "a float for cache_bytes": lambda: PolicyTable(table(), cache_bytes=1.5),  # type: ignore[arg-type]
    "a number for a robot": lambda: verdicts(URLS, table(), [5]),  # type: ignore[list-item]
    "iteration": lambda: list(PolicyTable(table())),
}


@pytest.mark.parametrize("name", WRONG)
def test_misuse_raises(name: str) -> None:
    """Each fault raises an error of goodbot's, and nothing crashes."""
    with pytest.raises(goodbot.MisuseError) as raised:
        WRONG[name]()
    assert str(raised.value)
