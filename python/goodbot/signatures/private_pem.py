"""Private keys in files: PKCS #8 in PEM, without a password.

Scope: the form. Which kind of key is wanted, its class knows.
"""

from typing import TYPE_CHECKING

from goodbot.missing import needs

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes


def read_pem(content: bytes) -> "PrivateKeyTypes | None":
    """Return the private key of a file; `None` if there is none that can be read.

    Raises:
        MissingExtraError: cryptography is not installed.

    """
    with needs("signatures"):
        from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  an extra
        from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415  as above
            load_pem_private_key,
        )
    try:
        return load_pem_private_key(content, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None


def write_pem(private: "PrivateKeyTypes") -> bytes:
    """Return a private key as a file has it."""
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415  an extra
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    return private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
