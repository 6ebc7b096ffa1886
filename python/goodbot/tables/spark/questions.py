"""What is asked of each group of rows, and its answer in Arrow: what runs on the executors.

Scope: from Arrow tables to Arrow tables, without Spark. Everything here is sent to the executors by
name, so they need goodbot, too.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from hashlib import blake2b
from typing import Any, ClassVar, TypeAlias

from goodbot.lazy_dataclass import dataclass
from goodbot.missing import needs
from goodbot.tables.columns import PolicyTable, origins, verdicts
from goodbot.tables.columns.schema import DIALECT_KEY

with needs("spark"):
    import pyarrow as pa

__all__ = [
    "MICROS",
    "ORDER",
    "ORIGIN",
    "PART",
    "OriginQuestion",
    "VerdictQuestion",
    "answer_types",
    "has_large_texts",
    "in_order",
]

ArrowTable = Any
"""A table of pyarrow; that library has no types."""
ArrowBatch = Any
"""A record batch of pyarrow."""

OpenedPolicies: TypeAlias = tuple[PolicyTable, Any]
"""Policies that are in order, opened, and their numbers."""

MOST_OPENED = 2
"""How many tables of policies a process keeps open."""
OPENED: dict[tuple[bytes, timedelta | None, str], OpenedPolicies] = {}
"""The tables of policies that this process has opened for tasks that need all of them."""

ORIGIN = "_goodbot_origin"
MICROS = "_goodbot_micros"
PART = "_goodbot_part"
ORDER = "_goodbot_order"
"""Columns that exist only on the way: the origin of a URL, its time in microseconds since 1970, the
group of a row, and the order of policies that were learned at one time."""

ALLOWED, REASON, LINE, POLICY, AGE = (
    "boolean", "string", "int", "bigint", "interval day to second"
)  # fmt: skip
ARROW_TYPES = {
    ALLOWED: pa.bool_(), REASON: pa.string(), LINE: pa.int32(), AGE: pa.duration("us"),
}  # fmt: skip
"""The Arrow types that Spark expects; it knows neither unsigned numbers nor dictionaries."""


def answer_types(robots: tuple[str, ...], *, explain: bool, row: bool) -> dict[str, str]:
    """Return the columns of the answers and their types in SQL.

    Args:
        robots: The names of the robots.
        explain: Whether the reasons are wanted.
        row: Whether the policies have numbers.

    """
    types = {}
    for robot in robots:
        types[robot] = ALLOWED
        if explain:
            types |= {f"{robot}:reason": REASON, f"{robot}:line": LINE}
            types |= {f"{robot}:policy": POLICY} if row else {}
    return types | ({"age": AGE} if explain else {})


@dataclass(frozen=True)
class OriginQuestion:
    """The origins of URLs and their times in microseconds, as columns beside the others."""

    TYPES: ClassVar = {ORIGIN: "string", MICROS: "bigint"}

    url: str
    at: str | None

    def __call__(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Yield batches with the two columns."""
        for batch in batches:
            found = pa.array(origins(batch.column(self.url))).cast(pa.string())
            yield batch.append_column(ORIGIN, found).append_column(MICROS, self._micros(batch))

    def _micros(self, batch: ArrowBatch) -> Any:  # noqa: ANN401  an array of pyarrow
        """Return the times as the policies are compared with them."""
        if self.at is None:
            return pa.nulls(batch.num_rows, pa.int64())
        times = batch.column(self.at)
        return times.cast(pa.timestamp("us", times.type.tz), safe=False).cast(pa.int64())


@dataclass(frozen=True)
class VerdictQuestion:
    """The verdicts on the rows of a table."""

    robots: tuple[str, ...]
    url: str
    at: str | None
    explain: bool
    row: bool
    held: timedelta | None
    dialect: str
    policies: bytes | None = None
    """The policies of all groups as an Arrow stream, if every executor gets them all."""
    digest: bytes = b""
    """By which a process recognises policies that it has opened."""

    def with_policies(self, policies: bytes) -> "VerdictQuestion":
        """Return the same question for executors that get all policies."""
        return replace(self, policies=policies, digest=blake2b(policies).digest())

    def over_batches(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Yield batches with their verdicts, by the policies that every executor gets."""
        opened = self._opened_once()
        for batch in batches:
            answered = self._answered(pa.Table.from_batches([batch]), *opened)
            yield from answered.combine_chunks().to_batches()

    def over_group(self, rows: ArrowTable, policies: ArrowTable) -> ArrowTable:
        """Return the rows of a group with their verdicts, by the policies of that group."""
        own = [name for name in rows.column_names if name != PART]
        return self._answered(rows.select(own), *self._opened(in_order(policies)))

    def _opened_once(self) -> "OpenedPolicies":
        """Return the policies that every executor gets, opened when this process first needs them.

        A process answers many tasks, and keeps the rules that it has compiled.
        """
        key = (self.digest, self.held, self.dialect)
        opened = OPENED.pop(key, None)
        if opened is None:
            opened = self._opened(pa.ipc.open_stream(self.policies).read_all())
        OPENED[key] = opened  # the last one used is the last in order
        if len(OPENED) > MOST_OPENED:
            del OPENED[next(iter(OPENED))]
        return opened

    def _opened(self, policies: ArrowTable) -> "OpenedPolicies":
        """Return policies that are in order, opened, and their numbers."""
        own = [name for name in policies.column_names if name not in {ORDER, PART}]
        table = policies.select(own).replace_schema_metadata({DIALECT_KEY: self.dialect.encode()})
        return PolicyTable(table, held=self.held), policies.column(ORDER)

    def _answered(
        self,
        rows: ArrowTable,
        policies: PolicyTable,
        numbers: Any,  # noqa: ANN401  a column of pyarrow
    ) -> ArrowTable:
        """Return rows with their verdicts."""
        at = None if self.at is None else rows.column(self.at)
        urls = rows.column(self.url)
        # One thread, because Spark runs a task on each core.
        found = pa.table(verdicts(urls, policies, self.robots, at, explain=self.explain, threads=1))
        for name, kind in answer_types(self.robots, explain=self.explain, row=self.row).items():
            column = found.column(name)
            column = numbers.take(column) if kind == POLICY else column.cast(ARROW_TYPES[kind])
            rows = rows.append_column(name, column)
        return rows


def has_large_texts(rows: ArrowTable, url: str) -> bool:
    """Return whether Spark hands over strings with long offsets, and expects them.

    It does so by the setting `spark.sql.execution.arrow.useLargeVarTypes`.
    """
    kind = rows.schema.field(url).type
    return bool(pa.types.is_large_string(kind) or pa.types.is_large_binary(kind))


def in_order(policies: ArrowTable) -> ArrowTable:
    """Return policies sorted, since Spark keeps no order."""
    keys = ("origin", "valid_from", ORDER)
    return policies.combine_chunks().sort_by([(name, "ascending") for name in keys])
