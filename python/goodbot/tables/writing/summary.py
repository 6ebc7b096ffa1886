"""How many URLs each robot may fetch, and for which reasons.

Scope: counts, and their form in the journal of a run. Nothing is decided here.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass
from goodbot.tables.columns.robot_parts import describe_robot
from goodbot.tables.columns.use_verdicts import USE_COLUMNS

ANSWERS = {True: "allowed", False: "disallowed", None: "unknown"}

NO_URL = "no-url"
"""The reason of rows whose URL is null, which have no verdict."""

Counts = Counter[tuple[str, str, str]]
"""How often each answer had each reason: (robot, answer, reason); and how often each use had each
answer: (robot, `use:` and the use, answer)."""
OF_USE = "use:"


@dataclass(frozen=True, slots=True, repr=False)
class RobotSummary:
    """The verdicts of one robot."""

    robot: str
    """Its name."""
    allowed: int
    """How many URLs it was allowed to fetch."""
    disallowed: int
    """How many it was not."""
    unknown: int
    """For how many no policy was known or current then, which is no permission."""
    reasons: Mapping[str, int] = field(hash=False)
    """How many verdicts had each reason, the most frequent first; `no-url` is a null as the URL."""
    dialect: str = ""
    """The dialect in which it was judged: its own if it is a known robot that has one, otherwise
    that of the policies."""
    uses: Mapping[str, Mapping[str, int]] = field(default_factory=dict, hash=False)
    """For each use, how many URLs had each answer, and for `level` how many had each level; empty
    if the uses were not asked."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class VerdictSummary:
    """The result of `write_verdicts`."""

    urls: int
    """How many rows were read and answered."""
    files: int
    """How many files they came from."""
    robots: tuple[RobotSummary, ...]
    """The verdicts of each robot."""
    resumed: int = 0
    """How many of the rows an earlier run had answered."""
    at: str | None = None
    """The column of the times whose policies decided; `None` if the newest did."""
    policies: str = ""
    """The file of the policies."""
    dialect: str = ""
    """The dialect of that file; `robots` has that of each robot."""
    version: str = ""
    """The version of goodbot that answered."""
    total: int = 0
    """How many rows the files have; with a sample, more than `urls`."""

    __repr__ = short_repr


def counts_of(found: Mapping[tuple[str, bool | None, str], int]) -> Counts:
    """Return counts of columns as counts of a run."""
    return Counter(
        {
            (robot, ANSWERS[answer], reason or NO_URL): number
            for (robot, answer, reason), number in found.items()
        }
    )


def use_counts_of(robot: str, use: str, column: Any) -> Counts:  # noqa: ANN401  of pyarrow
    """Return how often each answer is in a column of answers on a use; nulls are not counted."""
    found = column.drop_null().value_counts().to_pylist()
    return Counter({(robot, OF_USE + use, one["values"]): one["counts"] for one in found})


def robot_summaries(
    counts: Counts, robots: Sequence[str], table_dialect: str
) -> tuple[RobotSummary, ...]:
    """Return the verdicts of each robot.

    Args:
        counts: How often each answer had each reason.
        robots: Their names.
        table_dialect: The dialect of a robot whose own is not known.

    """
    return tuple(
        robot_summary(counts, robot, describe_robot(robot, table_dialect)[1].name)
        for robot in robots
    )


def robot_summary(counts: Counts, robot: str, dialect: str) -> RobotSummary:
    """Return the summary of one robot."""
    answers: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    uses: dict[str, Counter[str]] = {}
    for (name, answer, reason), count in counts.items():
        if name != robot:
            continue
        if answer.startswith(OF_USE):
            uses.setdefault(answer.removeprefix(OF_USE), Counter())[reason] += count
            continue
        answers[answer] += count
        reasons[reason] += count
    ordered = dict(sorted(reasons.items(), key=lambda one: (-one[1], one[0])))
    allowed, disallowed, unknown = (answers[answer] for answer in ANSWERS.values())
    of_uses = {use: dict(sorted(uses[use].items())) for use in USE_COLUMNS if use in uses}
    return RobotSummary(robot, allowed, disallowed, unknown, ordered, dialect, of_uses)


def plain_counts(counts: Counts) -> list[list[Any]]:
    """Return counts as JSON has them."""
    return [[*key, count] for key, count in counts.items()]


def counts_from(plain: Iterable[Sequence[Any]]) -> Counts:
    """Return counts from JSON."""
    return Counter({(robot, answer, reason): count for robot, answer, reason, count in plain})
