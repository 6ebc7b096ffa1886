"""Merging tables of policies: each row once, reckoned again across the seam.

Scope: the way from tables to a table; sorting and reckoning are those of building.
"""

import os
from collections.abc import Sequence

from goodbot.errors import MisuseError
from goodbot.tables.building.build_summary import BuildSummary
from goodbot.tables.building.building import (
    BuildProgress,
    nothing,
    write_policies,
)
from goodbot.tables.building.packed_answer import pack_answer
from goodbot.tables.building.sorted_runs import RunWriter
from goodbot.tables.building.table_reading import check_table, read_facts
from goodbot.tables.building.table_writing import check_ending
from goodbot.tables.building.working_folder import beside
from goodbot.tables.columns.schema import pyarrow

ROWS_A_BEAT = 1_000


def merge_policies(
    tables: Sequence[str | os.PathLike[str]],
    path: str | os.PathLike[str],
    *,
    dialect: str | None = None,
    progress: BuildProgress | None = None,
) -> BuildSummary:
    """Merge tables of policies.

    A copy from one table may be in force during an outage in another one, so every row is reckoned
    again.

    Args:
        tables: The tables; one is enough to write it in another form or dialect.
        path: The table to write; its name ends in `.parquet` or `.arrow`.
        dialect: The dialect in which it is reckoned; by default that of the first table.
        progress: Called now and then.

    Raises:
        MisuseError: There is no table, or one is not a table of policies, or none has a row.
        MissingExtraError: pyarrow is not installed.
        OSError: A table cannot be read.
        StoreError: The table cannot be written.
        UnknownDialectError: There is no dialect of this name.

    """
    pyarrow()
    check_ending(path)
    if not tables:
        message = "there is no table to merge; name at least one"
        raise MisuseError(message)
    dialects = [check_table(one, dialect) for one in tables]
    chosen = dialect or dialects[0]
    report, summary = progress or nothing, BuildSummary()
    with beside(path) as folder:
        answers = RunWriter(folder, "answers")
        for number, table in enumerate(tables):
            for answer in read_facts(table):
                summary.records += 1
                if not summary.records % ROWS_A_BEAT:
                    report("tables", number, len(tables))
                answers.add(pack_answer(answer, answer.origin))
        answers.finish()
        summary.answers, summary.omitted = summary.records, answers.omitted
        write_policies(answers.runs, path, chosen, summary, report, folder)
    if not summary.rows:
        message = f"the tables have no rows, so {os.fspath(path)} was not written; build them again"
        raise MisuseError(message)
    return summary
