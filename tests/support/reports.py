"""The report of a crawl, for the tests of several rooms."""

from contextlib import closing
from datetime import datetime

from goodbot.crawl.folder.database import Database
from goodbot.crawl.report.report import report_on
from goodbot.crawl.report.rows.summary import ReportSummary

__all__ = ["report_text"]


def report_text(database: Database, now: datetime) -> tuple[ReportSummary, str]:
    """Return the counts of a crawl, and its page."""
    with closing(report_on(database, now)) as found:
        return found.summary, "".join(found)
