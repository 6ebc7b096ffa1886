"""The packed form of answers to requests for robots.txt, in which they are sorted on disk as Arrow.

Scope: from `RobotsTxtAnswer` to the packed form and back; nothing is decided. Only the core packs
answers itself: the plain ones of WARC files, millions of them, as columns (`pack_captures`).

The key of a robots.txt is its origin, by which the table is sorted; that of another URL, to which a
robots.txt redirects, is the URL itself.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from goodbot._core import robots_txt_url
from goodbot.errors import NoOriginError
from goodbot.http.address import address_of
from goodbot.http.fields import scalar
from goodbot.http.instants import EPOCH, MICROSECOND, instant, to_datetime
from goodbot.policy.robots_txt_answer import NOT_CAPTURED, RobotsTxtAnswer
from goodbot.tables.columns.fact_rows import pack_headers, unpack_headers
from goodbot.tables.columns.schema import pyarrow


class PackedAnswer(NamedTuple):
    """A `RobotsTxtAnswer` as plain values, and its place among others.

    Times are microseconds since 1970.
    """

    key: str
    at: int
    """`RobotsTxtAnswer.learned`; by key and time, answers are sorted."""
    answered: int
    status: int | None = None
    failure: str | None = None
    headers: str = ""
    """The fields that matter, a line each."""
    body: bytes = b""
    truncated: bool = False
    asked: int | None = None
    hops: str | None = None
    """The URLs that redirects led to, a line each; `None` for the answer of `key` itself."""
    wanted_by: str | None = None
    """In a list of redirects: the origin whose robots.txt leads to `key`."""
    confirmed: bytes | None = None
    kept: bytes | None = None
    failing_since: int | None = None
    source: str | None = None
    leads: bool = False
    """Whether it is a redirect that is followed, so that the answers of its target replace it."""


KINDS = {
    "key": "string", "at": "int64", "answered": "int64", "status": "int16", "failure": "string",
    "headers": "string", "body": "binary", "truncated": "bool_", "asked": "int64",
    "hops": "string", "wanted_by": "string", "confirmed": "binary", "kept": "binary",
    "failing_since": "int64", "source": "string", "leads": "bool_",
}  # fmt: skip


def key_of(url: str) -> str:
    """Return the key of a URL: of a robots.txt its origin, of anything else the URL.

    >>> key_of("https://a.example/robots.txt"), key_of("https://a.example/r.txt")
    ('https://a.example', 'https://a.example/r.txt')
    """
    try:
        return address_of(url)[0] if robots_txt_url(url) == url else url
    except NoOriginError:
        return url


def is_origin(key: str) -> bool:
    """Return whether a key is that of a robots.txt, and not of what one redirects to."""
    return "/" not in key.partition("://")[2]


def pack_table(answers: Sequence[PackedAnswer]) -> Any:  # noqa: ANN401  pyarrow's
    """Return answers as a `pyarrow.Table`."""
    pa = pyarrow()
    schema = pa.schema([pa.field(name, getattr(pa, kind)()) for name, kind in KINDS.items()])
    columns = list(zip(*answers, strict=True)) or [()] * len(KINDS)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.table(arrays, schema=schema)


def pack_captures(captures: Any, source: str) -> Any:  # noqa: ANN401  Arrow's
    """Return answers that the core read as a `pyarrow.Table`, as `pack_table` does.

    Args:
        captures: Their keys, times, statuses, fields and bodies.
        source: The name of the file that they are in.

    """
    pa = pyarrow()
    found = pa.table(captures)
    rows = found.num_rows
    known = {name: found.column(name) for name in found.column_names}
    known["answered"] = known["at"]
    known["truncated"] = known["leads"] = pa.repeat(pa.scalar(value=False), rows)
    known["source"] = pa.repeat(scalar(source), rows)
    kinds = {name: getattr(pa, kind)() for name, kind in KINDS.items()}
    return pa.table(
        {name: known[name] if name in known else pa.nulls(rows, kinds[name]) for name in KINDS}
    )


def unpack_table(table: Any) -> Iterator[PackedAnswer]:  # noqa: ANN401  a pyarrow.Table
    """Yield the answers of a table, in order; other columns are ignored."""
    for batch in table.select(list(KINDS)).to_batches(max_chunksize=4_096):
        columns = [column.to_pylist() for column in batch.columns]
        yield from map(PackedAnswer._make, zip(*columns, strict=True))


def pack_answer(answer: RobotsTxtAnswer, key: str) -> PackedAnswer:
    """Return an answer in its packed form; of its header fields, those that matter.

    Args:
        answer: The answer.
        key: By what it is sorted: its origin, or the URL of what a robots.txt redirects to.

    """
    answered = instant(answer.answered, "answered")
    return PackedAnswer(
        key=key,
        at=answered if answer.began is None else instant(answer.began, "began"),
        answered=answered,
        status=answer.status,
        failure=answer.failure,
        headers=pack_headers(answer.headers),
        body=answer.body,
        truncated=answer.truncated,
        asked=pack_time(answer.requested),
        hops="\n".join(answer.hops) or None,
        confirmed=answer.confirmed,
        kept=answer.kept,
        failing_since=pack_time(answer.failing_since),
        source=answer.source,
    )


def unpack_answer(one: PackedAnswer) -> RobotsTxtAnswer:
    """Return the answer of a packed one, which must be that of a robots.txt; see `is_origin`."""
    return RobotsTxtAnswer(
        url=f"{one.key}/robots.txt",
        answered=EPOCH + one.answered * MICROSECOND,
        status=one.status,
        failure=one.failure,
        headers=unpack_headers(one.headers),
        body=one.body,
        truncated=one.truncated,
        hops=tuple(one.hops.split("\n")) if one.hops else (),
        requested=None if one.asked is None else to_datetime(one.asked),
        began=None if one.at == one.answered else EPOCH + one.at * MICROSECOND,
        confirmed=one.confirmed,
        kept=one.kept,
        failing_since=None if one.failing_since is None else to_datetime(one.failing_since),
        source=one.source,
    )


def pack_time(time: datetime | None) -> int | None:
    """Return a time in microseconds since 1970."""
    return None if time is None else instant(time, "time")


def not_captured(answer: PackedAnswer) -> PackedAnswer:
    """Return what stands for an answer that is not in the sources: nothing is known then."""
    return answer._replace(status=None, failure=NOT_CAPTURED, body=b"", truncated=False)


def without_content(answer: PackedAnswer) -> PackedAnswer:
    """Return what stands for answers that are too many: a file of which no line came.

    It disallows everything in every dialect, whatever was known before (outcome `cut-short`).
    """
    return answer._replace(
        status=200, failure=None, headers="", body=b"", truncated=True, hops=None, confirmed=None,
        kept=None, failing_since=None, leads=False,
    )  # fmt: skip
