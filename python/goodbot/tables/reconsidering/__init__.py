"""Tables of URLs that were fetched once, reconsidered by what robots.txt says at another time."""

from goodbot.tables.reconsidering.url_columns import UseColumns, reconsider_columns
from goodbot.tables.reconsidering.url_tables import TableSummary, reconsider_tables

__all__ = ["TableSummary", "UseColumns", "reconsider_columns", "reconsider_tables"]
