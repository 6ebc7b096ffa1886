"""The files of a crawl's folder: only under names of our own, and never through a link.

A folder may have been made by somebody else. What its database says is then anybody's word: a name
such as `../../x`, or a link in place of a file, must lead to no file outside the folder.

What may live here: opening and checking by name. What the files hold is known by their owners.
"""

import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

from goodbot.errors import NotAStoreError

__all__ = [
    "DATABASE",
    "ORDER_NAME",
    "WARC_NAME",
    "FileIdentity",
    "check_database",
    "forget_torn",
    "is_own",
    "is_torn",
    "open_own",
]

DATABASE = "crawl.db"
BESIDE = ("-wal", "-shm")
"""What SQLite makes beside a database with a write-ahead log."""
JOURNAL = "-journal"
"""What SQLite makes beside one without; a crawl's never needs it. It can name another file, which
SQLite would delete (https://www.sqlite.org/atomiccommit.html, section 5)."""

MAGIC = b"SQLite format 3\0"
SMALLEST = 4096
"""No database of a crawl is smaller: its tables alone take many pages."""

WARC_NAME = re.compile(r"(pages|robots-txt)-([0-9]{5,9})\.warc\.gz(\.part)?")
"""A file of the archive, or one that is being written."""

ORDER_NAME = re.compile(r"order-[0-9]{20}-[0-9a-f]{8}\.json")
"""An order of the operator, which waits to be carried out."""

OWN_NAMES = {"crawl.lock", "visits.log"}

NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
FLAGS = NO_LINKS | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""No link is followed, and nobody waits for the other end of a pipe."""
OPEN_TO_ALL = 0o666
"""What the umask takes rights away from."""

FileIdentity = tuple[int, int]
"""What a file is, whatever its name: its device and its number there."""


class Facts(NamedTuple):
    """What is known of a file before it is opened."""

    identity: FileIdentity
    size: int
    changed: int
    """Nanoseconds since 1970."""


def is_own(name: object) -> bool:
    """Whether a name is one that a crawl gives to its files, the database apart.

    >>> is_own("pages-00001.warc.gz"), is_own("../pages-00001.warc.gz"), is_own(7)
    (True, False, False)
    """
    return isinstance(name, str) and (
        name in OWN_NAMES or any(one.fullmatch(name) for one in (WARC_NAME, ORDER_NAME))
    )


def open_own(folder: Path, name: str, flags: int = os.O_RDONLY) -> int:
    """Open a file of a crawl.

    Args:
        folder: The folder of the crawl.
        name: The name of the file in it.
        flags: As for `os.open`; `O_TRUNC` is not taken, as it would act before any check.

    Returns:
        A file descriptor of a regular file.

    Raises:
        NotAStoreError: The name is not one of a crawl's, or does not lead to a regular file; or the
            file is to be written, and has another name too (a hard link).
        OSError: It cannot be opened.

    """
    if not is_own(name):
        message = (
            f"{folder / DATABASE} names the file {str(name)[:80]!r}, and no goodbot gives a file "
            "such a name; do not use this folder unless you trust who made it"
        )
        raise NotAStoreError(message)
    path = folder / name
    if path.is_symlink():
        raise not_a_file(path)
    descriptor = os.open(path, flags | FLAGS, OPEN_TO_ALL)
    try:
        refuse_odd(os.fstat(descriptor), path, writing=bool(flags & (os.O_WRONLY | os.O_RDWR)))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def check_database(folder: Path, *, writing: bool) -> Facts | None:
    """Check the database of a crawl and the files beside it, which SQLite opens by name.

    Call it before and after opening, and compare the `identity`: a name that came to lead elsewhere
    in between is noticed.

    Args:
        folder: The folder of the crawl.
        writing: Whether it is to be written; other names of the file are refused then.

    Returns:
        What is known of the database; `None` if there is none.

    Raises:
        NotAStoreError: One of the files is a link or no regular file.
        OSError: One of them cannot be examined.

    """
    for suffix in ("", *BESIDE, JOURNAL):
        path = folder / (DATABASE + suffix)
        facts = facts_of(path)
        if facts is None:
            continue
        if suffix == JOURNAL:
            message = (
                f"{path} is not a file of a finished crawl; if the crawl was interrupted when it "
                "began, remove the folder and begin again"
            )
            raise NotAStoreError(message)
        refuse_odd(facts, path, writing=writing)
    facts = facts_of(folder / DATABASE)
    if facts is None:
        return None
    return Facts((facts.st_dev, facts.st_ino), facts.st_size, facts.st_mtime_ns)


def refuse_odd(facts: os.stat_result, path: Path, *, writing: bool) -> None:
    """Refuse what is no regular file, and what would change another file too."""
    if not stat.S_ISREG(facts.st_mode):
        raise not_a_file(path)
    if writing and facts.st_nlink > 1:
        message = (
            f"{path} is the same file as another one (a hard link), which would be changed with "
            "it; put a copy there"
        )
        raise NotAStoreError(message)


def is_torn(folder: Path) -> bool:
    """Whether the database is the beginning of its first page, as a full disk leaves it.

    Nothing was ever in it then: the page is written before any table is.
    """
    facts = facts_of(folder / DATABASE)
    if facts is None or not 0 < facts.st_size < SMALLEST or not stat.S_ISREG(facts.st_mode):
        return False
    with open(os.open(folder / DATABASE, os.O_RDONLY | FLAGS), "rb") as file:  # noqa: PTH123
        return MAGIC.startswith(file.read(len(MAGIC)))


def forget_torn(folder: Path) -> None:
    """Empty such a database, so that it can be made."""
    descriptor = os.open(folder / DATABASE, os.O_RDWR | FLAGS)
    try:
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def facts_of(path: Path) -> os.stat_result | None:
    """Examine a name without following it; `None` if there is no such file."""
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


def not_a_file(path: Path) -> NotAStoreError:
    """Make the error for a link, a folder, a pipe."""
    message = (
        f"{path} is not a regular file but a link or something else, which goodbot never makes; "
        "put the file itself there"
    )
    return NotAStoreError(message)
