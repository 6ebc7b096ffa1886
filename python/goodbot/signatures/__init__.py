"""Signatures of requests: Web Bot Auth, by which robots prove who they are.

It decides and does not act: no clock, no socket, no disk.

>>> from datetime import datetime, timezone
>>> from goodbot.signatures import KeySets, SignedRequest, judge_signatures
>>> request = SignedRequest.to_url("https://example.com/a")
>>> judge_signatures(request, datetime(2026, 1, 1, tzinfo=timezone.utc), KeySets().find)
()

Source: RFC 9421; draft-ietf-webbotauth-httpsig-protocol-01.
"""

from goodbot.signatures.key_set import KeySet, KeySets
from goodbot.signatures.messages import SignedRequest, SignedResponse
from goodbot.signatures.profiles import PROFILES, WELL_KNOWN, AgentProfile, AgentUrl, key_set_id
from goodbot.signatures.public_key import PublicKey
from goodbot.signatures.signature_fields import SignatureInput, signature_input, signature_inputs
from goodbot.signatures.verifying import (
    SIGNATURE_OUTCOMES,
    SIGNATURE_REASONS,
    SignatureVerdict,
    judge_signatures,
)

__all__ = [
    "PROFILES",
    "SIGNATURE_OUTCOMES",
    "SIGNATURE_REASONS",
    "WELL_KNOWN",
    "AgentProfile",
    "AgentUrl",
    "KeySet",
    "KeySets",
    "PublicKey",
    "SignatureInput",
    "SignatureVerdict",
    "SignedRequest",
    "SignedResponse",
    "judge_signatures",
    "key_set_id",
    "signature_input",
    "signature_inputs",
]
