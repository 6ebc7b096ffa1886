"""The report of a crawl, for the tests of several rooms."""

import base64
import gzip
import json
from contextlib import closing
from datetime import datetime
from typing import Any

from goodbot.crawl.folder.database import Database
from goodbot.crawl.report.report import report_on
from goodbot.crawl.report.rows.summary import ReportSummary

__all__ = ["report_tables", "report_text", "unpacked"]


def report_text(database: Database, now: datetime) -> tuple[ReportSummary, str]:
    """Return the counts of a crawl, and its page."""
    with closing(report_on(database, now)) as found:
        return found.summary, "".join(found)


def report_tables(database: Database, now: datetime) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table of a report, by the names of their columns."""
    with closing(report_on(database, now)) as found:
        return {
            name: [
                dict(zip((column.name for column in packed.table.columns), row, strict=True))
                for row in unpacked("".join(packed.data()))
            ]
            for name, packed in found.tables.items()
        }


def unpacked(data: str) -> list[tuple[Any, ...]]:
    """Read packed rows in the way of the script."""
    lines = gzip.decompress(base64.b64decode(data)).splitlines() if data else []
    return [row for line in lines for row in rows_in(*json.loads(line))]


def rows_in(count: int, *columns: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401  a list, or one value
    """Return the rows of a block."""
    lists = [one if isinstance(one, list) else [one["all"]] * count for one in columns]
    return list(zip(*lists, strict=True))
