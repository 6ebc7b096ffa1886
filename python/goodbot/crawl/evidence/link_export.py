"""The links of a crawl as Parquet, and the columns of every table of links.

Scope: the columns and the file. `site_links` finds the links.
"""

import os
from collections.abc import Iterable

from goodbot.crawl.evidence.site_links import FoundLink
from goodbot.crawl.folder.parquet import ParquetColumn, export_parquet

__all__ = ["LINK_COLUMNS", "export_links"]

LINK_COLUMNS = (
    ParquetColumn("from", "text", "The URL of the page, or of the sitemap."),
    ParquetColumn("to", "text", "The URL that the link leads to, in its normal form."),
    ParquetColumn(
        "kind", "text", "`link`, `html-refresh`, `header-refresh`, `sitemap` or `resource`."
    ),
    ParquetColumn("text", "text", "Its text; null if the page must not be indexed."),
    ParquetColumn("text_withheld", "text", "Why the text is null: the statement that decided."),
    ParquetColumn("rel", "text", "Its relations, as written."),
    ParquetColumn("line", "number", "The number of its line in the page, from 1."),
    ParquetColumn("external", "truth", "Whether it leads to another origin."),
    ParquetColumn("followed", "truth", "Whether the crawl follows it."),
    ParquetColumn("why_not", "text", "The slug of the reason if it does not."),
    ParquetColumn("source", "text", "The statement that decided, if there is one."),
    ParquetColumn("state", "text", "The state of the target in the crawl."),
    ParquetColumn("status", "number", "The status of the target's latest answer."),
    ParquetColumn("failure", "text", "Why no usable answer came, a slug."),
    ParquetColumn("end", "text", "The URL at which redirects from the target end."),
    ParquetColumn("end_status", "number", "The status there."),
    ParquetColumn("broken", "truth", "Whether a reader gets an error there, or no answer."),
    ParquetColumn(
        "queued_again",
        "truth",
        "Whether the target is queued for another visit: the rest is what the last one found.",
    ),
)
"""The columns of Parquet and CSV, which are the keys of JSON."""


def export_links(found: Iterable[FoundLink], path: str | os.PathLike[str]) -> int:
    """Write links, from `find_links`, to a Parquet file; see `export_parquet`."""
    return export_parquet((link.as_dict() for link in found), path, LINK_COLUMNS)
