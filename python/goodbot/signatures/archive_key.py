"""The key by which an operator signs archives and records, for years.

Scope: it signs bytes. Requests are signed by other keys, which change often (`signing`): what was
signed by this one can be verified as long as its public part is published.

It is of ECDSA on P-384, because the programs that verify WACZ files take no other.
"""

import base64
from typing import TYPE_CHECKING, Literal

from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.missing import needs
from goodbot.signatures.private_pem import read_pem, write_pem
from goodbot.signatures.public_key import PublicKey

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

__all__ = ["ArchiveKey"]

COORDINATE = 48
"""The bytes of a coordinate of P-384."""


class ArchiveKey:
    """A private key of ECDSA on P-384. It never shows itself.

    Args:
        private: The key, as `cryptography` has it.

    >>> key = ArchiveKey.new()
    >>> len(key.sign(b"text", "sha384")), key.public.algorithm
    (96, 'ecdsa-p384-sha384')

    """

    __slots__ = ("_private", "public", "thumbprint")

    def __init__(self, private: "EllipticCurvePrivateKey") -> None:
        """Keep the key, and make its public part."""
        self._private = private
        numbers = private.public_key().public_numbers()
        material = tuple(one.to_bytes(COORDINATE, "big") for one in (numbers.x, numbers.y))
        self.public = PublicKey("EC", "P-384", material, "ecdsa-p384-sha384")
        self.thumbprint = self.public.thumbprint

    @classmethod
    def new(cls) -> "ArchiveKey":
        """Return a fresh key.

        Raises:
            MissingExtraError: cryptography is not installed.

        """
        with needs("signatures"):
            from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415  an extra
        return cls(ec.generate_private_key(ec.SECP384R1()))

    @classmethod
    def from_pem(cls, content: bytes) -> "ArchiveKey":
        """Return the key of a file (PKCS #8, PEM).

        Args:
            content: The bytes of the file.

        Raises:
            MissingExtraError: cryptography is not installed.
            WrongValueError: It is not such a key. The message does not quote it.

        """
        with needs("signatures"):
            from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415  an extra
        found = read_pem(content)
        if not isinstance(found, ec.EllipticCurvePrivateKey) or found.curve.name != "secp384r1":
            message = (
                "this is not a private key of P-384 without a password in PEM; make one with "
                "'goodbot robot identity new'"
            )
            raise WrongValueError(message)
        return cls(found)

    def to_pem(self) -> bytes:
        """Return the private key as a file has it; keep that secret."""
        return write_pem(self._private)

    def sign(self, content: bytes, digest: Literal["sha256", "sha384"]) -> bytes:
        """Return a signature: r and s, as JOSE and browsers have it, not as DER.

        Args:
            content: What is signed.
            digest: The hash function.

        """
        from cryptography.hazmat.primitives import hashes  # noqa: PLC0415  an extra
        from cryptography.hazmat.primitives.asymmetric import ec, utils  # noqa: PLC0415  as above

        chosen = hashes.SHA256() if digest == "sha256" else hashes.SHA384()
        made = self._private.sign(content, ec.ECDSA(chosen))
        r, s = utils.decode_dss_signature(made)
        return r.to_bytes(COORDINATE, "big") + s.to_bytes(COORDINATE, "big")

    @property
    def spki(self) -> str:
        """The public key as certificates have it (SubjectPublicKeyInfo), in base64."""
        from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415  an extra
            Encoding,
            PublicFormat,
        )

        whole = self._private.public_key().public_bytes(
            Encoding.DER, PublicFormat.SubjectPublicKeyInfo
        )
        return base64.b64encode(whole).decode()

    def __repr__(self) -> str:
        """Return the thumbprint, and nothing else of the key."""
        return f"ArchiveKey({self.thumbprint!r})"

    def __reduce__(self) -> tuple[object, ...]:
        """Raise: a private key is not copied into other files."""
        message = "a signing key cannot be pickled; pass the folder of the identity instead"
        raise WrongTypeError(message)
