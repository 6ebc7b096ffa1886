"""The outcomes of asking who sent a request, the reasons for them, and the tests.

Scope: tables.
"""

from typing import Literal, TypeAlias

IdentityOutcome: TypeAlias = Literal["verified", "spoofed", "unverifiable"]

IDENTITY_OUTCOMES: dict[IdentityOutcome, str] = {
    "verified": "The request came from the operator of the robot that it names.",
    "spoofed": "The request came from someone else; the operator is not responsible for it.",
    "unverifiable": "Nothing that holds for the time of the request says who sent it.",
}
"""The outcomes with their meaning."""

IDENTITY_TESTS = {
    "signature": "The request is signed with a key of the operator (RFC 9421, Web Bot Auth).",
    "list": "The address is in the list that the operator publishes.",
    "reverse-dns": "The address has a name of the operator, and that name has the address.",
}
"""The tests with what each shows; they are preferred in this order."""

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
    "log-lacks-signed-fields": ("unverifiable", "the log lacks what the signature covers"),
    "signature-malformed": ("unverifiable", "the signature cannot be read"),
    "signature-of-another-time": ("unverifiable", "the signature was not valid at the time"),
    "signature-replayed": (
        "unverifiable",
        "the same signature came from several addresses: a copy of it shows nothing",
    ),
    "key-unknown": ("unverifiable", "the key of the signature is not at hand"),
}
"""The reasons, each with its outcome and its meaning. Of tests that do not agree, one that verifies
prevails, then one that shows a spoofed name."""
