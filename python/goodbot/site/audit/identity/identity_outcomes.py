"""The outcomes of asking who sent a request, the reasons for them, and the tests.

Scope: tables.
"""

from typing import Literal, TypeAlias

from goodbot.signatures import SIGNATURE_REASONS

__all__ = ["IDENTITY_OUTCOMES", "IDENTITY_REASONS", "IDENTITY_TESTS", "IdentityOutcome"]

IdentityOutcome: TypeAlias = Literal["verified", "spoofed", "invalid", "unverifiable"]

IDENTITY_OUTCOMES: dict[IdentityOutcome, str] = {
    "verified": "The request came from the operator of the robot that it names.",
    "spoofed": "The request came from someone else; the operator is not responsible for it.",
    "invalid": "The request is signed, and the signature itself fails: as it is "
    "written, by its time, by what it covers or by its key.",
    "unverifiable": "Nothing that holds for the time of the request says who sent it.",
}
"""The outcomes with their meaning."""

IDENTITY_TESTS = {
    "signature": "The request is signed with a key of the operator (RFC 9421, Web Bot Auth).",
    "list": "The address is in the list that the operator publishes.",
    "reverse-dns": "The address has a name of the operator, and that name has the address.",
}
"""The tests with what each shows; they are preferred in this order."""

SIGNATURE_FAULTS: dict[str, tuple[IdentityOutcome, str]] = {
    name: found
    for name, found in sorted(SIGNATURE_REASONS.items(), key=lambda one: one[1][0])
    if name not in {"signature-valid", "signature-invalid"}
}
"""The reasons for which a signature shows neither the operator nor someone else."""

IDENTITY_REASONS: dict[str, tuple[IdentityOutcome, str]] = {
    "listed": ("verified", "a list that held at the time has the address"),
    "stated-prefix": ("verified", "the operator states the address once and for all"),
    "name-confirmed": ("verified", "the name of the address is the operator's and leads back"),
    "signature-valid": ("verified", "the signature is the operator's"),
    "not-listed": ("spoofed", "no list of the operator had the address at the time"),
    "no-name": ("spoofed", "the address has no name, and the operator's addresses have one"),
    "other-name": ("spoofed", "the name of the address is not the operator's"),
    "name-not-confirmed": ("spoofed", "the name is the operator's but has other addresses"),
    "signature-invalid": ("spoofed", "the signature is not that of the operator's key"),
    **SIGNATURE_FAULTS,
    "unknown-robot": ("unverifiable", "no known robot has this name"),
    "no-test-known": ("unverifiable", "the operator is not known to offer a test"),
    "not-an-address": ("unverifiable", "the log has no address that can be read"),
    "address-shortened": ("unverifiable", "the log has shortened addresses"),
    "address-internal": ("unverifiable", "the address is of a private network, as of a proxy"),
    "no-list": ("unverifiable", "no copy of the operator's list is at hand"),
    "list-of-another-time": ("unverifiable", "the list is of another time than the request"),
    "list-incomplete": ("unverifiable", "a part of the list cannot be used"),
    "not-in-stated-prefixes": ("unverifiable", "stated prefixes have no dates, so others may be"),
    "no-dns-answer": ("unverifiable", "the name of the address was not looked up"),
    "dns-of-another-time": ("unverifiable", "the name was looked up at another time"),
    "dns-failed": ("unverifiable", "DNS gave no answer"),
    "signature-replayed": (
        "unverifiable",
        "the same signature came from several addresses: a copy of it shows nothing",
    ),
    "signed-by-another": (
        "unverifiable",
        "the signature holds, and nothing says that its key is of the robot",
    ),
}
"""The reasons, each with its outcome and its meaning. Of tests that do not agree, one that verifies
prevails, then one that shows a spoofed name."""
