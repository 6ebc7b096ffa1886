"""The reply to a request for robots.txt, by any HTTP client: read within bounds, or its failure.

Scope: the content of a response, piece by piece, and the names of failures. Nothing here sends
requests; each client has a table of its own exceptions.
"""

import time
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from goodbot.net.decoding import DecodingError, NoCoding, decoder_of, needs_content
from goodbot.policy.inquiry import LIMIT
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer

__all__ = ["SECONDS", "FailureKinds", "ReplyReader", "failure_of", "read_reply"]

SECONDS = 30.0
"""How long fetching a robots.txt may take; the client's own timeouts apply as well."""

FailureKinds: TypeAlias = Sequence[tuple[type[BaseException], str]]
"""Which exception means which failure; the first row that matches applies."""


def failure_of(error: BaseException, kinds: FailureKinds) -> RobotsTxtAnswer | None:
    """Return the failure that an exception means; `None` if it is a bug, not a failure."""
    found = next((kind for one, kind in kinds if isinstance(error, one)), None)
    if found is None and isinstance(error, DecodingError):
        found = "bad-encoding"
    return None if found is None else RobotsTxtAnswer(failure=found)


class ReplyReader:
    """Reads the content of a response up to the limit of an inquiry.

    Content that cannot be decoded is a failure only if the status is a success: what another status
    means does not depend on it.

    Args:
        status: The status of the response.
        fields: Its header fields.

    Raises:
        DecodingError: The content of a success has an unknown coding.

    Source: RFC 9110 section 8.4.1.
    """

    def __init__(self, status: int, fields: Iterable[tuple[str, str]]) -> None:
        """Choose the decoder."""
        pairs = tuple(fields)
        codings = [value for name, value in pairs if name.lower() == "content-encoding"]
        self._status, self._fields = status, pairs
        self._is_needed, self._is_unreadable = needs_content(status), False
        self._content = bytearray()
        self._is_empty = True
        try:
            self._decoder = decoder_of(codings)
        except DecodingError:
            if self._is_needed:
                raise
            self._decoder, self._is_unreadable = NoCoding(), True

    def is_enough(self, piece: bytes) -> bool:
        """Decode a piece, and return whether no more is to be read."""
        if self._is_unreadable:
            return True
        self._is_empty = self._is_empty and not piece
        try:
            self._content += self._decoder.feed(piece, LIMIT + 1 - len(self._content))
        except DecodingError:
            if self._is_needed:
                raise
            self._is_unreadable = True
        return self._is_unreadable or len(self._content) > LIMIT

    def reply(self) -> RobotsTxtAnswer:
        """Return the whole reply, after the last piece."""
        is_whole = self._is_empty or len(self._content) > LIMIT or self._decoder.is_complete()
        if self._is_needed and not is_whole:
            return RobotsTxtAnswer(failure="bad-encoding")
        is_content = is_whole and not self._is_unreadable
        body = bytes(self._content) if is_content else b""
        return RobotsTxtAnswer(status=self._status, headers=self._fields, body=body)


def read_reply(reader: ReplyReader, pieces: Iterable[bytes], deadline: float) -> RobotsTxtAnswer:
    """Read pieces until the end, the limit or a time of `time.monotonic`."""
    for piece in pieces:
        if reader.is_enough(piece):
            break
        if time.monotonic() > deadline:
            return RobotsTxtAnswer(failure="timeout")
    return reader.reply()
