"""The files that a program reads are not the ones that it writes, nor those that are there already.

Scope: names of files. Who writes decides when to ask.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from goodbot.errors import MisuseError

__all__ = ["refuse_existing", "refuse_overwriting"]


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


def refuse_existing(path: Path, what: str = "file") -> None:
    """Refuse to write a file or folder that is there already, and has content.

    Args:
        path: The file or folder to write.
        what: Which of them it is.

    Raises:
        MisuseError: It exists, and is no empty folder.

    """
    if path.exists() and not (what == "folder" and path.is_dir() and not any(path.iterdir())):
        message = f"{path} exists; name a {what} that does not"
        raise MisuseError(message)
