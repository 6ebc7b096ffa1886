"""Damaged files: what pyarrow raises for one, as a message that names it; the rest of a WARC file.

Scope: Parquet and Arrow files that are read. An error of the system, which has a number, stays.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from goodbot.display import short_repr
from goodbot.errors import GoodbotError, MisuseError
from goodbot.lazy_dataclass import dataclass
from goodbot.tables.columns.schema import pyarrow

OF_CONTENT = (UnicodeDecodeError, OverflowError, SystemError, MemoryError, RecursionError)
"""What pyarrow lets through from Python for content that it has not checked: names and texts that
are not UTF-8, times that Python does not have, and sizes that no file has."""

LONGEST_REASON = 120


@dataclass(frozen=True, slots=True, repr=False)
class DamagedSource:
    """A WARC file of which a part was not read."""

    file: str
    """Its path; of one in a WACZ file, the path of that and its own in it."""
    unread: int
    """The bytes that were not read."""
    why: str
    """Why, as a clause."""

    __repr__ = short_repr


@contextmanager
def name_if_damaged(
    path: str | os.PathLike[str], what: str, cure: str = "write it again, or name another file"
) -> Iterator[None]:
    """Read a file; if its content cannot be read, say which file it is and what to do.

    Args:
        path: The file.
        what: As what it is read.
        cure: What to do.

    Raises:
        MisuseError: The file is damaged, or of another kind.
        OSError: The system refuses to read it.

    """
    pa = pyarrow()
    try:
        yield
    except GoodbotError:
        raise
    except (pa.ArrowException, OSError, *OF_CONTENT) as error:
        # Without a number it is pyarrow's, about the content.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        lines = str(error).splitlines() or [type(error).__name__]
        message = (
            f"{os.fspath(path)} cannot be read as {what} ({lines[0][:LONGEST_REASON]}); {cure}"
        )
        raise MisuseError(message) from error
