"""The question over a table of Spark: which plan answers it.

Scope: the plan. The groups are in `grouping`, and what runs on the executors in `questions`.
"""

from collections.abc import Sequence
from datetime import timedelta
from inspect import signature
from typing import TYPE_CHECKING, Any

from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.missing import needs
from goodbot.tables.columns.robot_parts import check_robots, describe_robot
from goodbot.tables.columns.schema import FACTS
from goodbot.tables.columns.verdicts import column_titles, find_repeated
from goodbot.tables.spark import engine
from goodbot.tables.spark.grouping import groups_of, quoted, sample_of
from goodbot.tables.spark.questions import (
    ORDER,
    PART,
    OriginQuestion,
    VerdictQuestion,
    answer_types,
    has_large_texts,
    in_order,
)

with needs("spark"):
    import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["BROADCAST_BYTES", "ROWS_PER_GROUP", "verdicts"]

BROADCAST_BYTES = 64 * 1024 * 1024
"""How large policies are at most that every executor gets whole."""
ROWS_PER_GROUP = 250_000
"""How many rows an executor judges at once."""
TEXTS, TIMES = {"string", "binary"}, {"timestamp", "timestamp_ntz"}
RECKONED = ("origin", "valid_from", "valid_until", "access", "reason", "stale", "body")


def verdicts(
    df: "DataFrame",
    policies_df: "DataFrame",
    robots: str | Sequence[str],
    *,
    url: str = "url",
    at: str | None = None,
    explain: bool = False,
    row: str | None = None,
    held: timedelta | None = None,
    dialect: str = "rfc9309",
    broadcast: bool | None = None,
    rows_per_group: int = ROWS_PER_GROUP,
    spans: int = 1,
) -> "DataFrame":
    """Return a table of Spark with the verdicts of robots beside its columns.

    Every row stays, once, and its verdict is that of `goodbot.tables.columns.verdicts`, which
    explains `robots`, `held` and the columns of the answer. Policies that are small go to every
    executor. Otherwise rows and policies meet in groups, and the table is read twice, first for a
    sample.

    Args:
        df: The table with the URLs.
        policies_df: The table of policies (docs/reference/policy-table.md).
        robots: A product token or a whole User-Agent, or several.
        url: The column with the URLs, of strings or binary.
        at: The column with the times, of TIMESTAMP, or of TIMESTAMP_NTZ in UTC.
        explain: Whether the reasons are wanted, too; `NAME:policy` comes only with `row`.
        row: A column of `policies_df` with its row numbers, which order policies of one time.
        held: How long a policy permits anything after it was learned.
        dialect: The dialect in which the table was reckoned, as its column `dialect` states it.
        broadcast: Whether every executor gets all policies; by default if they are small.
        rows_per_group: How many rows a task judges at once, roughly; its memory must hold them.
        spans: Into how many spans the time is divided; each gets the policies that matter to it.

    Raises:
        MisuseError: An argument or a column is wrong; the message says which.

    """
    names = checked_names(robots, explain=explain)
    check_numbers(rows_per_group, spans)
    check_columns(df, url, at)
    question = VerdictQuestion(names, url, at, explain, row is not None, held, dialect)
    reckons_again = any(describe_robot(name, dialect)[1].name != dialect for name in names)
    policies = policies_of(policies_df, row, with_facts=reckons_again)
    if broadcast or (broadcast is None and is_small(policies)):
        return in_batches(df, policies, question)
    # Reckoned again, a policy depends on all before it.
    spans = spans if at and not reckons_again else 1
    return in_groups(df, policies, question, rows_per_group, spans)


def in_batches(df: "DataFrame", policies: "DataFrame", question: VerdictQuestion) -> "DataFrame":
    """Return rows with their verdicts; every executor gets all policies."""
    asked = question.with_policies(stream_of(policies))
    return df.mapInArrow(asked.over_batches, answer_schema(df, question))


def in_groups(
    df: "DataFrame",
    policies: "DataFrame",
    question: VerdictQuestion,
    rows_per_group: int,
    spans: int,
) -> "DataFrame":
    """Return rows with their verdicts; rows and policies meet in groups."""
    schema = answer_schema(df, question)
    plain, large = arrow_schema_of(schema), arrow_schema_of(schema, large=True)
    at = question.at if spans > 1 else None
    columns = dict.fromkeys([question.url, *([at] if at else [])])
    sampled = with_origins(sample_of(df, [*columns], rows_per_group), question.url, at)
    groups = groups_of(sampled, rows_per_group, spans)
    named = with_origins(df, question.url, at)

    # Spark counts the arguments, and would count the `self` of a method, too.
    def over_group(rows: Any, policies: Any) -> Any:  # noqa: ANN401  tables of pyarrow
        found = question.over_group(rows, policies)
        return found.cast(large if has_large_texts(rows, question.url) else plain)

    grouped = groups.of_rows(named).groupBy(PART)
    return grouped.cogroup(groups.of_policies(policies).groupBy(PART)).applyInArrow(
        over_group, schema
    )


def answer_schema(df: "DataFrame", question: VerdictQuestion) -> "StructType":
    """Return the schema of rows with their verdicts.

    Raises:
        WrongValueError: A column of this name is there already.

    """
    answers = answer_types(question.robots, explain=question.explain, row=question.row)
    check_free(df, answers)
    return schema_of(df, answers)


def arrow_schema_of(schema: "StructType", *, large: bool = False) -> Any:  # noqa: ANN401  pyarrow's
    """Return the types in which Spark expects a group, with times in UTC.

    Args:
        schema: The types of Spark.
        large: Whether Spark is set to use strings with long offsets.

    """
    from pyspark.sql.pandas.types import to_arrow_schema  # noqa: PLC0415  an extra

    # Spark 4.0 always says UTC; later versions must be told.
    known = signature(to_arrow_schema).parameters
    wanted = {"timezone": "UTC", "prefers_large_types": large}
    return to_arrow_schema(schema, **{name: wanted[name] for name in wanted if name in known})


def check_numbers(rows_per_group: int, spans: int) -> None:
    """Check the numbers.

    Raises:
        WrongValueError: One is too small.

    """
    if rows_per_group < 1 or spans < 1:
        message = "rows_per_group and spans must be 1 or more"
        raise WrongValueError(message)


def check_columns(df: "DataFrame", url: str, at: str | None) -> None:
    """Check the columns of the question.

    Raises:
        WrongTypeError: One has the wrong type.
        WrongValueError: One is missing.

    """
    kinds = dict(df.dtypes)
    for name, allowed in ((url, TEXTS), (at, TIMES)):
        if name is None:
            continue
        if name not in kinds:
            message = f"the table has no column {name!r}; it has {', '.join(sorted(kinds)[:20])}"
            raise WrongValueError(message)
        if kinds[name] not in allowed:
            message = (
                f"the column {name!r} must be of {' or '.join(sorted(allowed))}, not of "
                f"{kinds[name]}; cast it"
            )
            raise WrongTypeError(message)


def checked_names(robots: str | Sequence[str], *, explain: bool) -> tuple[str, ...]:
    """Return the names of robots; each column of the answers has another name than the others.

    Raises:
        RobotNameError: One is empty, or looks like a URL.
        WrongTypeError: They are something else.
        WrongValueError: Two columns have the same name, but for the case, which Spark ignores.

    """
    names = check_robots(robots)
    twice = find_repeated([title.lower() for title in column_titles(names, explain=explain)])
    if twice is not None:
        message = (
            f"two columns would be named {twice!r}, since Spark ignores case; leave one robot out"
        )
        raise WrongValueError(message)
    return names


def check_free(df: "DataFrame", answers: dict[str, str]) -> None:
    """Check that the columns of the answers have names of their own.

    Raises:
        WrongValueError: One is there already.

    """
    taken = {column.lower() for column in df.columns}  # Spark ignores case
    known = [name for name in answers if name.lower() in taken]
    if known:
        message = f"the table has a column {known[0]!r} already; rename or drop it"
        raise WrongValueError(message)


def policies_of(policies_df: "DataFrame", row: str | None, *, with_facts: bool) -> "DataFrame":
    """Return what is needed of the policies, with their order.

    Raises:
        WrongTypeError: A time has no time zone.
        WrongValueError: A column is missing.

    """
    kinds = dict(policies_df.dtypes)
    missing = [name for name in (*RECKONED, *((row,) if row else ())) if name not in kinds]
    if missing:
        message = f"the table of policies has no column {missing[0]!r}"
        raise WrongValueError(message)
    for name in ("valid_from", "valid_until"):
        if kinds[name] != "timestamp":
            message = f"the column {name!r} of the policies must be of timestamp; cast it"
            raise WrongTypeError(message)
    facts = FACTS if with_facts and set(FACTS) <= set(kinds) else ()
    order = (
        engine.F.monotonically_increasing_id()
        if row is None
        else engine.F.col(quoted(row)).cast("bigint")
    )
    stated = ("dialect",) if "dialect" in kinds else ()
    names = dict.fromkeys((*RECKONED, *facts, *stated))
    return policies_df.select(*names, order.alias(ORDER))


def is_small(policies: "DataFrame") -> bool:
    """Return whether policies are small enough for every executor."""
    size = engine.F.sum(
        engine.F.coalesce(engine.F.length("body"), engine.F.lit(0))
        + engine.F.length("origin")
        + engine.F.lit(64)
    )
    found = policies.agg(size.alias("size")).first()
    return found is None or (found["size"] or 0) <= BROADCAST_BYTES


def stream_of(policies: "DataFrame") -> bytes:
    """Return policies as an Arrow stream, in order."""
    table = in_order(policies.toArrow())
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def with_origins(df: "DataFrame", url: str, at: str | None) -> "DataFrame":
    """Return rows with the origins of their URLs, and their times if those are wanted."""
    return df.mapInArrow(OriginQuestion(url, at), schema_of(df, OriginQuestion.TYPES))


def schema_of(df: "DataFrame", more: dict[str, str]) -> "StructType":
    """Return the schema of a table with more columns."""
    added = [engine.StructField(name, engine.DataType.fromDDL(kind)) for name, kind in more.items()]
    return engine.StructType([*df.schema.fields, *added])
