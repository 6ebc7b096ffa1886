"""What may be passed for URLs, times and robots, and what the messages say of anything else."""

from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import goodbot
import goodbot.tables.pandas
from goodbot.tables.columns import PolicyTable, allows, origins, verdicts
from goodbot.tables.pyarrow import register

assert goodbot.tables.pandas  # it registers the accessor

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
LATER = NOON + timedelta(hours=1)
SITE = "https://a.example"
TABLE = pa.table(
    {
        "origin": [SITE], "valid_from": [NOON], "valid_until": [NOON + timedelta(days=1)],
        "access": ["rules"], "reason": ["found"], "stale": [False],
        "body": [b"User-agent: *\nDisallow: /p"],
    }
)  # fmt: skip
POLICIES = PolicyTable(TABLE)
URLS = [f"{SITE}/", f"{SITE}/p", None]
ANSWERS = [True, False, None]

ONCE: dict[str, Callable[[], Any]] = {
    "a generator": lambda: iter(URLS),
    "a reader": lambda: pa.table({"url": URLS}).to_reader(),
    "a relation": lambda: duckdb.from_arrow(pa.table({"url": URLS})),
    "a chunked array": lambda: pa.chunked_array([URLS[:1], URLS[1:]]),
    "a series": lambda: pl.Series(URLS),
    "a list": lambda: URLS,
}


@pytest.mark.parametrize("urls", ONCE.values(), ids=ONCE)
def test_one_time_is_that_of_all_rows(urls: Callable[[], Any]) -> None:
    """Also of what does not know its length; two dialects read what can be read once."""
    robots = ["ExampleBot", "YandexBot"]
    for at in (LATER, np.datetime64("2026-01-01T13:00"), pd.Timestamp(LATER)):
        found = verdicts(urls(), POLICIES, robots, at).to_pydict()
        assert found == dict.fromkeys(robots, ANSWERS)
    times = pl.Series([LATER] * 3)
    assert verdicts(urls(), POLICIES, robots, times).to_pydict() == found


TIMES: dict[str, Any] = {
    "index with a zone": pd.DatetimeIndex(["2026-01-01 14:00"] * 3, tz="Europe/Berlin"),
    "index without one": pd.DatetimeIndex(["2026-01-01 13:00"] * 3),
    "array of pandas": pd.DatetimeIndex(["2026-01-01 13:00"] * 3, tz="UTC").array,
    "seconds": np.array(["2026-01-01T13:00"] * 3, "datetime64[s]"),
    "nanoseconds": np.array(["2026-01-01T13:00"] * 3, "datetime64[ns]"),
    "hours": np.array(["2026-01-01T13"] * 3, "datetime64[h]"),
    "objects": np.array([LATER] * 3, dtype=object),
    "timestamps": [pd.Timestamp(LATER)] * 3,
}


@pytest.mark.parametrize("at", TIMES.values(), ids=TIMES)
def test_every_form_of_times(at: Any) -> None:  # noqa: ANN401
    """Without a zone, times are in UTC."""
    assert allows(URLS, POLICIES, "ExampleBot", at).tolist() == ANSWERS


@pytest.mark.parametrize(
    "at",
    [
        [pd.NaT] * 3, [None] * 3, [float("nan")] * 3, np.array([None, pd.NaT, None], object),
        np.array(["NaT"] * 3, "datetime64[s]"), pd.DatetimeIndex([pd.NaT] * 3, tz="UTC"),
    ],
)  # fmt: skip
def test_missing_times_are_unknown(at: Any) -> None:  # noqa: ANN401
    """Whatever stands for them."""
    found = verdicts(URLS, POLICIES, "ExampleBot", at, explain=True)
    assert found["ExampleBot"].tolist() == [None] * 3
    assert found["ExampleBot:reason"].tolist() == ["no-time", "no-time", None]


MISUSES: list[tuple[Any, str]] = [
    (np.array([0] * 3, "datetime64[ps]"), r"not datetime64\[ps\]; use .*datetime64\[us\]"),
    (np.array([2**62] * 3, "datetime64[s]"), "does not fit in microseconds"),
    (np.array([2**50] * 3, "datetime64[D]"), "does not fit in microseconds"),
    (np.array([[LATER]], dtype=object), "at has 2 dimensions"),
    (np.array([1, 2, 3]), "datetime64 of a unit"),
    (pd.NaT, "at is NaT"),
    (np.datetime64("NaT"), "at is NaT"),
    (1767272400, "at must be a column of times, a datetime or None, not int"),
    ("2026-01-01", r"not str; datetime\.fromisoformat"),
    (date(2026, 1, 1), "not date"),
    ([date(2026, 1, 1)] * 3, "not date"),
    (pa.array([date(2026, 1, 1)] * 3), r"not of Date32; cast it to timestamps.*pl\.Datetime"),
    (pl.Series([date(2026, 1, 1)] * 3), r"not of Date32; cast it to timestamps.*pl\.Datetime"),
    (pa.array([1] * 3), "not of Int64; cast it to timestamps of its unit"),
    (pa.array(["2026-01-01"] * 3), "not of Utf8; parse it"),
    (pl.Series(["2026-01-01"] * 3), "not of Utf8View; parse it"),
    (pa.array([1] * 3, pa.duration("s")), "pass the times as timestamps"),
    (pa.array([LATER] * 2), "at has 2 rows, and urls has 3"),
]


@pytest.mark.parametrize(("at", "cure"), MISUSES)
def test_other_times_are_refused(at: Any, cure: str) -> None:  # noqa: ANN401
    """And the message says what to do."""
    with pytest.raises(goodbot.MisuseError, match=cure):
        allows(URLS, POLICIES, "ExampleBot", at)


def test_other_arguments_are_refused() -> None:
    """URLs in rows and columns, and robots that are none."""
    wrong: Any = None
    with pytest.raises(goodbot.WrongTypeError, match="robots must be a str or a sequence"):
        verdicts(URLS, POLICIES, wrong)
    with pytest.raises(goodbot.WrongValueError, match="urls has 2 dimensions"):
        allows(np.array([URLS[:2]] * 2), POLICIES, "ExampleBot", LATER)
    with pytest.raises(goodbot.WrongTypeError, match="not LazyFrame; collect it"):
        verdicts(pl.LazyFrame({"url": URLS}), POLICIES, "ExampleBot")
    with pytest.raises(goodbot.WrongTypeError, match=r"for one URL pass \[url\]"):
        origins("https://a.example/")


def test_answers_are_read_by_every_library() -> None:
    """Also by those that do not know Arrow."""
    found = allows(URLS, POLICIES, "ExampleBot", LATER)
    assert list(found) == pd.Series(found).tolist() == np.asarray(found).tolist() == ANSWERS
    known = allows(URLS[:2], POLICIES, "ExampleBot", LATER)
    assert np.asarray(known).dtype == bool
    assert np.array(known, copy=True).tolist() == ANSWERS[:2]
    with pytest.raises(goodbot.WrongValueError, match="without copy=False"):
        known.__array__(copy=False)


@pytest.mark.parametrize(
    ("robots", "name"),
    [(["age"], "age"), (["a", "a:reason"], "a:reason"), (["a:line", "a"], "a:line")],
)
def test_each_column_of_an_answer_has_its_own_name(robots: list[str], name: str) -> None:
    """With the reasons, columns are added."""
    with pytest.raises(goodbot.WrongValueError, match=f"two columns would be named '{name}'"):
        verdicts(URLS, POLICIES, robots, explain=True)
    assert verdicts(URLS, POLICIES, robots).column_names == robots


def test_a_policy_may_be_held_for_ever() -> None:
    """The longest timedelta is longer than the core counts, and more memory than there is."""
    table = PolicyTable(TABLE, held=timedelta.max, cache_bytes=2**70)
    at = datetime(9999, 1, 1, tzinfo=timezone.utc)
    assert allows(URLS, table, "ExampleBot", at).tolist() == ANSWERS


def test_a_robot_names_a_column() -> None:
    """Arrow has no column of such a name."""
    for explain in (False, True):
        with pytest.raises(goodbot.WrongValueError, match=r"ud800Bot' has a lone surrogate"):
            verdicts(URLS, POLICIES, ["GPTBot", "Example\ud800Bot"], explain=explain)


@pytest.mark.parametrize("url", ["https://a.example/", b"https://a.example/"])
def test_one_url_is_no_column(url: Any) -> None:  # noqa: ANN401
    """The message does not name `allows`, which is what was called."""
    with pytest.raises(goodbot.WrongTypeError, match=r"urls must be a column.*pass \[url\]"):
        allows(url, POLICIES, "ExampleBot")


@pytest.mark.parametrize(
    "urls",
    [
        pd.Series([], dtype="category"), pa.nulls(2).dictionary_encode(),
        pa.nulls(5).dictionary_encode()[3:], pa.table({"u": pa.nulls(2).dictionary_encode()}),
        pa.chunked_array([pa.nulls(1).dictionary_encode()] * 2),
    ],
    ids=str,
)  # fmt: skip
def test_categories_of_which_there_are_none(urls: Any) -> None:  # noqa: ANN401
    """They have no type, and each row is null."""
    assert allows(urls, POLICIES, "ExampleBot").tolist() == [None] * len(urls)
    rules = goodbot.RobotsTxt(b"").rules_for("ExampleBot")
    assert rules.allows_many(pa.nulls(2).dictionary_encode()).to_pylist() == [None, None]


def test_an_empty_series_of_pandas_has_no_urls() -> None:
    """NaN alone has the type of numbers, and stands for missing texts all the same."""
    series: Any = pd.Series([float("nan")] * 2)
    found = series.robots.allows("ExampleBot", POLICIES, at=LATER)
    assert found.isna().tolist() == [True, True]
    assert str(found.dtype) == "boolean"


@pytest.mark.parametrize(
    "columns",
    [
        {"url": URLS, "at": [1, 2, 3]},
        {"url": URLS, "at": [date(2026, 1, 1)] * 3},
        {"url": URLS, "at": ["2026-01-01"] * 3},
        {"url": [1, 2, 3], "at": [LATER] * 3},
        {"url": [1.5, 2.5, None], "at": [LATER] * 3},
    ],
)
def test_pyarrow_refuses_other_columns(columns: dict[str, Any]) -> None:
    """It casts numbers to times and texts, which would be answers to another question."""
    robots = register(POLICIES, prefix="arguments")
    with pytest.raises(pa.ArrowNotImplementedError, match=r"no kernel|Unsupported cast"):
        pa.table(columns).filter(robots.allows("url", "ExampleBot", at="at"))
    texts = pc.field("url").cast(pa.string())
    times = pc.field("at").cast(pa.timestamp("s"))
    assert pa.table(columns).filter(robots.allows(texts, "ExampleBot", at=times)).num_rows <= 3
