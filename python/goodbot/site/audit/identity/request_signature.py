"""The test by signature: is the request signed with a key of the operator?

Scope: one test. `goodbot.signatures` judges each signature by itself; here is what that shows of
the robot that the request names.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeAlias

from goodbot.bots import KnownRobot
from goodbot.signatures import KeySets, PublicKey, SignatureVerdict, SignedRequest
from goodbot.signatures import verifying as signatures
from goodbot.signatures.signature_fields import (
    TAG,
    read_signature,
    read_signatures,
    signature_inputs,
)
from goodbot.site.audit.identity.identity_outcomes import IDENTITY_OUTCOMES
from goodbot.site.audit.identity.sender_identity import IdentityPlace, IdentityTest

KeyCheck: TypeAlias = Callable[[str, bytes, bytes], bool | None]
"""From the identifier of a key, the signature base and the signature to whether that key of the
operator made it; `None` if the key is not at hand."""

TEST = "signature"


def check_signature(
    robot: KnownRobot | None,
    request: SignedRequest,
    time: datetime,
    check: KeyCheck | None = None,
    *,
    keys: KeySets | None = None,
) -> IdentityTest | None:
    """Return what the signatures of a request say; `None` if it is not signed.

    A log seldom has the fields Signature-Input and Signature, and all that they cover. What it
    lacks is named, and shows nothing.

    Args:
        robot: The robot that the request names, if it is known.
        request: The request, as far as the log has it.
        time: When, as the log has it.
        check: Whether a key of the operator made a signature, whatever URL the request names.
        keys: The keys of the operator, with the URLs that publish them.

    Source: RFC 9421 section 3.2; draft-ietf-webbotauth-httpsig-protocol-01.

    """
    if keys is not None:
        found = [verdict_test(one) for one in signatures.judge_signatures(request, time, keys.find)]
        return weightiest(found)
    asked = check if robot is not None and robot.keys is not None else None
    verdicts = signatures.judge_signatures(request, time, find_no_key)
    return weightiest([verdict_test(check_key(one, request, asked)) for one in verdicts])


def find_no_key(_url: str | None, _keyid: str) -> tuple[PublicKey, str | None] | None:
    """Find no key."""
    return None


def check_key(
    verdict: SignatureVerdict, request: SignedRequest, check: KeyCheck | None
) -> SignatureVerdict:
    """Return a verdict with what a function says of the key."""
    if check is None or verdict.reason != "key-unknown":
        return verdict
    base, content = read_signed_bytes(request, verdict.label)
    reason = {True: "signature-valid", False: "signature-invalid", None: "key-unknown"}
    is_valid = check(verdict.keyid, base, content)
    return SignatureVerdict(verdict.label, reason[is_valid], verdict.keyid)


def read_signed_bytes(request: SignedRequest, label: str) -> tuple[bytes, bytes]:
    """Return what a signature signs, and its bytes."""
    read = signature_inputs(request.fields["signature-input"]) or ()
    base = next(one.base(request)[0] for one in read if one.label == label)
    return base, read_signature(request.fields["signature"], label) or b""


def verdict_test(verdict: SignatureVerdict) -> IdentityTest:
    """Return what a verdict on a signature shows of who sent the request.

    Args:
        verdict: The verdict.

    """
    if verdict.reason == "log-lacks-signed-fields":
        return report_lack(verdict.detail)
    if verdict.reason == "signature-valid" and verdict.url is not None:
        return IdentityTest(TEST, verdict.reason, IdentityPlace(verdict.url, verdict.keyid))
    entry = verdict.detail or verdict.keyid
    return IdentityTest(TEST, verdict.reason, IdentityPlace("Signature-Input", entry))


def weightiest(tests: Iterable[IdentityTest]) -> IdentityTest | None:
    """Return the result that says most, the first of equal ones; `None` if there is none.

    Args:
        tests: The results of the signatures of one request.

    """
    order = list(IDENTITY_OUTCOMES)
    return min(tests, key=lambda one: order.index(one.outcome), default=None)


def read_signed_contents(request: SignedRequest) -> dict[str, tuple[str, bytes, bytes]]:
    """Return the key, the content and the bytes of each signature by its label, as far as possible.

    Requests for which all of these are the same were signed once: the content has the times and the
    nonce. The bytes tell a copy from what only pretends to be one.

    Args:
        request: The request, as far as the log has it.

    Source: RFC 9421 sections 2.3 (nonce) and 7.2.2 (signature replay).

    """
    found = {}
    read = signature_inputs(request.fields.get("signature-input", "")) or []
    made = read_signatures(request.fields.get("signature", ""))
    for one in read[: signatures.MOST_SIGNATURES]:
        if one.is_well_formed and one.parameters.get("tag") == TAG:
            base, missing = one.base(request)
            if not missing:
                keyid = one.parameters.get("keyid", "")
                found[one.label] = (keyid, base, made.get(one.label, b""))
    return found


def report_replay(test: IdentityTest) -> IdentityTest:
    """Return what a signature shows that came from several addresses: not who sent which request.

    Args:
        test: What it shows by itself.

    """
    if test.outcome != "verified":
        return test
    return IdentityTest(TEST, "signature-replayed", test.place)


def report_lack(names: str) -> IdentityTest:
    """Return that the log lacks what a signature covers."""
    return IdentityTest(TEST, "log-lacks-signed-fields", IdentityPlace("the log lacks", names))
