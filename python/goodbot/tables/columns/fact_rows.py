"""Rows of a table of policies as answers, and answers with what follows from them as rows.

Scope: the form of rows, to and from pyarrow; nothing is decided.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from goodbot._core import robots_txt_url
from goodbot.errors import MisuseError
from goodbot.http.fields import scalar
from goodbot.http.status import NOT_MODIFIED
from goodbot.policy.robots_txt_answer import MATTERING, RobotsTxtAnswer
from goodbot.tables.columns.column_kinds import check_keys, check_kinds
from goodbot.tables.columns.schema import COLUMNS, FACTS, arrow_schema, pyarrow

SUCCESSES = range(200, 300)


class Reckoned(NamedTuple):
    """What the policy layer makes of the facts."""

    valid_until: datetime
    access: str
    reason: str
    stale: bool
    failing_since: datetime | None
    body: bytes | None
    """The robots.txt in force; `None` without rules."""


def check_facts(names: Iterable[str]) -> None:
    """Check that a table has the facts, and the columns that they were reckoned to.

    Raises:
        MisuseError: One is missing.

    """
    needed = {*FACTS, "body", "stale", "failing_since"}
    missing = sorted(needed - set(names))
    if missing:
        message = (
            f"the table of policies has no column {missing[0]!r}, so it cannot be reckoned again; "
            "pass the whole table that `goodbot tables build` wrote"
        )
        raise MisuseError(message)


def answers_in_rows(table: Any) -> Iterator[RobotsTxtAnswer]:  # noqa: ANN401  a pyarrow.Table
    """Yield the answer of each row, in order.

    Raises:
        MisuseError: A row has no origin or no time, or a column is of another type.

    """
    names = [*FACTS, "body", "stale", "failing_since"]
    check_kinds(table.schema)
    check_keys(table)
    for batch in table.select(names).to_batches(max_chunksize=8_192):
        columns = [batch.column(name).to_pylist() for name in names]
        for values in zip(*columns, strict=True):
            row = dict(zip(names, values, strict=True))
            received, body, stale = row["received"], row["body"], bool(row["stale"])
            is_copy = stale or row["status"] == NOT_MODIFIED
            began, answered = row["valid_from"], row["answered"]
            yield RobotsTxtAnswer(
                url=f"{row['origin']}/robots.txt",
                answered=answered,
                status=row["status"],
                failure=row["failure"],
                headers=tuple(
                    (field["name"], field["value"] or "")
                    for field in row["headers"] or ()
                    if field is not None and field["name"] is not None
                ),
                body=received if received is not None else b"" if is_copy else body or b"",
                truncated=bool(row["truncated"]),
                hops=tuple(url for url in row["hops"] or () if url is not None),
                requested=row["asked"],
                began=None if began == answered else began,
                confirmed=body if is_copy and not stale else None,
                kept=body if stale else None,
                failing_since=row["failing_since"],
                source=row["source"],
            )


def pack_row(answer: RobotsTxtAnswer, found: Reckoned) -> tuple[Any, ...]:
    """Return the values of a row, in the order of the columns but for the dialect."""
    body = found.body
    is_copy = found.stale or answer.status == NOT_MODIFIED
    is_other = is_copy or body != answer.body
    received = answer.body if is_other and answer.body and answer.status in SUCCESSES else None
    hops = list(answer.hops)
    return (
        answer.origin, answer.requested, answer.answered, answer.status, answer.failure,
        hops[-1] if hops else robots_txt_url(answer.origin), hops or None,
        [{"name": name, "value": scalar(value)} for name, value in answer.headers],
        answer.truncated, received, answer.learned, found.valid_until, found.access, found.reason,
        found.stale, found.failing_since, None if body is None else hashlib.sha256(body).digest(),
        body, answer.source,
    )  # fmt: skip


def pack_headers(headers: Sequence[tuple[str, str]]) -> str:
    r"""Return the fields that matter as text.

    >>> pack_headers([("ETag", '"a"'), ("Server", "x"), ("Age", "1")])
    'etag:"a"\nage:1'
    """
    return "\n".join(
        f"{name.lower()}:{scalar(' '.join(value.splitlines()))}"
        for name, value in headers
        if name.lower() in MATTERING
    )


def unpack_headers(text: str) -> tuple[tuple[str, str], ...]:
    """Return the fields of a packed text."""
    if not text:
        return ()
    return tuple(
        (line[0], line[2]) for line in (field.partition(":") for field in text.split("\n"))
    )


def make_table(rows: Sequence[tuple[Any, ...]], dialect: str, *, body_type: str = "binary") -> Any:  # noqa: ANN401  pyarrow's
    """Return rows as a `pyarrow.Table` of the schema."""
    return with_dictionaries(
        make_plain_table(rows, dialect, body_type=body_type), dialect, body_type=body_type
    )


def make_plain_table(
    rows: Sequence[tuple[Any, ...]], dialect: str, *, body_type: str = "binary"
) -> Any:  # noqa: ANN401  pyarrow's
    """Return rows as a `pyarrow.Table` of the schema, but without dictionaries."""
    pa = pyarrow()
    schema = plain_schema(arrow_schema(dialect, body_type=body_type))
    columns = list(zip(*rows, strict=True)) or [()] * (len(COLUMNS) - 1)
    columns.append((dialect,) * len(rows))
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.table(arrays, schema=schema)


def plain_schema(schema: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return a schema without dictionaries."""
    pa = pyarrow()
    fields = [
        pa.field(field.name, field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in schema
    ]
    return pa.schema(fields, metadata=schema.metadata)


def with_dictionaries(table: Any, dialect: str, *, body_type: str = "binary") -> Any:  # noqa: ANN401  pyarrow's
    """Return a plain table as one of the schema; dictionaries are in the order of first use."""
    pa = pyarrow()
    schema = arrow_schema(dialect, body_type=body_type)
    columns = [
        column.dictionary_encode().cast(field.type)
        if pa.types.is_dictionary(field.type)
        else column
        for column, field in zip(table.combine_chunks().columns, schema, strict=True)
    ]
    return pa.table(columns, schema=schema)
