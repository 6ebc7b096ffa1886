"""One answer to a request for robots.txt, as a source has it, and many of them as Arrow.

Scope: the form in which answers are sorted on disk; nothing is decided.

The key of a robots.txt is its origin, by which the table is sorted; that of another URL, to which a
robots.txt redirects, is the URL itself.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from goodbot._core import robots_txt_url
from goodbot.columns.fact_rows import NOT_CAPTURED, PolicyFacts, packed_headers, unpacked_headers
from goodbot.columns.schema import pyarrow
from goodbot.errors import NoOriginError
from goodbot.http.address import address_of
from goodbot.http.fields import scalar
from goodbot.http.instants import EPOCH, MICROSECOND, instant, to_datetime

__all__ = [
    "CapturedAnswer",
    "answer_from",
    "answers_of",
    "facts_from",
    "is_origin",
    "key_of",
    "not_captured",
    "table_of_answers",
    "table_of_captures",
    "without_content",
]


class CapturedAnswer(NamedTuple):
    """An answer or a failure. Times are microseconds since 1970."""

    key: str
    at: int
    """When the policy was learned; by key and time, answers are sorted."""
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


def table_of_answers(answers: Sequence[CapturedAnswer]) -> Any:  # noqa: ANN401  pyarrow's
    """Return answers as a `pyarrow.Table`."""
    pa = pyarrow()
    schema = pa.schema([pa.field(name, getattr(pa, kind)()) for name, kind in KINDS.items()])
    columns = list(zip(*answers, strict=True)) or [()] * len(KINDS)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.table(arrays, schema=schema)


def table_of_captures(captures: Any, source: str) -> Any:  # noqa: ANN401  Arrow's
    """Return answers that the core read as a `pyarrow.Table`, as `table_of_answers` does.

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


def answers_of(table: Any) -> Iterator[CapturedAnswer]:  # noqa: ANN401  a pyarrow.Table
    """Yield the answers of a table, in order; other columns are ignored."""
    for batch in table.select(list(KINDS)).to_batches(max_chunksize=4_096):
        columns = [column.to_pylist() for column in batch.columns]
        yield from map(CapturedAnswer._make, zip(*columns, strict=True))


def facts_from(answer: CapturedAnswer) -> PolicyFacts:
    """Return the facts of an answer of a robots.txt."""
    return PolicyFacts(
        origin=answer.key,
        learned=EPOCH + answer.at * MICROSECOND,
        answered=EPOCH + answer.answered * MICROSECOND,
        status=answer.status,
        failure=answer.failure,
        headers=unpacked_headers(answer.headers),
        body=answer.body,
        truncated=answer.truncated,
        hops=tuple(answer.hops.split("\n")) if answer.hops else (),
        asked=None if answer.asked is None else to_datetime(answer.asked),
        confirmed=answer.confirmed,
        kept=answer.kept,
        failing_since=None if answer.failing_since is None else to_datetime(answer.failing_since),
        source=answer.source,
    )


def answer_from(facts: PolicyFacts) -> CapturedAnswer:
    """Return the facts of a row as an answer; see `facts_from`."""
    return CapturedAnswer(
        facts.origin, instant(facts.learned, "learned"), instant(facts.answered, "answered"),
        facts.status, facts.failure, packed_headers(facts.headers), facts.body, facts.truncated,
        None if facts.asked is None else instant(facts.asked, "asked"),
        "\n".join(facts.hops) or None, None, facts.confirmed, facts.kept,
        None if facts.failing_since is None else instant(facts.failing_since, "failing_since"),
        facts.source,
    )  # fmt: skip


def not_captured(answer: CapturedAnswer) -> CapturedAnswer:
    """Return what stands for an answer that is not in the sources: nothing is known then."""
    return answer._replace(status=None, failure=NOT_CAPTURED, body=b"", truncated=False)


def without_content(answer: CapturedAnswer) -> CapturedAnswer:
    """Return what stands for answers that are too many: a file of which no line came.

    It disallows everything in every dialect, whatever was known before (outcome `cut-short`).
    """
    return answer._replace(
        status=200, failure=None, headers="", body=b"", truncated=True, hops=None, confirmed=None,
        kept=None, failing_since=None, leads=False,
    )  # fmt: skip
