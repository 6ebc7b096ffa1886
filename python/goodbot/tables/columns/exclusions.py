r"""Which of many URLs must be omitted, as a column that is never null: for joins and filters.

Scope: from columns to a column. A verdict may be null, which is unknown; what SQL does with nulls
in `NOT`, `NOT IN` and anti joins drops or keeps such rows unnoticed. Here the caller chooses.

A URL is omitted if robots.txt disallows it. A site that could not be reached allows nothing, but
nobody has disallowed anything there either: that is unknown, as what is too old to permit anything.

>>> from datetime import datetime, timedelta, timezone
>>> import pyarrow as pa
>>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
>>> table = pa.table({
...     "origin": ["https://a.example"], "valid_from": [noon],
...     "valid_until": [noon + timedelta(days=1)], "access": ["rules"], "reason": ["found"],
...     "stale": [False], "body": [b"User-agent: *\nDisallow: /b"],
... })
>>> urls = ["https://a.example/a", "https://a.example/b", "https://c.example/"]
>>> exclusions(urls, table, "ExampleBot").to_pylist()
[False, True, False]
>>> exclusions(urls, table, "ExampleBot", unknown="withhold").to_pylist()
[False, True, True]
"""

from typing import Any, Literal

from goodbot.errors import WrongValueError
from goodbot.policy.decide import is_answer
from goodbot.tables.columns.policy_table import PolicyTable, as_policy_table
from goodbot.tables.columns.robot_parts import describe_robot
from goodbot.tables.columns.schema import pyarrow
from goodbot.tables.columns.verdicts import verdicts_of_one

__all__ = ["ExcludedColumn", "exclusions"]

CHOICES = ("keep", "withhold")


def exclusions(
    urls: Any,  # noqa: ANN401  a column of any library
    policies: Any,  # noqa: ANN401  a PolicyTable, or Arrow of any library
    robot: str,
    at: Any = None,  # noqa: ANN401  a column of any library
    *,
    unknown: Literal["keep", "withhold"] = "keep",
    dialect: str | None = None,
) -> Any:  # noqa: ANN401  of pyarrow, which has no types
    """Return for each URL whether it must be omitted: a column of booleans without nulls.

    Args:
        urls: The URLs; see `verdicts`.
        policies: The policies; see `verdicts`.
        robot: A product token or a whole User-Agent.
        at: The times; see `verdicts`. Without them the newest policies count.
        unknown: Whether URLs of which it is unknown are kept or withheld.
        dialect: The dialect of the table, if it does not state that.

    Raises:
        MisuseError: See `verdicts`, or `unknown` is something else.
        MissingExtraError: pyarrow is not installed.

    """
    return ExcludedColumn(as_policy_table(policies, dialect), robot, unknown).answer(urls, at)


class ExcludedColumn:
    """What answers `exclusions` for one table and robot, again and again.

    Args:
        table: The policies.
        robot: The robot.
        unknown: Whether URLs of which it is unknown are kept or withheld.

    Raises:
        MissingExtraError: pyarrow is not installed.
        WrongValueError: `unknown` is something else.

    """

    def __init__(self, table: PolicyTable, robot: str, unknown: str) -> None:
        """Read which policies somebody decided."""
        if unknown not in CHOICES:
            message = f"unknown must be 'keep' or 'withhold', not {unknown!r}"
            raise WrongValueError(message)
        pa = pyarrow()
        self._table, self._robot, self._withholds = table, robot, unknown == "withhold"
        read = pa.table(table.in_arrow(describe_robot(robot, table.dialect)[1].name))
        columns = (read.column(name).to_pylist() for name in ("access", "reason"))
        pairs = zip(*columns, strict=True)
        self._answers = pa.array([is_answer(*one) for one in pairs], pa.bool_())

    def answer(self, urls: Any, at: Any = None) -> Any:  # noqa: ANN401  columns
        """Return for each URL whether it must be omitted."""
        import pyarrow.compute as pc  # noqa: PLC0415  an extra

        pa = pyarrow()
        found = verdicts_of_one(urls, self._table, self._robot, at, explain=True)
        allowed, policy = pa.array(found[0]), pa.array(found[3])
        decided = pc.fill_null(self._answers.take(policy), False)  # noqa: FBT003
        is_out = pc.invert(pc.if_else(decided, allowed, pa.scalar(None, pa.bool_())))
        return pc.fill_null(is_out, self._withholds)
