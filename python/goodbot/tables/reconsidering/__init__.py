"""Tables of URLs that were fetched once, reconsidered by what robots.txt says at another time."""

from goodbot.tables.reconsidering.url_columns import (
    ReconsideredColumns,
    does_not_stay,
    reconsider_columns,
)
from goodbot.tables.reconsidering.url_tables import TableSummary, reconsider_tables
from goodbot.tables.writing.url_files import UrlColumns

__all__ = [
    "ReconsideredColumns",
    "TableSummary",
    "UrlColumns",
    "does_not_stay",
    "reconsider_columns",
    "reconsider_tables",
]
