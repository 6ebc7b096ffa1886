"""A public key, and its thumbprint.

Scope: a value.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache

from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, repr=False)
class PublicKey:
    """One public key.

    >>> PublicKey("OKP", "Ed25519", (bytes(32),), "ed25519").thumbprint
    'ogRZbCR5KTrPFCAfuYmCMwj0w7Yuk3Lr6YWQWfpkbf0'
    """

    kind: str
    """The type: `OKP`, `EC` or `RSA`."""
    curve: str
    """The curve; empty for RSA."""
    material: tuple[bytes, ...]
    """Its numbers: x, or x and y, or the modulus and the exponent."""
    algorithm: str | None
    """The algorithm of its signatures; `None` if an RSA key states none."""
    label: str | None = None
    """The name that its set gives it (`kid`)."""
    not_before: int | None = None
    """The time from which it is used, in seconds since 1970 (`nbf`)."""
    not_after: int | None = None
    """The time until which it is used (`exp`)."""

    __repr__ = short_repr

    def __hash__(self) -> int:
        """Return the hash of its numbers: no other key has them, and they know their own."""
        return hash(self.material)

    @property
    def thumbprint(self) -> str:
        """The thumbprint (RFC 7638 section 3, RFC 8037 appendix A.3)."""
        return thumbprint_of_key(self)

    def members(self) -> dict[str, str]:
        """Return the members of the key that its thumbprint has."""
        texts = [unpadded(one) for one in self.material]
        if self.kind == "RSA":
            return {"e": texts[1], "kty": "RSA", "n": texts[0]}
        names = ("x",) if self.kind == "OKP" else ("x", "y")
        return {"crv": self.curve, "kty": self.kind, **dict(zip(names, texts, strict=True))}

    def is_of(self, time: datetime) -> bool:
        """Return whether the key is used at a time."""
        starts, ends = self.not_before, self.not_after
        if starts is None and ends is None:
            return True
        seconds = time.timestamp()
        return (starts is None or starts <= seconds) and (ends is None or seconds < ends)


def unpadded(content: bytes) -> str:
    """Return bytes in base64url without padding."""
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


@lru_cache(maxsize=1024)
def thumbprint_of_key(key: PublicKey) -> str:
    """Return the thumbprint of a key."""
    return thumbprint_of(key.members())


def thumbprint_of(members: Mapping[str, str]) -> str:
    """Return the thumbprint of a key by its members, sorted by their names (RFC 7638)."""
    text = json.dumps(dict(sorted(members.items())), separators=(",", ":"))
    return unpadded(hashlib.sha256(text.encode()).digest())
