"""The algorithms of signatures, by the `cryptography` library.

Scope: from a key and bytes to yes or no. Secrets that both sides share are not supported: Web Bot
Auth forbids them. Requires `pip install 'goodbot[signatures]'`.

Source: RFC 9421 section 3.3; draft-ietf-webbotauth-httpsig-protocol-01 (no HMAC).
"""

from functools import lru_cache
from typing import Any

from goodbot.missing import needs
from goodbot.signatures.public_key import PublicKey

__all__ = ["ALGORITHMS", "is_key", "is_signed_by"]

ALGORITHMS = {
    "ed25519": ("OKP", "Ed25519"),
    "ecdsa-p256-sha256": ("EC", "P-256"),
    "ecdsa-p384-sha384": ("EC", "P-384"),
    "rsa-pss-sha512": ("RSA", ""),
    "rsa-v1_5-sha256": ("RSA", ""),
}
"""The algorithms, each with the type and the curve of its keys."""


def is_key(key: PublicKey) -> bool:
    """Return whether the numbers of a key are one, such as a point on its curve.

    Args:
        key: The key.

    Raises:
        MissingExtraError: cryptography is not installed.

    """
    failures()
    return loaded(key) is not None


def is_signed_by(key: PublicKey, algorithm: str, base: bytes, signature: bytes) -> bool:
    """Return whether a key made a signature.

    Args:
        key: The key.
        algorithm: One of `ALGORITHMS` that fits the key.
        base: What was signed.
        signature: The signature.

    Raises:
        MissingExtraError: cryptography is not installed.

    """
    errors = failures()
    public = loaded(key)
    if public is None:
        return False
    try:
        verify(public, algorithm, base, signature)
    except errors:
        return False
    return True


@lru_cache(maxsize=1)
def failures() -> tuple[type[Exception], ...]:
    """Return what cryptography raises for a signature that is not that of a key.

    Raises:
        MissingExtraError: cryptography is not installed.

    """
    with needs("signatures"):
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  an extra
    return (InvalidSignature, ValueError)


def verify(public: Any, algorithm: str, base: bytes, signature: bytes) -> None:  # noqa: ANN401  a key of cryptography
    """Verify, or raise what cryptography raises."""
    if algorithm == "ed25519":
        public.verify(signature, base)
        return
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415  an extra
    from cryptography.hazmat.primitives.asymmetric import ec, padding  # noqa: PLC0415  as above
    from cryptography.hazmat.primitives.asymmetric.utils import (  # noqa: PLC0415  as above
        encode_dss_signature,
    )

    if algorithm == "rsa-pss-sha512":
        pss = padding.PSS(padding.MGF1(hashes.SHA512()), 64)
        public.verify(signature, base, pss, hashes.SHA512())
    elif algorithm == "rsa-v1_5-sha256":
        public.verify(signature, base, padding.PKCS1v15(), hashes.SHA256())
    else:
        size = 32 if algorithm == "ecdsa-p256-sha256" else 48
        if len(signature) != 2 * size:
            message = "r and s have each the size of the curve"
            raise ValueError(message)
        r, s = (int.from_bytes(one, "big") for one in (signature[:size], signature[size:]))
        chosen = hashes.SHA256() if size == 32 else hashes.SHA384()  # noqa: PLR2004  P-256
        public.verify(encode_dss_signature(r, s), base, ec.ECDSA(chosen))


@lru_cache(maxsize=1024)
def loaded(key: PublicKey) -> Any:  # noqa: ANN401  a key of cryptography
    """Return a key as cryptography has it; `None` if its numbers are no key."""
    from cryptography.hazmat.primitives.asymmetric import (  # noqa: PLC0415  an extra
        ec,
        ed25519,
        rsa,
    )

    numbers = [int.from_bytes(one, "big") for one in key.material]
    try:
        if key.kind == "OKP":
            return ed25519.Ed25519PublicKey.from_public_bytes(key.material[0])
        if key.kind == "EC":
            curve = ec.SECP256R1() if key.curve == "P-256" else ec.SECP384R1()
            return ec.EllipticCurvePublicNumbers(numbers[0], numbers[1], curve).public_key()
        return rsa.RSAPublicNumbers(numbers[1], numbers[0]).public_key()
    except ValueError:
        return None
