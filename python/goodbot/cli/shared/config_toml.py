"""The file `goodbot.toml` as TOML: where it is, and what its tables `[crawl]` and `[lint]` have.

Scope: reading it, and `[tool.goodbot.lint]` of `pyproject.toml`. Which keys and values are accepted
is known to `goodbot.crawl.verbs.crawl_view.config_file` and `goodbot.site.lint`.
"""

import json
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from goodbot.errors import MisuseError
from goodbot.files.file_input import read_input
from goodbot.files.toml_input import parse_toml

__all__ = [
    "CONFIG_FILE",
    "FOLDER",
    "TABLE",
    "check_inside",
    "config_here",
    "folder_here",
    "lint_table",
    "read_table",
]

CONFIG_FILE = "goodbot.toml"
"""The name of the file that is read from the current directory."""

TABLE = "crawl"
LINT = "lint"
"""The table of `goodbot lint`, which `lint_table` reads."""
PROJECT_FILE = "pyproject.toml"
"""The file whose table `[tool.goodbot.lint]` is read if there is no goodbot.toml with `[lint]`."""

REPOSITORY = ".git"
"""What a repository has in its top directory: above that, a file belongs to other projects."""

FOLDER = "crawl"
"""The default folder of a crawl."""


def config_here() -> str | None:
    """Return the path of the file in the current directory; `None` if there is none.

    Raises:
        MisuseError: It is not a file.

    """
    found = Path(CONFIG_FILE)
    if not found.exists():
        return None
    if not stat.S_ISREG(found.stat().st_mode):
        message = f"{CONFIG_FILE} in the current directory is not a file; add --config none"
        raise MisuseError(message)
    return CONFIG_FILE


def folder_here() -> str:
    """Return the folder into which `goodbot crawl` crawls in the current directory.

    Raises:
        MisuseError: `goodbot.toml` is not valid.
        OSError: It cannot be read.

    """
    path = config_here()
    folder = FOLDER if path is None else read_table(path).get("out", FOLDER)
    if not isinstance(folder, str) or not folder:
        message = f'{CONFIG_FILE}: out must be a string such as "shop"'
        raise MisuseError(message)
    check_inside(CONFIG_FILE, folder)
    return folder


NAMED = {"out": "folder", "store": "store"}
"""What a key names."""


def check_inside(path: str, folder: str, key: str = "out") -> None:
    """Refuse a folder, or the file of a store, that a file names outside the current directory.

    Someone else may have written the file, as in a repository that was cloned. It must not choose a
    folder elsewhere, nor reach one through a symbolic link.

    Raises:
        MisuseError: It lies outside; the message says how to choose it nevertheless.

    """
    if not Path(folder).resolve().is_relative_to(Path.cwd().resolve()):
        message = (
            f"{path}: {key} = {json.dumps(folder)} leaves the current directory, which "
            f"only a command may do; name the {NAMED[key]} in the command"
        )
        raise MisuseError(message)


def lint_table(path: str | None = None) -> tuple[str, dict[str, Any]] | None:
    """Return the file with the settings of lint, and its table; `None` if there is none.

    Args:
        path: The file; by default goodbot.toml or else pyproject.toml, in the current directory or
            the nearest one above it whose file has such a table. The directory of a repository is
            the last one.

    Raises:
        MisuseError: The file is not valid, or `path` has no such table.
        OSError: It cannot be read.

    """
    for place in places_of_lint() if path is None else (path,):
        table: Any = read_toml(place)
        way = ("tool", "goodbot", LINT) if Path(place).name == PROJECT_FILE else (LINT,)
        for name in way:
            table = table.get(name) if isinstance(table, dict) else None
        if isinstance(table, dict):
            return place, table
        if path is not None or table is not None:
            message = f"{place} has no table [{'.'.join(way)}]; write it on a line of its own"
            raise MisuseError(message)
    return None


def places_of_lint() -> Iterator[str]:
    """Yield the files that may have the settings of lint, the nearest first."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        for name in (CONFIG_FILE, PROJECT_FILE):
            if (folder / name).is_file():
                yield name if folder == here else str(folder / name)
        if (folder / REPOSITORY).exists():
            return


def read_table(path: str, keys: Collection[str] = ()) -> dict[str, Any]:
    """Return the table `[crawl]` of a file.

    Args:
        path: The file.
        keys: The keys that it may have, for the message if one of them is outside the table.

    Raises:
        MisuseError: The file is not valid, or has another table.
        OSError: It cannot be read.

    """
    tables = read_toml(path)
    others = [name for name in tables if name not in {TABLE, LINT}]
    if others:
        message = f"{path}: {of_another_table(others[0], keys)}"
        raise MisuseError(message)
    table = tables.get(TABLE, {})
    if not isinstance(table, dict):
        message = f"{path}: {TABLE} is not a table; write [{TABLE}] on a line of its own"
        raise MisuseError(message)
    return table


def of_another_table(name: str, keys: Collection[str]) -> str:
    """Return what is wrong with a name outside the table."""
    if name in keys:
        return f"{name} stands outside a table; write [{TABLE}] on the line above it"
    return f"there is no table [{name}]; write [{TABLE}]"


def read_toml(path: str) -> dict[str, Any]:
    """Return the tables of a file.

    Raises:
        WrongValueError: It is too large, or not valid TOML.
        OSError: It cannot be read.

    """
    return parse_toml(read_input(path), path)
