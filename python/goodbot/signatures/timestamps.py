"""Time stamps: an authority states that it saw some bytes at a time.

Scope: the request and what the response is worth, by asn1crypto; `ask` sends it. Whether an
authority is trusted is for those who verify.

Source: RFC 3161.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from goodbot.display import short_repr
from goodbot.errors import WrongValueError
from goodbot.missing import needs

__all__ = ["Timestamp", "request_timestamp"]

NONCE_BITS = 64
GRANTED = {"granted", "granted_with_mods"}
TRIED = "try again, or name another authority"


class Timestamp(NamedTuple):
    """A time stamp.

    >>> from datetime import datetime, timezone
    >>> Timestamp(b"", datetime(2026, 11, 1, tzinfo=timezone.utc), ()).at.year
    2026
    """

    response: bytes
    """The response of the authority (TimeStampResp, DER)."""
    at: datetime
    """When the authority saw the bytes."""
    certificates: tuple[str, ...]
    """The certificates in it as PEM, that of the authority first, each followed by its issuer."""

    def __repr__(self) -> str:
        """Return it as code, short."""
        return short_repr(self)


def request_timestamp(content: bytes, ask: Callable[[bytes], bytes]) -> Timestamp:
    """Return the time stamp of some bytes.

    The response must be granted, for these bytes and for this request. Its signature is checked by
    those who know whom to trust, such as by `openssl ts -verify`.

    Args:
        content: The bytes; only their SHA-256 is sent.
        ask: Sends a request (TimeStampReq, DER), and returns the response.

    Raises:
        MissingExtraError: asn1crypto is not installed.
        WrongValueError: The response is none, or not for these bytes.

    Source: RFC 3161 sections 2.2 and 2.4.

    """
    with needs("timestamps"):
        from asn1crypto import tsp  # noqa: PLC0415  an extra
    imprint = {"hash_algorithm": {"algorithm": "sha256"}, "hashed_message": sha256(content)}
    nonce = secrets.randbits(NONCE_BITS)
    asked = {"version": "v1", "message_imprint": imprint, "nonce": nonce, "cert_req": True}
    received = ask(tsp.TimeStampReq(asked).dump())
    try:
        response = tsp.TimeStampResp.load(received, strict=True)
        status = response["status"]
        if status["status"].native not in GRANTED:
            words = ", ".join(status["status_string"].native or ["without a reason"])
            message = f"the authority refused a time stamp ({words}); {TRIED}"
            raise WrongValueError(message)
        signed = response["time_stamp_token"]["content"]
        told = signed["encap_content_info"]["content"].parsed
        found = told["message_imprint"]
        is_ours = (
            told["nonce"].native == nonce
            and found["hash_algorithm"]["algorithm"].native == "sha256"
            and found["hashed_message"].native == sha256(content)
        )
        at = told["gen_time"].native
        certificates = [one.chosen.dump() for one in signed["certificates"]]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        if isinstance(error, WrongValueError):
            raise
        message = f"the answer of the authority is no time stamp; {TRIED}"
        raise WrongValueError(message) from error
    if not is_ours:
        message = f"the time stamp is for another request; {TRIED}"
        raise WrongValueError(message)
    return Timestamp(received, at, chain(certificates))


def sha256(content: bytes) -> bytes:
    """Return the SHA-256 of some bytes."""
    return hashlib.sha256(content).digest()


def chain(certificates: Iterable[bytes]) -> tuple[str, ...]:
    """Return certificates as PEM, each followed by the one that issued it."""
    from cryptography import x509  # noqa: PLC0415  an extra
    from cryptography.hazmat.primitives.serialization import Encoding  # noqa: PLC0415  as above

    left = [x509.load_der_x509_certificate(one) for one in certificates]
    issuers = {one.issuer for one in left if one.issuer != one.subject}
    # That of the authority has issued none of the others.
    ordered = [one for one in left if one.subject not in issuers][:1]
    while ordered and len(ordered) < len(left):
        last = ordered[-1]
        following = [one for one in left if one.subject == last.issuer and one not in ordered]
        if not following:
            break
        ordered.append(following[0])
    return tuple(one.public_bytes(Encoding.PEM).decode() for one in ordered)
