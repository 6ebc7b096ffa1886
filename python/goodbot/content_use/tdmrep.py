r"""`/.well-known/tdmrep.json`: which paths of a site are reserved from text and data mining.

Scope: from the bytes of the file to its rules, and from a URL to the rule that is about it. What is
malformed is a finding, and never raises.

>>> from goodbot.content_use import read_tdmrep
>>> file = read_tdmrep(b'[{"location": "/a/*.jpg", "tdm-reservation": 1}]')
>>> file.rule_for("https://example.com/a/b.jpg").reservation
1

Source: TDM Reservation Protocol, W3C Community Group Final Report, 10 May 2024, section "TDM File
on the Origin Server".
"""

import json
from typing import Any

from goodbot._core import Finding, matching_octets, not_known
from goodbot.content_use.file_octets import file_octets
from goodbot.content_use.finding_codes import MOST_FINDINGS, finding
from goodbot.display import short_repr
from goodbot.http.fields import is_unicode
from goodbot.http.quoting import shortened
from goodbot.lazy_dataclass import dataclass

__all__ = ["MOST_RULES", "MOST_TDMREP_BYTES", "TdmRep", "TdmRule", "read_tdmrep"]

MOST_TDMREP_BYTES = 512 * 1024
"""The most bytes of a tdmrep.json that are read."""
MOST_RULES = 10_000
"""The most of its rules that are read."""
MOST_NAMED = 3
"""The most unknown keys of a rule that a finding names."""
LONGEST_INTEGER = 20
"""The most digits of a number: one of a million digits would take a second to read."""


@dataclass(frozen=True, slots=True, repr=False)
class TdmRule:
    """One rule of a tdmrep.json."""

    number: int
    """The place of its object in the file, from 1."""
    location: str
    """The path pattern."""
    reservation: int | None
    """1 if rights are reserved, 0 if not, `None` if it has no valid value: unset."""
    policy: str | None
    """The URL of the policy."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class TdmRep:
    """The rules of a tdmrep.json."""

    rules: tuple[TdmRule, ...] = ()
    """The rules, in order."""
    findings: tuple[Finding, ...] = ()
    """What is odd about the file."""
    is_whole: bool = True
    """Whether every rule was read. If not, a rule that was not read may reserve what no other rule
    is about."""
    unknown: tuple[Finding, ...] = ()
    """The keys of rules that TDMRep does not define: they say nothing."""
    doubtful_from: int | None = None
    """The place of the first rule that was ignored and may reserve anything; `None` if there is
    none. As the first match decides, no rule after it permits."""

    __repr__ = short_repr

    def reservation_by(self, rule: TdmRule) -> int | None:
        """Return what a rule says of a URL that it is the first to match: 1, 0, or nothing.

        It does not permit behind a rule that was ignored, and that might have been the first.
        """
        is_certain = self.doubtful_from is None or rule.number < self.doubtful_from
        return rule.reservation if rule.reservation or is_certain else None

    def rule_for(self, url: str) -> TdmRule | None:
        """Return the rule about a URL: the first one that matches; `None` if none does.

        "The most specific match is the first in sequence": unlike in robots.txt, the order decides.
        """
        matching = (one for one in self.rules if matching_octets(one.location, url) is not None)
        return next(matching, None)


def read_tdmrep(content: bytes | str) -> TdmRep:
    """Parse a tdmrep.json.

    Args:
        content: The file. An empty one has no rules.

    """
    encoded = file_octets(content)
    if not encoded.strip():
        return TdmRep()
    if len(encoded) > MOST_TDMREP_BYTES:
        message = f"tdmrep.json has more than {MOST_TDMREP_BYTES:,} bytes and was not read"
        return TdmRep(findings=(finding("tdmrep-unreadable", message),), is_whole=False)
    try:
        rows = json.loads(
            encoded,
            parse_int=small_integer,
            parse_constant=lambda _name: None,
            object_pairs_hook=plain_object,
        )
    except (ValueError, RecursionError) as error:
        message = f"tdmrep.json is not JSON ({shortened(str(error), 60)}) and says nothing"
        return TdmRep(findings=(finding("tdmrep-unreadable", message),), is_whole=False)
    if not isinstance(rows, list):
        message = "tdmrep.json must be an array of rules, even for one rule; it says nothing"
        return TdmRep(findings=(finding("tdmrep-unreadable", message),), is_whole=False)
    found: list[Finding] = []
    unknown: list[Finding] = []
    rules = []
    doubtful_from = None
    if len(rows) > MOST_RULES:
        message = f"tdmrep.json has more than {MOST_RULES:,} rules, and the others were not read"
        found.append(finding("tdmrep-unreadable", message))
    for number, row in enumerate(rows[:MOST_RULES], 1):
        rule = rule_of(number, row, found)
        if rule is not None:
            rules.append(rule)
        elif doubtful_from is None and not (isinstance(row, dict) and permits_alone(row)):
            doubtful_from = number
        if isinstance(row, dict):
            report_unknown_keys(number, row, unknown)
    return TdmRep(
        tuple(rules),
        tuple(found[:MOST_FINDINGS]),
        is_whole=len(rows) <= MOST_RULES,
        unknown=tuple(unknown),
        doubtful_from=doubtful_from,
    )


def plain_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; a key that is repeated with another value has no value.

    Which of them counts is not defined (RFC 8259 section 4): of two locations none could match a
    path, and of two reservations the stricter one counts.

    >>> plain_object([("a", 1), ("b", 0), ("b", 1), ("a", 1)])
    {'a': 1, 'b': None}
    >>> plain_object([("tdm-reservation", 1), ("tdm-reservation", 0)])
    {'tdm-reservation': 1}
    """
    found: dict[str, Any] = {}
    for key, value in pairs:
        both = (found.get(key, value), value)
        is_same = type(both[0]) is type(both[1]) and both[0] == both[1]
        reserves = key == "tdm-reservation" and any(type(one) is int and one == 1 for one in both)
        found[key] = value if is_same else 1 if reserves else None
    return found


def permits_alone(row: dict[str, Any]) -> bool:
    """Return whether an object states, without any doubt, that rights are not reserved."""
    return type(row.get("tdm-reservation")) is int and row["tdm-reservation"] == 0


def small_integer(digits: str) -> int | None:
    """Return a number that is not absurdly long."""
    return int(digits) if len(digits) <= LONGEST_INTEGER else None


def rule_of(number: int, row: Any, findings: list[Finding]) -> TdmRule | None:  # noqa: ANN401
    """Return one rule; `None` without a location that a path could match."""
    location = row.get("location") if isinstance(row, dict) else None
    if not is_unicode(location) or not location.startswith(("/", "*")):
        message = f"rule {number} of tdmrep.json has no location that begins with / and is ignored"
        findings.append(finding("tdmrep-rule-ignored", message))
        return None
    value, policy = row.get("tdm-reservation"), row.get("tdm-policy")
    # "Other values are considered protocol errors": also true, though True == 1 in Python.
    valid = type(value) is int and value in {0, 1}
    if not valid:
        message = (
            f"rule {number} of tdmrep.json has a tdm-reservation that is neither 0 nor 1, "
            "so it says nothing"
        )
        findings.append(finding("tdmrep-rule-ignored", message))
    return TdmRule(
        number,
        location,
        value if valid else None,
        policy if is_unicode(policy) and policy.strip() else None,
    )


KEYS = ("location", "tdm-reservation", "tdm-policy")
"""The keys of a rule."""


def report_unknown_keys(number: int, row: dict[str, Any], findings: list[Finding]) -> None:
    """Report the keys of a rule that TDMRep does not define. They say nothing."""
    names = [shortened(str(one), 40) for one in row if one not in KEYS]
    if names and len(findings) < MOST_FINDINGS:
        shown = ", ".join(repr(one) for one in names[:MOST_NAMED])
        more = f" and {len(names) - MOST_NAMED} others" if len(names) > MOST_NAMED else ""
        unknown = not_known(f"{shown}{more} in rule {number} of tdmrep.json")
        findings.append(Finding("unknown-key", "info", f"{unknown}; it says nothing"))
