"""What the signatures of a request show: who signed it, and whether that can be said.

Scope: `judge_signatures`, read it first. It decides: the keys and the time are passed in.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, Literal, TypeAlias

from goodbot.display import short_repr
from goodbot.http.instants import checked_time, format_time
from goodbot.lazy_dataclass import dataclass
from goodbot.signatures.algorithms import ALGORITHMS, is_key, is_signed_by
from goodbot.signatures.messages import SignedRequest
from goodbot.signatures.profiles import AgentClaim, AgentUrl, claimed_agent
from goodbot.signatures.public_key import PublicKey
from goodbot.signatures.signature_fields import (
    TAG,
    SignatureInput,
    read_signatures,
    signature_inputs,
)

__all__ = [
    "CLOCKS",
    "MOST_SIGNATURES",
    "SIGNATURE_OUTCOMES",
    "SIGNATURE_REASONS",
    "FindKey",
    "SignatureOutcome",
    "SignatureVerdict",
    "judge_signatures",
]

SignatureOutcome: TypeAlias = Literal["verified", "invalid", "unverifiable"]

SIGNATURE_OUTCOMES: dict[SignatureOutcome, str] = {
    "verified": "A key that is at hand made the signature, and it holds.",
    "invalid": "The signature itself fails: as it is written, by its time, by what it "
    "covers or by its key.",
    "unverifiable": "Too little is known to decide, such as the key.",
}
"""The outcomes with their meaning (draft-ietf-webbotauth-httpsig-protocol-01 appendix C.1)."""

SIGNATURE_REASONS: dict[str, tuple[SignatureOutcome, str]] = {
    "signature-valid": ("verified", "the signature is that of the key"),
    "signature-invalid": ("invalid", "the signature is not that of the key"),
    "signature-malformed": ("invalid", "the signature is not written as it must be"),
    "signature-of-another-time": ("invalid", "the signature was not valid at the time"),
    "signature-algorithm": ("invalid", "the algorithm contradicts the key, or is not allowed"),
    "key-of-another-time": ("invalid", "the key was not in use at the time"),
    "agent-not-covered": (
        "unverifiable",
        "the signature does not cover its own Signature-Agent, so no URL is attributed",
    ),
    "agent-malformed": ("unverifiable", "Signature-Agent names no URL of https for the signature"),
    "key-unknown": ("unverifiable", "the key of the signature is not at hand"),
    "log-lacks-signed-fields": ("unverifiable", "the log lacks what the signature covers"),
    "component-unsupported": ("unverifiable", "it covers a component that is not supported"),
    "other-tag": ("unverifiable", "the request is signed for another purpose"),
}
"""The reasons, each with its outcome and its meaning."""

CLOCKS = timedelta(minutes=1)
"""How far clocks may differ."""
MOST_SIGNATURES = 16
"""The most signatures of a request that are judged."""
LATEST = 253_402_300_799
"""The last second of the year 9999."""

FindKey: TypeAlias = Callable[[str | None, str], "tuple[PublicKey, str | None] | None"]
"""From the URL of keys (`None` if the request names none) and the identifier of a key to the key,
and the URL to which a signature by it is attributed; such as `KeySets.find`."""

SITE = {'"@authority"', '"@target-uri"'}
FROM_TARGET = ('"@path"', '"@query', '"@request-target"', '"@target-uri"')


@dataclass(frozen=True, slots=True, repr=False)
class SignatureVerdict:
    """What one signature shows.

    >>> SignatureVerdict("sig1", "key-unknown", "k1").outcome
    'unverifiable'
    """

    label: str
    """Its label."""
    reason: str
    """The reason, a key of `SIGNATURE_REASONS`."""
    keyid: str = ""
    """The identifier of the key that it names."""
    url: str | None = None
    """The URL of keys to which the signature is attributed; `None` if the identity is the key
    alone, or if it does not verify."""
    claimed: tuple[AgentUrl, ...] = ()
    """The URLs at which its keys may be, as it claims: no policy may be attached to them."""
    profile: str | None = None
    """The name of the profile by which its key was found."""
    thumbprint: str | None = None
    """The thumbprint of the key, if it was found."""
    detail: str = ""
    """What is wrong or missing, in words."""

    __repr__ = short_repr

    @property
    def outcome(self) -> SignatureOutcome:
        """The outcome that the reason has."""
        return SIGNATURE_REASONS[self.reason][0]

    def __bool__(self) -> bool:
        """Return whether the signature is verified."""
        return self.outcome == "verified"

    def __str__(self) -> str:
        """Return it as a sentence."""
        detail = f": {self.detail}" if self.detail else ""
        return f"{self.label} is {self.outcome}: {SIGNATURE_REASONS[self.reason][1]}{detail}."

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "label": self.label,
            "outcome": self.outcome,
            "reason": self.reason,
            "keyid": self.keyid,
            "url": self.url,
            "claimed": [one.id for one in self.claimed],
            "profile": self.profile,
            "detail": self.detail,
        }


def judge_signatures(
    request: SignedRequest, time: datetime, find: FindKey, *, clocks: timedelta = CLOCKS
) -> tuple[SignatureVerdict, ...]:
    """Return what each signature of a request shows, in their order.

    Each is judged by itself, by what it covers and by its own key. Those with another tag than
    `web-bot-auth` are not judged.

    Args:
        request: The request, as far as it is known.
        time: When it was sent.
        find: Finds keys, such as `KeySets.find`.
        clocks: How far clocks may differ.

    Raises:
        MissingExtraError: cryptography is not installed.
        WrongValueError: `time` is naive.

    >>> from datetime import datetime, timezone
    >>> from goodbot.signatures import KeySets, SignedRequest
    >>> text = '("@authority");created=0;expires=60;keyid="k";tag="web-bot-auth"'
    >>> fields = {"signature-input": f"a={text}", "signature": "a=:YQ==:"}
    >>> request = SignedRequest(fields, authority="example.com", scheme="https")
    >>> at = datetime(1970, 1, 1, 0, 0, 5, tzinfo=timezone.utc)
    >>> print(*judge_signatures(request, at, KeySets().find))
    a is unverifiable: the key of the signature is not at hand.
    >>> print(*judge_signatures(request, at.replace(year=2026), KeySets().find))
    a is invalid: the signature was not valid at the time: it expired 1970-01-01 00:01:00 UTC.

    Source: RFC 9421 section 3.2; draft-ietf-webbotauth-httpsig-protocol-01 sections 5.2, 5.4 and
    appendix C.1.

    """
    checked_time(time, "time")
    has = [name for name in ("signature-input", "signature") if name in request.fields]
    if len(has) < 2:  # noqa: PLR2004  both
        lacks = "signature" if has == ["signature-input"] else "signature-input"
        reason = "signature-malformed" if request.is_whole else "log-lacks-signed-fields"
        return (SignatureVerdict("", reason, detail=lacks),) if has else ()
    inputs = signature_inputs(request.fields["signature-input"])
    if not inputs:
        return (SignatureVerdict("", "signature-malformed", detail="Signature-Input"),)
    made = read_signatures(request.fields["signature"])
    return tuple(
        judge(request, one, made.get(one.label), time, find, clocks) for one in judged_of(inputs)
    )


def judged_of(inputs: Sequence[SignatureInput]) -> list[SignatureInput]:
    """Return the signatures that are judged, in their order: those for other purposes come last."""
    if len(inputs) <= MOST_SIGNATURES:
        return list(inputs)
    last = sorted(range(len(inputs)), key=lambda one: inputs[one].parameters.get("tag") != TAG)
    return [inputs[one] for one in sorted(last[:MOST_SIGNATURES])]


def judge(
    request: SignedRequest,
    signature: SignatureInput,
    content: bytes | None,
    time: datetime,
    find: FindKey,
    clocks: timedelta,
) -> SignatureVerdict:
    """Return what one signature shows; see `judge_signatures`."""
    label, keyid = signature.label, signature.parameters.get("keyid", "")
    is_well_formed = signature.is_well_formed
    if is_well_formed and signature.parameters.get("tag") != TAG:
        return SignatureVerdict(label, "other-tag", keyid)
    malformed = None if is_well_formed else ("signature-malformed", "Signature-Input")
    fault = malformed or fault_of(signature, content) or time_fault(signature, time, clocks)
    if fault is not None:
        return SignatureVerdict(label, fault[0], keyid, detail=fault[1])
    claim = claimed_agent(request, signature)
    base, lack = base_of(request, signature)
    if lack is not None:
        reason, detail = lack
        return SignatureVerdict(label, reason, keyid, claimed=claim.urls, detail=detail)
    found = find_key(claim, keyid, find)
    without = "agent-not-covered" if claim.is_uncovered else "agent-malformed"
    if found is None:
        reason = without if claim.fault else "key-unknown"
        return SignatureVerdict(label, reason, keyid, claimed=claim.urls, detail=claim.fault)
    key, url, profile = found
    reason = checked_by(key, signature, base, content or b"", time)
    if reason == "signature-valid" and claim.fault:
        return SignatureVerdict(label, without, keyid, detail=claim.fault)
    attributed = url if reason == "signature-valid" else None
    return SignatureVerdict(label, reason, keyid, attributed, claim.urls, profile, key.thumbprint)


def fault_of(signature: SignatureInput, content: bytes | None) -> tuple[str, str] | None:
    """Return what is wrong with how a signature is written; `None` if nothing is."""
    reason = "signature-malformed"
    if content is None:
        return reason, "Signature has no bytes of this label"
    if not SITE.intersection(signature.components):
        return reason, "it covers neither @authority nor @target-uri, so it would hold at any site"
    if not signature.parameters.get("keyid"):
        return reason, "it has no keyid"
    # Secrets that both sides share are forbidden (the draft, section 6.4).
    if str(signature.values.get("alg", "")).startswith("hmac"):
        return "signature-algorithm", "HMAC"
    return None


def time_fault(
    signature: SignatureInput, time: datetime, clocks: timedelta
) -> tuple[str, str] | None:
    """Return why a signature does not hold at a time; `None` if it does."""
    reason = "signature-of-another-time"
    created, expires = signature.values.get("created"), signature.values.get("expires")
    if not isinstance(created, int) or not isinstance(expires, int):
        name = "expires" if isinstance(created, int) else "created"
        return reason, f"it has no time {name}"
    now, slack = time.timestamp(), clocks.total_seconds()
    if expires < created:
        return reason, "it expires before it is made"
    if created - slack > now:
        return reason, f"it is made {stamp(created)}"
    if now >= expires + slack:
        return reason, f"it expired {stamp(expires)}"
    return None


def stamp(seconds: int) -> str:
    """Return a time as text."""
    within = min(max(seconds, 0), LATEST)
    return format_time(datetime.fromtimestamp(within, tz=timezone.utc))


def base_of(
    request: SignedRequest, signature: SignatureInput
) -> tuple[bytes, tuple[str, str] | None]:
    """Return the signature base, and what is missing for it.

    A log may have a path and a query in another way than they were sent, so that a parameter that
    it lacks shows nothing.
    """
    base, faults = signature.base_and_faults(request)
    if not faults:
        return base, None
    lacked = [one for one, fault in faults.items() if fault == "missing"]
    if not request.is_whole:
        lacked += [one for one, fault in faults.items()
                   if fault == "malformed" and one.startswith('"@query-param"')]  # fmt: skip
    wrong = [one for one, fault in faults.items() if fault == "malformed" and one not in lacked]
    if wrong:
        return base, ("signature-malformed", f"the request has no {', '.join(wrong)}")
    if lacked and not request.is_whole:
        return base, ("log-lacks-signed-fields", ", ".join(lacked))
    if lacked:
        return base, ("signature-malformed", f"the request has no {', '.join(lacked)}")
    return base, ("component-unsupported", ", ".join(faults))


def find_key(
    claim: AgentClaim, keyid: str, find: FindKey
) -> tuple[PublicKey, str | None, str | None] | None:
    """Return the key, the URL to which it is attributed, and the profile that led to it."""
    if not claim.urls:
        found = find(None, keyid)
        return None if found is None else (found[0], None, None)
    for one in claim.urls:
        found = find(one.id, keyid)
        if found is not None:
            return found[0], found[1], one.profile
    return None


def checked_by(
    key: PublicKey, signature: SignatureInput, base: bytes, content: bytes, time: datetime
) -> str:
    """Return the reason that a key gives.

    The algorithm that the signature states must be that of the key (RFC 9421 section 3.2 step 6).
    """
    stated = signature.parameters.get("alg")
    algorithm = key.algorithm or stated
    if algorithm is None:
        return "component-unsupported"
    if stated is not None and stated != algorithm:
        return "signature-algorithm"
    if ALGORITHMS.get(algorithm) != (key.kind, key.curve):
        return "signature-algorithm"
    if not is_key(key):
        return "key-unknown"
    if not key.is_of(time):
        return "key-of-another-time"
    return "signature-valid" if is_signed_by(key, algorithm, base, content) else "signature-invalid"
