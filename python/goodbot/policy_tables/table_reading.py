"""Reading a table of policies: whole for questions over columns, or one origin as policies.

Scope: opening files. What the rows mean, `goodbot.columns` and the policy layer decide.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from goodbot._core import origin as origin_of
from goodbot.columns.fact_rows import PolicyFacts, check_facts, facts_of
from goodbot.columns.policy_table import CACHE_BYTES, PolicyTable
from goodbot.columns.reckoning import Reckoner, unknown_from
from goodbot.columns.schema import check_version, dialect_of, pyarrow
from goodbot.policy import LearnedPolicy, PolicyTimeline
from goodbot.policy_tables.damaged_files import named_if_damaged
from goodbot.policy_tables.table_writing import check_ending

__all__ = [
    "check_table",
    "open_policies",
    "open_table",
    "policy_facts",
    "policy_timeline",
    "rows_of",
    "schema_of",
]


@contextmanager
def readable(path: str | os.PathLike[str]) -> Iterator[None]:
    """Read a file; if it is of another kind, say which it is and what to do.

    Raises:
        MisuseError: The file is damaged, or of another kind.
        OSError: It cannot be read; pyarrow's own error would not name the file.

    """
    check_ending(path)
    Path(path).open("rb").close()
    cure = "build it again with `goodbot policies build`"
    with named_if_damaged(path, "a table of policies", cure):
        yield


def schema_of(path: str | os.PathLike[str]) -> Any:  # noqa: ANN401  pyarrow's
    """Return the schema of a table, checked.

    Raises:
        MisuseError: It is not a table of policies, or of an unknown version.
        OSError: It cannot be read.

    """
    pa = pyarrow()
    import pyarrow.parquet as parquet  # noqa: PLC0415, PLR0402  an extra

    with readable(path):
        if Path(path).suffix == ".parquet":
            schema = parquet.read_schema(path)
        else:
            with pa.memory_map(os.fspath(path)) as file:
                schema = pa.ipc.open_file(file).schema
    check_version(schema.metadata, os.fspath(path))
    return schema


def check_table(path: str | os.PathLike[str]) -> str:
    """Check that a file is a whole table of policies; return its dialect.

    Raises:
        MisuseError: It is not a table of policies, or facts are missing.
        OSError: It cannot be read.

    """
    schema = schema_of(path)
    check_facts(schema.names)
    return dialect_of(schema.metadata)


def open_table(path: str | os.PathLike[str]) -> Any:  # noqa: ANN401  pyarrow's
    """Return the whole table as a `pyarrow.Table`; an Arrow file is memory-mapped.

    Raises:
        MisuseError: It is not a table of policies, or of an unknown version.
        MissingExtraError: pyarrow is not installed.
        OSError: It cannot be read.

    """
    pa = pyarrow()
    import pyarrow.parquet as parquet  # noqa: PLC0415, PLR0402  an extra

    schema_of(path)
    with readable(path):
        if Path(path).suffix == ".parquet":
            return parquet.read_table(path, read_dictionary=["body"])
        # The buffers of the table keep the file mapped.
        return pa.ipc.open_file(pa.memory_map(os.fspath(path))).read_all()


def open_policies(
    path: str | os.PathLike[str],
    *,
    held: timedelta | None = None,
    cache_bytes: int = CACHE_BYTES,
    dialect: str | None = None,
) -> PolicyTable:
    """Open a table of policies for questions over columns (`goodbot.columns.verdicts`).

    Args:
        path: The table; an Arrow file is memory-mapped, a Parquet file is read.
        held: How long a policy permits anything after it was learned; by default as long as it is
            fresh.
        cache_bytes: The most bytes that compiled rules take.
        dialect: The dialect that the table must have been reckoned in; by default any.

    Raises:
        MisuseError: It is not a table of policies, or of an unknown version.
        MissingExtraError: pyarrow is not installed.
        OSError: It cannot be read.

    """
    return PolicyTable(open_table(path), held=held, cache_bytes=cache_bytes, dialect=dialect)


def rows_of(path: str | os.PathLike[str]) -> Iterator[PolicyFacts]:
    """Yield the facts of each row, a part of the file at a time.

    Raises:
        MisuseError: It is not a table of policies.
        OSError: It cannot be read.

    """
    pa = pyarrow()
    import pyarrow.parquet as parquet  # noqa: PLC0415, PLR0402  an extra

    check_table(path)
    with readable(path):
        if Path(path).suffix == ".parquet":
            with parquet.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=1_024):
                    yield from facts_of(pa.Table.from_batches([batch]))
            return
        with pa.memory_map(os.fspath(path)) as mapped:
            reader = pa.ipc.open_file(mapped)
            for number in range(reader.num_record_batches):
                yield from facts_of(pa.Table.from_batches([reader.get_batch(number)]))


def policy_facts(path: str | os.PathLike[str], origin: str) -> list[PolicyFacts]:
    """Return the facts of the rows of one origin, in order.

    Args:
        path: The table.
        origin: An origin, or any URL of it.

    Raises:
        MisuseError: It is not a table of policies.
        NoOriginError: The URL has no origin.
        OSError: The file cannot be read.

    """
    pyarrow()
    import pyarrow.dataset as dataset  # noqa: PLC0415, PLR0402  an extra

    check_table(path)
    form = "parquet" if Path(path).suffix == ".parquet" else "ipc"
    with readable(path):
        rows = dataset.dataset(os.fspath(path), format=form)
        found = rows.to_table(filter=dataset.field("origin") == origin_of(origin))
    return sorted(facts_of(found), key=lambda one: one.learned)


def policy_timeline(
    path: str | os.PathLike[str], origin: str, *, held: timedelta | None = None
) -> PolicyTimeline:
    """Return the policies of one origin over time.

    Args:
        path: The table.
        origin: An origin, or any URL of it.
        held: How long a policy permits anything after it was learned; by default as long as it is
            fresh.

    Raises:
        MisuseError: It is not a table of policies.
        MissingExtraError: pyarrow is not installed.
        NoOriginError: The URL has no origin.
        OSError: The file cannot be read.

    """
    reckoner = Reckoner(check_table(path))
    facts = policy_facts(path, origin)
    learned: list[LearnedPolicy] = list(reckoner.policies(facts))
    return PolicyTimeline(tuple(learned), held, unknown_from(facts))
