"""Expressions of Polars: each way of running them returns what `goodbot.tables.columns` returns."""

import doctest
import gc
import random
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Literal, TypeAlias

import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
import goodbot.tables.polars as adapter
from goodbot.errors import RobotNameError, WrongTypeError, WrongValueError
from goodbot.tables.building import build_policies
from goodbot.tables.columns import PolicyTable, verdicts
from tests.project.test_docs import run_examples
from tests.support.columns.random_policies import (
    DIALECTS,
    EVENTS,
    HOUR,
    ROWS,
    learned,
    one_by_one,
    table_of,
)
from tests.support.columns.random_policies import ROBOTS as ANY_ROBOT
from tests.support.columns.random_policies import START as BEGIN
from tests.support.conformance_cases import cases
from tests.support.examples import examples
from tests.support.paths import ROOT

Engine: TypeAlias = Literal["in-memory", "streaming"]
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
ROBOTS = ("GPTBot", "ExampleBot")
PATHS = ("/a", "/b/c", "/%62", "/")
FIELDS = ("allowed", "reason", "line", "policy", "age")
BODIES = [
    b"User-agent: *\nDisallow: /a\n",
    b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /b\nAllow: /b/c\n",
    b"",
]
FILE = goodbot.RobotsTxt(BODIES[1])
HARD_CASES = [pytest.param(case, id=case["id"]) for case in cases("bots") if "operator" in case]


def made() -> tuple[pa.Table, pl.DataFrame]:
    """Return policies of some origins, and URLs at some times."""
    chance = random.Random(1)  # noqa: S311  the same each time
    rows = []
    for origin in range(40):
        for hours in sorted(chance.sample(range(400), chance.randint(1, 6))):
            learned = START + timedelta(hours=hours)
            access, reason = chance.choice(
                [("rules", "found")] * 3
                + [("allow-all", "unavailable"), ("disallow-all", "unreachable")]
            )
            rows.append(
                {
                    "origin": f"https://{origin}.example",
                    "valid_from": learned,
                    "valid_until": learned + timedelta(hours=24),
                    "access": access,
                    "reason": reason,
                    "stale": chance.random() < 0.1,
                    "body": chance.choice(BODIES) if access == "rules" else None,
                }
            )
    urls = [
        chance.choice(
            [
                f"https://{chance.randrange(44)}.example{path}"
                for path in ("/a", "/b/c", "/%62", "/")
            ]
            + [None, "no URL", "ftp://a.example/"]
        )
        for _ in range(3_000)
    ]
    times = [
        None if chance.random() < 0.05 else START + timedelta(hours=chance.randrange(420))
        for _ in urls
    ]
    frame = pl.DataFrame({"url": urls, "time": times, "n": range(len(urls))})
    return pa.Table.from_pylist(rows), frame


URL: Any = pl.col("url")  # type checkers do not see the namespace
TABLE, FRAME = made()
POLICIES = PolicyTable(TABLE)


def expected(robot: str, at: object = None) -> pl.DataFrame:
    """Return what `goodbot.tables.columns` returns for each row."""
    found = pl.DataFrame(verdicts(FRAME["url"], POLICIES, robot, at, explain=True))
    columns = (robot, *(f"{robot}:{name}" for name in FIELDS[1:4]), "age")
    names = dict(zip(columns, FIELDS, strict=True))
    return found.rename(names).with_columns(pl.col("reason").cast(pl.String)).select(FIELDS)


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("at", ["time", None, START + timedelta(hours=200)])
@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_the_answers_are_those_of_columns(robot: str, at: object, engine: Engine) -> None:
    """Verdicts, reasons, lines, policies and ages are equal, with and without times."""
    times = FRAME["time"] if at == "time" else at
    lazy = FRAME.lazy().select(
        URL.robots.allows(robot, POLICIES, at=at),
        URL.robots.verdict(robot, POLICIES, at=at).alias("verdict"),
    )
    found = lazy.collect(engine=engine)
    wanted = expected(robot, times)
    assert lazy.collect_schema() == found.schema
    assert found["verdict"].struct.unnest().equals(wanted)
    assert found["url"].equals(wanted["allowed"])
    assert wanted["allowed"].n_unique() == 3


@examples(100)
@given(
    events=EVENTS,
    rows=ROWS,
    dialect=st.sampled_from(DIALECTS),
    robot=st.sampled_from((*ANY_ROBOT, "GPTBot", "Googlebot", "AdsBot-Google", "YandexBot")),
)
def test_each_row_is_the_verdict_of_its_policies(
    events: list[Any], rows: list[tuple[str | None, int | None]], dialect: str, robot: str
) -> None:
    """Whatever the policies, times and URLs, asked one at a time without columns."""
    policies = learned(events, dialect)
    times = [None if hour is None else BEGIN + hour * HOUR for _, hour in rows]
    urls = pl.Series("url", [url for url, _ in rows], pl.String)
    frame = pl.DataFrame([urls, pl.Series("time", times, pl.Datetime("us", "UTC"))])
    table = PolicyTable(table_of(policies, dialect))
    found = frame.select(URL.robots.verdict(robot, table, at="time").alias("verdict"))
    answered = found["verdict"].struct.unnest()
    wanted = [
        one_by_one(policies, url, robot, time, None)[:2]
        for (url, _), time in zip(rows, times, strict=True)
    ]
    assert list(zip(answered["allowed"], answered["reason"], strict=True)) == wanted


KINDS: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "binary": lambda frame: frame.with_columns(pl.col("url").cast(pl.Binary)),
    "categorical": lambda frame: frame.with_columns(pl.col("url").cast(pl.Categorical)),
    "enum": lambda frame: frame.with_columns(
        pl.col("url").cast(pl.Enum(frame["url"].drop_nulls().unique()))
    ),
    "milliseconds": lambda frame: frame.with_columns(pl.col("time").dt.cast_time_unit("ms")),
    "nanoseconds": lambda frame: frame.with_columns(pl.col("time").dt.cast_time_unit("ns")),
    "of another zone": lambda frame: frame.with_columns(
        pl.col("time").dt.convert_time_zone("Asia/Tokyo")
    ),
    "without a zone": lambda frame: frame.with_columns(pl.col("time").dt.replace_time_zone(None)),
    "in chunks": lambda frame: pl.concat(
        [frame[:7], frame[7:7], frame[7:1_000], frame[1_000:]], rechunk=False
    ),
    "in different chunks": lambda frame: pl.concat(
        [frame.select("url")[:10], frame.select("url")[10:]], rechunk=False
    ).with_columns(pl.concat([frame["time"][:900], frame["time"][900:]], rechunk=False)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_every_kind(kind: str) -> None:
    """Types, units, zones and chunks change no answer."""
    column = adapter.allows(pl.col("url"), "ExampleBot", POLICIES, at=pl.col("time"))
    assert KINDS[kind](FRAME).select(column)["url"].equals(FRAME.select(column)["url"])


def test_slices_empty_and_null_columns() -> None:
    """A slice has the answers of its rows; without rows or values there are none."""
    column = URL.robots.allows("ExampleBot", POLICIES, at="time")
    whole = FRAME.select(column)["url"]
    assert FRAME.slice(1_001, 900).select(column)["url"].equals(whole.slice(1_001, 900))
    assert FRAME.filter(pl.col("n") % 3 == 0).select(column)["url"].equals(whole.gather_every(3))
    assert FRAME.clear().select(column).schema == {"url": pl.Boolean}
    nothing = FRAME.select(pl.lit(None).alias("url"), "time")
    assert nothing.select(column)["url"].null_count() == len(FRAME)
    untimed = FRAME.select("url", pl.lit(None).alias("time"))
    assert untimed.select(column)["url"].null_count() == len(FRAME)


def test_one_url_at_many_times() -> None:
    """A literal URL counts for each time."""
    url = "https://3.example/a"
    found = FRAME.select(
        adapter.RobotsNamespace(pl.lit(url)).allows("ExampleBot", POLICIES, at=pl.col("time"))
    )
    repeated = FRAME.with_columns(url=pl.lit(url))
    wanted = repeated.select(URL.robots.allows("ExampleBot", POLICIES, at="time"))
    assert found.to_series().equals(wanted["url"], check_names=False)


def test_groups_and_windows() -> None:
    """An expression within groups returns what it returns for the rows."""
    column = URL.robots.allows("ExampleBot", POLICIES, at="time")
    keyed = FRAME.with_columns(key=pl.col("n") % 7)
    whole = keyed.with_columns(allowed=column)
    grouped = keyed.group_by("key").agg(column.sum().alias("sum"), column.alias("all"))
    wanted = whole.group_by("key").agg(
        pl.col("allowed").sum().alias("sum"), pl.col("allowed").alias("all")
    )
    assert grouped.sort("key").equals(wanted.sort("key"))
    window = keyed.select(column.sum().over("key"))
    assert window.equals(whole.select(pl.col("allowed").sum().over("key").alias("url")))


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_scanned_files(tmp_path: Path, engine: Engine) -> None:
    """An expression over a file that is read lazily filters its rows."""
    FRAME.write_parquet(tmp_path / "urls.parquet", row_group_size=500)
    column = URL.robots.allows("ExampleBot", POLICIES, at="time")
    found = pl.scan_parquet(tmp_path / "urls.parquet").filter(column).collect(engine=engine)
    assert found.sort("n").equals(FRAME.filter(column))


def test_rules_of_one_file() -> None:
    """A `RobotsTxt` judges each URL as `goodbot.verdict` does, `Rules` as `verdicts_many` do."""
    rules = FILE.rules_for("GPTBot/1.0")
    urls = pl.DataFrame({"url": ["https://a.example/b/c", "/b", None, "x"] * 10})
    for robot in ROBOTS:
        found = urls.select(URL.robots.allows(robot, FILE))["url"]
        assert found.equals(FILE.rules_for(robot).allows_many(urls["url"]))
    literal = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /b\nDisallow: /%63", dialect="lwp")
    spelled = ["/%62", "/b", "/%63", "/c", "/x/../b", "/a", "https://h/%62"]
    column = pl.DataFrame({"url": spelled})
    rules_of = literal.rules_for("ExampleBot")
    for policies, expected in (
        (literal, [goodbot.verdict(literal, url, "ExampleBot") for url in spelled]),
        (rules_of, [rules_of.verdict(url) for url in spelled]),
    ):
        found = column.select(URL.robots.allows("ExampleBot", policies))["url"]
        assert found.to_list() == [one.allowed for one in expected]
        lines = column.select(URL.robots.verdict("ExampleBot", policies)).unnest("url")["line"]
        decisive = [None if one.rule is None else one.rule.line for one in expected]
        assert lines.to_list() == decisive
    answers = urls.select(URL.robots.verdict("GPTBot/1.0", rules)).unnest("url")
    for name, values in rules.verdicts_many(urls["url"]).items():
        assert answers[name].equals(values)
    custom = goodbot.dialect("google").replace(name="own", precedence="first")
    ordered = goodbot.RobotsTxt(b"User-agent: *\nAllow: /\nDisallow: /a", dialect=custom)
    first = urls.select(adapter.allows(pl.lit("/a"), "x", ordered))
    assert first.item() is ordered.allows("/a", "x") is True


def test_a_known_robot_is_asked_as_its_operator_says() -> None:
    """Of one file as of a table: by its family, in its dialect, with its exceptions."""
    file = goodbot.RobotsTxt(
        b"User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /*.b"
    )
    url = "https://a.example/a.b"
    for robot in ("Googlebot-News", "AdsBot-Google", "DuckDuckBot", "Applebot", "ExampleBot"):
        found = pl.DataFrame({"url": [url]}).select(URL.robots.allows(robot, file))
        assert found.item() is goodbot.verdict(file, url, robot).allowed


@pytest.mark.parametrize("case", HARD_CASES)
def test_hard_cases_have_the_answer_of_every_face(case: dict[str, Any]) -> None:
    """conformance/bots/hard_cases.toml, which tests/bots asks the faces that need no plugin."""
    file = goodbot.RobotsTxt(case["content"], dialect=case.get("dialect", "rfc9309"))
    urls = pl.DataFrame({"url": ["https://a.example" + case["path"]]})
    found = urls.select(URL.robots.allows(case["robot"], file))
    assert found.item() is case["operator"], case["why"]


def written(folder: Path) -> Path:
    """Write a table of policies to a file."""
    (folder / "from").mkdir()
    source = pa.table(
        {
            "url": ["https://a.example/robots.txt"],
            "time": pa.array([START], pa.timestamp("us", tz="UTC")),
            "status": pa.array([200], pa.int16()),
            "body": pa.array([BODIES[0]], pa.binary()),
        }
    )
    pyarrow.parquet.write_table(source, folder / "from" / "robots.parquet")
    build_policies([folder / "from" / "robots.parquet"], folder / "policies.arrow")
    return folder / "policies.arrow"


RUN_PLAN = """
import sys
import polars as pl
plan = pl.LazyFrame.deserialize(sys.argv[1])
print(plan.collect().to_series().to_list())
"""


def in_another_process(plan: pl.LazyFrame, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a plan in a fresh interpreter that has not imported the adapter."""
    plan.serialize(folder / "plan")
    command = [sys.executable, "-c", RUN_PLAN, str(folder / "plan")]
    return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603


def test_a_plan_works_in_another_process(tmp_path: Path) -> None:
    """A process that gets a plan opens the file of the policies, or reads the rules in the plan."""
    path = written(tmp_path)
    urls = pl.LazyFrame({"url": ["https://a.example/a", "https://a.example/b", None]})
    for policies in (path, str(path), goodbot.RobotsTxt(BODIES[0])):
        plan = urls.select(URL.robots.allows("ExampleBot", policies))
        assert plan.collect()["url"].to_list() == [False, True, None]
        assert in_another_process(plan, tmp_path).stdout == "[False, True, None]\n"


def test_a_table_in_memory_stays_in_its_process(tmp_path: Path) -> None:
    """The message says what to pass instead."""
    plan = FRAME.lazy().select(URL.robots.allows("ExampleBot", POLICIES))
    assert "pass the path of their file instead" in in_another_process(plan, tmp_path).stderr


@pytest.mark.parametrize("table", [TABLE.slice(0), pl.DataFrame(TABLE)], ids=["Arrow", "Polars"])
def test_a_table_may_be_passed_to_the_expression(table: Any) -> None:  # noqa: ANN401
    """It stays open, and is opened once however many expressions have it."""
    before = len(adapter.OPENED)
    for robot in ROBOTS:
        lazy = FRAME.lazy().select(URL.robots.allows(robot, table, at="time"))
        gc.collect()
        assert lazy.collect()["url"].equals(expected(robot, FRAME["time"])["allowed"])
    assert len(adapter.OPENED) == before + 1


@pytest.mark.parametrize(
    ("kind", "time"),
    [(pa.timestamp("us", "+05:30"), 0), (pa.timestamp("ms", "UTC"), 2**63 - 1)],
    ids=str,
)
def test_a_table_that_polars_cannot_read(kind: pa.DataType, time: int) -> None:
    """The core reads zones and times that Polars refuses; the message says what to do."""
    place = TABLE.schema.get_field_index("valid_until")
    table = TABLE.set_column(place, "valid_until", pa.array([time] * len(TABLE), kind))
    with pytest.raises(WrongValueError, match=r"Polars cannot read .*timestamp\('us', 'UTC'\)"):
        FRAME.select(URL.robots.allows("ExampleBot", table, at="time"))


def test_the_dialect_of_a_table() -> None:
    """It is the one that the caller names, if the table names none; both must agree."""
    body = b"User-agent: *\nDisallow: /a\nAllow: /a/b\n"
    rows = TABLE.slice(0, 1).to_pylist()[0] | {"access": "rules", "body": body}
    table = pl.DataFrame(pa.Table.from_pylist([rows], TABLE.schema))
    urls = pl.DataFrame({"url": [f"{rows['origin']}/a/b"]})
    for dialect, allowed in ((None, True), ("koster1994", False)):
        found = urls.select(URL.robots.allows("ExampleBot", table, dialect=dialect))
        assert found["url"].to_list() == [allowed]
    stated = table.with_columns(dialect=pl.lit("koster1994", pl.Categorical))
    assert urls.select(URL.robots.allows("ExampleBot", stated)).item() is False
    with pytest.raises(WrongValueError, match="reckoned in koster1994"):
        URL.robots.allows("ExampleBot", stated, dialect="rfc9309")
    with pytest.raises(WrongValueError, match="have their own dialect"):
        URL.robots.allows("ExampleBot", FILE, dialect="rfc9309")


def test_misuse() -> None:
    """What cannot be asked raises when the expression is made; columns, when it runs."""
    with pytest.raises(RobotNameError):
        URL.robots.allows("", POLICIES)
    with pytest.raises(WrongValueError, match="has a lone surrogate"):
        URL.robots.allows("Example\ud800Bot", POLICIES)
    with pytest.raises(WrongTypeError):
        URL.robots.allows(3, POLICIES)
    with pytest.raises(WrongTypeError):
        URL.robots.allows("ExampleBot", 3)
    with pytest.raises(WrongTypeError, match="an expression, the name of a column, or one aware"):
        URL.robots.allows("ExampleBot", POLICIES, at=FRAME["time"])
    with pytest.raises(WrongValueError, match="leave at out"):
        URL.robots.allows("ExampleBot", FILE, at="time")
    with pytest.raises(WrongValueError, match="pass the RobotsTxt"):
        URL.robots.allows("ExampleBot", FILE.rules_for("GPTBot"))
    with pytest.raises(WrongValueError):
        URL.robots.allows("ExampleBot", POLICIES, at=START.replace(tzinfo=None))
    with pytest.raises(pl.exceptions.ComputeError, match="cast it to"):
        FRAME.select(adapter.RobotsNamespace(pl.col("n")).allows("ExampleBot", POLICIES))
    objects = pl.DataFrame({"url": pl.Series(["https://a.example/", 1.5], dtype=pl.Object)})
    with pytest.raises(
        pl.exceptions.ComputeError, match=r"is an Object; pass it to goodbot\.tables\.columns"
    ):
        objects.select(adapter.RobotsNamespace(pl.col("url")).allows("ExampleBot", POLICIES))
    assert len(verdicts(objects["url"], POLICIES, "ExampleBot")["ExampleBot"]) == 2
    with pytest.raises(pl.exceptions.ComputeError, match="at must be a Datetime"):
        FRAME.select(URL.robots.allows("ExampleBot", POLICIES, at="url"))
    with pytest.raises(pl.exceptions.ComputeError, match=r"\.cast\(pl\.Datetime\) if it has dates"):
        FRAME.select(URL.robots.allows("ExampleBot", POLICIES, at=pl.col("time").dt.date()))


def test_the_documentation_runs() -> None:
    """The examples of the module and of its page show what happens."""
    found = doctest.testmod(adapter)
    assert found.failed == 0
    assert found.attempted > 0
    run_examples(ROOT / "docs" / "how-to" / "polars.md")


def test_the_wheels_have_one_version() -> None:
    """The extra requires the plugin of the same version, and the plugin that goodbot."""
    version = goodbot.__version__
    texts = [ROOT / "pyproject.toml", ROOT / "plugins" / "polars" / "pyproject.toml"]
    assert f'"goodbot-polars=={version}"' in texts[0].read_text(encoding="utf-8")
    assert f'"goodbot=={version}"' in texts[1].read_text(encoding="utf-8")
    crate = (ROOT / "plugins" / "polars" / "Cargo.toml").read_text(encoding="utf-8")
    assert f'version = "{version}"' in crate
