"""SQL functions for DuckDB: each row gets what `goodbot.tables.columns.verdicts` returns for it."""

from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from goodbot.errors import MisuseError, WrongTypeError
from goodbot.tables.columns import PolicyTable, verdicts
from goodbot.tables.duckdb import register
from tests.support.columns.captures import NOON, ROBOTS, STRINGS, TIMES, URLS, UTC, ZONES, policies

POLICIES = PolicyTable(policies())
ALL = pa.table(
    verdicts(pa.array(URLS, pa.string()), POLICIES, ROBOTS, pa.array(TIMES, UTC), explain=True)
)


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection that has the functions."""
    with duckdb.connect() as made:
        made.execute("SET threads = 2")
        register(made, POLICIES)
        yield made


def column(connection: Any, expression: str, table: pa.Table) -> list[Any]:  # noqa: ANN401
    """Return an expression for each row of a table."""
    connection.register("captures", table)
    return [row[0] for row in connection.sql(f"SELECT {expression} FROM captures").fetchall()]  # noqa: S608


def captures(**columns: Any) -> pa.Table:  # noqa: ANN401
    """Return the captures, some columns in another form."""
    return pa.table({"url": pa.array(URLS), "fetched": pa.array(TIMES, UTC), **columns})


@pytest.mark.parametrize("urls", STRINGS.values(), ids=STRINGS)
@pytest.mark.parametrize("robot", ROBOTS)
def test_every_form_of_strings(
    connection: duckdb.DuckDBPyConnection, urls: Callable[[], pa.Array], robot: str
) -> None:
    """Verdicts and reasons are those of `verdicts`, whatever form the URLs had in Arrow."""
    table = captures(url=urls())
    allowed = column(connection, f"robots_allows(url, '{robot}', fetched)", table)
    assert allowed == ALL[robot].to_pylist()
    reasons = column(connection, f"robots_reason(url, '{robot}', fetched)", table)
    assert reasons == ALL[f"{robot}:reason"].to_pylist()
    assert {True, False, None} == set(allowed)


@pytest.mark.parametrize("times", ZONES.values(), ids=ZONES)
def test_every_form_of_times(
    connection: duckdb.DuckDBPyConnection, times: Callable[[], pa.Array]
) -> None:
    """Zones and units of the times change nothing."""
    table = captures(fetched=times())
    assert (
        column(connection, "robots_allows(url, 'GPTBot', fetched)", table)
        == ALL["GPTBot"].to_pylist()
    )
    # A TIMESTAMP is in UTC, whatever the zone of the session is.
    connection.execute("SET TimeZone = 'America/New_York'")
    utc = "robots_allows(url, 'GPTBot', fetched AT TIME ZONE 'UTC')"
    assert column(connection, utc, table) == ALL["GPTBot"].to_pylist()


def test_the_robot_may_be_a_column(connection: duckdb.DuckDBPyConnection) -> None:
    """Each row is decided for its own robot, as a text or an ENUM; without one, it is unknown."""
    robots = [*ROBOTS * (len(URLS) // 2)]
    expected = [ALL[robot][row].as_py() for row, robot in enumerate(robots)]
    for kind in (pa.string(), pa.dictionary(pa.int8(), pa.string())):
        table = captures(robot=pa.array(robots).cast(kind))
        assert column(connection, "robots_allows(url, robot, fetched)", table) == expected
    without = captures(robot=pa.array([*robots[:-1], None]))
    assert column(connection, "robots_allows(url, robot, fetched)", without) == [
        *expected[:-1],
        None,
    ]
    assert column(connection, "robots_reason(url, NULL, fetched)", without) == [None] * len(URLS)


def test_the_newest_policy_counts_without_a_time(connection: duckdb.DuckDBPyConnection) -> None:
    """Two arguments are enough; a null as the time is an unknown time."""
    newest = pa.table(verdicts(pa.array(URLS, pa.string()), POLICIES, "GPTBot"))
    table = captures()
    assert column(connection, "robots_allows(url, 'GPTBot')", table) == newest["GPTBot"].to_pylist()
    nulls = column(connection, "robots_allows(url, 'GPTBot', NULL)", table)
    assert nulls == [None] * len(URLS)


def test_it_filters_many_rows(connection: duckdb.DuckDBPyConnection) -> None:
    """More rows than DuckDB hands over at once, in several threads; bytes are URLs, too."""
    count = 250_000
    connection.execute(
        "CREATE TABLE pages AS SELECT 'https://a.example/' || CASE WHEN i % 3 = 0 THEN 'private' "
        "ELSE 'open' END || i AS url FROM range(?) AS numbers(i)",
        [count],
    )
    kept = "SELECT count(*) FROM pages WHERE robots_allows({}, 'CCBot', ?::TIMESTAMPTZ)"
    for url in ("url", "url::BLOB"):
        found = connection.execute(kept.format(url), [NOON]).fetchone()
        assert found == (count - -(-count // 3),)
    assert connection.execute(kept.format("url") + " AND url = ''", [NOON]).fetchone() == (0,)


def test_policies_are_replaced(connection: duckdb.DuckDBPyConnection) -> None:
    """To register again replaces the policies; another prefix has policies of its own."""
    register(connection, policies().slice(0, 0))
    register(connection, policies(), prefix="then")
    table = captures()
    assert column(connection, "robots_allows(url, 'CCBot', fetched)", table) == [None] * len(URLS)
    assert (
        column(connection, "then_allows(url, 'CCBot', fetched)", table) == ALL["CCBot"].to_pylist()
    )


@pytest.mark.parametrize(
    ("call", "cure"),
    [
        ("robots_allows('https://a.example/')", r"takes \(url, robot\) or \(url, robot, time\)"),
        ("robots_allows('https://a.example/', 1)", "the robot must be a name"),
        ("robots_allows('https://a.example/', 'a', DATE '2025-01-01')", "TIMESTAMPTZ"),
        ("robots_allows(1, 'a')", "WrongTypeError"),
    ],
)
def test_misuse_says_how_to_fix_it(
    connection: duckdb.DuckDBPyConnection, call: str, cure: str
) -> None:
    """What is wrong with a call is in DuckDB's error."""
    with pytest.raises(duckdb.InvalidInputException, match=cure):
        connection.sql(f"SELECT {call}").fetchall()


def test_only_a_connection_is_registered_with() -> None:
    """Anything else is refused before DuckDB is asked."""
    nothing: Any = None
    with pytest.raises(WrongTypeError, match=r"such as duckdb\.connect\(\), not NoneType"):
        register(nothing, policies())


NAMELESS = ("", "  ", "/", "https://bot.example/")
"""What logs have as a User-Agent that names no robot."""


@pytest.mark.parametrize("value", [*NAMELESS, "\0", "a\0b", "é" * 999])
def test_no_value_of_a_robot_ends_a_query(
    connection: duckdb.DuckDBPyConnection, value: str
) -> None:
    """A row whose robot has no name is null, with a reason, and the other rows are as ever."""
    robots = [value, None, *["GPTBot"] * (len(URLS) - 2)]
    table = captures(robot=pa.array(robots, pa.string()))
    allowed = column(connection, "robots_allows(url, robot, fetched)", table)
    reasons = column(connection, "robots_reason(url, robot, fetched)", table)
    assert allowed[1:] == [None, *ALL["GPTBot"].to_pylist()[2:]]
    assert reasons[1:] == [None, *ALL["GPTBot:reason"].to_pylist()[2:]]
    if value in NAMELESS:
        assert (allowed[0], reasons[0]) == (None, "no-robot")
    else:
        assert reasons[0] == "rule-disallows"
    constant = connection.execute("SELECT robots_reason(?, ?)", [URLS[0], value]).fetchone()
    assert constant is not None
    assert (constant[0] == "no-robot") is (value in NAMELESS)


@pytest.mark.parametrize(
    "setting",
    [
        "arrow_large_buffer_size = true",
        "produce_arrow_string_view = true",
        "arrow_output_version = '1.5'",
    ],
)
@pytest.mark.parametrize("kind", ["VARCHAR", "BLOB"])
def test_strings_of_every_layout_are_strings(
    connection: duckdb.DuckDBPyConnection, setting: str, kind: str
) -> None:
    """Large strings and views, as settings of DuckDB choose them."""
    connection.execute(f"SET {setting}")
    robots = [*ROBOTS * (len(URLS) // 2)]
    expected = [ALL[robot][row].as_py() for row, robot in enumerate(robots)]
    table = captures(robot=pa.array(robots))
    convert = "encode({})" if kind == "BLOB" else "{}"
    url, robot = convert.format("url"), convert.format("robot")
    call = f"robots_allows({url}, {robot}, fetched)"
    assert column(connection, call, table) == expected


def test_a_relation_may_be_the_times(connection: duckdb.DuckDBPyConnection) -> None:
    """A relation of one column is a column, of times as of URLs."""
    connection.register("captures", captures())
    found = verdicts(
        connection.sql("SELECT url FROM captures"),
        POLICIES,
        "GPTBot",
        connection.sql("SELECT fetched FROM captures"),
    )
    assert found["GPTBot"].tolist() == ALL["GPTBot"].to_pylist()


def test_a_result_that_was_not_read_is_told(connection: duckdb.DuckDBPyConnection) -> None:
    """DuckDB adds nothing then; the message says what to do, and doing so helps."""
    connection.execute("SELECT 1 FROM range(3)")
    try:
        register(connection, POLICIES)
    except MisuseError as error:
        assert "fetch the rest" in str(error)  # noqa: PT017  earlier releases add it
    connection.fetchall()
    register(connection, POLICIES)
    assert connection.sql("SELECT robots_allows('https://a.example/open', 'x')").fetchall()
