"""Columns of Parquet files that are copied as they are stored, without being decoded.

Scope: the output repeats some columns of the input. To decode and encode them takes longer than
the verdicts, so a row group of the output gets their bytes as they are, with the verdicts behind
them, and only the footer is written anew. Indexes of pages and Bloom filters stand elsewhere in a
file and are not copied; neither are statistics whose order is undefined.

Source: Apache Parquet, parquet.thrift and "File format".
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import IO, NamedTuple

from goodbot.errors import MisuseError, NotAStoreError
from goodbot.tables.building.thrift_compact import I64, LIST, STRUCT
from goodbot.tables.writing.parquet_footer import (
    COLUMNS,
    CREATED_BY,
    FILE_OFFSET,
    MAGIC,
    META_DATA,
    NUM_ROWS,
    PAGE_OFFSETS,
    ROW_GROUPS,
    SCHEMA,
    Footer,
    FooterField,
    Many,
    find_field,
    footer_bytes,
    read_footer,
    replace_field,
    require_field,
    shift_offsets,
)
from goodbot.tables.writing.url_files import UrlFile

COLUMN_ORDERS = 7  # of FileMetaData
REPETITION, NAME, CHILDREN, FIELD_ID = 3, 4, 5, 9  # of SchemaElement
REPEATED = 2
FILE_PATH, CHUNK_OFFSET, CRYPTO = 1, 2, 8  # of ColumnChunk
DECODED_SIZE, STORED_SIZE, FIRST_PAGE = 6, 7, 9  # of ColumnMetaData
DICTIONARY, STATISTICS = 11, 12  # of ColumnMetaData
GROUP_DECODED, GROUP_ROWS, GROUP_STORED = 2, 3, 6  # of RowGroup
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
COPIED_AT_ONCE = 1 << 20


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
            found = locate_columns(file, tuple(names))
        except NotAStoreError:
            return False
        if found is None:
            return False
        schemas.append(found.elements)
    return all(schema == schemas[0] for schema in schemas)


@lru_cache(maxsize=16)
def locate_columns(file: UrlFile, names: tuple[str, ...]) -> StoredColumns | None:
    """Return columns of a file; `None` if they cannot be copied as they are stored.

    Raises:
        NotAStoreError: The footer cannot be read.
        OSError: The file cannot be read.

    """
    with Path(file.path).open("rb") as opened:
        footer = read_footer(opened, file.size)
    try:
        return read_columns(footer, file, names)
    except (AttributeError, IndexError, TypeError) as error:
        message = f"{file.path} has a footer whose fields have other types; write it again"
        raise NotAStoreError(message) from error


def read_columns(footer: Footer, file: UrlFile, names: tuple[str, ...]) -> StoredColumns | None:
    """Return columns of a file by its footer; see `locate_columns`."""
    written_by = find_field(footer, CREATED_BY) or b""
    columns = find_flat_columns(require_field(footer, SCHEMA).values)
    if written_by.startswith(FAULTY_WRITERS) or not columns.keys() >= set(names):
        return None
    is_ordered = find_field(footer, COLUMN_ORDERS) is not None
    places = [columns[name][0] for name in names]
    groups = []
    for group in require_field(footer, ROW_GROUPS).values:
        chunks = [require_field(group, COLUMNS).values[place] for place in places]
        if not all(can_be_copied(chunk, file.size) for chunk in chunks):
            return None
        groups.append(StoredGroup(file.path, [keep_valid(chunk, is_ordered) for chunk in chunks]))
    elements = [drop_fields(columns[name][1], {FIELD_ID}) for name in names]
    return StoredColumns(elements, groups)


def find_flat_columns(elements: Sequence[Footer]) -> dict[str, tuple[int, Footer]]:
    """Return the columns that are neither nested nor repeated: place in a row group, and element.

    Args:
        elements: The schema of a file, each field followed by those within it.

    """
    found = {}
    place = within = 0
    for element in elements[1:]:
        children = find_field(element, CHILDREN) or 0
        is_outermost = within == 0
        within += children - (not is_outermost)
        if children:
            continue
        if is_outermost and find_field(element, REPETITION) != REPEATED:
            found[require_field(element, NAME).decode("utf-8", "replace")] = place, element
        place += 1
    return found


def can_be_copied(chunk: Footer, size: int) -> bool:
    """Return whether a column of a row group is in this file as the footer says, unencrypted."""
    pages = find_field(chunk, META_DATA)
    if pages is None or {FILE_PATH, CRYPTO} & {field.number for field in chunk}:
        return False
    first = first_byte(pages)
    length = int(require_field(pages, STORED_SIZE))
    return len(MAGIC) <= first <= first + length <= size


def first_byte(pages: Footer) -> int:
    """Return where the pages of a column begin: its dictionary comes first; 0 stands for none."""
    places = (find_field(pages, number) for number in (DICTIONARY, FIRST_PAGE))
    return int(min(filter(None, places), default=0))


def keep_valid(chunk: Footer, is_ordered: bool) -> Footer:  # noqa: FBT001  of the file
    """Return what remains true in another file of the pages of a column."""
    pages = [field for field in require_field(chunk, META_DATA) if field.number in KEPT]
    if not is_ordered:
        return drop_fields(pages, {STATISTICS})
    return replace_field(pages, STATISTICS, lambda struct: drop_fields(struct, OLD_STATISTICS))


def drop_fields(struct: Footer, numbers: set[int]) -> Footer:
    """Return a structure without some fields."""
    return [field for field in struct if field.number not in numbers]


def write_joined(
    target: IO[bytes],
    elements: Sequence[Footer],
    groups: Sequence[StoredGroup],
    verdicts: IO[bytes],
    model: IO[bytes],
) -> None:
    """Write a Parquet file with stored columns and, behind them, those of another file.

    Args:
        target: Where it is written.
        elements: What the schema says of the stored columns.
        groups: The stored columns of each row group.
        verdicts: The other file. It has the same row groups.
        model: A file with all columns and no rows, whose metadata the new file gets.

    Raises:
        MisuseError: A file with stored columns was changed meanwhile.
        OSError: One cannot be read, or the target cannot be written.

    """
    target.write(MAGIC)
    others = read_footer(verdicts, verdicts.seek(0, 2))
    written = [
        write_group(target, stored, verdicts, group)
        for stored, group in zip(groups, require_field(others, ROW_GROUPS).values, strict=True)
    ]
    schema = require_field(others, SCHEMA).values
    footer = read_footer(model, model.seek(0, 2))
    root = require_field(footer, SCHEMA).values[0]
    instead = {
        SCHEMA: Many(STRUCT, [root, *elements, *schema[1:]]),
        NUM_ROWS: require_field(others, NUM_ROWS),
        ROW_GROUPS: Many(STRUCT, written),
    }
    footer = [field._replace(value=instead.get(field.number, field.value)) for field in footer]
    target.write(footer_bytes(footer))


def write_group(
    target: IO[bytes], stored: StoredGroup, verdicts: IO[bytes], group: Footer
) -> Footer:
    """Write the columns of a row group; return what the footer says of it."""
    start = target.tell()
    with Path(stored.path).open("rb") as source:
        columns = [copy_pages(source, pages, target) for pages in stored.columns]
    own = [require_field(chunk, META_DATA) for chunk in require_field(group, COLUMNS).values]
    columns += [copy_pages(verdicts, pages, target) for pages in own]
    chunks = [describe_chunk(pages) for pages in columns]
    decoded, size = (
        sum(require_field(column, what) for column in columns)
        for what in (DECODED_SIZE, STORED_SIZE)
    )
    return [
        FooterField(COLUMNS, LIST, Many(STRUCT, chunks)),
        FooterField(GROUP_DECODED, I64, decoded),
        FooterField(GROUP_ROWS, I64, require_field(group, GROUP_ROWS)),
        FooterField(FILE_OFFSET, I64, start),
        FooterField(GROUP_STORED, I64, size),
    ]


def describe_chunk(pages: Footer) -> Footer:
    """Return what a footer says of a column in a row group, from what it says of its pages."""
    return [
        FooterField(CHUNK_OFFSET, I64, first_byte(pages)),
        FooterField(META_DATA, STRUCT, pages),
    ]


def copy_pages(source: IO[bytes], pages: Footer, target: IO[bytes]) -> Footer:
    """Copy the pages of a column; return what the footer says of them now.

    Raises:
        MisuseError: The source ends before them.

    """
    start, left = first_byte(pages), require_field(pages, STORED_SIZE)
    by = target.tell() - start
    source.seek(start)
    while left:
        piece = source.read(min(left, COPIED_AT_ONCE))
        if not piece:
            raise changed_meanwhile(source.name)
        target.write(piece)
        left -= len(piece)
    return shift_offsets(pages, PAGE_OFFSETS, by)


def changed_meanwhile(path: str) -> MisuseError:
    """Return the error for a file that another program changes."""
    return MisuseError(f"{path} was changed while it was read; run the command again")
