"""Signed requests, by their earlier names: they are in `goodbot.signatures`."""

from goodbot.signatures.messages import SignedRequest, members
from goodbot.signatures.signature_fields import SignatureInput, read_signature, signature_input

__all__ = ["SignatureInput", "SignedRequest", "members", "read_signature", "signature_input"]
