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
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from goodbot._core import origin as origin_of
from goodbot.columns.fact_rows import packed_headers
from goodbot.crawl.folder.open_readonly import folders_of
from goodbot.errors import MisuseError, NoOriginError, WrongValueError
from goodbot.http.instants import instant
from goodbot.http.status import NOT_MODIFIED
from goodbot.policy import Policy
from goodbot.policy.inquiry import LIMIT
from goodbot.policy_tables.captured_answer import CapturedAnswer
from goodbot.policy_tables.parquet_answers import NEEDED, rows_in
from goodbot.store.histories import histories
from goodbot.store.protocols import Seen

__all__ = ["answers_in"]

SQLITE_MAGIC = b"SQLite format 3\0"
PARQUET_MAGIC = b"PAR1"
DATABASE = "crawl.db"
TIME = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):?(\d{2})(?::?(\d{2}))?Z)?", re.ASCII)
HOST = re.compile(r"(?:(https?)\+)?([^+]+)(?:\+(\d{1,5}))?")
FOUND = 200


def answers_in(path: Path, skipped: Counter[str]) -> Iterator[CapturedAnswer]:
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
        return stored_in_crawl(path) if is_crawl else files_in(path)
    with path.open("rb") as file:
        magic = file.read(len(SQLITE_MAGIC))
    if magic == SQLITE_MAGIC:
        return stored_in(path)
    if magic.startswith(PARQUET_MAGIC):
        return rows_in(path, skipped)
    message = (
        f"{path} is not a source of policies; name WARC, ARC or WACZ files, the folder of a "
        "crawl, a SQLiteStore, a folder with HOST/TIME.txt, or a Parquet file with the columns "
        f"{', '.join(NEEDED)}"
    )
    raise MisuseError(message)


# Stores.


def stored_in_crawl(folder: Path) -> Iterator[CapturedAnswer]:
    """Yield the policies of a crawl, of all its processes."""
    for part in folders_of(folder):
        yield from stored_in(part / DATABASE)


def stored_in(path: Path) -> Iterator[CapturedAnswer]:
    """Yield the policies of a store."""
    for origin, entry in histories(path):
        yield from entries_of(origin, entry, path.name)


def entries_of(origin: str, entry: Seen, source: str) -> Iterator[CapturedAnswer]:
    """Yield what an entry of a store says: the file when it was found, and the last answer.

    An entry has the last record of its time only. If the same robots.txt was seen before that, it
    was found when the entry began.
    """
    try:
        policy = Policy.from_record(entry.record)
    except WrongValueError:
        return
    last = answer_of(origin, policy, entry.record, source)
    began, found = instant(entry.first, "first"), policy.copy_fetched_at
    if policy.access == "rules" and found is not None:
        copied = instant(found, "found")
        if copied < last.answered and began < last.answered:
            yield last._replace(
                at=copied, answered=copied, status=FOUND, failure=None, confirmed=None, kept=None,
                failing_since=None, body=last.confirmed or last.kept or last.body,
            )  # fmt: skip
    yield last


def answer_of(
    origin: str, policy: Policy, record: Mapping[str, Any], source: str
) -> CapturedAnswer:
    """Return the last answer of a policy."""
    copy, at = record.get("copy") or {}, instant(policy.fetched_at, "fetched_at")
    body = None if policy.robots_txt is None else policy.robots_txt.content
    is_failing, is_confirmed = policy.failing_since is not None, policy.status == NOT_MODIFIED
    since = policy.failing_since
    fields = [(name, value) for name, value in copy.get("fields", ())]
    # Of an answer without a file, a record has the lifetime, and not the field that stated it.
    life = int((policy.fresh_until - policy.fetched_at).total_seconds())
    if is_failing:
        fields = [("Retry-After", str(life))]
    elif body is None:
        fields = [("Cache-Control", f"max-age={life}")]
    return CapturedAnswer(
        key=origin, at=at, answered=at, status=policy.status,
        failure=policy.outcome.removeprefix("failure-") if policy.status is None else None,
        headers=packed_headers(fields),
        body=b"" if body is None or is_failing or is_confirmed else body,
        hops="\n".join(policy.hops) or None,
        confirmed=body if is_confirmed and not is_failing else None,
        kept=body if is_failing else None,
        failing_since=None if since is None else instant(since, "since"), source=source,
    )  # fmt: skip


# Files.


def files_in(folder: Path) -> Iterator[CapturedAnswer]:
    """Yield the files of a folder with HOST/TIME.txt.

    Raises:
        MisuseError: There is none.

    """
    is_empty = True
    for path in sorted(folder.glob("*/*.txt")):
        at, key = time_of_file(path.stem), origin_of_folder(path.parent.name)
        if at is None or key is None:
            raise not_dated(path)
        is_empty = False
        with path.open("rb") as file:
            body = file.read(LIMIT + 1)
        yield CapturedAnswer(
            key, at, at, FOUND, body=body[:LIMIT], truncated=len(body) > LIMIT, source=folder.name
        )
    if is_empty:
        raise nothing_in(folder)


def not_dated(path: Path) -> MisuseError:
    """Return the error for a file that is not named after a site and a time."""
    if time_of_file(f"{path.stem}Z") is not None and origin_of_folder(path.parent.name):
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


def time_of_file(name: str) -> int | None:
    """Return the time in the name of a file, in UTC; of a date alone, its beginning.

    >>> time_of_file("1970-01-01T000001Z"), time_of_file("1970-01-02"), time_of_file("robots")
    (1000000, 86400000000, None)
    """
    found = TIME.fullmatch(name)
    if found is None:
        return None
    try:
        numbers = [int(one or 0) for one in found.groups()]
        return instant(datetime(*numbers, tzinfo=timezone.utc), "time")  # type: ignore[arg-type,misc]
    except ValueError:
        return None


def origin_of_folder(name: str) -> str | None:
    """Return the origin that a folder is named after.

    >>> origin_of_folder("example.com"), origin_of_folder("http+example.com+8080")
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
