"""Numbers and sizes as people write them.

Scope: from numbers to a few words, for messages, tables and reports.
"""

from collections.abc import Sequence

__all__ = ["counted", "format_bytes", "some_of_names"]

UNITS = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"))


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in singular or plural.

    >>> counted(1, "page"), counted(1200, "page")
    ('1 page', '1,200 pages')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_bytes(number: int) -> str:
    """Return a number of bytes in words.

    >>> format_bytes(999), format_bytes(8_712), format_bytes(12_345_678)
    ('999 bytes', '8.7 kB', '12.3 MB')
    """
    for size, unit in UNITS:
        if number >= size:
            return f"{number / size:,.1f} {unit}"
    return counted(number, "byte")


def some_of_names(names: Sequence[str], most: int) -> str:
    """Return at most so many names, and how many others there are.

    >>> some_of_names(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")
