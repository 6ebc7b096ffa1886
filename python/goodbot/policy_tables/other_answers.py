"""Answers for robots.txt from other places than WARC files.

Scope: one function for each kind of source, which yields answers.

- A crawl's folder, or a `SQLiteStore`: each policy that it has seen, when it was seen first, and
  when it was seen last.
- A folder with `HOST/TIME.txt`, such as `example.com/2026-01-31T120000Z.txt` or
  `http+example.com+8080/2026-01-31.txt`: each file is a robots.txt as it was found then.
- A Parquet file with `url`, `time`, `status` and `body`; `headers` (a list of name and value) and
  `failure` are read if they are there.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from goodbot._core import origin as origin_of
from goodbot.columns.schema import pyarrow
from goodbot.crawl.folder.open_readonly import folders_of
from goodbot.errors import MisuseError, NoOriginError, WrongValueError
from goodbot.http.instants import instant
from goodbot.http.status import NOT_MODIFIED
from goodbot.policy import Policy
from goodbot.policy.inquiry import LIMIT
from goodbot.policy.outcomes import FAILURES
from goodbot.policy_tables.captured_answer import CapturedAnswer, key_of, packed_headers
from goodbot.store.histories import histories
from goodbot.store.protocols import Seen

__all__ = ["answers_in", "is_warc"]

WARCS = (".warc", ".warc.gz", ".wacz")
SQLITE_MAGIC = b"SQLite format 3\0"
PARQUET_MAGIC = b"PAR1"
DATABASE = "crawl.db"
TIME = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):?(\d{2})(?::?(\d{2}))?Z)?", re.ASCII)
HOST = re.compile(r"(?:(https?)\+)?([^+]+)(?:\+(\d{1,5}))?")
NEEDED = ("url", "time", "status", "body")
FOUND = 200


def is_warc(path: Path) -> bool:
    """Return whether a file is a WARC or WACZ file, by its name."""
    return path.name.lower().endswith(WARCS)


def answers_in(path: Path) -> Iterator[CapturedAnswer]:
    """Yield the answers of a source.

    Raises:
        MisuseError: It is none that can be read.
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
        return rows_in(path)
    message = (
        f"{path} is none of the sources of policies; name WARC or WACZ files, the folder of a "
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
            message = (
                f"{path} is not HOST/TIME.txt; rename it as in "
                "example.com/2026-01-31T120000Z.txt, or http+example.com+8080/2026-01-31.txt"
            )
            raise MisuseError(message)
        is_empty = False
        with path.open("rb") as file:
            body = file.read(LIMIT + 1)
        yield CapturedAnswer(
            key, at, at, FOUND, body=body[:LIMIT], truncated=len(body) > LIMIT, source=folder.name
        )
    if is_empty:
        message = (
            f"{folder} has no crawl and no HOST/TIME.txt; name files as in "
            "example.com/2026-01-31T120000Z.txt"
        )
        raise MisuseError(message)


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


# Parquet.


WITH_CONTENT = frozenset(range(200, 300)) - {204, 205}
"""The statuses of answers with a robots.txt (RFC 9110 sections 15.3.5 and 15.3.6)."""


def rows_in(path: Path) -> Iterator[CapturedAnswer]:
    """Yield the rows of a Parquet file.

    Raises:
        MisuseError: It lacks a column, or one has another type.

    """
    pa = pyarrow()
    import pyarrow.parquet as parquet  # noqa: PLC0415, PLR0402  an extra

    with parquet.ParquetFile(path) as file:
        schema = file.schema_arrow
        check_columns(pa, schema, path)
        names = [*NEEDED, *({"headers", "failure"} & set(schema.names))]
        for batch in file.iter_batches(batch_size=1_024, columns=names):
            for row in batch.to_pylist():
                answer = answer_in(row, path.name)
                if answer is not None:
                    yield answer


def check_columns(pa: Any, schema: Any, path: Path) -> None:  # noqa: ANN401  pyarrow's
    """Check that a Parquet file has what is needed.

    Raises:
        MisuseError: It does not.

    """
    missing = [name for name in NEEDED if name not in schema.names]
    if missing:
        message = (
            f"{path} has no column {missing[0]!r}; it needs {', '.join(NEEDED)}. To combine tables "
            "of policies, use `goodbot policies merge`"
        )
        raise MisuseError(message)
    time = schema.field("time").type
    if not pa.types.is_timestamp(time) or time.tz is None:
        message = (
            f"the column 'time' of {path} is {time}; it must be a timestamp with a time zone, such "
            "as timestamp[us, UTC]"
        )
        raise MisuseError(message)


def answer_in(row: dict[str, Any], source: str) -> CapturedAnswer | None:
    """Return the answer of a row; `None` without a URL or a time."""
    url, time, failure = row["url"], row["time"], row.get("failure")
    if not isinstance(url, str) or time is None:
        return None
    try:
        key = key_of(url) if "/" in url.partition("://")[2] else origin_of(url)
    except NoOriginError:
        return None
    at, status, body = instant(time, "time"), row["status"], row["body"] or b""
    body = body.encode() if isinstance(body, str) else body
    # A file that was received, and is not there, is not an empty one: nothing of it is known.
    is_lost = row["body"] is None and status in WITH_CONTENT
    headers = [
        (str(one["name"]), str(one["value"])) for one in row.get("headers") or () if one["name"]
    ]
    is_answer = isinstance(status, int) and -(2**15) <= status < 2**15
    return CapturedAnswer(
        key, at, at, status if is_answer else None,
        None if is_answer else failure if failure in FAILURES else "protocol-error",
        packed_headers(headers), body[:LIMIT] if is_answer else b"",
        is_answer and (is_lost or len(body) > LIMIT), source=source,
    )  # fmt: skip
