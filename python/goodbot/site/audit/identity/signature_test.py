"""The test by signature: is the request signed with a key of the operator?

Scope: one test. The cryptography is the caller's: a function says whether a key made a signature.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeAlias

from goodbot.bots import KnownRobot
from goodbot.site.audit.identity.sender_identity import IdentityPlace, IdentityTest
from goodbot.site.audit.identity.signed_request import (
    SignatureInput,
    SignedRequest,
    read_signature,
    signature_input,
)

KeyCheck: TypeAlias = Callable[[str, bytes, bytes], bool | None]
"""From the identifier of a key, the signature base and the signature to whether that key of the
operator's directory made it; `None` if the key is not at hand."""

TEST = "signature"
CLOCKS = timedelta(minutes=1)
"""How far clocks may differ."""

REASONS = {True: "signature-valid", False: "signature-invalid", None: "key-unknown"}
"""By whether a key of the operator made the signature; `None` if no key is at hand."""

BOTH = ("signature-input", "signature")


def signature_test(
    robot: KnownRobot | None,
    request: SignedRequest,
    time: datetime,
    check: KeyCheck | None = None,
) -> IdentityTest | None:
    """Return what the signature of a request says; `None` if it is not signed.

    A log seldom has the fields Signature-Input and Signature, and all that they cover. What it
    lacks is named, and shows nothing.

    Args:
        robot: The robot that the request names, if it is known.
        request: The request, as far as the log has it.
        time: When, as the log has it.
        check: Whether a key of the operator made a signature; `None` if no key is at hand.

    Source: RFC 9421 section 3.2; draft-ietf-webbotauth-httpsig-protocol-00.

    """
    has = [name for name in BOTH if name in request.fields]
    if not has:
        return None
    if len(has) < len(BOTH):
        return lacking([name for name in BOTH if name not in has])
    found = signature_input(request.fields["signature-input"])
    signature = None if found is None else read_signature(request.fields["signature"], found.label)
    if found is None or signature is None or not covers_site(found):
        return IdentityTest(TEST, "signature-malformed", IdentityPlace("Signature-Input"))
    base, missing = found.base(request)
    if missing:
        return lacking(list(missing))
    key = found.parameters.get("keyid", "")
    has_keys = robot is not None and robot.keys is not None and key and check is not None
    is_valid = check(key, base, signature) if check is not None and has_keys else None
    reason = REASONS[is_valid] if is_of(found, time) else "signature-of-another-time"
    return IdentityTest(TEST, reason, IdentityPlace("Signature-Input", key))


def read_signed_content(request: SignedRequest) -> tuple[str, bytes] | None:
    """Return the key and the content of a signature; `None` if it cannot be read.

    Requests of the same content were signed once: it has the times and the nonce.

    Args:
        request: The request, as far as the log has it.

    Source: RFC 9421 sections 2.3 (nonce) and 7.2.2 (signature replay).

    """
    found = signature_input(request.fields.get("signature-input", ""))
    if found is None:
        return None
    base, missing = found.base(request)
    return None if missing else (found.parameters.get("keyid", ""), base)


def report_replay(test: IdentityTest) -> IdentityTest:
    """Return what a signature shows that came from several addresses: not who sent which request.

    Args:
        test: What it shows by itself.

    """
    if test.outcome != "verified":
        return test
    return IdentityTest(TEST, "signature-replayed", test.place)


def lacking(names: list[str]) -> IdentityTest:
    """Return that the log lacks what a signature covers."""
    place = IdentityPlace("the log lacks", ", ".join(names))
    return IdentityTest(TEST, "log-lacks-signed-fields", place)


def covers_site(found: SignatureInput) -> bool:
    """Return whether a signature is for one site; it would hold at any other otherwise."""
    return any(component in {'"@authority"', '"@target-uri"'} for component in found.components)


def is_of(found: SignatureInput, time: datetime) -> bool:
    """Return whether a signature holds at a time; without both of its times it does not."""
    try:
        created, expires = (float(found.parameters[name]) for name in ("created", "expires"))
    except (KeyError, ValueError):
        return False
    seconds, least = time.timestamp(), CLOCKS.total_seconds()
    return created - least <= seconds < expires + least
