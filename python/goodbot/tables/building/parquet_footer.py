"""The footer of a Parquet file, read to its end before pyarrow believes it.

Scope: whether what the footer says of the file can be so: the tree of the schema, a chunk for each
column in each row group, and places and sizes within the file. pyarrow decodes it in C++, where a
damaged one may end the process; here it is read by Python, in steps that its bytes bound. What the
pages have is validated when they are read (`sound_columns`).

Source: Apache Parquet, "File Format" and parquet.thrift.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from goodbot.tables.building.thrift_compact import (
    DEEPEST,
    I64,
    LIST,
    CompactReader,
    DamagedFooterError,
)
from goodbot.tables.columns.schema import pyarrow

MAGIC = b"PAR1"
TAIL = 4 + len(MAGIC)
"""The length of the footer, and the magic number again."""
MOST_COLUMNS = 100_000
MOST_ROWS = 2**48
TOO_SHORT = 100
"""By how much some writers have given the size of a chunk wrongly (PARQUET-816)."""
TYPES, REPETITIONS = range(8), range(3)

FooterFields = dict[int, Any]
"""The fields of a structure by their numbers in parquet.thrift."""


class Leaf(NamedTuple):
    """A column of the schema."""

    path: tuple[bytes, ...]
    type: object


def parquet_file(path: str | os.PathLike[str], **options: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Open a Parquet file, after its footer was checked.

    Args:
        path: The file.
        **options: Those of `pyarrow.parquet.ParquetFile`.

    Raises:
        pyarrow.ArrowInvalid: It is no Parquet file, or its footer is damaged.
        OSError: It cannot be read.

    """
    import pyarrow.parquet as parquet  # noqa: PLC0415, PLR0402  an extra

    check_footer(path)
    return parquet.ParquetFile(path, **options)


def check_footer(path: str | os.PathLike[str]) -> None:
    """Check that what the footer of a Parquet file says can be so.

    Raises:
        pyarrow.ArrowInvalid: It cannot; pyarrow says the same of what it finds itself.
        OSError: The file cannot be read.

    """
    with Path(path).open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - TAIL, 0))
        tail = file.read(TAIL)
        length = int.from_bytes(tail[:4], "little")
        start = size - TAIL - length
        if size < TAIL + len(MAGIC) or tail[4:] != MAGIC or start < len(MAGIC):
            return  # pyarrow refuses it, and says what else it may be
        file.seek(start)
        footer = file.read(length)
    try:
        check_content(CompactReader(footer), start)
    except (DamagedFooterError, IndexError) as error:
        reason = str(error) if isinstance(error, DamagedFooterError) else "it ends early"
        message = f"its footer is damaged: {reason}"
        raise pyarrow().ArrowInvalid(message) from error


def check_content(footer: CompactReader, end: int) -> None:
    """Check the metadata of a file whose data ends at a position.

    Raises:
        DamagedFooterError: They cannot be so.

    """
    leaves: list[Leaf] = []
    rows, seen = None, 0
    for number, kind in footer.fields():
        if (number, kind) == (2, LIST):
            leaves = list(read_leaves(footer))
        elif (number, kind) == (3, I64):
            rows = footer.number()
        elif (number, kind) == (4, LIST):
            for group in footer.structures():
                seen += check_group(group, leaves, end)
        else:
            footer.value(kind)
    if rows != seen or not 0 <= seen <= MOST_ROWS:
        message = f"it has {rows} rows, and its row groups {seen}"
        raise DamagedFooterError(message)


def read_leaves(footer: CompactReader) -> Iterator[Leaf]:
    """Yield the columns of a schema, which is written as a tree, each group before its members.

    Raises:
        DamagedFooterError: It is no tree, or too large.

    """
    open_groups: list[tuple[bytes, int]] = []
    for place, element in enumerate(footer.structures()):
        name, children = element.get(4), element.get(5, 0)
        if not isinstance(name, bytes) or not isinstance(children, int) or children < 0:
            message = "a column of its schema has no name, or fewer than no members"
            raise DamagedFooterError(message)
        if place and not open_groups:
            message = "its schema has columns beside its root"
            raise DamagedFooterError(message)
        if len(open_groups) > DEEPEST or place > MOST_COLUMNS:
            message = "its schema is too deep, or too large"
            raise DamagedFooterError(message)
        if place and element.get(3) not in REPETITIONS:
            message = "a column of its schema is repeated in no known way"
            raise DamagedFooterError(message)
        if children or not place:
            open_groups.append((name, children))
        else:
            if element.get(1) not in TYPES:
                message = "a column of its schema has an unknown type"
                raise DamagedFooterError(message)
            path = (*(group for group, _ in open_groups[1:]), name)
            yield Leaf(path, element.get(1))
            close_groups(open_groups)
    if any(left for _, left in open_groups):
        message = "members of its schema are missing"
        raise DamagedFooterError(message)


def close_groups(open_groups: list[tuple[bytes, int]]) -> None:
    """Count a member of the innermost group, and close the groups that are whole."""
    while open_groups:
        name, left = open_groups.pop()
        if left > 1:
            open_groups.append((name, left - 1))
            return


def check_group(group: FooterFields, leaves: list[Leaf], end: int) -> int:
    """Check a row group; return how many rows it has.

    Raises:
        DamagedFooterError: It is not so, or has other columns than the schema.

    """
    chunks, rows = group.get(1), group.get(3)
    if not isinstance(rows, int) or not 0 <= rows <= MOST_ROWS:
        message = "a row group has no number of rows"
        raise DamagedFooterError(message)
    if not isinstance(chunks, list) or len(chunks) != len(leaves):
        message = f"a row group has not the {len(leaves)} columns of the schema"
        raise DamagedFooterError(message)
    for chunk, leaf in zip(chunks, leaves, strict=True):
        about = chunk.get(3) if isinstance(chunk, dict) else None
        if not isinstance(about, dict):
            message = "a column chunk says nothing of itself"
            raise DamagedFooterError(message)
        check_chunk(about, leaf, rows, end)
    return rows


def check_chunk(about: FooterFields, leaf: Leaf, rows: int, end: int) -> None:
    """Check the metadata of a column chunk.

    Raises:
        DamagedFooterError: It is of another column, or not within the file.

    """
    if about.get(1) != leaf.type or about.get(3) != list(leaf.path):
        message = "a column chunk is of another column than the schema says"
        raise DamagedFooterError(message)
    values, whole, compressed = (as_size(about.get(number)) for number in (5, 6, 7))
    if min(values, whole, compressed) < 0:
        message = "a column chunk has a size below zero, or none"
        raise DamagedFooterError(message)
    if len(leaf.path) == 1 and values < rows:
        message = f"a column chunk has {values} values for {rows} rows"
        raise DamagedFooterError(message)
    # A chunk without values has no page of them, and a file without a dictionary may give its place
    # as 0.
    places = list(filter(None, (about.get(9), about.get(11))))
    if not places and not values:
        return
    if not about.get(9) and values:
        message = "a column chunk says not where its values are"
        raise DamagedFooterError(message)
    for place in places:
        if not isinstance(place, int) or not len(MAGIC) <= place <= end:
            message = "a column chunk is outside of the file"
            raise DamagedFooterError(message)
    if min(places) + compressed > end + TOO_SHORT:
        message = "a column chunk goes beyond the data of the file"
        raise DamagedFooterError(message)


def as_size(value: object) -> int:
    """Return a size; -1 for what is none."""
    return value if isinstance(value, int) else -1
