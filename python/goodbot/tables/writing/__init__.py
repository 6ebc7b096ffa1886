"""Verdicts on the URLs of Parquet files, of any number: from files to a file.

Scope: it acts: it reads and writes files, in parts, so that a run that was stopped can go on.
`goodbot.tables.columns` decides. `write_verdicts` shows the path; read `writing` first.
"""

from goodbot.tables.writing.summary import RobotSummary, VerdictSummary
from goodbot.tables.writing.url_files import UrlColumns
from goodbot.tables.writing.writing import VerdictProgress, write_verdicts

__all__ = ["RobotSummary", "UrlColumns", "VerdictProgress", "VerdictSummary", "write_verdicts"]
