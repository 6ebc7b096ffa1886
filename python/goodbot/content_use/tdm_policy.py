r"""TDM policies: what a `tdm-policy` URL leads to, if it is machine-readable.

Scope: from the bytes of an offer in ODRL (JSON-LD) to its permissions. The context is not resolved:
the names that the report prescribes are read, as they are written or with the prefix of their
vocabulary, and other ones are ignored. What is malformed is a finding, and never raises. A policy
says where a licence is available; it never lifts the reservation that names it.

>>> offer = '{"@type": "Offer", "profile": "http://www.w3.org/ns/tdmrep", "uid": "https://a.example/p",'
>>> offer += '"permission": [{"action": "tdm:mine", "duty": [{"action": "obtainConsent"}]}]}'
>>> read_tdm_policy(offer).conditions
('consent must be obtained',)

Source: TDM Reservation Protocol, W3C Community Group Final Report, 10 May 2024, section "Expressing
a TDM Policy", in its source of 29 November 2026; ODRL Information Model 2.2.
"""

import json
from collections.abc import Iterator
from typing import Any

from goodbot._core import Finding
from goodbot.content_use.file_octets import file_octets
from goodbot.content_use.finding_codes import MOST_FINDINGS, finding
from goodbot.content_use.tdmrep import small_integer
from goodbot.display import short_repr
from goodbot.http.fields import is_unicode
from goodbot.http.quoting import shortened
from goodbot.lazy_dataclass import dataclass

__all__ = ["TdmPermission", "TdmPolicy", "read_tdm_policy"]

MOST_POLICY_BYTES = 256 * 1024
"""The most bytes of a policy that are read."""
MOST_PERMISSIONS = 100
"""The most of its permissions that are read."""
PROFILE = "http://www.w3.org/ns/tdmrep"
MINE = frozenset({"tdm:mine", f"{PROFILE}#mine"})
"""The action of TDMRep, and how JSON-LD may write it."""
DUTIES = {
    "obtainConsent": "consent must be obtained",
    "compensate": "mining must be paid for",
}
"""The duties that the report defines, in words."""
PURPOSES = {
    "research": "for research only",
    "non-research": "for other purposes than research only",
}
"""The purposes that the report defines, which it marks as experimental."""
PREFIXES = ("odrl:", "http://www.w3.org/ns/odrl/2/", "tdm:", f"{PROFILE}#")


@dataclass(frozen=True, slots=True, repr=False)
class TdmPermission:
    """One permission of a policy: mining, on conditions."""

    conditions: tuple[str, ...]
    """The conditions, in words; empty if there are none."""
    target: str | None
    """The collection that it is about; `None` for whatever names the policy."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class TdmPolicy:
    """A policy, as far as it is machine-readable."""

    uid: str | None = None
    """Its identifier."""
    assigner: str | None = None
    """The name of the holder of the rights, or else its acronym or identifier."""
    contact: str | None = None
    """Where a licence can be asked for: a page, or else a `mailto:` or a `tel:` URL."""
    permissions: tuple[TdmPermission, ...] = ()
    """What it permits."""
    fault: str | None = None
    """Why it is not read; `None` if it is."""
    findings: tuple[Finding, ...] = ()
    """What is odd about it."""

    __repr__ = short_repr

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions of all its permissions, each once."""
        return tuple(dict.fromkeys(one for each in self.permissions for one in each.conditions))


def read_tdm_policy(content: bytes | str) -> TdmPolicy:
    """Parse a TDM policy.

    Args:
        content: The document, JSON or JSON-LD; a page for people is no machine-readable policy.

    """
    encoded = file_octets(content)
    if len(encoded) > MOST_POLICY_BYTES:
        return unreadable(f"it has more than {MOST_POLICY_BYTES:,} bytes")
    try:
        offer = json.loads(encoded, parse_int=small_integer, parse_constant=lambda _name: None)
    except (ValueError, RecursionError):
        return unreadable("it is not JSON")
    if not isinstance(offer, dict):
        return unreadable("it is not one JSON object")
    kind, profile = term(offer.get("@type", offer.get("type"))), offer.get("profile")
    if kind != "Offer" or text_of(profile) != PROFILE:
        return unreadable(f"it is not an Offer with the profile {PROFILE}")
    found: list[Finding] = []
    if "prohibition" in offer or "obligation" in offer:
        message = "the policy has a prohibition or an obligation, which TDMRep does not define"
        found.append(finding("tdm-policy-unknown-term", message))
    permissions = tuple(permissions_of(offer.get("permission"), found))
    assigner = offer.get("assigner")
    party = assigner if isinstance(assigner, dict) else {"uid": assigner}
    return TdmPolicy(
        uid=text_of(offer.get("uid")),
        assigner=first_text(party, "vcard:fn", "vcard:nickname", "uid"),
        contact=first_text(party, "vcard:hasURL", "vcard:hasEmail", "vcard:hasTelephone"),
        permissions=permissions,
        findings=tuple(found[:MOST_FINDINGS]),
    )


def unreadable(why: str) -> TdmPolicy:
    """Return a policy that is not read, with the reason."""
    message = f"the TDM policy is not machine-readable: {why}; the reservation stands"
    return TdmPolicy(fault=why, findings=(finding("tdm-policy-unreadable", message),))


def permissions_of(permission: object, findings: list[Finding]) -> Iterator[TdmPermission]:
    """Yield the permissions to mine."""
    rows = permission if isinstance(permission, list) else [permission]
    for row in rows[:MOST_PERMISSIONS]:
        if not isinstance(row, dict) or text_of(row.get("action")) not in MINE:
            message = "a permission of the policy is not about tdm:mine and is ignored"
            findings.append(finding("tdm-policy-unknown-term", message))
            continue
        conditions = [*duties_of(row, findings), *constraints_of(row, findings)]
        yield TdmPermission(tuple(dict.fromkeys(conditions)), text_of(row.get("target")))


def duties_of(row: dict[str, Any], findings: list[Finding]) -> Iterator[str]:
    """Yield the duties of a permission in words; one that is not defined is a condition, too."""
    for one in listed(row.get("duty")):
        name = term(one.get("action") if isinstance(one, dict) else one)
        if name not in DUTIES:
            message = f"the duty {shortened(name, 40)!r} of the policy is not one of TDMRep's"
            findings.append(finding("tdm-policy-unknown-term", message))
        yield DUTIES.get(name, f"a duty that is not known: {shortened(name, 40)}")


def constraints_of(row: dict[str, Any], findings: list[Finding]) -> Iterator[str]:
    """Yield the constraints of a permission in words; one that is not defined is a condition."""
    for one in listed(row.get("constraint")):
        parts = one if isinstance(one, dict) else {}
        left, operator = term(parts.get("leftOperand")), term(parts.get("operator"))
        right = parts.get("rightOperand")
        value = term(right.get("@id") if isinstance(right, dict) else right)
        if (left, operator) == ("purpose", "eq") and value in PURPOSES:
            yield PURPOSES[value]
            continue
        shown = shortened(f"{left} {operator} {value}", 60)
        message = f"the constraint {shown!r} of the policy is not one of TDMRep's"
        findings.append(finding("tdm-policy-unknown-term", message))
        yield f"a constraint that is not known: {shown}"


def listed(value: object) -> list[Any]:
    """Return a value of JSON-LD as a list, of a bounded length."""
    if value is None:
        return []
    return value[:MOST_PERMISSIONS] if isinstance(value, list) else [value]


def first_text(party: dict[str, Any], *names: str) -> str | None:
    """Return the first of some properties that has a text; `None` if none has."""
    return next((found for name in names if (found := text_of(party.get(name)))), None)


def text_of(value: object) -> str | None:
    """Return a text that is not empty, or the identifier of an object; `None` for all else."""
    if isinstance(value, dict):
        value = value.get("@id")
    return shortened(value.strip()) if is_unicode(value) and value.strip() else None


def term(value: object) -> str:
    """Return a term without the prefix of its vocabulary.

    >>> term("odrl:Offer"), term("http://www.w3.org/ns/tdmrep#research"), term(None)
    ('Offer', 'research', '')
    """
    text = text_of(value) or ""
    return next((text.removeprefix(one) for one in PREFIXES if text.startswith(one)), text)
