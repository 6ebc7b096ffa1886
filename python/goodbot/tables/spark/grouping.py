"""Into which group each row goes, so that it meets all policies that can matter to it.

Scope: expressions that Spark evaluates. A group has the rows of some origins within a span of time,
and the policies of these origins that can hold then: the last ones before the span, those within
it, and the next ones after it, because a file that is seen again held in between. The rows of an
origin that has very many are divided further, by a salt, and each part gets the origin's policies.
The groups never change an answer, only where it is computed.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field
from typing import TYPE_CHECKING

from goodbot.lazy_dataclass import dataclass
from goodbot.tables.spark import engine
from goodbot.tables.spark.questions import MICROS, ORIGIN, PART

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["Groups", "groups_of", "sample_of"]

SAMPLED = 100
"""How many rows of a full group are in the sample."""
MOST_SALTS = 4_096
MOST_DIVIDED = 10_000
"""Into how many parts an origin is divided at most, and how many origins are."""
SEED = 1
SALTS, SPAN, SALT = "_goodbot_salts", "_goodbot_span", "_goodbot_salt"
BEFORE, AFTER = "_goodbot_before", "_goodbot_after"


@dataclass(frozen=True)
class Groups:
    """How rows are divided into groups."""

    count: int
    """How many groups there are."""
    salts: dict[str, int] = field(default_factory=dict)
    """The origins that are divided, and into how many parts; the empty name stands for URLs that
    have none."""
    boundaries: tuple[int, ...] = ()
    """The first microseconds of each span of time but the first."""

    def of_rows(self, rows: "DataFrame") -> "DataFrame":
        """Return rows with the number of their group.

        The salt is a hash of the row, not a random number: a task that Spark repeats must send its
        rows to the same groups.
        """
        named = rows.withColumn(ORIGIN, engine.F.coalesce(ORIGIN, engine.F.lit("")))
        hashed = engine.F.xxhash64(*hashable(rows))
        salt = engine.F.when(engine.F.col(SALTS) > 1, engine.F.pmod(hashed, SALTS)).otherwise(
            engine.F.lit(0)
        )
        part = self._part(
            engine.F.coalesce(self._span(engine.F.col(MICROS)), engine.F.lit(0)), salt
        )
        return self._with_salts(named).withColumn(PART, part).drop(ORIGIN, MICROS, SALTS)

    def of_policies(self, policies: "DataFrame") -> "DataFrame":
        """Return policies with the number of each group that needs them, a row for each.

        A group may get a policy twice, for two spans; that changes no answer, as of several
        policies of one time all must allow.
        """
        spanned = self._with_spans(policies.withColumn(ORIGIN, engine.F.col("origin")))
        salts = engine.F.explode(engine.F.sequence(engine.F.lit(0), engine.F.col(SALTS) - 1))
        salted = self._with_salts(spanned).withColumn(SALT, salts)
        part = self._part(engine.F.col(SPAN), engine.F.col(SALT))
        return salted.withColumn(PART, part).drop(ORIGIN, SALTS, SPAN, SALT)

    def _part(self, span: "Column", salt: "Column") -> "Column":
        """Return the number of a group; different salts of an origin lead to different groups."""
        hashed = engine.F.pmod(
            engine.F.xxhash64(engine.F.col(ORIGIN), span), engine.F.lit(self.count)
        )
        return engine.F.pmod(hashed + salt, engine.F.lit(self.count)).cast("int")

    def _with_salts(self, frame: "DataFrame") -> "DataFrame":
        """Return rows with the number of parts into which their origin is divided."""
        if not self.salts:
            return frame.withColumn(SALTS, engine.F.lit(1))
        divided = frame.sparkSession.createDataFrame(
            [(origin, min(salts, self.count)) for origin, salts in self.salts.items()],
            f"{ORIGIN} string, {SALTS} int",
        )
        joined = frame.join(engine.F.broadcast(divided), ORIGIN, "left")
        return joined.withColumn(SALTS, engine.F.coalesce(SALTS, engine.F.lit(1)))

    def _with_spans(self, policies: "DataFrame") -> "DataFrame":
        """Return policies with each span of time in which they matter.

        That is from the span in which the policy before them holds last, for they may show that its
        file held until then, to the span in which the policy after them begins.
        """
        if not self.boundaries:
            return policies.withColumn(SPAN, engine.F.lit(0))
        learned = engine.F.unix_micros("valid_from")
        others = engine.Window.partitionBy(ORIGIN).rangeBetween(
            engine.Window.unboundedPreceding, -1
        )
        # Columns of their own, because Spark explodes no expression with a window.
        timed = policies.withColumn(BEFORE, engine.F.max(learned).over(others.orderBy(learned)))
        timed = timed.withColumn(AFTER, engine.F.min(learned).over(others.orderBy(-learned)))
        first = self._span(engine.F.coalesce(BEFORE, learned))
        end = engine.F.lit(len(self.boundaries))
        last = engine.F.coalesce(self._span(engine.F.col(AFTER)), end)
        spans = engine.F.explode(engine.F.sequence(first, last))
        return timed.withColumn(SPAN, spans).drop(BEFORE, AFTER)

    def _span(self, micros: "Column") -> "Column":
        """Return the number of the span of a time; null for null."""
        number = engine.F.when(micros.isNotNull(), engine.F.lit(0))
        for boundary in self.boundaries:
            number = number + (micros >= engine.F.lit(boundary)).cast("int")
        return number


def sample_of(df: "DataFrame", columns: Sequence[str], rows_per_group: int) -> "DataFrame":
    """Return a sample of some columns, always the same.

    It is taken before the origins are found, which costs more than to read the columns.
    """
    wanted = df.select(*(engine.F.col(quoted(name)) for name in columns))
    return wanted.sample(fraction=share_of(rows_per_group), seed=SEED)


def share_of(rows_per_group: int) -> float:
    """Return what share of the rows is in the sample."""
    return min(1.0, SAMPLED / rows_per_group)


def groups_of(sampled: "DataFrame", rows_per_group: int, spans: int) -> Groups:
    """Divide rows by what a sample shows.

    Args:
        sampled: The sample with its origins and times.
        rows_per_group: How many rows a group has, roughly.
        spans: Into how many spans the time is divided at most.

    """
    share = share_of(rows_per_group)
    sample = sampled.select(engine.F.coalesce(ORIGIN, engine.F.lit("")).alias(ORIGIN), MICROS)
    sample = sample.persist()
    try:
        most = sample.groupBy(ORIGIN).count().orderBy(engine.F.desc("count")).limit(MOST_DIVIDED)
        full = rows_per_group * share
        found = {
            row[ORIGIN]: row["count"] for row in most.where(engine.F.col("count") > full).collect()
        }
        boundaries = spans_of(sample, spans) if spans > 1 else ()
        count = -(-sample.count() // max(1, round(full)))
    finally:
        sample.unpersist()
    # Two a core at least, so that none is idle for long.
    count = max(count, 2 * parallelism_of(sampled))
    salts = {origin: min(MOST_SALTS, -int(-seen // full)) for origin, seen in found.items()}
    return Groups(count, salts, boundaries)


def parallelism_of(frame: "DataFrame") -> int:
    """Return how many tasks a stage of Spark has: its cores, or as many as a shuffle is set to.

    A session of Spark Connect has no SparkContext, and does not say how many cores there are.
    """
    session = frame.sparkSession
    with suppress(AttributeError, NotImplementedError):  # as Spark Connect raises them
        return int(session.sparkContext.defaultParallelism)
    return int(session.conf.get("spark.sql.shuffle.partitions", "200") or 200)


def spans_of(sample: "DataFrame", spans: int) -> tuple[int, ...]:
    """Return the boundaries of spans with equally many rows, in microseconds."""
    shares = [number / spans for number in range(1, spans)]
    found = sample.agg(engine.F.percentile_approx(MICROS, shares).alias(SPAN)).first()
    return tuple(sorted(set((found and found[SPAN]) or ())))


def hashable(rows: "DataFrame") -> "list[Column]":
    """Return the columns that Spark can hash: those without maps and variants."""
    return [
        engine.F.col(quoted(one.name))
        for one in rows.schema.fields
        if not any(kind in one.dataType.simpleString() for kind in ("map<", "variant"))
    ]


def quoted(name: str) -> str:
    """Return the name of a column in an expression; one with a dot would be read as a path."""
    return "`" + name.replace("`", "``") + "`"
