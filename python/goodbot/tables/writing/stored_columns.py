"""Columns of Parquet files that are copied as they are stored, without being decoded.

Scope: the output repeats some columns of the input. To decode and encode them takes longer than
the verdicts, so a row group of the output gets their bytes as they are, and only what the footer
says of them is written anew. Indexes of pages and Bloom filters stand elsewhere in a file and are
not copied; neither are statistics whose order is undefined.

Source: Apache Parquet, parquet.thrift and "File format".
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from goodbot.errors import NotAStoreError
from goodbot.tables.writing.parquet_footer import (
    COLUMNS,
    CREATED_BY,
    MAGIC,
    META_DATA,
    ROW_GROUPS,
    SCHEMA,
    Footer,
    changed,
    field_of,
    read_footer,
    value_of,
)
from goodbot.tables.writing.url_files import UrlFile

__all__ = ["StoredColumns", "StoredGroup", "are_copied_as_stored", "first_byte", "stored_columns"]

COLUMN_ORDERS = 7  # of FileMetaData
REPETITION, NAME, CHILDREN, FIELD_ID = 3, 4, 5, 9  # of SchemaElement
REPEATED = 2
FILE_PATH, CRYPTO = 1, 8  # of ColumnChunk
STORED_SIZE, FIRST_PAGE, DICTIONARY, STATISTICS = 7, 9, 11, 12  # of ColumnMetaData
KEPT = {*range(1, 8), FIRST_PAGE, DICTIONARY, STATISTICS, 13, 16}
"""The fields of ColumnMetaData that remain true in another file."""
OLD_STATISTICS = {1, 2}
"""`max` and `min` of Statistics, whose order is undefined."""

FAULTY_WRITERS = tuple(b"parquet-mr version 1.%d." % minor for minor in range(8))
"""What they write is read in a way of its own, by their name (PARQUET-246, PARQUET-816)."""

LEAST_ROWS = 1 << 18
"""How many rows a row group has at least, on average: the output has the same row groups."""
MOST_VALUES = 1 << 24
"""How many values of its own a row group of the output has at most: they are encoded together."""


class StoredGroup(NamedTuple):
    """Some columns of a row group, where they are stored."""

    path: str
    columns: list[Footer]
    """What the footer says of the pages of each."""


class StoredColumns(NamedTuple):
    """Some columns of a file."""

    elements: list[Footer]
    """What the schema says of each."""
    groups: list[StoredGroup]


def are_copied_as_stored(files: Sequence[UrlFile], names: Sequence[str], own: int) -> bool:
    """Return whether columns of all files can be copied as they are stored.

    Args:
        files: The files, which have the columns.
        names: The columns.
        own: How many other columns the output has.

    """
    rows = [count for file in files for count in file.rows]
    if not rows or sum(rows) < LEAST_ROWS * len(rows) or max(rows) * own > MOST_VALUES:
        return False
    schemas = []
    for file in files:
        try:
            found = stored_columns(file, tuple(names))
        except NotAStoreError:
            return False
        if found is None:
            return False
        schemas.append(found.elements)
    return all(one == schemas[0] for one in schemas)


@lru_cache(maxsize=16)
def stored_columns(file: UrlFile, names: tuple[str, ...]) -> StoredColumns | None:
    """Return columns of a file; `None` if they cannot be copied as they are stored.

    Raises:
        NotAStoreError: The footer cannot be read.
        OSError: The file cannot be read.

    """
    with Path(file.path).open("rb") as opened:
        footer = read_footer(opened, file.size)
    try:
        return columns_in(footer, file, names)
    except (AttributeError, IndexError, TypeError) as error:
        message = f"{file.path} has a footer whose fields have other types; write it again"
        raise NotAStoreError(message) from error


def columns_in(footer: Footer, file: UrlFile, names: tuple[str, ...]) -> StoredColumns | None:
    """Return columns of a file by its footer; see `stored_columns`."""
    written_by = field_of(footer, CREATED_BY) or b""
    columns = flat_columns(value_of(footer, SCHEMA).values)
    if written_by.startswith(FAULTY_WRITERS) or not columns.keys() >= set(names):
        return None
    is_ordered = field_of(footer, COLUMN_ORDERS) is not None
    places = [columns[name][0] for name in names]
    groups = []
    for group in value_of(footer, ROW_GROUPS).values:
        chunks = [value_of(group, COLUMNS).values[place] for place in places]
        if not all(can_be_copied(chunk, file.size) for chunk in chunks):
            return None
        groups.append(StoredGroup(file.path, [tidied(one, is_ordered) for one in chunks]))
    elements = [without(columns[name][1], {FIELD_ID}) for name in names]
    return StoredColumns(elements, groups)


def flat_columns(elements: Sequence[Footer]) -> dict[str, tuple[int, Footer]]:
    """Return the columns that are neither nested nor repeated: place in a row group, and element.

    Args:
        elements: The schema of a file, each field followed by those within it.

    """
    found = {}
    place = within = 0
    for element in elements[1:]:
        children = field_of(element, CHILDREN) or 0
        is_outermost = within == 0
        within += children - (not is_outermost)
        if children:
            continue
        if is_outermost and field_of(element, REPETITION) != REPEATED:
            found[value_of(element, NAME).decode("utf-8", "replace")] = place, element
        place += 1
    return found


def can_be_copied(chunk: Footer, size: int) -> bool:
    """Return whether a column of a row group is in this file as the footer says, unencrypted."""
    pages = field_of(chunk, META_DATA)
    if pages is None or {FILE_PATH, CRYPTO} & {one.number for one in chunk}:
        return False
    first = first_byte(pages)
    length = int(value_of(pages, STORED_SIZE))
    return len(MAGIC) <= first <= first + length <= size


def first_byte(pages: Footer) -> int:
    """Return where the pages of a column begin: its dictionary comes first; 0 stands for none."""
    places = (field_of(pages, number) for number in (DICTIONARY, FIRST_PAGE))
    return int(min(filter(None, places), default=0))


def tidied(chunk: Footer, is_ordered: bool) -> Footer:  # noqa: FBT001  of the file
    """Return what remains true in another file of the pages of a column."""
    pages = [one for one in value_of(chunk, META_DATA) if one.number in KEPT]
    if not is_ordered:
        return without(pages, {STATISTICS})
    return changed(pages, STATISTICS, lambda struct: without(struct, OLD_STATISTICS))


def without(struct: Footer, numbers: set[int]) -> Footer:
    """Return a structure without some fields."""
    return [one for one in struct if one.number not in numbers]
