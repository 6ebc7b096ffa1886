"""Signatures that a log has: what is signed, and what the log lacks."""

import base64
from datetime import datetime, timezone

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key

from goodbot.bots import KnownRobot
from goodbot.site.audit.identity import (
    IdentityEvidence,
    SignedRequest,
    check_signature,
    sender_identity,
)
from goodbot.site.audit.identity.signed_request import members, read_signature, signature_input

NOW = datetime(2026, 1, 3, 12, tzinfo=timezone.utc)
CREATED = int(NOW.timestamp()) - 10
KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))
ROBOT = KnownRobot(name="SignBot", keys="https://sign.example/keys", sources={})
TIMES = f";created={CREATED};expires={CREATED + 60}"
LIST = f'("@authority" "signature-agent"){TIMES};keyid="k;1";tag="web-bot-auth"'
AGENT = '"https://sign.example"'


def signed(text: str = LIST, *, key: Ed25519PrivateKey = KEY) -> SignedRequest:
    """Return a request that is signed as an operator would."""
    fields = {"signature-agent": AGENT, "signature-input": f"sig1={text}"}
    base = f'"@authority": example.com\n"signature-agent": {AGENT}\n"@signature-params": {text}'
    made = base64.b64encode(key.sign(base.encode())).decode()
    return SignedRequest({**fields, "signature": f"sig1=:{made}:"}, authority="example.com")


def check(key: str, base: bytes, signature: bytes) -> bool | None:
    """Check a signature with the one key that is at hand."""
    if key != "k;1":
        return None
    try:
        KEY.public_key().verify(signature, base)
    except InvalidSignature:
        return False
    return True


def reason_of(request: SignedRequest, robot: KnownRobot | None = ROBOT) -> str:
    """Return the reason of the test."""
    found = check_signature(robot, request, NOW, check)
    assert found is not None
    return found.reason


def test_the_signature_base_is_that_of_the_document() -> None:
    """RFC 9421 appendix B.2.6: the signature of its Ed25519 key holds for our base."""
    text = (
        '("date" "@method" "@path" "@authority" "content-type" "content-length")'
        ';created=1618884473;keyid="test-key-ed25519"'
    )
    found = signature_input(f'sig-b26={text};tag="web-bot-auth"')
    assert found is not None
    request = SignedRequest(
        {
            "date": "Tue, 20 Apr 2021 02:07:55 GMT",
            "content-type": "application/json",
            "content-length": "18",
        },
        "POST",
        "example.com",
        "/foo?param=Value&Pet=dog",
        "https",
    )
    base, missing = found.base(request)
    public = load_der_public_key(
        base64.b64decode("MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=")
    )
    assert isinstance(public, Ed25519PublicKey)
    signature = read_signature(
        "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5"
        "WPpBKRCw==:",
        "sig-b26",
    )
    assert signature is not None
    public.verify(signature, base.removesuffix(b';tag="web-bot-auth"'))
    assert missing == ()


def test_a_signature_of_the_operator_verifies() -> None:
    """It prevails over addresses, and any other key shows a spoofed name."""
    assert reason_of(signed()) == "signature-valid"
    other = Ed25519PrivateKey.from_private_bytes(b"\1" * 32)
    assert reason_of(signed(key=other)) == "signature-invalid"
    result = check_signature(ROBOT, signed(), NOW, check)
    found = sender_identity(ROBOT, "198.51.100.7", NOW, IdentityEvidence(), signature=result)
    assert (found.outcome, found.test) == ("verified", "signature")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (LIST.replace("k;1", "k2"), "key-unknown"),
        (LIST.replace(str(CREATED), str(CREATED + 7_000)), "signature-of-another-time"),
        (
            LIST.replace(f"expires={CREATED + 60}", f"expires={CREATED - 60}"),
            "signature-of-another-time",
        ),
        (LIST.replace(TIMES, ""), "signature-of-another-time"),
        (LIST.replace('"@authority"', '"@path"'), "signature-malformed"),
        (LIST.replace("web-bot-auth", "other"), "other-tag"),
        (LIST.replace(")", ""), "signature-malformed"),
        (LIST.replace('" "', '""'), "signature-malformed"),
        (
            LIST.replace('"signature-agent"', '"signature-agent" "user-agent" "@method"'),
            "log-lacks-signed-fields",
        ),
        ("(" * 50_000, "signature-malformed"),
        ('("' * 50_000, "signature-malformed"),
        (";" * 50_000, "signature-malformed"),
        (f'("x"{" " * 8_000}"x){TIMES}', "signature-malformed"),
        (f'("@authority"{" " * 8_000}x){TIMES};tag="web-bot-auth"', "signature-malformed"),
    ],
)
def test_what_is_not_shown_accuses_nobody(text: str, reason: str) -> None:
    """A signature that is odd, old, of an unknown key or over what the log lacks is no test."""
    assert reason_of(signed(text)) == reason


def test_the_log_lacks_what_is_signed() -> None:
    """What is missing is named."""
    request = signed(LIST.replace('"signature-agent"', '"signature-agent" "user-agent"'))
    found = check_signature(ROBOT, request, NOW, check)
    assert found is not None
    assert str(found.place) == 'the log lacks "user-agent"'
    half = SignedRequest({"signature": "sig1=:YQ==:"})
    assert (
        str(getattr(check_signature(ROBOT, half, NOW), "place", ""))
        == "the log lacks signature-input"
    )
    assert check_signature(ROBOT, SignedRequest(), NOW) is None
    assert reason_of(signed(), None) == "key-unknown"


def test_a_member_of_a_dictionary_can_be_signed() -> None:
    """Newer drafts sign one member of Signature-Agent."""
    request = SignedRequest({"signature-agent": 'a="https://x.example", b="https://y.example"'})
    assert request.value('"signature-agent";key="b"') == '"https://y.example"'
    assert request.value('"signature-agent";key="c"') is None
    assert request.value('"signature-agent";sf') == request.fields["signature-agent"]
    assert members('a="' + "\\" * 9_000) == {}
    whole = SignedRequest({}, "GET", "example.com", "/a?b", "https")
    assert whole.value('"@target-uri"') == "https://example.com/a?b"
    assert whole.value('"@query-param";name="b"') == ""
