"""Tables of URLs that were fetched once, reconsidered by what robots.txt says at another time."""

from goodbot.tables.reconsidering.url_columns import ReconsideredColumns, reconsider_columns
from goodbot.tables.reconsidering.url_tables import TableSummary, reconsider_tables

__all__ = ["ReconsideredColumns", "TableSummary", "reconsider_columns", "reconsider_tables"]
