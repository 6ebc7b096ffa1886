"""The public keys of an operator: a JSON Web Key Set, and where it was found.

Scope: from foreign bytes to keys, within bounds. A malformed entry is omitted.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from math import isfinite
from typing import Any

from goodbot.display import short_repr
from goodbot.errors import WrongValueError
from goodbot.lazy_dataclass import dataclass
from goodbot.signatures.algorithms import ALGORITHMS, is_signed_by
from goodbot.signatures.profiles import WELL_KNOWN, key_set_id
from goodbot.signatures.public_key import PublicKey

__all__ = ["LARGEST_KEY_SET", "MOST_KEYS", "TEST_KEYS", "KeySet", "KeySets", "PublicKey"]

LARGEST_KEY_SET = 1024 * 1024
"""The most bytes of a key set."""
MOST_KEYS = 100
"""The most keys of a set that are read."""
KEY_BYTES = 32
LEAST_RSA, MOST_RSA = 256, 1024
"""The bytes of a modulus: 2,048 to 8,192 bits."""

BASE64URL = re.compile("[A-Za-z0-9_-]+")
THUMBPRINT = re.compile("[A-Za-z0-9_-]{43}")
"""A SHA-256 in base64url (RFC 7638)."""

TEST_KEYS = frozenset({
    "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
    "oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA",
    "BHj8s0GPnMEQtkaULIM-PLgEhLBbuGUQ1vMxmBWZzEo",
    "ydQXMtvbsOsZyFir-Y7A8t7fKEM1gbKPvyFkdpu4fvI",
})  # fmt: skip
"""The thumbprints of the keys of RFC 9421 appendix B.1, whose private parts everyone has; the draft
asks verifiers to reject them in directories (section 6.9)."""

JWK_ALGORITHMS = {
    "EdDSA": "ed25519",
    "Ed25519": "ed25519",
    "ES256": "ecdsa-p256-sha256",
    "ES384": "ecdsa-p384-sha384",
    "PS512": "rsa-pss-sha512",
    "RS256": "rsa-v1_5-sha256",
    **{name: name for name in ALGORITHMS},
}
"""The algorithms of keys by the names of RFC 7518 and RFC 9864; earlier drafts used the names of
signatures."""

BY_CURVE = {
    ("OKP", "Ed25519"): "ed25519",
    ("EC", "P-256"): "ecdsa-p256-sha256",
    ("EC", "P-384"): "ecdsa-p384-sha384",
}


@dataclass(frozen=True, slots=True, repr=False)
class KeySet:
    """The keys of an operator.

    >>> body = b'{"keys": [{"kty": "OKP", "crv": "Ed25519",'
    >>> body += b' "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}]}'
    >>> found = KeySet.of(body, "https://example.com/keys?v=1")
    >>> found.id, found.find("poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U") is not None
    ('https://example.com/keys', True)
    """

    keys: tuple[PublicKey, ...]
    """The keys."""
    id: str | None = None
    """The URL at which they were found, in its normal form and without a query; `None` if that is
    not known."""
    by_name: Mapping[str, PublicKey] = field(init=False, repr=False, compare=False)
    """The keys by their thumbprints, and by the names that the set gives them."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Prepare lookups.

        A name that has the form of a thumbprint is none, because it could be that of another
        operator's key; and one that several keys have names none of them.
        """
        labels = [one.label for one in self.keys]
        named = {
            label: one
            for label, one in zip(labels, self.keys, strict=True)
            if label is not None and labels.count(label) == 1 and not THUMBPRINT.fullmatch(label)
        }
        named |= {one.thumbprint: one for one in self.keys}
        object.__setattr__(self, "by_name", named)

    @classmethod
    def of(cls, content: bytes, url: str | None = None, *, may_be_empty: bool = False) -> "KeySet":
        """Read a JSON Web Key Set.

        Args:
            content: Its bytes, as the operator publishes it.
            url: The URL at which they were found.
            may_be_empty: Whether a set counts that has no key that can be used, as after its
                operator has removed one.

        Raises:
            WrongValueError: It is no key set, or has no key that can be used, or the URL is not one
                of https.

        Source: draft-ietf-webbotauth-httpsig-protocol-01 section 5.5.1; RFC 7517 (key sets), RFC
        8037 (Ed25519).

        """
        found = None if url is None else key_set_id(url)
        if url is not None and found is None:
            message = f"{url[:200]!r} is not a URL of keys; pass one that begins with https://"
            raise WrongValueError(message)
        keys = read_keys(content)
        if keys is None or not (keys or may_be_empty):
            message = (
                "this is not a directory of keys with one that can be used (Ed25519, P-256, P-384 "
                f"or RSA); pass the JSON that the operator publishes, mostly at {WELL_KNOWN}"
            )
            raise WrongValueError(message)
        return cls(keys, found)

    def find(self, keyid: str) -> PublicKey | None:
        """Return the key that a signature names; `None` if it is not here.

        Args:
            keyid: The thumbprint of the key; or the name that the set gives it.

        """
        return self.by_name.get(keyid)

    def check(self, key: str, base: bytes, signature: bytes) -> bool | None:
        """Return whether a key made a signature; `None` if the key is not at hand.

        Args:
            key: The identifier of the key.
            base: What was signed.
            signature: The signature.

        Raises:
            MissingExtraError: cryptography is not installed.

        Source: RFC 9421 section 3.3.

        """
        found = self.find(key)
        if found is None or found.algorithm is None:
            return None
        return is_signed_by(found, found.algorithm, base, signature)


class KeySets:
    """The key sets that are at hand, by their URLs.

    A key is found by the URL that a request names and its identifier together, so that no operator
    signs in the name of another one.

    Args:
        sets: The sets. One whose URL is not known has keys for requests of any URL.
        refused: Thumbprints of keys that are not used, such as `TEST_KEYS`.

    >>> KeySets([]).find("https://example.com/keys", "a") is None
    True

    Source: draft-ietf-webbotauth-httpsig-protocol-01 section 5.4.

    """

    def __init__(self, sets: Iterable[KeySet] = (), refused: Iterable[str] = ()) -> None:
        """Sort them by their URLs."""
        self.refused = frozenset(refused)
        self.sets: dict[str | None, list[KeySet]] = {}
        for one in sets:
            self.sets.setdefault(one.id, []).append(one)

    def find(self, url: str | None, keyid: str) -> tuple[PublicKey, str | None] | None:
        """Return a key with the URL that has it; `None` if it is not at hand.

        Args:
            url: The URL that the signature names as that of its keys; `None` if it names none: then
                the identity is the key alone.
            keyid: The identifier of the key.

        """
        named = [] if url is None else self._found([url], keyid)
        if named:
            return named[0], url
        found = self._found(list(self.sets) if url is None else [None], keyid)
        # A thumbprint is one key; a name may be that of several operators' keys, and then of none.
        is_one = len({key.thumbprint for key in found}) == 1
        return (found[0], None) if is_one else None

    def _found(self, urls: Iterable[str | None], keyid: str) -> list[PublicKey]:
        """Return the keys of an identifier in the sets of some URLs."""
        sets = [one for url in urls for one in self.sets.get(url, ())]
        found = [key for one in sets if (key := one.find(keyid)) is not None]
        return [key for key in found if key.thumbprint not in self.refused]


def read_keys(content: bytes) -> tuple[PublicKey, ...] | None:
    """Return the keys of a set that can be used; `None` if it cannot be read."""
    if len(content) > LARGEST_KEY_SET:
        return None
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return None
    listed = document.get("keys") if isinstance(document, dict) else document
    if not isinstance(listed, list):
        return None
    found = (read_key(one) for one in listed[:MOST_KEYS])
    return tuple(one for one in found if one is not None)


def read_key(listed: Any) -> PublicKey | None:  # noqa: ANN401  of JSON
    """Return a listed key; `None` if it is of another kind or for another use."""
    if not isinstance(listed, dict):
        return None
    kind, curve, name = listed.get("kty"), listed.get("crv", ""), listed.get("kid")
    operations = listed.get("key_ops", ["verify"])
    is_for_this = listed.get("use", "sig") == "sig" and isinstance(operations, list)
    if not is_for_this or "verify" not in operations:
        return None
    curve = curve if isinstance(curve, str) else ""
    members = {"OKP": ("x",), "EC": ("x", "y"), "RSA": ("n", "e")}.get(str(kind), ())
    material = tuple(decoded(listed.get(one)) for one in members)
    whole = tuple(one for one in material if one is not None)
    by_curve = BY_CURVE.get((str(kind), curve))
    if not members or len(whole) != len(members) or not has_sizes(str(kind), curve, whole):
        return None
    stated = listed.get("alg")
    algorithm = by_curve if stated is None else JWK_ALGORITHMS.get(str(stated))
    if stated is not None and (algorithm is None or not fits(algorithm, str(kind), curve)):
        return None
    curve = "" if kind == "RSA" else curve
    label = name if isinstance(name, str) else None
    times = [listed.get(one) for one in ("nbf", "exp")]
    if not all(one is None or is_time(one) for one in times):
        return None
    start, end = (None if one is None else int(one) for one in times)
    return PublicKey(str(kind), curve, whole, algorithm, label, start, end)


def fits(algorithm: str, kind: str, curve: str) -> bool:
    """Return whether an algorithm is one for keys of a type and a curve."""
    wanted = ALGORITHMS.get(algorithm)
    return wanted is not None and wanted == (kind, "" if kind == "RSA" else curve)


def has_sizes(kind: str, curve: str, material: tuple[bytes, ...]) -> bool:
    """Return whether the numbers of a key have the sizes of its type."""
    if kind == "RSA":
        return LEAST_RSA <= len(material[0].lstrip(b"\0")) <= MOST_RSA and len(material[1]) <= 8  # noqa: PLR2004  e
    size = {"Ed25519": KEY_BYTES, "P-256": 32, "P-384": 48}.get(curve)
    return (kind, curve) in BY_CURVE and all(len(one) == size for one in material)


def is_time(value: object) -> bool:
    """Return whether a value is a number of seconds (RFC 7519 section 2, NumericDate)."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return is_number or (isinstance(value, float) and isfinite(value))


def decoded(written: object) -> bytes | None:
    """Return the bytes of a text in base64url (RFC 7515 section 2); `None` if it is none."""
    if not isinstance(written, str) or not BASE64URL.fullmatch(written):
        return None
    try:
        return base64.urlsafe_b64decode(written + "=" * (-len(written) % 4)) or None
    except (binascii.Error, ValueError):
        return None
