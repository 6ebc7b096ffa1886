"""Every judged request of robots, as a file: Parquet, or JSON lines.

Scope: the rows of robots, without those of people. Addresses are shortened unless the audit shows
them in full.
"""

import json
import os
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from goodbot.audit.audit_outcomes import outcome_of
from goodbot.audit.request_columns import pyarrow_of_audit
from goodbot.bots import known
from goodbot.cli.audit_view.audit_values import AuditView
from goodbot.cli.audit_view.shown_address import shown_address
from goodbot.crawl.folder.atomic_file import atomic_file
from goodbot.errors import WrongValueError
from goodbot.http.instants import written

__all__ = ["REQUEST_COLUMNS", "SCHEMA_VERSION", "VERSION_KEY", "RequestColumn", "write_judged"]

VERSION_KEY = "goodbot.audit.requests"
"""The key of the schema's version in the metadata of Parquet."""
SCHEMA_VERSION = "1"
"""The version of the schema."""
BATCH = 20_000
"""How many rows are converted at a time."""
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class RequestColumn(NamedTuple):
    """A column of the file."""

    name: str
    """Its name in Parquet, and its key in JSON."""
    kind: str
    """The type: `string`, `name` (a string that repeats), `integer`, or `time`."""
    meaning: str
    """What it means."""


REQUEST_COLUMNS = (
    RequestColumn("line", "integer", "The line of the log."),
    RequestColumn("file", "name", "The file of the log; null if it is not known."),
    RequestColumn("time", "time", "When, in UTC. In JSON it is written as in RFC 3339."),
    RequestColumn("robot", "name", "The robot that the request names."),
    RequestColumn("operator", "name", "Who runs it; null if the robot is not known."),
    RequestColumn("site", "name", "The site, as an origin; null if the line belongs to none."),
    RequestColumn("method", "name", "The method."),
    RequestColumn("target", "string", "What was asked for, as it was sent."),
    RequestColumn("status", "integer", "The status of the answer; null if unknown."),
    RequestColumn("bytes", "integer", "The bytes of the answer; null if unknown."),
    RequestColumn(
        "address",
        "name",
        "Where the request came from, shortened to a network: `/24` of IPv4, `/48` of IPv6. "
        "`(hidden)` if the log has something that is not an address. In full with "
        "`--whole-addresses`.",
    ),
    RequestColumn(
        "identity",
        "name",
        "Whether the sender is who it claims to be: `verified`, `spoofed` or `unverifiable`.",
    ),
    RequestColumn("outcome", "name", "The outcome: see [outcomes](audits.md#outcomes)."),
    RequestColumn("reason", "name", "Why: see [reasons](audits.md#reasons)."),
    RequestColumn("rule_line", "integer", "The line of the rule that decides; 0 if no rule does."),
    RequestColumn(
        "policy", "name", "The digest of the robots.txt that decides; null if there is none."
    ),
    RequestColumn(
        "too_fast",
        "name",
        "The wishes for a pace that the request broke, such as `crawl-delay`, in the order of the "
        "alphabet, with a space between two; null if it broke none, or the robot does not claim "
        "to read them.",
    ),
)
"""The columns, in their order."""


def write_judged(path: str | os.PathLike[str], view: AuditView) -> int:
    """Write every judged request to a file, and return their number.

    The file appears when it is complete. Rows are in the order of their times.

    Args:
        path: The file; `.parquet` or `.jsonl`.
        view: The audit.

    Raises:
        WrongValueError: The name of the file ends with neither.
        MissingExtraError: pyarrow is not installed.
        StoreError: It cannot be written.

    """
    writers = {".parquet": write_parquet, ".jsonl": write_lines}
    writer = writers.get(Path(path).suffix.lower())
    if writer is None:
        message = f"{os.fspath(path)} must end with .parquet or .jsonl"
        raise WrongValueError(message)
    with atomic_file(path) as file:
        return writer(file, view)


def write_parquet(file: BinaryIO, view: AuditView) -> int:
    """Write Parquet."""
    pa = pyarrow_of_audit()
    import pyarrow.parquet as pq  # noqa: PLC0415  an extra

    kinds = {
        "string": pa.string(),
        "name": pa.string(),
        "integer": pa.int64(),
        "time": pa.timestamp("us", "UTC"),
    }
    schema = pa.schema(
        [(one.name, kinds[one.kind]) for one in REQUEST_COLUMNS],
        metadata={VERSION_KEY: SCHEMA_VERSION},
    )
    count = 0
    names = [one.name for one in REQUEST_COLUMNS if one.kind == "name"]
    with pq.ParquetWriter(file, schema, compression="zstd", use_dictionary=names) as parquet:
        for batch in batches(view):
            parquet.write_table(pa.Table.from_pylist(batch, schema=schema))
            count += len(batch)
    return count


def write_lines(file: BinaryIO, view: AuditView) -> int:
    """Write JSON lines."""
    count = 0
    for batch in batches(view):
        for row in batch:
            row["time"] = written(row["time"])
            file.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")
        count += len(batch)
    return count


def batches(view: AuditView) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows, some at a time, in the order of their times."""
    rows = view.result.rows
    sites: list[str | None] = [None] * len(rows.times)
    for log in view.result.logs:
        for row in log.group.rows:
            sites[row] = log.group.site
    robots = {name: known(name) for name in set(rows.robots)}
    operators = {name: None if one is None else one.operator for name, one in robots.items()}
    broken = broken_wishes(view)
    order = sorted(range(len(sites)), key=lambda row: (rows.times[row], rows.lines[row] or 0))
    for start in range(0, len(order), BATCH):
        places = order[start : start + BATCH]
        yield [
            row_of(view, row, sites[row], operators) | {"too_fast": broken.get(row)}
            for row in places
        ]


def broken_wishes(view: AuditView) -> dict[int, str]:
    """Return the wishes for a pace that rows broke, by row."""
    found: dict[int, set[str]] = {}
    for one in chain.from_iterable(view.pace.values()):
        if not one:
            for row in one.rows:
                found.setdefault(row, set()).add(one.check)
    return {row: " ".join(sorted(names)) for row, names in found.items()}


def row_of(
    view: AuditView, row: int, site: str | None, operators: dict[str, str | None]
) -> dict[str, Any]:
    """Return one row, by the names of `REQUEST_COLUMNS`, but for its pace."""
    result, rows = view.result, view.result.rows
    return {
        "line": rows.lines[row],
        "file": None if rows.sources is None else rows.sources[row],
        "time": EPOCH + timedelta(microseconds=rows.times[row]),
        "robot": rows.robots[row],
        "operator": operators[rows.robots[row]],
        "site": site,
        "method": rows.methods[row],
        "target": rows.target_names[rows.targets[row]],
        "status": rows.statuses[row],
        "bytes": rows.sizes[row],
        "address": shown_address(rows.addresses[row], view.whole_addresses),
        "identity": rows.identities[row],
        "outcome": outcome_of(result.reasons[row]),
        "reason": result.reasons[row],
        "rule_line": result.rule_lines[row],
        "policy": result.digests[row],
    }
