"""The compact protocol of Thrift, in which the footers of Parquet files are written.

Scope: reading values, in steps that their bytes bound, and writing numbers. What the fields of a
footer mean is not known here.

Source: Apache Thrift, "Compact protocol encoding".
"""

from collections.abc import Iterator
from typing import Any

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
DEEPEST = 32
VARINT_BITS = 64
MORE, SEVEN_BITS = 0x80, 0x7F  # of a number in bytes of seven bits


class DamagedFooterError(ValueError):
    """The footer says what cannot be."""


class CompactReader:
    """What the compact protocol of Thrift has written, read from a position on.

    Bytes beyond the end raise IndexError.
    """

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def octet(self) -> int:
        """Return the next byte."""
        self.at += 1
        return self.content[self.at - 1]

    def unsigned(self) -> int:
        """Return the next number of variable length."""
        found = 0
        for shift in range(0, VARINT_BITS + 6, 7):
            octet = self.octet()
            found |= (octet & SEVEN_BITS) << shift
            if octet < MORE:
                return found
        message = "a number is too long"
        raise DamagedFooterError(message)

    def number(self) -> int:
        """Return the next signed number."""
        found = self.content[self.at]
        if found < MORE:  # most numbers have one byte
            self.at += 1
        else:
            found = self.unsigned()
        return (found >> 1) ^ -(found & 1)

    def binary(self) -> bytes:
        """Return the next text or bytes."""
        length = self.unsigned()
        if length > len(self.content) - self.at:
            message = "a text goes beyond its end"
            raise DamagedFooterError(message)
        self.at += length
        return self.content[self.at - length : self.at]

    def fields(self) -> Iterator[tuple[int, int]]:
        """Yield number and kind of the fields of a structure; each must be read meanwhile."""
        number = 0
        while header := self.octet():
            delta, kind = header >> 4, header & 15
            number = number + delta if delta else self.number()
            yield number, kind

    def header(self) -> tuple[int, int]:
        """Return size and kind of the elements of a list, each of which has a byte at least."""
        octet = self.octet()
        size, kind = octet >> 4, octet & 15
        size = self.unsigned() if size == 15 else size  # noqa: PLR2004  then the size follows
        if size > len(self.content) - self.at:
            message = "a list goes beyond its end"
            raise DamagedFooterError(message)
        return size, kind

    def structures(self) -> Iterator[Any]:
        """Yield the structures of a list, one at a time."""
        size, kind = self.header()
        if size and kind != STRUCT:
            message = "a list has other values than the format says"
            raise DamagedFooterError(message)
        for _ in range(size):
            yield self.struct(2)

    def value(self, kind: int, depth: int = 0, *, in_list: bool = False) -> Any:  # noqa: ANN401  of any kind
        """Return the next value.

        Raises:
            DamagedFooterError: There is no such kind, or values are nested too deeply.

        """
        if depth > DEEPEST:
            message = "it is nested too deeply"
            raise DamagedFooterError(message)
        if I16 <= kind <= I64:
            return self.number()
        if kind == BINARY:
            return self.binary()
        if kind in {TRUE, FALSE}:
            return self.octet() if in_list else kind == TRUE
        if kind in {LIST, SET}:
            return self.members(depth + 1)
        if kind == STRUCT:
            return self.struct(depth + 1)
        if kind == BYTE:
            return self.octet()
        if kind == DOUBLE:
            self.at += 8
            return self.content[self.at - 8 : self.at]
        if kind == MAP:
            return self.skip_map(depth + 1)
        message = f"there is no kind of value {kind}"
        raise DamagedFooterError(message)

    def members(self, depth: int) -> Any:  # noqa: ANN401  a reader may keep more than the values
        """Return the values of a list or a set."""
        size, kind = self.header()
        return [self.value(kind, depth, in_list=True) for _ in range(size)]

    def struct(self, depth: int) -> Any:  # noqa: ANN401  a reader may keep more than the values
        """Return the values of a structure by the numbers of their fields."""
        return {number: self.value(kind, depth) for number, kind in self.fields()}

    def skip_map(self, depth: int) -> None:
        """Read a map, for which Parquet has no use."""
        size = self.unsigned()
        kinds = self.octet() if size else 0
        for _ in range(min(size, len(self.content))):
            self.value(kinds >> 4, depth, in_list=True)
            self.value(kinds & 15, depth, in_list=True)


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
