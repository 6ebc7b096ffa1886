"""What pyarrow raises for a damaged file, as a message that names the file.

Scope: Parquet and Arrow files that are read. An error of the system, which has a number, stays.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from goodbot.columns.schema import pyarrow
from goodbot.errors import MisuseError

__all__ = ["named_if_damaged"]

LONGEST_REASON = 120


@contextmanager
def named_if_damaged(
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
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        # Without a number it is pyarrow's, about the content.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        lines = str(error).splitlines() or [type(error).__name__]
        message = (
            f"{os.fspath(path)} cannot be read as {what} ({lines[0][:LONGEST_REASON]}); {cure}"
        )
        raise MisuseError(message) from error
