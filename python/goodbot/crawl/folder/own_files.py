"""Open the files in a crawl's folder: only under goodbot's own names, and never through a link.

The folder may come from someone else, so its database cannot be trusted: a name such as `../../x`,
or a link in place of a file, must not lead to a file outside the folder.

Scope: opening and checking files by name. Their owners know what is in them.
"""

import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

from goodbot.crawl.folder.shares import PART_NAME
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
    "without_part",
]

DATABASE = "crawl.db"
BESIDE = ("-wal", "-shm")
"""The files SQLite creates beside a database with a write-ahead log."""
JOURNAL = "-journal"
"""The rollback journal of a database without one; a crawl never needs it. It can name another file,
which SQLite would delete (https://www.sqlite.org/atomiccommit.html, section 5)."""

MAGIC = b"SQLite format 3\0"
SMALLEST = 4096
"""In bytes; every database of a crawl is larger, because its tables alone take many pages."""

WARC_NAME = re.compile(r"(pages|robots-txt)-([0-9]{5,9})\.warc\.gz(\.part)?")
"""A file of the archive, or one that is being written."""

ORDER_NAME = re.compile(r"order-[0-9]{20}-[0-9a-f]{8}\.json")
"""An order of the operator that is not carried out yet."""

OWN_NAMES = {"crawl.lock", "visits.log", "watch.jsonl", "watch-robots.json"}

NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
FLAGS = NO_LINKS | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Follow no link, and do not wait for the other end of a pipe."""
OPEN_TO_ALL = 0o666
"""The permissions of a new file before the umask."""

FileIdentity = tuple[int, int]
"""The device and the inode number of a file, which identify it under any name."""


class Facts(NamedTuple):
    """What is known of a file before it is opened."""

    identity: FileIdentity
    size: int
    changed: int
    """Nanoseconds since 1970."""


def is_own(name: object) -> bool:
    """Whether a name is one that crawls use for their files other than the database.

    >>> is_own("pages-00001.warc.gz"), is_own("part-2/pages-00001.warc.gz")
    (True, True)
    >>> is_own("../pages-00001.warc.gz"), is_own(7)
    (False, False)
    """
    if not isinstance(name, str):
        return False
    file = without_part(name)
    return file in OWN_NAMES or any(one.fullmatch(file) for one in (WARC_NAME, ORDER_NAME))


def without_part(name: str) -> str:
    """Return the name of a file without that of the folder of a process, if it has one.

    >>> without_part("part-2/pages-00001.warc.gz"), without_part("../pages-00001.warc.gz")
    ('pages-00001.warc.gz', '../pages-00001.warc.gz')
    """
    part, _, file = name.partition("/")
    return file if PART_NAME.fullmatch(part) else name


def open_own(folder: Path, name: str, flags: int = os.O_RDONLY) -> int:
    """Open a file of a crawl.

    Args:
        folder: The folder of the crawl.
        name: The name of the file in it.
        flags: As for `os.open`. Do not pass `O_TRUNC`: it would act before any check.

    Returns:
        A file descriptor of a regular file.

    Raises:
        NotAStoreError: Crawls use no such name; the file is not a regular file; or it is to be
            written and has another name too (a hard link).
        OSError: The file cannot be opened.

    """
    if not is_own(name):
        message = (
            f"{folder / DATABASE} names the file {str(name)[:80]!r}, a name that goodbot never "
            "uses; do not use this folder unless you trust its origin"
        )
        raise NotAStoreError(message)
    path = folder / name
    if path.is_symlink() or (path.parent != folder and path.parent.is_symlink()):
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

    Call it before and after opening, and compare the `identity` to notice a file that was replaced
    in between.

    Args:
        folder: The folder of the crawl.
        writing: Whether the database is to be written; hard links are then refused.

    Returns:
        Facts on the database; `None` if there is none.

    Raises:
        NotAStoreError: One of the files is a link or not a regular file.
        OSError: One of the files cannot be examined.

    """
    for suffix in ("", *BESIDE, JOURNAL):
        path = folder / (DATABASE + suffix)
        facts = facts_of(path)
        if facts is None:
            continue
        if suffix == JOURNAL:
            message = (
                f"{path} is not a file that a crawl leaves behind; if the crawl was interrupted "
                "when it began, remove the folder and start again"
            )
            raise NotAStoreError(message)
        refuse_odd(facts, path, writing=writing)
    facts = facts_of(folder / DATABASE)
    if facts is None:
        return None
    return Facts((facts.st_dev, facts.st_ino), facts.st_size, facts.st_mtime_ns)


def refuse_odd(facts: os.stat_result, path: Path, *, writing: bool) -> None:
    """Refuse anything but a regular file; for writing, refuse a file with hard links."""
    if not stat.S_ISREG(facts.st_mode):
        raise not_a_file(path)
    if writing and facts.st_nlink > 1:
        message = (
            f"{path} has another name (a hard link), and writing would change the file under both "
            "names; replace it with a copy"
        )
        raise NotAStoreError(message)


def is_torn(folder: Path) -> bool:
    """Whether the database is only the beginning of its first page, as a full disk leaves it.

    Such a database never had any content: its first page is written before any table.
    """
    facts = facts_of(folder / DATABASE)
    if facts is None or not 0 < facts.st_size < SMALLEST or not stat.S_ISREG(facts.st_mode):
        return False
    with open(os.open(folder / DATABASE, os.O_RDONLY | FLAGS), "rb") as file:  # noqa: PTH123
        return MAGIC.startswith(file.read(len(MAGIC)))


def forget_torn(folder: Path) -> None:
    """Empty such a database, so that it can be created again."""
    descriptor = os.open(folder / DATABASE, os.O_RDWR | FLAGS)
    try:
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def facts_of(path: Path) -> os.stat_result | None:
    """Return facts on a file without following a link; `None` if it does not exist."""
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


def not_a_file(path: Path) -> NotAStoreError:
    """Return the error for a link, a folder or a pipe."""
    message = (
        f"{path} is not a regular file but a link, a pipe or a folder, and goodbot creates none of "
        "these there; replace it with the file itself"
    )
    return NotAStoreError(message)
