"""What runs on Spark's executors returns for each row what one machine does, and keeps the row."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from goodbot.errors import RobotNameError, WrongValueError
from goodbot.tables.columns import PolicyTable, verdicts
from goodbot.tables.spark import questions
from goodbot.tables.spark import verdicts as in_spark
from goodbot.tables.spark.grouping import parallelism_of
from goodbot.tables.spark.questions import (
    MICROS,
    MOST_OPENED,
    ORDER,
    ORIGIN,
    PART,
    OriginQuestion,
    VerdictQuestion,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
HOUR = timedelta(hours=1)
POLICIES = pa.table(
    {
        "origin": ["https://b.example", "https://a.example", "https://a.example"],
        "valid_from": pa.array([NOON, NOON + HOUR, NOON], pa.timestamp("us", "UTC")),
        "valid_until": pa.array([NOON + 9 * HOUR] * 3, pa.timestamp("us", "UTC")),
        "access": ["disallow-all", "allow-all", "rules"],
        "reason": ["server-error", "unavailable", "found"],
        "stale": [False, False, False],
        "body": pa.array([None, None, b"User-agent: *\nDisallow: /a\n"], pa.binary()),
    }
)
ROWS = pa.table(
    {
        "number": range(6),
        "url": [
            "https://a.example/a", "HTTPS://A.example:443/a", None, "mailto:x", "https://b.example/",
            "https://c.example/",
        ],
        "at": pa.array([NOON, NOON + HOUR, NOON, NOON, None, NOON], pa.timestamp("us", "UTC")),
    }
)  # fmt: skip
QUESTION = VerdictQuestion(("ExampleBot",), "url", "at", True, True, None, "rfc9309")  # noqa: FBT003


def expected() -> Any:  # noqa: ANN401  a table of pyarrow
    """Return the answer of one machine, in types that Spark has."""
    found = pa.table(verdicts(ROWS["url"], POLICIES, "ExampleBot", ROWS["at"], explain=True))
    return found.to_pydict()


def test_a_group_has_the_answers_of_one_machine() -> None:
    """Rows and policies of a group keep their columns, and policies their numbers."""
    numbered = POLICIES.append_column(ORDER, pa.array([0, 1, 2]))
    grouped = numbered.append_column(PART, pa.array([7] * 3)).take(pa.array([2, 0, 1]))
    rows = ROWS.append_column(PART, pa.array([7] * len(ROWS)))
    found = QUESTION.over_group(rows, grouped).to_pydict()
    assert found == ROWS.to_pydict() | expected()


def test_a_group_without_policies_keeps_its_rows() -> None:
    """A site without a policy has no verdict."""
    none = POLICIES.append_column(ORDER, pa.array([0, 1, 2])).slice(0, 0)
    found = QUESTION.over_group(ROWS, none)
    assert found["ExampleBot"].to_pylist() == [None] * len(ROWS)
    assert len(found) == len(ROWS)


def stream_of(policies: pa.Table) -> bytes:
    """Return policies with their numbers as an Arrow stream."""
    numbered = policies.append_column(ORDER, pa.array(range(len(policies))))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, numbered.schema) as writer:
        writer.write_table(numbered)
    return bytes(sink.getvalue())


def test_policies_of_all_groups_are_opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process opens them for its first task; of several tables it keeps those used last."""
    opened: list[int] = []

    class Counted(PolicyTable):
        def __init__(self, table: Any, **options: Any) -> None:  # noqa: ANN401
            opened.append(len(table))
            super().__init__(table, **options)

    monkeypatch.setattr(questions, "PolicyTable", Counted)
    monkeypatch.setattr(questions, "OPENED", {})
    ordered = POLICIES.take(pa.array([2, 1, 0]))
    asked = [QUESTION.with_policies(stream_of(ordered.slice(0, rows))) for rows in (3, 2, 1)]
    for which in (0, 0, 1, 0):
        list(asked[which].over_batches(iter(ROWS.to_batches())))
    assert opened == [3, 2]
    for which in (2, 0, 1):
        (found,) = asked[which].over_batches(iter(ROWS.to_batches()))
    assert opened == [3, 2, 1, 2]
    assert len(questions.OPENED) == MOST_OPENED
    wanted = verdicts(ROWS["url"], ordered.slice(0, 2), "ExampleBot", ROWS["at"]).to_pydict()
    assert found.column("ExampleBot").to_pylist() == wanted["ExampleBot"]
    # The time that a policy is held is a part of what was opened.
    list(replace(asked[1], held=HOUR).over_batches(iter(ROWS.to_batches())))
    assert opened == [3, 2, 1, 2, 2]


def test_the_origin_is_that_of_the_table_of_policies() -> None:
    """Spellings of one site have one origin; what has none is null."""
    (batch,) = OriginQuestion("url", "at")(iter(ROWS.to_batches()))
    a, b, c = "https://a.example", "https://b.example", "https://c.example"
    assert batch.column(ORIGIN).to_pylist() == [a, a, None, None, b, c]
    assert batch.column(MICROS).to_pylist()[0] == NOON.timestamp() * 1_000_000


@pytest.mark.parametrize(
    ("robots", "explain"),
    [(["GPTBot", "gptbot"], False), (["a", "A:reason"], True), (["age"], True)],
)
def test_each_column_has_a_name_that_spark_tells_apart(robots: list[str], *, explain: bool) -> None:
    """It ignores case, and would find a column twice when the answer is used."""
    table: Any = None  # the robots come first
    with pytest.raises(WrongValueError, match=r"two columns would be named '.*', since"):
        in_spark(table, table, robots, explain=explain)


def test_names_are_checked_before_spark_is_asked() -> None:
    """An error within a task would come with pages of Java."""
    table: Any = None  # the robots come first
    with pytest.raises(RobotNameError, match="looks like a URL"):
        in_spark(table, table, "https://a.example/")


class Session:
    """A session of Spark Connect: it has no SparkContext."""

    conf: ClassVar = {"spark.sql.shuffle.partitions": "16"}

    def __init__(self, refusal: type[Exception]) -> None:
        """Refuse in the way of a release."""
        self.refusal = refusal

    @property
    def sparkContext(self) -> Any:  # noqa: ANN401, N802  Spark's
        """Raise what Spark Connect raises."""
        raise self.refusal


@pytest.mark.parametrize("refusal", [AttributeError, NotImplementedError])
def test_groups_need_no_spark_context(refusal: type[Exception]) -> None:
    """Spark Connect has none; then a shuffle's partitions say how many tasks there are."""
    frame: Any = SimpleNamespace(sparkSession=Session(refusal))
    assert parallelism_of(frame) == 16
    classic = SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=3))
    own: Any = SimpleNamespace(sparkSession=classic)
    assert parallelism_of(own) == 3
