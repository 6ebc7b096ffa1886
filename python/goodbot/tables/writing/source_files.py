"""Which Parquet files paths, folders and patterns name.

Scope: names. The output of an earlier run, and what Spark and Hive skip in a folder, are not
among them. `url_files` reads the files.
"""

import glob
import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path

from goodbot.errors import MisuseError
from goodbot.tables.columns.verdicts import column_titles
from goodbot.tables.writing.url_files import url_file

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
STANDARD_INPUT = "-"
HIDDEN = "_", "."
"""How names begin that Spark and Hive skip in a folder."""


def find_files(
    sources: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str] | None = None,
    robots: Sequence[str] = (),
) -> list[str]:
    """Return the files that paths, folders and patterns name, each once.

    Args:
        sources: What names them.
        output: The file to write. If it is in one of the folders, because an earlier run has
            written it, it is skipped.
        robots: The robots whose verdicts it has.

    Raises:
        MisuseError: One of the sources names no file, or is none.
        PermissionError: A folder cannot be read.

    """
    found: list[str] = []
    for given in sources:
        source = os.fspath(given)
        check_is_local(source)
        files, fault = resolve_source(str(Path(source)), output, robots)
        if not files:
            message = f"{source} {fault}; name a Parquet file, a folder of them, or a pattern"
            raise MisuseError(message)
        found += files
    return list(dict.fromkeys(found))


def check_is_local(source: str) -> None:
    """Check that a source is neither a URL nor standard input.

    Raises:
        MisuseError: It is.

    """
    if URL.match(source):
        message = f"{source} is a URL, and only local files are read; download it first"
        raise MisuseError(message)
    if source == STANDARD_INPUT:
        raise not_a_file(source)


def not_a_file(source: str) -> MisuseError:
    """Return the error for a pipe or a device."""
    message = (
        f"{source} is not a file; Parquet cannot be read from a pipe, because its end is read "
        "first. Save it as a file and name that"
    )
    return MisuseError(message)


def resolve_source(
    source: str, output: str | os.PathLike[str] | None, robots: Sequence[str]
) -> tuple[list[str], str]:
    """Return the files that a source names, and what is wrong if there are none."""
    try:
        mode = os.stat(source).st_mode  # noqa: PTH116  errors other than these are raised
    except (FileNotFoundError, NotADirectoryError, PermissionError, ValueError) as error:
        if isinstance(error, PermissionError) and not glob.has_magic(source):
            raise
        return match_pattern(source), "does not exist"
    if stat.S_ISREG(mode):
        return [source], ""
    if not stat.S_ISDIR(mode):
        raise not_a_file(source)
    target = None if output is None else Path(output).resolve()
    files = [
        path
        for path in list_folder(source)
        if Path(path).resolve() != target or not is_result(path, robots)
    ]
    return files, "has no file *.parquet"


def list_folder(folder: str) -> list[str]:
    """Return the Parquet files in a folder and its folders, in order, without hidden ones.

    Raises:
        PermissionError: One of the folders cannot be read.

    """
    found = []
    for parent, folders, names in os.walk(folder, onerror=raise_it):
        folders[:] = [name for name in folders if not is_hidden(name)]
        found += [
            str(Path(parent, name))
            for name in names
            if Path(name).suffix == ".parquet" and not is_hidden(name)
        ]
    return sorted(path for path in found if Path(path).is_file())


def raise_it(error: OSError) -> None:
    """Raise the error of a folder that cannot be read, which `os.walk` would skip."""
    raise error


def is_hidden(name: str) -> bool:
    """Return whether Spark and Hive skip what has a name.

    >>> is_hidden("_temporary"), is_hidden(".part-0.parquet"), is_hidden("part-0.parquet")
    (True, True, False)
    >>> is_hidden("_day=1")  # a partition
    False
    """
    return name.startswith(HIDDEN) and not (name.startswith("_") and "=" in name)


def is_result(path: str, robots: Sequence[str]) -> bool:
    """Return whether a file ends with the verdicts on these robots, as an output does.

    Another file must not be replaced only because its name was given for the output.
    """
    try:
        schema = url_file(path).schema
    except (MisuseError, OSError):
        return False
    kinds = dict(zip(schema.names, map(str, schema.types), strict=True))
    return all(kinds.get(robot) == "bool" for robot in robots) and any(
        schema.names[-len(titles) :] == titles
        for titles in (column_titles(robots, explain=explain) for explain in (False, True))
    )


def match_pattern(pattern: str) -> list[str]:
    """Return the files that match a pattern, in order.

    Raises:
        PermissionError: None does, and a folder in which one could be cannot be read.

    """
    found = sorted(filter(os.path.isfile, glob.glob(pattern, recursive=True)))  # noqa: PTH207  a whole path
    if not found:
        for parent in reversed(Path(pattern).parents):
            for folder in glob.glob(str(parent), recursive=True):  # noqa: PTH207  as above
                if Path(folder).is_dir():
                    os.scandir(folder).close()
    return found
