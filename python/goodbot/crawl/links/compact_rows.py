"""Packing of links: numbers as steps from one to the next, rows column by column, all compressed.

The core packs both. Rows are their count; the columns, of which the first two are numbers that
mostly ascend and are stored as steps, and those in which every value is empty are 0; the texts to
which the rows refer by number.

Scope: bytes and back. What is read from a file may be anything; what goodbot did not write raises.
"""

import json
import zlib
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from goodbot._core import packed_numbers
from goodbot.errors import NotAStoreError

__all__ = ["DAMAGED", "MOST_BYTES", "no_rows", "packed_ids", "unpacked_ids", "unpacked_rows"]

LEVEL = 1
"""The level of compression: higher ones save 4 % of the space, and cost a quarter more time."""
MOST_BYTES = 16 * 1024 * 1024
"""How many bytes the links of a page may take when they are unpacked."""

DAMAGED = "the links of a page are damaged; restore the folder from a backup"


def packed_ids(numbers: Sequence[int]) -> bytes:
    """Pack numbers.

    >>> unpacked_ids(packed_ids([7, 8, 0, 9]))
    [7, 8, 0, 9]
    """
    return packed_numbers(numbers)


def unpacked_ids(data: bytes) -> list[int]:
    """Return packed numbers.

    Raises:
        NotAStoreError: They are damaged.

    """
    try:
        return list(accumulate(unpacked(data)))
    except TypeError as error:
        raise NotAStoreError(DAMAGED) from error


def no_rows(width: int) -> bytes:
    """Return what the core would pack if there were no rows.

    >>> list(unpacked_rows(no_rows(3), 3)[0])
    []
    """
    return packed([0, [0] * width, [""]])


def unpacked_rows(data: bytes, width: int) -> tuple[Iterator[tuple[Any, ...]], list[Any]]:
    """Return packed rows and the texts to which they refer; empty values are 0.

    Args:
        data: The rows as the core packed them (`LinkTable.packed`).
        width: How many values each row has.

    Raises:
        NotAStoreError: They are damaged.

    """
    try:
        count, lean, names = unpacked(data)
        numbers, lines, *others = [column or [0] * count for column in lean]
        if len(others) + 2 != width or not isinstance(names, list):
            raise NotAStoreError(DAMAGED)
        return zip(accumulate(numbers), accumulate(lines), *others, strict=True), names
    except (TypeError, ValueError) as error:
        raise NotAStoreError(DAMAGED) from error


def packed(value: object) -> bytes:
    """Return a plain value as compressed JSON, in which a character takes at most six bytes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), LEVEL)


def unpacked(data: bytes) -> Any:  # noqa: ANN401  a plain value
    """Return a plain value from compressed JSON.

    Raises:
        NotAStoreError: It is damaged.

    """
    try:
        return json.loads(zlib.decompressobj().decompress(data, MOST_BYTES))
    except (ValueError, TypeError, zlib.error, RecursionError) as error:
        raise NotAStoreError(DAMAGED) from error
