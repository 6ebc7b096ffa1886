"""The footers of Parquet files: several files in one, behind each other, get one footer.

Scope: pyarrow cannot append to a file, and to read and write all rows again takes longer than the
verdicts. So each part is written as a file of its own, appended byte for byte, and this module
writes one footer for all, in which each place is moved to where its part begins.

A footer is a structure of Thrift's compact protocol. Every field is kept, also one that is not
known here, except the number of a row group within its file.

Source: Apache Parquet, parquet.thrift and "File format"; Apache Thrift, compact protocol.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, NamedTuple

from goodbot.errors import NotAStoreError

MAGIC = b"PAR1"
TAIL = 8
"""The bytes behind a footer: its length, and `MAGIC`."""

MORE, SEVEN_BITS = 0x80, 0x7F  # of a number in bytes of seven bits
MOST_BITS = 70
LONG = 0x0F
"""What stands for a number that does not fit into four bits."""

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)

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
    except (IndexError, RecursionError, ValueError) as error:
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


class FooterReader:
    """Reads values of the compact protocol."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.place = 0

    def byte(self) -> int:
        """Read a byte."""
        self.place += 1
        return self.data[self.place - 1]

    def varint(self) -> int:
        """Read an unsigned number."""
        found = shift = 0
        while True:
            byte = self.byte()
            found |= (byte & SEVEN_BITS) << shift
            if byte < MORE:
                return found
            shift += 7
            if shift >= MOST_BITS:
                message = "a footer has a number of more than 64 bits"
                raise ValueError(message)

    def number(self) -> int:
        """Read a signed number."""
        found = self.varint()
        return (found >> 1) ^ -(found & 1)

    def octets(self, count: int) -> bytes:
        """Read some bytes."""
        self.place += count
        return self.data[self.place - count : self.place]

    def struct(self) -> Footer:
        """Read a structure up to its end."""
        fields: Footer = []
        number = 0
        while head := self.byte():
            kind = head & 0x0F
            number = number + (head >> 4) if head >> 4 else self.number()
            fields.append(
                FooterField(number, kind, None if kind in {TRUE, FALSE} else self.value(kind))
            )
        return fields

    def many(self) -> Many:
        """Read a list or a set."""
        head = self.byte()
        kind, count = head & 0x0F, head >> 4
        count = self.varint() if count == LONG else count
        read = self.byte if kind in {TRUE, FALSE} else lambda: self.value(kind)
        return Many(kind, [read() for _ in range(count)])

    def value(self, kind: int) -> Any:  # noqa: ANN401  any value
        """Read a value of a kind."""
        if kind in {I16, I32, I64}:
            return self.number()
        if kind == BINARY:
            return self.octets(self.varint())
        if kind == STRUCT:
            return self.struct()
        if kind in {LIST, SET}:
            return self.many()
        if kind == BYTE:
            return self.byte()
        if kind == DOUBLE:
            return self.octets(8)
        message = f"a footer has no value of kind {kind}"
        raise ValueError(message)


def struct_bytes(struct: Footer) -> Iterator[bytes]:
    """Yield a structure as it is written."""
    before = 0
    for number, kind, value in struct:
        gap = number - before
        if 0 < gap <= LONG:
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
        short = min(count, LONG)
        yield bytes([short << 4 | value.kind]) + (unsigned(count) if short == LONG else b"")
        for member in value.values:
            yield from value_bytes(value.kind, member)
    else:
        yield bytes([value]) if isinstance(value, int) else value


def signed(number: int) -> bytes:
    """Return a signed number as it is written."""
    return unsigned(number << 1 if number >= 0 else (-number << 1) - 1)


def unsigned(number: int) -> bytes:
    """Return an unsigned number as it is written."""
    found = bytearray()
    while number > SEVEN_BITS:
        found.append(number & SEVEN_BITS | MORE)
        number >>= 7
    found.append(number)
    return bytes(found)
