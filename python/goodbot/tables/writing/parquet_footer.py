"""The footers of Parquet files: several files in one, behind each other, get one footer.

Scope: pyarrow cannot append to a file, and to read and write all rows again takes longer than the
verdicts. So each part is written as a file of its own, appended byte for byte, and this module
writes one footer for all, in which each place is moved to where its part begins.

Every field is kept, also one that is not known here, except the number of a row group within its
file.

Source: Apache Parquet, parquet.thrift and "File format".
"""

from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, NamedTuple, NoReturn

from goodbot.errors import NotAStoreError
from goodbot.tables.building.thrift_compact import (
    BINARY,
    FALSE,
    I16,
    I32,
    I64,
    LIST,
    SET,
    STRUCT,
    TRUE,
    CompactReader,
    DamagedFooterError,
    signed,
    unsigned,
)

MAGIC = b"PAR1"
TAIL = 8
"""The bytes behind a footer: its length, and `MAGIC`."""

LONG_FORM = 0x0F
"""What stands for a number that does not fit into four bits."""

SCHEMA, NUM_ROWS, ROW_GROUPS, CREATED_BY = 2, 3, 4, 6  # of FileMetaData
COLUMNS, FILE_OFFSET, ORDINAL = 1, 5, 7  # of RowGroup
CHUNK_OFFSETS, META_DATA = {2, 4, 6}, 3  # of ColumnChunk
PAGE_OFFSETS = {9, 10, 11, 14}  # of ColumnMetaData


class FooterField(NamedTuple):
    """A field of a structure."""

    number: int
    kind: int
    value: Any


class Many(NamedTuple):
    """A list or a set."""

    kind: int
    """The kind of its values."""
    values: list[Any]


Footer = list[FooterField]


def read_footer(file: IO[bytes], end: int) -> Footer:
    """Read the footer of the part that ends at a place.

    Raises:
        NotAStoreError: There is none.

    """
    file.seek(max(end - TAIL, 0))
    length = int.from_bytes(file.read(4), "little")
    file.seek(max(end - TAIL - length, 0))
    try:
        return FooterReader(file.read(length)).struct()
    except (IndexError, DamagedFooterError) as error:
        raise not_readable() from error


def not_readable() -> NotAStoreError:
    """Return the error for a footer that cannot be read."""
    message = "a part of the file has no footer that can be read; delete it and begin again"
    return NotAStoreError(message)


def merge_footers(parts: Iterable[tuple[int, Footer]]) -> Footer:
    """Return one footer for all parts; the first one states what they share.

    Args:
        parts: For each part, the place where it begins, and its footer.

    """
    rows = 0
    groups: list[Footer] = []
    first: Footer = []
    for start, footer in parts:
        first = first or footer
        rows += require_field(footer, NUM_ROWS)
        groups += [shift_group(group, start) for group in require_field(footer, ROW_GROUPS).values]
    instead = {NUM_ROWS: rows, ROW_GROUPS: Many(STRUCT, groups)}
    return [field._replace(value=instead.get(field.number, field.value)) for field in first]


def footer_bytes(footer: Footer) -> bytes:
    """Return a footer with what stands behind it at the end of a file."""
    data = b"".join(struct_bytes(footer))
    return data + len(data).to_bytes(4, "little") + MAGIC


def require_field(struct: Footer, number: int) -> Any:  # noqa: ANN401  any value
    """Return a field that every structure of its type has.

    Raises:
        NotAStoreError: It is missing, so the footer is damaged.

    """
    for field in struct:
        if field.number == number:
            return field.value
    raise not_readable()


def find_field(struct: Footer, number: int) -> Any:  # noqa: ANN401  any value
    """Return a field that a structure may have; `None` if it has not."""
    return next((field.value for field in struct if field.number == number), None)


def shift_group(group: Footer, by: int) -> Footer:
    """Return a row group at another place."""
    kept = [field for field in group if field.number != ORDINAL]
    group = shift_offsets(kept, {FILE_OFFSET}, by)
    return replace_field(
        group, COLUMNS, lambda many: Many(STRUCT, [shift_chunk(chunk, by) for chunk in many.values])
    )


def shift_chunk(chunk: Footer, by: int) -> Footer:
    """Return the column of a row group at another place."""
    pages = replace_field(chunk, META_DATA, lambda struct: shift_offsets(struct, PAGE_OFFSETS, by))
    return shift_offsets(pages, CHUNK_OFFSETS, by)


def shift_offsets(struct: Footer, numbers: set[int], by: int) -> Footer:
    """Return a structure with some places moved; 0 stands for none."""
    return [
        field._replace(value=field.value + by) if field.number in numbers and field.value else field
        for field in struct
    ]


def replace_field(struct: Footer, number: int, change: Callable[[Any], Any]) -> Footer:
    """Return a structure with one field changed."""
    return [
        field._replace(value=change(field.value)) if field.number == number else field
        for field in struct
    ]


class FooterReader(CompactReader):
    """Reads a footer with the kinds of its values, so that it can be written again."""

    def struct(self, depth: int = 0) -> Footer:
        """Read a structure up to its end."""
        return [
            FooterField(number, kind, self.value(kind, depth)) for number, kind in self.fields()
        ]

    def members(self, depth: int) -> Many:
        """Read a list or a set."""
        count, kind = self.header()
        return Many(kind, [self.value(kind, depth, in_list=True) for _ in range(count)])

    def skip_map(self, depth: int) -> NoReturn:  # noqa: ARG002  named as in its base
        """Refuse a map, which no footer has.

        Raises:
            DamagedFooterError: Always.

        """
        message = "it has a map"
        raise DamagedFooterError(message)


def struct_bytes(struct: Footer) -> Iterator[bytes]:
    """Yield a structure as it is written."""
    before = 0
    for number, kind, value in struct:
        gap = number - before
        if 0 < gap <= LONG_FORM:
            yield bytes([gap << 4 | kind])
        else:
            yield bytes([kind]) + signed(number)
        before = number
        if kind not in {TRUE, FALSE}:
            yield from value_bytes(kind, value)
    yield b"\0"


def value_bytes(kind: int, value: Any) -> Iterator[bytes]:  # noqa: ANN401  any value
    """Yield a value as it is written."""
    if kind in {I16, I32, I64}:
        yield signed(value)
    elif kind == BINARY:
        yield unsigned(len(value)) + value
    elif kind == STRUCT:
        yield from struct_bytes(value)
    elif kind in {LIST, SET}:
        count = len(value.values)
        short = min(count, LONG_FORM)
        yield bytes([short << 4 | value.kind]) + (unsigned(count) if short == LONG_FORM else b"")
        for member in value.values:
            yield from value_bytes(value.kind, member)
    else:
        yield bytes([value]) if isinstance(value, int) else value
