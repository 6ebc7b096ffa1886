"""Read a copy that is kept whole as the response it was, so that a 304 may confirm it.

Scope: reading one record, and the header fields updated by later responses. Nothing is changed. The
contents of the folder are not trusted, but checked.
"""

import json
import sqlite3
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from goodbot.crawl.archive.http_message import decoded_payload, read_message
from goodbot.crawl.archive.kept_copy import MAX_COPY, stored_record
from goodbot.crawl.archive.place import WarcPlace
from goodbot.crawl.archive.protocol import WholeCopy
from goodbot.crawl.archive.warc import digest_of
from goodbot.crawl.folder.records import Kept
from goodbot.crawl.folder.times import stored_time
from goodbot.errors import NotAStoreError, WrongTypeError
from goodbot.http.fields import field_lines
from goodbot.http.validators import validators_of
from goodbot.net.fetcher import Response

__all__ = ["packed_fields", "whole_copy"]

OF_URL = (
    "SELECT address, at, file, offset, length, digest, etag, modified, fields FROM kept "
    "WHERE url = ? AND kind = 'response' AND coalesce(etag, modified) IS NOT NULL"
)
NOT_KEPT = {"set-cookie"}
"""Fields that no later visit needs."""

WHOLE = 200


class WholeRow(NamedTuple):
    """The row of a copy that is kept whole."""

    address: str
    at: int
    file: str
    offset: int
    length: int
    digest: bytes
    etag: str | None
    modified: str | None
    fields: str | None
    """The header fields of the latest response, as JSON; `None`: those of the record."""


def whole_copy(connection: sqlite3.Connection, url_id: int, place: WarcPlace) -> WholeCopy | None:
    """Return the copy of a page if a 304 may confirm it; see `Archive.whole_copy`."""
    values = connection.execute(OF_URL, (url_id,)).fetchone()
    if values is None:
        return None
    row = WholeRow(*values)
    pairs = (("etag", row.etag), ("last-modified", row.modified))
    validators = validators_of([(name, one) for name, one in pairs if isinstance(one, str)])
    if not validators or not isinstance(row.length, int):
        return None
    return WholeCopy(validators, row.length, partial(answer_in, row, place))


def answer_in(row: WholeRow, place: WarcPlace) -> Response:
    """Read the response of a row.

    Raises:
        NotAStoreError: The record is damaged, or is another one.
        StoreUnavailableError: Its file cannot be read.

    """
    where = Kept("response", row.file, row.offset, row.length)
    message = read_message(stored_record(place, where).block)
    body = decoded_payload(message, MAX_COPY)
    if message.status != WHOLE or not body or digest_of(message.payload) != row.digest:
        note = (
            f"the copy of {row.address!r:.200} is damaged; goodbot archive check lists all faults"
        )
        raise NotAStoreError(note)
    at = stored_time(row.at)
    fields = message.headers if row.fields is None else unpacked_fields(row.fields)
    return Response(row.address, WHOLE, tuple(fields), body, at, at)


def packed_fields(headers: Iterable[tuple[str, str]]) -> str:
    """Return header fields as JSON."""
    return json.dumps([one for one in field_lines(headers) if one[0] not in NOT_KEPT])


def unpacked_fields(text: str) -> Iterable[tuple[str, str]]:
    """Return header fields from JSON.

    Raises:
        NotAStoreError: The text is damaged.

    """
    try:
        return field_lines(json.loads(text))
    except (ValueError, WrongTypeError, TypeError) as error:
        message = "the header fields of a copy are damaged; restore the folder from a backup"
        raise NotAStoreError(message) from error
