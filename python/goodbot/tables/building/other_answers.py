"""Answers for robots.txt from other places than WARC files.

Scope: one function for each kind of source, which yields answers.

- A crawl's folder, or a `SQLiteStore`: each policy that it has seen, when it was seen first, and
  when it was seen last.
- A folder with `HOST/TIME.txt`, such as `example.com/2026-01-31T120000Z.txt` or
  `http+example.com+8080/2026-01-31.txt`: each file is a robots.txt as it was found then.
- A Parquet file with `url`, `time`, `status` and `body`; see `parquet_answers`.
"""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

from goodbot._core import origin as origin_of
from goodbot.crawl.folder.open_readonly import folders_of
from goodbot.errors import MisuseError, NoOriginError
from goodbot.http.instants import EPOCH, MICROSECOND, instant
from goodbot.policy import RobotsTxtAnswer
from goodbot.policy.inquiry import LIMIT
from goodbot.store.histories import histories
from goodbot.tables.building.packed_answer import PackedAnswer, pack_answer
from goodbot.tables.building.parquet_answers import NEEDED, read_rows

SQLITE_MAGIC = b"SQLite format 3\0"
PARQUET_MAGIC = b"PAR1"
DATABASE = "crawl.db"
TIME = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):?(\d{2})(?::?(\d{2}))?Z)?", re.ASCII)
HOST = re.compile(r"(?:(https?)\+)?([^+]+)(?:\+(\d{1,5}))?")
FOUND = 200


def read_answers(path: Path, skipped: Counter[str]) -> Iterator[PackedAnswer]:
    """Yield the answers of a source.

    Args:
        path: The source.
        skipped: Counts what is no answer, by its reason.

    Raises:
        MisuseError: It is not one that can be read.
        OSError: It cannot be read.
        StoreError: It is a damaged store.

    """
    if path.is_dir():
        is_crawl = (path / DATABASE).is_file()
        return read_crawl(path) if is_crawl else read_files(path)
    with path.open("rb") as file:
        magic = file.read(len(SQLITE_MAGIC))
    if magic == SQLITE_MAGIC:
        return read_store(path)
    if magic.startswith(PARQUET_MAGIC):
        return read_rows(path, skipped)
    message = (
        f"{path} is not a source of policies; name WARC, ARC or WACZ files, the folder of a "
        "crawl, a SQLiteStore, a folder with HOST/TIME.txt, or a Parquet file with the columns "
        f"{', '.join(NEEDED)}"
    )
    raise MisuseError(message)


# Stores.


def read_crawl(folder: Path) -> Iterator[PackedAnswer]:
    """Yield the policies of a crawl, of all its processes."""
    for part in folders_of(folder):
        yield from read_store(part / DATABASE)


def read_store(path: Path) -> Iterator[PackedAnswer]:
    """Yield the policies of a store."""
    for origin, entry in histories(path):
        for answer in entry.answers:
            yield pack_answer(answer._replace(source=path.name), origin)


# Files.


def read_files(folder: Path) -> Iterator[PackedAnswer]:
    """Yield the files of a folder with HOST/TIME.txt.

    Raises:
        MisuseError: There is none.

    """
    is_empty = True
    for path in sorted(folder.glob("*/*.txt")):
        at, key = parse_file_time(path.stem), parse_folder_origin(path.parent.name)
        if at is None or key is None:
            raise not_dated(path)
        is_empty = False
        with path.open("rb") as file:
            body = file.read(LIMIT + 1)
        answer = RobotsTxtAnswer(
            f"{key}/robots.txt", EPOCH + at * MICROSECOND, FOUND, body=body[:LIMIT],
            truncated=len(body) > LIMIT, source=folder.name,
        )  # fmt: skip
        yield pack_answer(answer, key)
    if is_empty:
        raise nothing_in(folder)


def not_dated(path: Path) -> MisuseError:
    """Return the error for a file that is not named after a site and a time."""
    if parse_file_time(f"{path.stem}Z") is not None and parse_folder_origin(path.parent.name):
        message = (
            f"the time in {path} has no zone; rename it to {path.stem}Z{path.suffix}, if it is in "
            "UTC, and otherwise state it in UTC with a Z at the end"
        )
        return MisuseError(message)
    message = (
        f"{path} is not HOST/TIME.txt; rename it as in "
        "example.com/2026-01-31T120000Z.txt, or http+example.com+8080/2026-01-31.txt"
    )
    return MisuseError(message)


def nothing_in(folder: Path) -> MisuseError:
    """Return the error for a folder without sources."""
    if any(folder.rglob("*.parquet")):
        message = (
            f"{folder} has Parquet files, which are named one by one or as a pattern: "
            f"'{folder}/**/*.parquet'. Of a folder, WARC files, HOST/TIME.txt and a crawl are read"
        )
        return MisuseError(message)
    message = (
        f"{folder} has no WARC files, no crawl and no HOST/TIME.txt; name files as in "
        "example.com/2026-01-31T120000Z.txt"
    )
    return MisuseError(message)


def parse_file_time(name: str) -> int | None:
    """Return the time in the name of a file, in UTC; of a date alone, its beginning.

    >>> parse_file_time("1970-01-01T000001Z"), parse_file_time("1970-01-02")
    (1000000, 86400000000)
    >>> parse_file_time("robots")
    """
    found = TIME.fullmatch(name)
    if found is None:
        return None
    try:
        numbers = [int(number or 0) for number in found.groups()]
        return instant(datetime(*numbers, tzinfo=timezone.utc), "time")  # type: ignore[arg-type,misc]
    except ValueError:
        return None


def parse_folder_origin(name: str) -> str | None:
    """Return the origin that a folder is named after.

    >>> parse_folder_origin("example.com"), parse_folder_origin("http+example.com+8080")
    ('https://example.com', 'http://example.com:8080')
    """
    found = HOST.fullmatch(name)
    if found is None:
        return None
    scheme, host, port = found.groups()
    try:
        return origin_of(f"{scheme or 'https'}://{host}{f':{port}' if port else ''}/")
    except NoOriginError:
        return None
