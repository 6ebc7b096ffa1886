"""The accessor for pandas: each row gets what `goodbot.tables.columns.verdicts` returns for it."""

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import goodbot
import goodbot.tables.pandas
from goodbot.tables.columns import PolicyTable, verdicts
from tests.support.columns.captures import NOON, ROBOTS, STRINGS, TIMES, URLS, UTC, ZONES, policies

POLICIES = PolicyTable(policies())
ALL = pa.table(
    verdicts(pa.array(URLS, pa.string()), POLICIES, ROBOTS, pa.array(TIMES, UTC), explain=True)
)
INDEX = [f"row {row // 2}" for row in range(len(URLS))]
DTYPES = ["object", "str", "string[python]", "string[pyarrow]", "category"]
OF_ARROW = [pd.ArrowDtype(make().type) for name, make in STRINGS.items() if name != "dictionary"]


def series(values: Any, dtype: Any = None) -> Any:  # noqa: ANN401
    """Return a series whose index has each label twice."""
    return pd.Series(values, index=INDEX, name="url", dtype=dtype)


def plain(answers: Any) -> list[Any]:  # noqa: ANN401
    """Return the values of a series with `None` for what is null."""
    return [None if pd.isna(one) else one for one in answers]


@pytest.mark.parametrize("dtype", [*DTYPES, *OF_ARROW], ids=str)
def test_every_dtype_of_strings(dtype: Any) -> None:  # noqa: ANN401
    """The answers keep index and name, and are nullable."""
    urls = series(URLS, dtype)
    answers = urls.robots.allows("GPTBot", POLICIES, at=series(TIMES))
    assert plain(answers) == ALL["GPTBot"].to_pylist()
    assert (list(answers.index), answers.name, answers.dtype) == (INDEX, "url", "boolean")


@pytest.mark.parametrize("times", ZONES.values(), ids=ZONES)
def test_every_dtype_of_times(times: Any) -> None:  # noqa: ANN401
    """Times of NumPy, of Arrow, or objects; in any zone and unit."""
    arrow = times()
    zone = arrow.type.tz
    urls = series(URLS, "string[pyarrow]")
    forms = [
        series(pd.array(arrow.to_pylist(), dtype=pd.ArrowDtype(arrow.type))),
        series(pd.to_datetime(TIMES).tz_convert(zone)),
        series(pd.to_datetime(TIMES).tz_convert(zone).as_unit("ns")),
        series(TIMES, "object"),
        TIMES,
        arrow,
    ]
    for at in forms:
        assert plain(urls.robots.allows("CCBot", POLICIES, at=at)) == ALL["CCBot"].to_pylist()


def test_a_frame_of_several_robots_with_reasons() -> None:
    """The columns are those of `verdicts`, with dtypes that have nulls."""
    frame = series(URLS).robots.verdicts(ROBOTS, POLICIES, at=series(TIMES), explain=True)
    assert list(frame.columns) == ALL.column_names
    assert list(frame.index) == INDEX
    for name in ALL.column_names:
        found = [
            one.to_pytimedelta() if name == "age" and one else one for one in plain(frame[name])
        ]
        assert found == ALL[name].to_pylist()
    dtypes = {name.partition(":")[2] or name: str(kind) for name, kind in frame.dtypes.items()}
    assert dtypes == {
        "GPTBot": "boolean",
        "CCBot": "boolean",
        "reason": "category",
        "line": "UInt32",
        "policy": "Int64",
        "age": "timedelta64[us]",
    }


def test_it_filters_a_frame() -> None:
    """The answers select rows; what is unknown is not selected."""
    frame = pd.DataFrame({"url": URLS, "at": TIMES})
    kept = frame[frame["url"].robots.allows("CCBot", POLICIES, at=frame["at"]).fillna(value=False)]
    assert list(kept.index) == [row for row, one in enumerate(ALL["CCBot"].to_pylist()) if one]
    part = frame[3:9]
    answers = part["url"].robots.allows("CCBot", POLICIES, at=part["at"])
    assert plain(answers) == ALL["CCBot"].to_pylist()[3:9]


def test_one_time_for_all_or_none() -> None:
    """A single time applies to all rows; without one, the newest policy counts."""
    urls = pa.array(URLS, pa.string())
    then = pa.table(verdicts(urls, POLICIES, "CCBot", pa.array([NOON] * len(URLS), UTC)))
    for at in (NOON, pd.Timestamp(NOON).tz_convert("Asia/Tokyo")):
        found = series(URLS).robots.allows("CCBot", POLICIES, at=at)
        assert plain(found) == then["CCBot"].to_pylist()
    newest = pa.table(verdicts(urls, POLICIES, "CCBot"))
    found = series(URLS).robots.allows("CCBot", policies())
    assert plain(found) == newest["CCBot"].to_pylist()
    found = series(URLS).robots.allows("CCBot", POLICIES, at=[pd.NaT] * len(URLS))
    assert plain(found) == [None] * len(URLS)


@pytest.mark.parametrize("dtype", ["object", "float64", "string", "category"])
def test_empty_frames(dtype: str) -> None:
    """An empty series has no answers, whatever its dtype is."""
    empty: Any = pd.Series([], dtype=dtype, name="url")
    answers = empty.robots.allows("GPTBot", POLICIES, at=pd.Series([], dtype=dtype))
    assert (len(answers), answers.dtype, answers.name) == (0, "boolean", "url")
    assert list(empty.robots.verdicts(ROBOTS, POLICIES).columns) == list(ROBOTS)


def test_texts_that_are_no_unicode() -> None:
    """A lone surrogate cannot be sent, so that such a text is no URL."""
    found: Any = pd.Series(
        ["https://a.example/\ud800", None, b"https://a.example/private"], dtype=object
    )
    assert plain(found.robots.allows("CCBot", POLICIES, at=NOON)) == [None, None, False]
    reasons = found.robots.verdicts("CCBot", POLICIES, at=NOON, explain=True)["CCBot:reason"]
    assert reasons[0] == "no-origin"


@pytest.mark.parametrize(
    ("urls", "at", "cure"),
    [
        ([1, 2], None, "urls"),
        ([1.5], None, "cast it"),
        (["https://a.example/"], ["2025-01-01"], "to_datetime"),
        (["https://a.example/"], "2025-01-01", "to_datetime"),
        (["https://a.example/"], object(), "to_datetime"),
        (["https://a.example/"], [NOON, NOON], "one for each"),
        (["https://a.example/"], pd.Series([NOON], index=[7]), "another index"),
    ],
)
def test_misuse_says_how_to_fix_it(urls: list[Any], at: Any, cure: str) -> None:  # noqa: ANN401
    """Values that are neither URLs nor times, and rows that do not belong together, raise."""
    found: Any = pd.Series(urls)
    with pytest.raises(goodbot.MisuseError, match=cure):
        found.robots.allows("GPTBot", POLICIES, at=at)
