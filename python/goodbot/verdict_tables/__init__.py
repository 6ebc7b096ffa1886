"""Verdicts on the URLs of Parquet files, of any number: from files to a file.

Scope: it acts: it reads and writes files, in parts, so that a run that was stopped can go on.
`goodbot.columns` decides. `write_verdicts` shows the path; read `writing` first.
"""

from goodbot.verdict_tables.summary import RobotSummary, VerdictSummary
from goodbot.verdict_tables.url_files import UrlColumns
from goodbot.verdict_tables.writing import VerdictProgress, write_verdicts

__all__ = ["RobotSummary", "UrlColumns", "VerdictProgress", "VerdictSummary", "write_verdicts"]
