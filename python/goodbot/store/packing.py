"""Records: plain values as JSON, with their bytes stored separately.

Scope: the form in which a record is stored. Bytes are addressed by their SHA-256, so that a
robots.txt that a million origins share is stored once.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from goodbot._core import origin as core_origin
from goodbot._core import sha256
from goodbot.errors import MisuseError, NotAStoreError, WrongTypeError, WrongValueError
from goodbot.policy.holds import Hold
from goodbot.store.account import Account, to_time
from goodbot.store.protocols import Record, StoredPolicy

__all__ = [
    "REPAIR",
    "Blob",
    "Packed",
    "Span",
    "key_of",
    "pack",
    "placed",
    "read_account",
    "read_hold",
    "seen",
    "unpack",
]

MARK = "\0octets"
"""The only key of the object that stands for bytes; no key of a record begins with NUL."""
DEEPEST = 64
HINT = "pass plain values, such as those of Policy.as_record()"
REPAIR = "restore the store from a copy, or remove it and fetch every robots.txt again"
STATE_OCTETS = 16

Blob: TypeAlias = tuple[bytes, bytes]
"""A SHA-256 and what it is of."""


class Packed(NamedTuple):
    """A record, ready to be stored."""

    text: str
    """JSON, with a number in place of bytes."""
    blobs: tuple[Blob, ...]
    """The bytes by that number."""
    state: bytes
    """A digest that two records share if the second is the first one seen again."""


class Span(NamedTuple):
    """From when to when a record was seen, in microseconds, and a digest of what it is."""

    first: int
    last: int
    state: bytes
    """`Packed.state`."""


OF_A_GROUP = "group:"
"""What the key of a server group begins with; no origin does."""


def key_of(origin: str) -> str:
    """Return the origin of a URL, or of an origin; the key of a server group stays as it is.

    Raises:
        WrongTypeError: It is not a `str`.
        NoOriginError: It has no origin.

    """
    if not isinstance(origin, str):
        return core_origin(origin)
    if origin.startswith(OF_A_GROUP):
        return origin
    return known_origin(origin) if len(origin) <= MOST_CACHED else core_origin(origin)


MOST_CACHED = 300
"""The most characters of an origin that is cached."""
known_origin = lru_cache(maxsize=4_096)(core_origin)
"""The same, from a cache: a robot asks about the same few origins again and again."""


def pack(record: Record) -> Packed:
    """Convert a record to the form in which it is stored.

    Raises:
        WrongTypeError: It contains something other than plain values.
        WrongValueError: A number is not finite, a key begins with NUL, or it is nested too deeply.

    """
    if not isinstance(record, Mapping):
        message = f"a record must be a mapping, not {type(record).__name__}; {HINT}"
        raise WrongTypeError(message)
    octets: list[Blob] = []
    plain = plain_of(record, octets, 0)
    text = json.dumps(plain, separators=(",", ":"), allow_nan=False)
    access = repr(record.get("access")).encode("utf-8", "surrogatepass")
    state = sha256(access + b"".join([address for address, _ in octets]))
    return Packed(text, tuple(octets), state[:STATE_OCTETS])


def plain_of(value: object, octets: list[Blob], depth: int) -> object:
    """Return a value with its bytes taken out."""
    if depth > DEEPEST:
        message = f"a record is nested deeper than {DEEPEST}; {HINT}"
        raise WrongValueError(message)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            message = f"a record has the number {value!r}, which JSON does not have; {HINT}"
            raise WrongValueError(message)
        return value
    if isinstance(value, bytes):
        octets.append((sha256(value), value))
        return {MARK: len(octets) - 1}
    if isinstance(value, (list, tuple)):
        return [plain_of(item, octets, depth + 1) for item in value]
    if isinstance(value, Mapping):
        return {plain_key(key): plain_of(item, octets, depth + 1) for key, item in value.items()}
    message = f"a record has a {type(value).__name__}; {HINT}"
    raise WrongTypeError(message)


def plain_key(key: object) -> str:
    """Return a key, checked."""
    if not isinstance(key, str):
        message = f"a record has a {type(key).__name__} for a key; {HINT}"
        raise WrongTypeError(message)
    if key.startswith("\0"):
        message = f"a record has the key {key[:60]!r}, which begins with NUL; {HINT}"
        raise WrongValueError(message)
    return key


def placed(newest: Span | None, packed: Packed, at: int) -> tuple[Span, bool]:
    """Decide the place of a record in the history of its origin; see `PolicyStore.put`.

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
    """Return a record from its stored form.

    Args:
        text: The text from `pack`.
        blobs: The bytes from `pack`, in the same order.

    Raises:
        NotAStoreError: The bytes are missing, or not those that were stored: a robots.txt with a
            missing part could allow what it disallowed.

    """

    def whole(value: dict[str, Any]) -> Any:  # noqa: ANN401  bytes, or the object itself
        return blobs[value[MARK]][1] if MARK in value else value

    damaged = any(sha256(value) != address for address, value in blobs)
    try:
        record: dict[str, Any] = json.loads(text, object_hook=whole)
    except (ValueError, IndexError, TypeError):
        damaged = True
    if damaged:
        message = f"a record is damaged; {REPAIR}"
        raise NotAStoreError(message)
    return record


def seen(first: int, last: int, text: str, blobs: Sequence[Blob]) -> StoredPolicy:
    """Return an entry of the history from its stored form."""
    address = blobs[0][0].hex() if blobs else None
    return StoredPolicy(to_time(first), to_time(last), address, unpack(text, blobs))


def read_account(text: str, key: str) -> Account:
    """Return an account that is stored as JSON.

    Args:
        text: The account.
        key: Its key, for the message.

    Raises:
        NotAStoreError: It is damaged; an unreadable account is not permission.

    """
    try:
        return Account.from_dict(json.loads(text))
    except (ValueError, AttributeError):
        message = f"the account of {key[:200]} is damaged; {REPAIR}"
        raise NotAStoreError(message) from None


def read_hold(row: Sequence[Any], where: str) -> Hold:
    """Return a decision of the operator.

    Args:
        row: Its scope, kind, reason, who decided, and when, in microseconds since 1970.
        where: The store, for the message.

    Raises:
        NotAStoreError: It is damaged; an unreadable decision is not permission.

    """
    try:
        scope, kind, why, who, at = row
        hold = Hold.of(scope, kind, why=why or "-", by=who, at=to_time(at))
    except (MisuseError, TypeError, ValueError, OverflowError) as error:
        message = f"a decision of the operator in {where} is damaged; {REPAIR}"
        raise NotAStoreError(message) from error
    return replace(hold, why=why)
