"""Answers for robots.txt from Parquet files with `url`, `time`, `status` and `body`.

Scope: from columns of many types to answers. A column or a value that cannot be read is refused
with its name: read otherwise, it would be an answer that never came.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from goodbot._core import origin as origin_of
from goodbot.errors import MisuseError, NoOriginError
from goodbot.http.address import address_of, url_text
from goodbot.http.instants import to_datetime
from goodbot.policy.inquiry import LIMIT
from goodbot.policy.outcomes import FAILURES
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer
from goodbot.tables.building.damaged_files import name_if_damaged
from goodbot.tables.building.packed_answer import PackedAnswer, key_of, pack_answer
from goodbot.tables.building.parquet_footer import parquet_file
from goodbot.tables.building.sound_columns import decodable
from goodbot.tables.columns.schema import pyarrow

NEEDED = ("url", "time", "status", "body")
OPTIONAL = ("headers", "failure")
WITH_CONTENT = frozenset(range(200, 300)) - {204, 205}
"""The statuses of answers with a robots.txt (RFC 9110 sections 15.3.5 and 15.3.6)."""
SMALL = range(-(2**15), 2**15)
"""The numbers that a column of statuses has; others are no status."""
LONGEST_NUMBER, LONGEST_SHOWN = 40, 60


def read_rows(path: Path, skipped: Counter[str]) -> Iterator[PackedAnswer]:
    """Yield the rows of a Parquet file.

    Args:
        path: The file.
        skipped: Counts the rows that are no answers, by their reason.

    Raises:
        MisuseError: It cannot be read, lacks a column, or one has another type.

    """
    pyarrow()
    with name_if_damaged(path, "Parquet"), parquet_file(path) as file:
        check_columns(decodable(file.schema_arrow), path)
        names = [*NEEDED, *({*OPTIONAL} & set(file.schema_arrow.names))]
        for batch in file.iter_batches(batch_size=1_024, columns=names):
            for row in zip(*read_columns(batch, path), strict=True):
                answer = answer_in(dict(zip(names, row, strict=True)), path, skipped)
                if answer is not None:
                    yield answer


def check_columns(schema: Any, path: Path) -> None:  # noqa: ANN401  pyarrow's
    """Check that a Parquet file has what is needed, in types that can be read.

    Raises:
        MisuseError: It does not.

    """
    missing = [name for name in NEEDED if name not in schema.names]
    if missing:
        message = (
            f"{path} has no column {missing[0]!r}; it needs {', '.join(NEEDED)}. To combine tables "
            "of policies, use `goodbot tables merge`"
        )
        raise MisuseError(message)
    for name, (is_right, wanted) in KINDS.items():
        if name in schema.names:
            if schema.names.count(name) > 1:
                message = f"{path} has several columns {name!r}; rename all but one"
                raise MisuseError(message)
            kind = plain(schema.field(name).type)
            if not (is_right(kind) or pyarrow().types.is_null(kind)):
                cure = suggest_zone(kind, path) if name == "time" else ""
                message = f"the column {name!r} of {path} is {kind}; it must be {wanted}{cure}"
                raise MisuseError(message)


def suggest_zone(kind: Any, path: Path) -> str:  # noqa: ANN401  a type of pyarrow
    """Return how to give times a zone, as the end of a message; empty if that is not known."""
    known = pyarrow().types
    if known.is_timestamp(kind) or known.is_date(kind):
        expression = "CAST(time AS TIMESTAMP) AT TIME ZONE 'UTC'"
    elif is_text(kind):
        expression = "CAST(time AS TIMESTAMPTZ)"
    elif known.is_integer(kind):
        expression = "to_timestamp(time)"
    else:
        return ""
    zoned = path.with_name(f"{path.stem}-utc.parquet")
    told = " (of seconds since 1970)" if known.is_integer(kind) else " (of times in UTC)"
    rows = f"SELECT * REPLACE ({expression} AS time) FROM '{path}'"  # noqa: S608  a message
    return f". To convert it{told}: duckdb -c \"SET TimeZone = 'UTC'; COPY ({rows}) TO '{zoned}'\""


def plain(kind: Any) -> Any:  # noqa: ANN401  a type of pyarrow
    """Return the type of the values of a dictionary, or else the type itself."""
    return kind.value_type if pyarrow().types.is_dictionary(kind) else kind


def is_text(kind: Any) -> bool:  # noqa: ANN401  a type of pyarrow
    """Return whether a type is one of strings."""
    known = pyarrow().types
    return any(f(kind) for f in (known.is_string, known.is_large_string, known.is_string_view))


def is_body(kind: Any) -> bool:  # noqa: ANN401  a type of pyarrow
    """Return whether a type is one of strings or bytes."""
    known = pyarrow().types
    tests = (
        known.is_binary, known.is_large_binary, known.is_binary_view, known.is_fixed_size_binary,
    )  # fmt: skip
    return is_text(kind) or any(test(kind) for test in tests)


def is_status(kind: Any) -> bool:  # noqa: ANN401  a type of pyarrow
    """Return whether a type may have statuses: numbers, or their digits."""
    known = pyarrow().types
    return is_text(kind) or known.is_integer(kind) or known.is_floating(kind)


def is_time(kind: Any) -> bool:  # noqa: ANN401  a type of pyarrow
    """Return whether a type is one of times with a zone."""
    return pyarrow().types.is_timestamp(kind) and kind.tz is not None


def is_headers(kind: Any) -> bool:  # noqa: ANN401  a type of pyarrow
    """Return whether a type is a list of {name, value}, or a map."""
    known = pyarrow().types
    if known.is_map(kind):
        return is_body(plain(kind.key_type)) and is_body(plain(kind.item_type))
    if not (known.is_list(kind) or known.is_large_list(kind)):
        return False
    fields = kind.value_type
    if not known.is_struct(fields):
        return bool(known.is_null(fields))
    inside = {field.name: plain(field.type) for field in fields}
    return {"name", "value"} <= set(inside) and all(
        is_body(inside[name]) or known.is_null(inside[name]) for name in ("name", "value")
    )


KINDS = {
    "url": (is_text, "a string"),
    "time": (is_time, "a timestamp with a time zone, such as timestamp[us, UTC]"),
    "status": (is_status, "an integer"),
    "body": (is_body, "binary or a string"),
    "headers": (is_headers, "a list of {name, value}, or a map of strings"),
    "failure": (is_text, "a string"),
}
"""Of each column, which types it may have, and how to say so."""


def read_columns(batch: Any, path: Path) -> list[list[Any]]:  # noqa: ANN401  a RecordBatch
    """Return the values of each column; times are microseconds since 1970.

    Raises:
        MisuseError: A time is not in the calendar, or a text is not UTF-8.

    """
    pa = pyarrow()
    found = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if name != "time" or pa.types.is_null(column.type):
            found.append(read_values(column, name, path))
            continue
        try:
            times = column.cast(pa.timestamp("us", column.type.tz), safe=column.type.unit != "ns")
        except pa.ArrowInvalid as error:
            raise far_time(path) from error
        found.append(times.cast(pa.int64()).to_pylist())
    return found


def read_values(column: Any, name: str, path: Path) -> list[Any]:  # noqa: ANN401  a pyarrow.Array
    """Return the values of a column; URLs and contents may be any bytes, also in a column of texts.

    Raises:
        MisuseError: Another text is not UTF-8.

    """
    pa = pyarrow()
    if name in {"url", "body"} and is_text(plain(column.type)):
        is_encoded = pa.types.is_dictionary(column.type)
        texts = column.dictionary_decode() if is_encoded else column
        found: list[Any] = texts.cast(pa.large_binary()).to_pylist()
        return (
            [value if value is None else url_text(value) for value in found]
            if name == "url"
            else found
        )
    try:
        found = column.to_pylist()
    except UnicodeDecodeError as error:
        message = f"the column {name!r} of {path} has text that is not UTF-8; write it as binary"
        raise MisuseError(message) from error
    return found


def far_time(path: Path) -> MisuseError:
    """Return the error for a time that no calendar has."""
    message = f"the column 'time' of {path} has a time that is not within the years 1 to 9999"
    return MisuseError(message)


def answer_in(row: dict[str, Any], path: Path, skipped: Counter[str]) -> PackedAnswer | None:
    """Return the answer of a row; `None` without a URL or a time.

    Raises:
        MisuseError: A value cannot be read.

    """
    url, at, failure = row["url"], row["time"], row.get("failure")
    key = None if url is None else key_in(url)
    if key is None or at is None:
        reason = "no_url" if url is None else "other_scheme" if key is None else "no_time"
        skipped[reason] += 1
        return None
    time = to_datetime(at)
    if time is None:
        raise far_time(path)
    status, body = parse_status(row["status"], path), row["body"] or b""
    body = body.encode() if isinstance(body, str) else body
    # A file that was received, and is not there, is not an empty one: nothing of it is known.
    is_lost = row["body"] is None and status in WITH_CONTENT
    is_answer = status is not None and status in SMALL
    answer = RobotsTxtAnswer(
        url,
        time,
        status if is_answer else None,
        None if is_answer else failure if failure in FAILURES else "protocol-error",
        tuple(parse_headers(row.get("headers"))),
        body[:LIMIT] if is_answer else b"",
        truncated=is_answer and (is_lost or len(body) > LIMIT),
        source=path.name,
    )
    return pack_answer(answer, key)


def key_in(url: str) -> str | None:
    """Return the key of a URL in its normal form; `None` if it is not one of http or https.

    >>> key_in("HTTPS://A.example:443/robots.txt#x"), key_in("https://a.example"), key_in("a.b/c")
    ('https://a.example', 'https://a.example', None)
    """
    try:
        if "/" not in url.partition("://")[2]:
            return origin_of(url)
        return key_of(address_of(url)[1])
    except NoOriginError:
        return None


def parse_status(value: object, path: Path) -> int | None:
    """Return a status, also one that is a float or a text; `None` if no answer came.

    Raises:
        MisuseError: It is no integer.

    """
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        if value != value:  # noqa: PLR0124  what pandas uses for a missing number
            return None
        if value.is_integer():
            return int(value)
    elif isinstance(value, str) and len(value) < LONGEST_NUMBER and is_number(value):
        return int(value)
    message = (
        f"the column 'status' of {path} has {quote_value(value)}; it must be an integer such as "
        "200, or null if no answer came"
    )
    raise MisuseError(message)


def is_number(text: str) -> bool:
    """Return whether a text is the digits of a number, with blanks around them or not."""
    return text.isascii() and text.strip().isdigit()


def quote_value(value: object) -> str:
    """Return a value for a message, cut."""
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} …"


def parse_headers(value: Any) -> list[tuple[str, str]]:  # noqa: ANN401  of pyarrow
    """Return header fields; those of a map come as pairs."""
    pairs = [
        (pair["name"], pair["value"]) if isinstance(pair, dict) else pair
        for pair in value or ()
        if pair is not None
    ]
    return [(decode_text(name), decode_text(content)) for name, content in pairs if name]


def decode_text(value: str | bytes | None) -> str:
    """Return a name or a value as text; nothing for a null."""
    return value.decode("latin-1") if isinstance(value, bytes) else value or ""
