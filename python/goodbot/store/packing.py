"""Records: plain values as JSON, their bytes apart.

Scope: the form in which a record is kept. Bytes are addressed by their SHA-256, so
that a robots.txt that a million origins share is kept once.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from goodbot._core import origin as core_origin
from goodbot.errors import NotAStoreError, WrongTypeError, WrongValueError
from goodbot.store.account import to_time
from goodbot.store.protocols import Record, Seen

__all__ = ["REPAIR", "Blob", "Packed", "Span", "key_of", "pack", "placed", "seen", "unpack"]

MARK = "\0octets"
"""The only key of the object that stands for bytes; no key of a record begins with NUL."""
DEEPEST = 64
CURE = "give plain values, such as Policy.as_record() does"
REPAIR = "restore the store from a copy, or remove it and fetch every robots.txt anew"
STATE_OCTETS = 16

Blob: TypeAlias = tuple[bytes, bytes]
"""A SHA-256 and what it is of."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A record, ready to be kept."""

    text: str
    """JSON, with a number in place of bytes."""
    blobs: tuple[Blob, ...]
    """The bytes by that number."""
    state: bytes
    """A digest of what two records have in common if the second is the first seen again."""


class Span(NamedTuple):
    """From when to when a record was seen, in microseconds, and a digest of what it is."""

    first: int
    last: int
    state: bytes
    """`Packed.state`."""


def key_of(origin: str) -> str:
    """Return the origin of a URL, or of an origin.

    Raises:
        WrongTypeError: It is not a `str`.
        NoOriginError: It has no origin.

    """
    return core_origin(origin)


def pack(record: Record) -> Packed:
    """Make a record ready to be kept.

    Raises:
        WrongTypeError: There is something in it that is no plain value.
        WrongValueError: A number is not finite, a key begins with NUL, or it is nested too deep.

    """
    if not isinstance(record, Mapping):
        message = f"a record must be a mapping, not {type(record).__name__}; {CURE}"
        raise WrongTypeError(message)
    octets: list[Blob] = []
    plain = plain_of(record, octets, 0)
    text = json.dumps(plain, separators=(",", ":"), allow_nan=False)
    state = hashlib.sha256(repr(record.get("access")).encode("utf-8", "surrogatepass"))
    for address, _ in octets:
        state.update(address)
    return Packed(text, tuple(octets), state.digest()[:STATE_OCTETS])


def plain_of(value: object, octets: list[Blob], depth: int) -> object:
    """Return a value with its bytes taken out."""
    if depth > DEEPEST:
        message = f"a record is nested deeper than {DEEPEST}; {CURE}"
        raise WrongValueError(message)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            message = f"a record has the number {value!r}, which JSON has not; {CURE}"
            raise WrongValueError(message)
        return value
    if isinstance(value, bytes):
        octets.append((hashlib.sha256(value).digest(), value))
        return {MARK: len(octets) - 1}
    if isinstance(value, (list, tuple)):
        return [plain_of(item, octets, depth + 1) for item in value]
    if isinstance(value, Mapping):
        return {plain_key(key): plain_of(item, octets, depth + 1) for key, item in value.items()}
    message = f"a record has a {type(value).__name__}; {CURE}"
    raise WrongTypeError(message)


def plain_key(key: object) -> str:
    """Take a key."""
    if not isinstance(key, str):
        message = f"a record has a {type(key).__name__} for a key; {CURE}"
        raise WrongTypeError(message)
    if key.startswith("\0"):
        message = f"a record has the key {key[:60]!r}, which begins with NUL; {CURE}"
        raise WrongValueError(message)
    return key


def placed(newest: Span | None, packed: Packed, at: int) -> tuple[Span, bool]:
    """Decide where a record stands in the history of its origin; see `PolicyStore.put`.

    Args:
        newest: The span of the last entry; `None` if there is none.
        packed: The record.
        at: When it was put, in microseconds.

    Returns:
        The span of the record, and whether it is a new entry. If it is not, the last entry is seen
        for longer: write the new span, text and bytes in its place.

    """
    if newest is not None and newest.state == packed.state:
        return Span(newest.first, max(newest.last, at), packed.state), False
    first = at if newest is None else max(at, newest.last + 1)
    return Span(first, first, packed.state), True


def unpack(text: str, blobs: Sequence[Blob]) -> dict[str, Any]:
    """Return a record again.

    Args:
        text: What `pack` gave.
        blobs: What it gave beside the text, in the same order.

    Raises:
        NotAStoreError: The bytes are missing, or others than were kept: a robots.txt of which a
            part is gone could allow what it forbade.

    """

    def whole(value: dict[str, Any]) -> Any:  # noqa: ANN401  octets, or the object itself
        return blobs[value[MARK]][1] if MARK in value else value

    damaged = any(hashlib.sha256(value).digest() != address for address, value in blobs)
    try:
        record: dict[str, Any] = json.loads(text, object_hook=whole)
    except (ValueError, IndexError, TypeError):
        damaged = True
    if damaged:
        message = f"a record is damaged; {REPAIR}"
        raise NotAStoreError(message)
    return record


def seen(first: int, last: int, text: str, blobs: Sequence[Blob]) -> Seen:
    """Return an entry of the history from what is kept of it."""
    address = blobs[0][0].hex() if blobs else None
    return Seen(to_time(first), to_time(last), address, unpack(text, blobs))
