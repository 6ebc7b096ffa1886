"""The table of policies: its columns, its version, and what its metadata says.

Scope: one list of the columns, from which the Arrow schema, the reference and the checks follow.
One row is one policy that was learned for one origin; the rows are sorted by origin, then by
`valid_from`.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from goodbot.errors import MissingExtraError, MisuseError, WrongValueError

VERSION = 1
"""The version of the schema."""

VERSION_KEY = b"goodbot.policies"
"""The key of the metadata with the version of the schema."""

DIALECT_KEY = b"goodbot.dialect"
"""The key of the metadata with the dialect in which the table was reckoned."""

SORTED_KEY = b"goodbot.sorted"
"""The key of the metadata with the columns by which the rows are sorted, separated by commas."""

DEFAULT_DIALECT = "rfc9309"


class PolicyColumn(NamedTuple):
    """A column of the table."""

    name: str
    kind: str
    """Its Arrow type: `string`, `names` (dictionary of strings), `time` (microseconds in UTC),
    `status` (int16), `truth`, `bytes`, `body` (bytes, in Parquet once per row group), `urls` (list
    of strings) or `fields` (list of name and value)."""
    is_a: Literal["fact", "reckoned"]
    """A fact states what happened; the policy layer reckons the others from the facts."""
    meaning: str


COLUMNS = (
    PolicyColumn("origin", "string", "fact", "The origin that the policy is of: scheme, host and port."),
    PolicyColumn("asked", "time", "fact", "When the request was sent; null if unknown. If the time of the answer is only known to be within a span, its beginning."),
    PolicyColumn("answered", "time", "fact", "When the last answer or failure came."),
    PolicyColumn("status", "status", "fact", "The HTTP status of the last answer; null if none came."),
    PolicyColumn("failure", "names", "fact", "Why no answer came, a name in `goodbot.policy.FAILURES`, or `not-captured`: robots.txt redirected to what is not in the sources. Null if one came."),
    PolicyColumn("final_url", "string", "fact", "The URL that was requested last: that of robots.txt, or the one that redirects led to."),
    PolicyColumn("hops", "urls", "fact", "The URLs that redirects led to, in order; null if there were none."),
    PolicyColumn("headers", "fields", "fact", "The header fields of the last answer that matter for its meaning and lifetime."),
    PolicyColumn("truncated", "truth", "fact", "Whether the answer was cut, so that its last line may be missing."),
    PolicyColumn("received", "body", "fact", "The content of the answer, if it is a success and differs from `body`; else null."),
    PolicyColumn("valid_from", "time", "fact", "From when on the policy holds: when it was learned."),
    PolicyColumn("valid_until", "time", "reckoned", "Until when the policy can permit anything. What it forbids counts at any age."),
    PolicyColumn("access", "names", "reckoned", "What may be fetched: `rules`, `allow-all`, `disallow-all`, `defer`, or `unknown` if nothing is known from then on."),
    PolicyColumn("reason", "names", "reckoned", "Why, a name in `goodbot.policy.reasons()`, or `not-captured`."),
    PolicyColumn("stale", "truth", "reckoned", "Whether `body` is a stored copy that a failed request left in force: it was not seen then."),
    PolicyColumn("failing_since", "time", "reckoned", "Since when each request has failed; null if the last one did not."),
    PolicyColumn("digest", "bytes", "reckoned", "The SHA-256 of `body`; null without rules."),
    PolicyColumn("body", "body", "reckoned", "The robots.txt in force; null unless `access` is `rules`."),
    PolicyColumn("source", "names", "fact", "Where the row is from: the name of a file or folder."),
    PolicyColumn("dialect", "names", "reckoned", "The dialect in which the row is reckoned, the same for all rows: most engines lose the metadata of a file."),
)  # fmt: skip
"""The columns, in order."""

FACTS = tuple(column.name for column in COLUMNS if column.is_a == "fact")
"""The columns from which the others can be reckoned again."""

METADATA = {VERSION_KEY: str(VERSION).encode(), SORTED_KEY: b"origin,valid_from"}


def arrow_schema(dialect: str = DEFAULT_DIALECT, *, body_type: str = "binary") -> Any:  # noqa: ANN401  pyarrow's
    """Return the schema as pyarrow has it.

    Args:
        dialect: The dialect in which the table is reckoned.
        body_type: The type of bodies, a name of pyarrow's.

    Raises:
        MissingExtraError: pyarrow is not installed.

    """
    pa = pyarrow()
    names = pa.dictionary(pa.int32(), pa.string())
    field = pa.struct([pa.field("name", pa.string()), pa.field("value", pa.string())])
    types = {
        "string": pa.string(), "names": names, "time": pa.timestamp("us", tz="UTC"),
        "status": pa.int16(), "truth": pa.bool_(), "bytes": pa.binary(),
        "body": getattr(pa, body_type)(), "urls": pa.list_(pa.string()), "fields": pa.list_(field),
    }  # fmt: skip
    fields = [pa.field(column.name, types[column.kind]) for column in COLUMNS]
    return pa.schema(fields, metadata=METADATA | {DIALECT_KEY: dialect.encode()})


def pyarrow() -> Any:  # noqa: ANN401  it has no types
    """Return the module pyarrow.

    Raises:
        MissingExtraError: It is not installed.

    """
    try:
        import pyarrow as pa  # noqa: PLC0415  an extra
    except ModuleNotFoundError as error:
        message = (
            "pyarrow is not installed; run pip install 'goodbot[columns]', or '.[columns]' in a "
            "checkout"
        )
        raise MissingExtraError(message, name="pyarrow") from error
    return pa


def check_version(metadata: Mapping[bytes, bytes] | None, name: str = "the table") -> None:
    """Check that a table of policies can be read.

    Args:
        metadata: The metadata of its schema.
        name: What to call the table in the message.

    Raises:
        MisuseError: It is no table of policies, or its version is unknown.

    """
    written = (metadata or {}).get(VERSION_KEY)
    if written is None:
        message = (
            f"{name} is not a table of policies: its metadata has no {VERSION_KEY.decode()}; make "
            "one with `goodbot tables build`"
        )
        raise MisuseError(message)
    if written != str(VERSION).encode():
        shown = written[:20].decode("utf-8", "replace")
        message = (
            f"{name} has version {shown!r} of the table of policies, and this goodbot knows "
            f"version {VERSION}; install a newer goodbot, or build the table again"
        )
        raise MisuseError(message)


def read_dialect(metadata: Mapping[bytes, bytes] | None) -> str:
    """Return the name of the dialect in which a table was reckoned; `rfc9309` if unstated."""
    return read_stated_dialect(metadata) or DEFAULT_DIALECT


def read_stated_dialect(metadata: Mapping[bytes, bytes] | None) -> str | None:
    """Return the name of the dialect that metadata states; `None` if there is none."""
    found = (metadata or {}).get(DIALECT_KEY)
    return None if found is None else found.decode("utf-8", "replace")


def agree_on_dialect(
    wanted: str | None, metadata: str | None, rows: str | None, *, is_built: bool
) -> str:
    """Return the dialect in which a table was reckoned.

    Args:
        wanted: The one that the caller names.
        metadata: The one that the metadata states.
        rows: The one that the column `dialect` states.
        is_built: Whether the table has the facts that only `goodbot tables build` writes.

    Raises:
        WrongValueError: Two of them differ, or none is known of a table that was built.

    """
    stated = {"metadata": metadata, "column dialect": rows}
    for where, one in stated.items():
        if wanted is not None and one is not None and one != wanted:
            message = (
                f"the table of policies was reckoned in {one}, as its {where} states, not in "
                f"{wanted}; leave dialect out, or build the table again in {wanted}"
            )
            raise WrongValueError(message)
    if metadata is not None and rows is not None and metadata != rows:
        message = (
            f"the metadata of the table of policies states the dialect {metadata}, and its column "
            f"dialect {rows}; build it again"
        )
        raise WrongValueError(message)
    found = wanted or metadata or rows
    if found is None and is_built:
        message = (
            "the table of policies has lost its metadata, which stated its dialect; pass "
            f"dialect={DEFAULT_DIALECT!r}, or the one that it was built with"
        )
        raise WrongValueError(message)
    return found or DEFAULT_DIALECT
