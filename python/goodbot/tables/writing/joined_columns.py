"""A Parquet file of two: columns that are copied as they are stored, and verdicts behind them.

Scope: writing. Each row group gets the bytes of its columns one after the other, and the footer
says where they are now.

Source: Apache Parquet, parquet.thrift and "File format".
"""

from collections.abc import Sequence
from pathlib import Path
from typing import IO

from goodbot.errors import MisuseError
from goodbot.tables.writing.parquet_footer import (
    COLUMNS,
    FILE_OFFSET,
    I64,
    LIST,
    MAGIC,
    META_DATA,
    NUM_ROWS,
    PAGE_OFFSETS,
    ROW_GROUPS,
    SCHEMA,
    STRUCT,
    Footer,
    FooterField,
    Many,
    footer_bytes,
    moved,
    read_footer,
    value_of,
)
from goodbot.tables.writing.stored_columns import STORED_SIZE, StoredGroup, first_byte

__all__ = ["changed_meanwhile", "write_joined"]

DECODED_SIZE = 6  # of ColumnMetaData
GROUP_DECODED, GROUP_ROWS, GROUP_STORED = 2, 3, 6  # of RowGroup
CHUNK_OFFSET = 2  # of ColumnChunk

COPIED_AT_ONCE = 1 << 20


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
        joined_group(target, stored, verdicts, group)
        for stored, group in zip(groups, value_of(others, ROW_GROUPS).values, strict=True)
    ]
    schema = value_of(others, SCHEMA).values
    footer = read_footer(model, model.seek(0, 2))
    root = value_of(footer, SCHEMA).values[0]
    instead = {
        SCHEMA: Many(STRUCT, [root, *elements, *schema[1:]]),
        NUM_ROWS: value_of(others, NUM_ROWS),
        ROW_GROUPS: Many(STRUCT, written),
    }
    footer = [one._replace(value=instead.get(one.number, one.value)) for one in footer]
    target.write(footer_bytes(footer))


def joined_group(
    target: IO[bytes], stored: StoredGroup, verdicts: IO[bytes], group: Footer
) -> Footer:
    """Write the columns of a row group; return what the footer says of it."""
    start = target.tell()
    with Path(stored.path).open("rb") as source:
        columns = [copied(source, pages, target) for pages in stored.columns]
    own = [value_of(chunk, META_DATA) for chunk in value_of(group, COLUMNS).values]
    columns += [copied(verdicts, pages, target) for pages in own]
    chunks = [chunk_of(pages) for pages in columns]
    decoded, size = (
        sum(value_of(one, what) for one in columns) for what in (DECODED_SIZE, STORED_SIZE)
    )
    return [
        FooterField(COLUMNS, LIST, Many(STRUCT, chunks)),
        FooterField(GROUP_DECODED, I64, decoded),
        FooterField(GROUP_ROWS, I64, value_of(group, GROUP_ROWS)),
        FooterField(FILE_OFFSET, I64, start),
        FooterField(GROUP_STORED, I64, size),
    ]


def chunk_of(pages: Footer) -> Footer:
    """Return what a footer says of a column in a row group, from what it says of its pages."""
    return [
        FooterField(CHUNK_OFFSET, I64, first_byte(pages)),
        FooterField(META_DATA, STRUCT, pages),
    ]


def copied(source: IO[bytes], pages: Footer, target: IO[bytes]) -> Footer:
    """Copy the pages of a column; return what the footer says of them now.

    Raises:
        MisuseError: The source ends before them.

    """
    start, left = first_byte(pages), value_of(pages, STORED_SIZE)
    by = target.tell() - start
    source.seek(start)
    while left:
        piece = source.read(min(left, COPIED_AT_ONCE))
        if not piece:
            raise changed_meanwhile(source.name)
        target.write(piece)
        left -= len(piece)
    return moved(pages, PAGE_OFFSETS, by)


def changed_meanwhile(path: str) -> MisuseError:
    """Return the error for a file that another program changes."""
    return MisuseError(f"{path} was changed while it was read; run the command again")
