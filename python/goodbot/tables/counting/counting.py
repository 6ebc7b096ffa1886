"""The counts of a table of policies: rows by columns, and each distinct file once.

Scope: it acts: it reads a table. Which row counts is found by columns; what a file says is decided
once for all sites that have the same bytes.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from goodbot.bots import by_purpose
from goodbot.errors import WrongValueError
from goodbot.http.argument_checks import list_of_str
from goodbot.tables.building.lost_metadata import as_strings
from goodbot.tables.building.table_reading import open_table
from goodbot.tables.columns.policy_table import PolicyTable
from goodbot.tables.columns.schema import pyarrow
from goodbot.tables.counting.file_facts import STAR, AskedRobot, FileFacts, asked_robot, facts_of
from goodbot.tables.counting.policy_counts import PolicyCounts, RobotCounts, SizeCounts

__all__ = ["BY", "CountPeriod", "count_policies"]

CountPeriod: TypeAlias = Literal["year", "crawl"]

BY: dict[CountPeriod, str] = {
    "year": "the year of `valid_from`, in UTC",
    "crawl": "`source`: the file or folder that the row is from",
}
"""What periods can be, each with the column that it is of."""
DEFAULT_PURPOSE = "ai-training"
"""The purpose of the robots that are asked about if none are given."""
MOST_KEPT = 100_000
"""Of how many distinct files the facts are kept."""
MOST_NAMES = 10_000
"""The most names, fields or statements that are counted in one period; the rarest are omitted."""
DIGEST_BYTES = 16


def count_policies(
    path: str | os.PathLike[str],
    *,
    robots: Iterable[str] | None = None,
    by: CountPeriod | None = None,
    dialect: str | None = None,
) -> list[PolicyCounts]:
    """Count what the sites of a table of policies say to robots.

    Args:
        path: The table, as `goodbot tables build` makes it.
        robots: The robots to ask about: known robots, product tokens, or `*` for any robot that is
            not named. By default `*`, and the known robots that collect content for training.
        by: Whether to count for each `year` or `crawl`; by default for the whole table.
        dialect: The dialect that the table was built in, if the file does not state it.

    Returns:
        The counts of each period, in order. `goodbot.tables.counting.DEFINITIONS` says what each
        figure counts.

    Raises:
        MisuseError: It is not a table of policies, or of an unknown version.
        MissingExtraError: pyarrow is not installed.
        OSError: The file cannot be read.
        RobotNameError: The name of a robot is empty, or a URL.
        WrongValueError: `by` is none of these.

    >>> from goodbot.tables.counting import count_policies
    >>> for found in count_policies("policies.parquet", robots=["*", "GPTBot"]):  # doctest: +SKIP
    ...     print(found.sites, found.robots[1].wholly)

    """
    if by is not None and by not in BY:
        message = f"by must be one of {', '.join(BY)}, not {by!r}"
        raise WrongValueError(message)
    names = default_robots() if robots is None else list_of_str("robots", robots)
    asked = [asked_robot(one) for one in dict.fromkeys(names)]
    table = open_table(path, dialect=dialect)
    sums = sums_of(table, asked, by, PolicyTable(table, dialect=dialect).dialect)
    return [sums[period].counts(period, asked) for period in sorted(sums)]


def default_robots() -> list[str]:
    """Return the robots that are asked about by default."""
    return [STAR, *(robot.name for robot in by_purpose(DEFAULT_PURPOSE))]


class PeriodSums:
    """The sums of one period."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.access: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter()
        self.sizes: Counter[int] = Counter()
        self.names: Counter[str] = Counter()
        self.signals: Counter[str] = Counter()
        self.fields: Counter[str] = Counter()
        self.unknown: Counter[str] = Counter()
        self.disallowed: Counter[tuple[int, str]] = Counter()
        self.named: Counter[int] = Counter()

    def add(self, facts: FileFacts, sites: int) -> None:
        """Add a file that some sites have."""
        self.sizes[facts.size] += sites
        for counter, found in (
            (self.names, facts.names), (self.signals, facts.signals),
            (self.fields, facts.fields), (self.unknown, facts.unknown),
        ):  # fmt: skip
            for one in found:
                counter[one] += sites
        for place, (how_much, is_named) in enumerate(
            zip(facts.disallowed, facts.named, strict=True)
        ):
            self.disallowed[place, how_much] += sites
            if is_named:
                self.named[place] += sites

    def counts(self, period: str, robots: Sequence[AskedRobot]) -> PolicyCounts:
        """Return the counts."""
        sites = sum(self.access.values())
        ruled, open_ = self.access["rules"], self.access["allow-all"]
        return PolicyCounts(
            period=period,
            sites=sites,
            access=frequent(self.access),
            statuses=frequent(self.statuses),
            sizes=size_counts(self.sizes),
            robots=tuple(
                RobotCounts(
                    robot.name,
                    named=self.named[place],
                    wholly=self.disallowed[place, "wholly"],
                    partly=self.disallowed[place, "partly"],
                    not_at_all=self.disallowed[place, "not-at-all"] + open_,
                    undecided=self.disallowed[place, "undecided"],
                    unknown=sites - ruled - open_,
                )
                for place, robot in enumerate(robots)
            ),
            names=frequent(self.names),
            signals=frequent(self.signals),
            fields=frequent(self.fields),
            unknown_fields=frequent(self.unknown),
        )


def sums_of(
    table: Any,  # noqa: ANN401  pyarrow's
    robots: Sequence[AskedRobot],
    by: CountPeriod | None,
    dialect: str,
) -> dict[str, PeriodSums]:
    """Return the sums of each period."""
    rows = last_rows(table, by)
    periods, places = rows.column("period").to_pylist(), rows.column("row").to_pylist()
    access = as_strings(table.column("access")).take(rows.column("row")).to_pylist()
    status = (
        table.column("status").take(rows.column("row")).to_pylist()
        if "status" in table.column_names
        else [None] * len(places)
    )
    sums: dict[str, PeriodSums] = {}
    period_of: dict[int, str] = {}
    for place, period, what, number in zip(places, periods, access, status, strict=True):
        found = sums.setdefault(period, PeriodSums())
        found.access[what or "unknown"] += 1
        found.statuses["none" if number is None else str(number)] += 1
        if what == "rules":
            period_of[place] = period
    kept: dict[bytes, FileFacts] = {}
    for period, body, sites in bodies(table.column("body"), period_of):
        key = hashlib.blake2b(body, digest_size=DIGEST_BYTES).digest()
        facts = kept.get(key)
        if facts is None:
            facts = facts_of(body, robots, dialect)
            if len(kept) >= MOST_KEPT:
                kept.clear()
            kept[key] = facts
        sums[period].add(facts, sites)
    return sums


def last_rows(table: Any, by: CountPeriod | None) -> Any:  # noqa: ANN401  pyarrow's
    """Return the number of the last row of each site in each period, and the period."""
    pa = pyarrow()
    import pyarrow.compute as compute  # noqa: PLC0415, PLR0402  an extra

    times = table.column("valid_from")
    if by == "year":
        period = compute.strftime(times, format="%Y")
    elif by == "crawl":
        period = compute.fill_null(as_strings(table.column("source")), "")
    else:
        period = pa.chunked_array([pa.array([""] * len(table), pa.string())])
    rows = pa.table(
        {
            "origin": as_strings(table.column("origin")),
            "period": period,
            "at": times,
            "row": pa.array(range(len(table)), pa.int64()),
        }
    )
    order = [(name, "ascending") for name in ("period", "origin", "at", "row")]
    ordered = rows.sort_by(order).combine_chunks()
    if not len(ordered):
        return ordered
    here, after = ordered.slice(0, len(ordered) - 1), ordered.slice(1)
    changes = compute.or_(
        compute.not_equal(here.column("origin"), after.column("origin")),
        compute.not_equal(here.column("period"), after.column("period")),
    )
    is_last = pa.chunked_array([*changes.chunks, pa.array([True])], pa.bool_())
    return ordered.filter(is_last).sort_by("row")


def bodies(column: Any, period_of: Mapping[int, str]) -> Iterator[tuple[str, bytes, int]]:  # noqa: ANN401  pyarrow's
    """Yield each distinct body of some rows with its period, and how many rows have it.

    Bodies that a part of the table has several times, as Parquet stores them, are read once.
    """
    pa = pyarrow()
    end = 0
    for chunk in column.chunks:
        first, end = end, end + len(chunk)
        rows = [
            (place - first, period_of[place]) for place in range(first, end) if place in period_of
        ]
        if pa.types.is_dictionary(chunk.type):
            places = chunk.indices.to_pylist()
            counted = Counter((period, places[row]) for row, period in rows)
            for (period, place), sites in counted.items():
                if place is not None:
                    yield period, bytes(chunk.dictionary[place].as_py()), sites
        else:
            for row, period in rows:
                body = chunk[row].as_py()
                if body is not None:
                    yield period, bytes(body), 1


def frequent(counts: Counter[str]) -> dict[str, int]:
    """Return the counts that are not 0, the highest first, and equal ones by their names."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return {name: count for name, count in ordered[:MOST_NAMES] if count}


def size_counts(sizes: Mapping[int, int]) -> SizeCounts:
    """Return the figures on sizes, from how many files have each."""
    files = sum(sizes.values())
    if not files:
        return SizeCounts()
    ordered = sorted(sizes.items())
    total = sum(size * count for size, count in ordered)
    return SizeCounts(
        files=files,
        least=ordered[0][0],
        median=size_at(ordered, files, 5),
        mean=total // files,
        p90=size_at(ordered, files, 9),
        most=ordered[-1][0],
    )


def size_at(ordered: Sequence[tuple[int, int]], files: int, tenths: int) -> int:
    """Return the smallest size that so many tenths of the files do not exceed."""
    seen = 0
    for size, count in ordered:
        seen += count
        if seen * 10 >= files * tenths:
            return size
    return ordered[-1][0]
