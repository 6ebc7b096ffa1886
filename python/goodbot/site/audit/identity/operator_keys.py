"""The keys of an operator, and whether one of them made a signature.

Scope: from the bytes of a key directory to keys. Only Ed25519 is read, which Web Bot Auth requires.
Verifying needs `pip install 'goodbot[signatures]'`.

>>> body = b'{"keys": [{"kty": "OKP", "crv": "Ed25519",'
>>> body += b' "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}]}'
>>> list(OperatorKeys.of(body).keys)
['poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U']
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from goodbot.display import short_repr
from goodbot.errors import WrongValueError
from goodbot.net.missing import needs

LARGEST = 1024 * 1024
"""The most bytes of a directory."""
KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class OperatorKeys:
    """The keys of an operator, by their identifiers."""

    keys: Mapping[str, bytes]
    """Each public key, by its thumbprint, and by the name that the directory gives it."""

    __repr__ = short_repr

    @classmethod
    def of(cls, content: bytes) -> "OperatorKeys":
        """Read a key directory: a JSON Web Key Set.

        Args:
            content: Its bytes, as the operator publishes it at
                `/.well-known/http-message-signatures-directory`.

        Raises:
            WrongValueError: It has no key that can be used.

        Source: draft-ietf-webbotauth-httpsig-directory-00; RFC 7517 (key sets), RFC 8037 (Ed25519),
        RFC 7638 (thumbprints).

        """
        try:
            document = json.loads(content[:LARGEST])
            listed = document["keys"] if isinstance(document, dict) else document
            found = dict(pair for key in listed for pair in key_pairs(key))
        except (ValueError, TypeError, KeyError, RecursionError):
            found = {}
        if not found:
            message = (
                "this is not a directory of keys with one of Ed25519; pass the JSON that the "
                "operator publishes at /.well-known/http-message-signatures-directory"
            )
            raise WrongValueError(message)
        return cls(found)

    def check(self, key: str, base: bytes, signature: bytes) -> bool | None:
        """Return whether a key made a signature; `None` if the key is not at hand.

        Args:
            key: The identifier of the key.
            base: What was signed.
            signature: The signature.

        Raises:
            MissingExtraError: cryptography is not installed.

        Source: RFC 9421 section 3.3.6.

        """
        public = self.keys.get(key)
        if public is None:
            return None
        with needs("signatures"):
            from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  an extra
            from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415  as above
                Ed25519PublicKey,
            )
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(signature, base)
        except (InvalidSignature, ValueError):
            return False
        return True


def key_pairs(listed: object) -> list[tuple[str, bytes]]:
    """Return the identifiers of a listed key, each with the key; none if it is of another kind."""
    if not isinstance(listed, dict) or (listed.get("kty"), listed.get("crv")) != ("OKP", "Ed25519"):
        return []
    written = listed.get("x")
    if not isinstance(written, str):
        return []
    try:
        public = base64.urlsafe_b64decode(written + "=" * (-len(written) % 4))
    except (binascii.Error, ValueError):
        return []
    if len(public) != KEY_BYTES:
        return []
    name = listed.get("kid")
    names = [thumbprint(written), *([name] if isinstance(name, str) else [])]
    return [(one, public) for one in names]


def thumbprint(x: str) -> str:
    """Return the thumbprint of a key of Ed25519 (RFC 7638 section 3, RFC 8037 appendix A.3)."""
    text = f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
