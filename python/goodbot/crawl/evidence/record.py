"""The record of a crawl: a signed statement that others check without goodbot.

Scope: what is stated, and the file. The rows that it is about are in `record_rows`. It states what
the folder of the crawl has, and proves who states it, that nobody has changed it since, and which
rows belong to it; not that the folder is right, or complete.

Source: RFC 7515 appendix F (a signature of content that is elsewhere), RFC 7518 section 3.4 (ES384)
and RFC 8785 (the one way to write JSON).
"""

import base64
import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple

from goodbot.crawl.evidence.punctuality import manners_by_time
from goodbot.crawl.evidence.record_rows import KINDS, CrawlTotals, RowChain, record_rows
from goodbot.crawl.folder.database import MADE_WITH, SIGNED_BY, Database
from goodbot.display import short_repr
from goodbot.files.atomic_file import atomic_file
from goodbot.http.instants import checked_time, to_datetime, written
from goodbot.knowledge import KNOWN_AS_OF, known_documents, stamp
from goodbot.lazy_dataclass import dataclass
from goodbot.signatures.archive_key import ArchiveKey
from goodbot.signatures.timestamps import request_timestamp

__all__ = [
    "RECORD_FORMAT",
    "RecordSigner",
    "RecordSummary",
    "canonical",
    "sign_statement",
    "write_record",
]

RECORD_FORMAT = "goodbot crawl record 1"


@dataclass(frozen=True, slots=True, repr=False)
class RecordSummary:
    """What a record states, in numbers.

    >>> RecordSummary(0, 0, 0, 0, "k", None).as_dict()["early"]
    0
    """

    requests: int
    """The number of requests."""
    origins: int
    """The number of origins to which they were made."""
    visits: int
    """The number of visits, refusals and deferrals, and of URLs without one."""
    early: int
    """The number of requests that came earlier than was required."""
    signed_by: str
    """The thumbprint of the key that signed it."""
    stamped: str | None
    """When an authority stamped the signature; `None` if none did."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)


class RecordSigner(NamedTuple):
    """Who signs a record."""

    key: ArchiveKey
    """The key."""
    url: str
    """The URL of the key set that publishes it."""
    ask: Callable[[bytes], bytes] | None = None
    """Sends a request for a time stamp (RFC 3161); `None` for a record without one."""

    def __repr__(self) -> str:
        """Return it as code, short."""
        return short_repr(self)


def write_record(
    database: Database,
    path: str | os.PathLike[str],
    now: datetime,
    signer: RecordSigner,
    *,
    rows: str | os.PathLike[str] | None = None,
) -> RecordSummary:
    """Write a signed record of a crawl; if that fails, no partial file remains.

    Args:
        database: The database of the crawl, as opened by `open_readonly`.
        path: The file to write.
        now: The time.
        signer: Who signs it.
        rows: The file for the rows that it is about, as JSON lines; `None` for none. Without them,
            others can check who made the record, but not recompute what it states.

    Raises:
        FetchError: The authority for time stamps does not answer.
        NotAStoreError: A row of the evidence is damaged.
        StoreFullError: The disk is full.
        StoreUnavailableError: A file cannot be written.

    """
    checked_time(now, "now")
    with ExitStack() as files:
        file = files.enter_context(atomic_file(path))
        rows_file = None if rows is None else files.enter_context(atomic_file(rows))
        totals = CrawlTotals()
        chains = chain_rows(database, totals, rows_file)
        statement = statement_of(database, now, signer, totals, chains)
        record = sign_statement(statement, signer)
        file.write(json.dumps(record, indent=1).encode() + b"\n")
    return RecordSummary(
        totals.requests,
        len(totals.origins),
        chains["visit"].count,
        totals.early_count,
        signer.key.thumbprint,
        record["timestamp"]["at"] if "timestamp" in record else None,
    )


def chain_rows(
    database: Database, totals: CrawlTotals, file: BinaryIO | None
) -> dict[str, RowChain]:
    """Read all rows, write them if there is a file, and return the chain of each kind."""
    chains = {kind: RowChain() for kind in KINDS}
    for row in record_rows(database, totals):
        line = canonical(row)
        chains[row["kind"]].add(line)
        if file is not None:
            file.write(line + b"\n")
    return chains


def statement_of(
    database: Database,
    now: datetime,
    signer: RecordSigner,
    totals: CrawlTotals,
    chains: dict[str, RowChain],
) -> dict[str, Any]:
    """Return what is stated."""
    settings = database.settings()
    documents = [
        {name: getattr(one, name) for name in ("key", "title", "version", "date", "read")}
        for one in known_documents()
    ]
    return {
        "format": RECORD_FORMAT,
        "made": written(now),
        "made_by": stamp(),
        "crawled_by": settings.get(MADE_WITH, ""),
        "robot": {
            "name": settings.get("robot", ""),
            "info_url": settings.get("info_url", ""),
            "requests_signed_by": settings.get(SIGNED_BY, ""),
        },
        "signed_by": {"key": signer.key.thumbprint, "keys_url": signer.url},
        "own_pace": [
            {
                "since": written(to_datetime(one.since)),
                "settings": json.loads(one.stated, parse_float=str),
                "held_at_the_time": one.is_known,
            }
            for one in manners_by_time(database)
        ],
        **totals.stated(),
        "rows": {kind: {"count": one.count, "head": one.head} for kind, one in chains.items()},
        "knowledge": {"as_of": KNOWN_AS_OF, "documents": documents},
    }


def sign_statement(statement: dict[str, Any], signer: RecordSigner) -> dict[str, Any]:
    """Return a statement with its signature, and with a time stamp of that if it is wanted.

    Args:
        statement: What is stated: texts, whole numbers, truth values, lists and objects.
        signer: Who signs it.

    >>> from goodbot.crawl.evidence.record import RecordSigner
    >>> signer = RecordSigner(ArchiveKey.new(), "https://example.com/keys.json")
    >>> list(sign_statement({"a": 1}, signer)["signature"])
    ['protected', 'signature']

    """
    key = signer.key
    header = unpadded(canonical({"alg": "ES384", "kid": key.thumbprint}))
    made = key.sign(f"{header}.{unpadded(canonical(statement))}".encode(), "sha384")
    signature = {"protected": header, "signature": unpadded(made)}
    record: dict[str, Any] = {"statement": statement, "signature": signature}
    if signer.ask is not None:
        stamp = request_timestamp(signature["signature"].encode(), signer.ask)
        response = base64.b64encode(stamp.response).decode()
        record["timestamp"] = {"at": written(stamp.at), "response": response}
    return record


def canonical(value: dict[str, Any]) -> bytes:
    r"""Return JSON in the one way to write it.

    Floating-point numbers are not in it, and all names are of ASCII, so that this is what Python's
    `json` writes with sorted names and without white space.

    >>> canonical({"b": ["é"], "a": 1})
    b'{"a":1,"b":["\xc3\xa9"]}'

    Source: RFC 8785.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return text.encode("utf-8")


def unpadded(content: bytes) -> str:
    """Return bytes in base64url without padding."""
    return base64.urlsafe_b64encode(content).decode().rstrip("=")
