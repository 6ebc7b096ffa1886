"""The inventory of a crawl as Parquet.

Scope: the file. `row_building` makes the rows.
"""

import os
from collections.abc import Iterable

from goodbot.crawl.folder.parquet import ParquetColumn, export_parquet
from goodbot.crawl.inventory.inventory_row import COLUMNS, InventoryRow

__all__ = ["export_inventory"]


def export_inventory(rows: Iterable[InventoryRow], path: str | os.PathLike[str]) -> int:
    """Write rows to a Parquet file; if that fails, no partial file remains.

    Args:
        rows: The rows, from `goodbot.crawl.inventory_rows`.
        path: The file.

    Returns:
        The number of rows.

    Raises:
        MissingExtraError: pyarrow is not installed.
        StoreFullError: The disk is full.
        StoreUnavailableError: The file cannot be written.

    """
    columns = [ParquetColumn(one.name, one.kind, one.meaning) for one in COLUMNS]
    return export_parquet((row.as_cells() for row in rows), path, columns)
