"""Signing a WACZ file: by a key of one's own, or by the certificate of a domain with a time stamp.

Scope: the object `signedData`, which has the signature of the digest of the list of members. That
list has the digests of all members, so that a changed byte of any of them is found.

Source: WACZ Signing and Verification 0.1.0, https://specs.webrecorder.net/wacz-auth/0.1.0/. It
leaves the form of the signature open. Each is written as the programs that verify it read it: with
a key of one's own, r and s as ReplayWeb.page and ArchiveWeb.page have them (P-384, SHA-256); with a
certificate, DER as authsign and py-wacz have it.
"""

import base64
from collections.abc import Callable
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

import goodbot
from goodbot.display import short_repr
from goodbot.errors import WrongValueError
from goodbot.lazy_dataclass import dataclass
from goodbot.missing import needs
from goodbot.signatures.archive_key import ArchiveKey
from goodbot.signatures.timestamps import request_timestamp

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

__all__ = ["DomainSigner", "KeySigner", "PackageSigner"]

VERSION = "0.1.0"
ASK_FOR_ONE = "name the certificate of your domain with its chain, in PEM, that of the domain first"


class PackageSigner(Protocol):
    """What signs a WACZ file."""

    def sign(self, digest: str, created: str) -> dict[str, str]:
        """Return the object `signedData`.

        Args:
            digest: The digest of the list of members, as `sha256:` with hexadecimal digits.
            created: When the file was made, as the list has it.

        """


def facts_of(digest: str, created: str) -> dict[str, str]:
    """Return what both forms of `signedData` begin with."""
    software = f"goodbot/{goodbot.__version__}"
    return {"hash": digest, "created": created, "software": software, "version": VERSION}


@dataclass(frozen=True, slots=True, repr=False)
class KeySigner:
    """Signs by a key of one's own. Those who verify know it by the key set that is published.

    >>> from goodbot.signatures.archive_key import ArchiveKey
    >>> signed = KeySigner(ArchiveKey.new()).sign("sha256:00", "2026-11-01T00:00:00Z")
    >>> list(signed)
    ['hash', 'created', 'software', 'version', 'signature', 'publicKey']

    Source: WACZ Signing and Verification 0.1.0, Anonymous Signature.
    """

    key: ArchiveKey
    """The key."""

    __repr__ = short_repr

    def sign(self, digest: str, created: str) -> dict[str, str]:
        """Return the object `signedData`; see `PackageSigner`."""
        made = self.key.sign(digest.encode(), "sha256")
        signed = {"signature": base64.b64encode(made).decode(), "publicKey": self.key.spki}
        return {**facts_of(digest, created), **signed}


@dataclass(frozen=True, slots=True, repr=False)
class DomainSigner:
    """Signs by the certificate of a domain, with a time stamp.

    Raises:
        MissingExtraError: cryptography is not installed.
        WrongValueError: The certificates or the key cannot be read, they do not belong together, or
            the key is not one of ECDSA.

    Source: WACZ Signing and Verification 0.1.0, Domain-Ownership Identity + Signed Timestamp.
    """

    certificates: bytes
    """The certificate of the domain and its chain, as PEM, each followed by its issuer."""
    private_key: bytes = field(repr=False)
    """The private key of the certificate, as PEM without a password."""
    ask: Callable[[bytes], bytes] = field(compare=False)
    """Sends a request for a time stamp (RFC 3161), and returns the response."""
    now: datetime
    """The time; the certificate must hold."""
    domain: str = field(init=False)
    """The name in the certificate."""
    _loaded: "EllipticCurvePrivateKey" = field(init=False, repr=False, compare=False)

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check that the certificate holds and is that of the key."""
        found = read_certificates(self.certificates)
        key = read_domain_key(self.private_key)
        first = found[0]
        if first.public_key() != key.public_key():
            message = f"the private key is not that of the first certificate; {ASK_FOR_ONE}"
            raise WrongValueError(message)
        if not first.not_valid_before_utc <= self.now <= first.not_valid_after_utc:
            message = (
                f"the certificate holds from {first.not_valid_before_utc} to "
                f"{first.not_valid_after_utc}; renew it"
            )
            raise WrongValueError(message)
        object.__setattr__(self, "domain", name_in(first))
        object.__setattr__(self, "_loaded", key)

    def sign(self, digest: str, created: str) -> dict[str, str]:
        """Return the object `signedData`; see `PackageSigner`.

        Raises:
            FetchError: The authority does not answer.
            MissingExtraError: asn1crypto is not installed.
            WrongValueError: The answer is no time stamp.

        """
        from cryptography.hazmat.primitives import hashes  # noqa: PLC0415  an extra
        from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415  as above

        made = self._loaded.sign(digest.encode(), ec.ECDSA(hashes.SHA256()))
        signature = base64.b64encode(made).decode()
        # The text is stamped, not its bytes: authsign does so, and the document leaves it open.
        stamp = request_timestamp(signature.encode(), self.ask)
        return {
            **facts_of(digest, created),
            "signature": signature,
            "domain": self.domain,
            "domainCert": self.certificates.decode("ascii"),
            "timeSignature": base64.b64encode(stamp.response).decode(),
            "timestampCert": "".join(stamp.certificates),
        }


def read_certificates(content: bytes) -> "list[x509.Certificate]":
    """Return the certificates of a chain.

    Raises:
        MissingExtraError: cryptography is not installed.
        WrongValueError: There are none.

    """
    with needs("signatures"):
        from cryptography import x509  # noqa: PLC0415  an extra
    try:
        return x509.load_pem_x509_certificates(content)
    except ValueError as error:
        message = f"these are no certificates in PEM; {ASK_FOR_ONE}"
        raise WrongValueError(message) from error


def read_domain_key(content: bytes) -> "EllipticCurvePrivateKey":
    """Return the private key of a certificate. No message quotes it.

    Raises:
        WrongValueError: It is none of ECDSA, or has a password.

    """
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  an extra
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415  as above
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415  as above
        load_pem_private_key,
    )

    found: Any = None
    try:
        found = load_pem_private_key(content, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        found = None
    if not isinstance(found, ec.EllipticCurvePrivateKey):
        message = (
            "this is not a private key of ECDSA without a password in PEM; have a certificate "
            "issued for such a key, which WACZ files are signed with"
        )
        raise WrongValueError(message)
    return found


def name_in(certificate: "x509.Certificate") -> str:
    """Return the domain of a certificate: its common name, or else its first other name.

    Raises:
        WrongValueError: It has none.

    """
    from cryptography import x509  # noqa: PLC0415  an extra

    named = certificate.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
    if named:
        return str(named[0].value)
    try:
        others = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
        names = others.value.get_values_for_type(x509.DNSName)
    except x509.ExtensionNotFound:
        names = []
    if not names:
        message = f"the certificate names no domain; {ASK_FOR_ONE}"
        raise WrongValueError(message)
    return names[0]
