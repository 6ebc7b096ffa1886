"""The files that a program reads are not the ones that it writes.

Scope: names of files. Who writes decides when to ask.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from goodbot.errors import MisuseError

__all__ = ["refuse_overwriting"]


def refuse_overwriting(
    output: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]]
) -> None:
    """Refuse to write a file that is read as well, by whatever name or link.

    Args:
        output: The file to write.
        inputs: The files that are read; those that do not exist are ignored.

    Raises:
        MisuseError: It is one of them.

    """
    target = Path(output).resolve()
    if any(Path(one).resolve() == target for one in inputs):
        message = f"{os.fspath(output)} is read as well; name another file to write"
        raise MisuseError(message)
