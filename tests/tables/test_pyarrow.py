"""Compute functions for PyArrow: each row gets what `columns.verdicts` returns for it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import goodbot
from goodbot.errors import RobotNameError
from goodbot.tables.columns import PolicyTable, verdicts
from goodbot.tables.pyarrow import register
from tests.support.columns.captures import ROBOTS, STRINGS, TIMES, URLS, UTC, ZONES, policies

POLICIES = PolicyTable(policies())
ALL = pa.table(
    verdicts(pa.array(URLS, pa.string()), POLICIES, ROBOTS, pa.array(TIMES, UTC), explain=True)
)
NEWEST = pa.table(verdicts(pa.array(URLS, pa.string()), POLICIES, "GPTBot", explain=True))


def captures(**columns: Any) -> pa.Table:  # noqa: ANN401
    """Return the captures, some columns in another form."""
    return pa.table({"url": pa.array(URLS), "at": pa.array(TIMES, UTC), **columns})


@pytest.mark.parametrize("urls", STRINGS.values(), ids=STRINGS)
def test_every_form_of_strings(urls: Callable[[], pa.Array]) -> None:
    """A projection has the verdicts of `verdicts`, whatever form the URLs have."""
    robots = register(POLICIES)
    wanted = {
        "allows": robots.allows("url", "GPTBot", at="at"),
        "reason": robots.reason(pc.field("url"), "GPTBot", at=pc.field("at")),
        "newest": robots.allows("url", "GPTBot"),
        "why": robots.reason("url", "GPTBot"),
    }
    found = ds.dataset(captures(url=urls())).to_table(columns=wanted)
    assert found["allows"].to_pylist() == ALL["GPTBot"].to_pylist()
    assert found["reason"].to_pylist() == ALL["GPTBot:reason"].to_pylist()
    assert found["newest"].to_pylist() == NEWEST["GPTBot"].to_pylist()
    assert found["why"].to_pylist() == NEWEST["GPTBot:reason"].to_pylist()


@pytest.mark.parametrize("times", ZONES.values(), ids=ZONES)
def test_filters_with_every_form_of_times(times: Callable[[], pa.Array]) -> None:
    """A filter keeps the rows that are allowed; what is unknown is dropped."""
    table = captures(at=times(), row=range(len(URLS)))
    kept = table.filter(register(POLICIES).allows("url", "CCBot", at="at"))
    assert kept["row"].to_pylist() == [
        row for row, allowed in enumerate(ALL["CCBot"].to_pylist()) if allowed
    ]
    assert kept.num_rows > 1


def test_a_dataset_on_disk(tmp_path: Path) -> None:
    """A dataset of several files is filtered while it is read."""
    for part in range(3):
        pq.write_table(captures(part=[part] * len(URLS)), tmp_path / f"{part}.parquet")
    allowed = ALL["GPTBot"].to_pylist().count(True)
    of_files = ds.dataset(tmp_path)
    expression = register(POLICIES).allows("url", "GPTBot", at="at")
    assert of_files.count_rows(filter=expression) == 3 * allowed
    assert of_files.to_table(filter=expression & (pc.field("part") == 9)).num_rows == 0


def test_functions_are_called_by_name() -> None:
    """Arrays, chunked ones and scalars; the robot may be a column; empty arrays."""
    register(POLICIES)
    urls, at = pa.array(URLS, pa.string()), pa.array(TIMES, UTC)
    for one in (urls, pa.chunked_array([urls[:2], urls[2:]])):
        found = pc.call_function("robots_allows", [one, pa.scalar("CCBot"), at])
        assert found.to_pylist() == ALL["CCBot"].to_pylist()
    names = pa.array(["GPTBot", "CCBot"] * (len(URLS) // 2))
    found = pc.call_function("robots_reason", [urls, names, at])
    assert found.to_pylist() == [
        ALL[f"{name}:reason"][row].as_py() for row, name in enumerate(names.to_pylist())
    ]
    one = pc.call_function("robots_allows_newest", [pa.scalar(URLS[0]), pa.scalar("GPTBot")])
    assert one.as_py() is False
    empty = pc.call_function("robots_allows", [urls[:0], pa.scalar("CCBot"), at[:0]])
    assert empty.to_pylist() == []
    nobody = pc.call_function("robots_allows_newest", [urls, pa.scalar(None, pa.string())])
    assert nobody.to_pylist() == [None] * len(URLS)


def test_policies_are_replaced() -> None:
    """The last policies count, and another prefix has its own."""
    other = register(policies(), prefix="then")
    robots = register(policies().slice(0, 0))
    table = ds.dataset(captures())
    wanted = {
        "now": robots.allows("url", "CCBot", "at"),
        "then": other.allows("url", "CCBot", "at"),
    }
    found = table.to_table(columns=wanted)
    assert found["now"].to_pylist() == [None] * len(URLS)
    assert found["then"].to_pylist() == ALL["CCBot"].to_pylist()


def test_misuse_says_how_to_fix_it() -> None:
    """Arrays belong to `verdicts`, and a robot is a name."""
    robots = register(POLICIES)
    arrays: Any = pa.array(URLS)
    with pytest.raises(
        goodbot.WrongTypeError, match=r"url must .* use goodbot.tables.columns.verdicts"
    ):
        robots.allows(arrays, "GPTBot")
    with pytest.raises(goodbot.WrongTypeError, match="at must be the name of a column"):
        robots.reason("url", "GPTBot", at=arrays)
    nobody: Any = None
    with pytest.raises(goodbot.WrongTypeError, match="robot must be a name"):
        robots.allows("url", nobody)


@pytest.mark.parametrize("robot", ["", "  ", "/", "https://bot.example/"])
def test_a_robot_without_a_name_is_null_in_a_column_and_misuse_in_a_call(robot: str) -> None:
    """A column comes from elsewhere; the robot of an expression comes from the caller."""
    functions = register(policies(), prefix="nameless")
    urls, robots = pa.array(["https://a.example/open"] * 2), pa.array([robot, "CCBot"])
    call = pc.call_function
    assert call("nameless_allows_newest", [urls, robots]).to_pylist() == [None, True]
    assert call("nameless_reason_newest", [urls, robots])[0].as_py() == "no-robot"
    with pytest.raises(RobotNameError):
        functions.allows("url", robot)
