"""The Parquet files of a segment, for questions over a whole fleet.

Scope: which columns they have. What depends on other pages, such as how many link to a page or
where its redirects end, is not in them: a segment has some minutes of one worker. A question over
all segments finds it, or a folder that `goodbot fleet gather` makes.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from io import BytesIO
from typing import BinaryIO

from goodbot.crawl.evidence.export import write_columns
from goodbot.crawl.evidence.link_export import LINK_COLUMNS
from goodbot.crawl.evidence.request_export import write_request_columns
from goodbot.crawl.evidence.site_links import find_links
from goodbot.crawl.fleet.segments import FileKind
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.parquet import ParquetColumn, write_parquet
from goodbot.crawl.inventory.inventory_row import COLUMNS as INVENTORY_COLUMNS
from goodbot.crawl.inventory.row_building import inventory_rows

__all__ = ["PAGE_COLUMNS", "SEGMENT_LINK_COLUMNS", "tables_of"]

OF_PAGE = (
    "url", "visited", "state", "status", "failure", "declared", "served", "content_type",
    "indexable", "indexable_reason", "indexable_source", "title", "description", "h1", "withheld",
    "h1_count", "language", "canonical", "words", "bytes", "first_byte_ms", "depth", "is_external",
    "mixed_content", "languages",
)  # fmt: skip
"""The columns of the inventory that depend on the page alone."""
PAGE_COLUMNS = tuple(
    ParquetColumn(one.name, one.kind, one.meaning)
    for one in INVENTORY_COLUMNS
    if one.name in OF_PAGE
)
OF_LINK = ("from", "to", "kind", "text", "text_withheld", "rel", "line", "external")
"""The columns of links that depend on the page alone."""
SEGMENT_LINK_COLUMNS = tuple(one for one in LINK_COLUMNS if one.name in OF_LINK)


def tables_of(
    database: Database, worker: str, now: datetime
) -> Iterator[tuple[FileKind, bytes, int]]:
    """Yield the tables of a segment that have rows: the kind, the content and the number of rows.

    Args:
        database: The database of the segment.
        worker: The worker that crawled.
        now: The time, an aware `datetime`: texts of pages that have expired by then are not shown.

    Raises:
        MissingExtraError: pyarrow is not installed.

    """
    writers: dict[FileKind, Callable[[BinaryIO], int]] = {
        "evidence": lambda file: write_columns(database, file, only_visited=True),
        "links": lambda file: write_parquet(
            (one.as_dict() for one in find_links(database, now=now)), file, SEGMENT_LINK_COLUMNS
        ),
        "inventory": lambda file: write_parquet(
            (one.as_cells() for one in inventory_rows(database, now) if one.visited is not None),
            file,
            PAGE_COLUMNS,
        ),
        "requests": lambda file: write_request_columns(database, file, worker),
    }
    for kind, write in writers.items():
        file = BytesIO()  # PyArrow takes the files of obstore for closed ones
        count = write(file)
        if count:
            yield kind, file.getvalue(), count
