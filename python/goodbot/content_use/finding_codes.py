"""Findings on statements of use: one table of codes.

Scope: data, and one constructor.
"""

from goodbot._core import Finding

__all__ = ["FINDING_CODES", "MOST_FINDINGS", "finding"]

MOST_FINDINGS = 100
"""The most findings on one file."""

FINDING_CODES: dict[str, tuple[str, str]] = {
    "tdmrep-unreadable": ("error", "tdmrep.json cannot be read, so it says nothing (TDMRep); correct it."),
    "tdmrep-rule-ignored": ("warning", "A rule of tdmrep.json has no location or no valid tdm-reservation; correct it."),
    "license-unusable": ("error", "A licence is not a valid document of RSL, so the content is unlicensed (RSL 1.0, section 4.3); correct the licence."),
    "license-not-read": ("warning", "A licence is named that was not read, so its terms are unknown; fetch it and pass it on."),
    "license-expired": ("warning", "A licence was fetched longer ago than its max-age, so its terms are unknown (RSL 1.0, section 3.2.1); fetch it again."),
    "license-list-with-commas": ("info", "A list in a licence has commas, as in the draft of RSL 0.9; RSL 1.0 separates by spaces. Write spaces."),
    "license-unknown-word": ("warning", "A licence has a word that RSL 1.0 does not define. The other words stand, the unknown one permits nothing, and where it prohibits something or is a condition, what it may mean is not permitted; correct the word."),
    "license-of-part": ("info", "A licence in the body is about a part of the page (RSL 1.0, section 4.6); for the whole page it counts only where it is stricter."),
    "malformed-reservation": ("warning", "A tdm-reservation is neither 0 nor 1, so it says nothing (TDMRep); correct it."),
    "tdm-policy-unreadable": ("info", "A TDM policy is not machine-readable, so its conditions are unknown and the reservation stands (TDMRep, tdm-policy); read it yourself."),
    "tdm-policy-unknown-term": ("warning", "A TDM policy has a term that TDMRep does not define. A duty or a constraint is shown as it is written; anything else is ignored."),
    "unsettled-label": ("info", "A label is read by a draft whose authors have not agreed on it; another revision may mean something else."),
    "unverified-purpose-token": ("info", "A group of robots.txt names a purpose such as AI training. The draft that defines that was not verified: what it disallows is reserved, and what it allows is no permission."),
    "unknown-purpose-token": ("info", "A group of robots.txt names a purpose that goodbot does not know, so it decides nothing; correct the token, or state the use with Content-Usage, too."),
}  # fmt: skip
"""The severity and the meaning of every code."""


def finding(code: str, message: str, line: int = 0) -> Finding:
    """Return a finding with the severity of its code."""
    return Finding(code, FINDING_CODES[code][0], message, line=line)
