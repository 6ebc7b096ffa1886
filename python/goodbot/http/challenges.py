"""Challenges of firewalls: how a response shows that it is one, and not what was requested.

Scope: one table by vendor, and the row for a response. What a challenge means for robots.txt is in
`goodbot.policy.outcome_tables`, and for a page in `goodbot.http.status`.

A challenge is meant for browsers. It says nothing about the site: neither that it has no robots.txt
nor that a page is gone. Fields that a vendor also adds to other responses are not in the table,
unless a status tells the two apart.
"""

import re
from dataclasses import dataclass

from goodbot.display import short_repr
from goodbot.http.fields import Fields, values_of

__all__ = ["CHALLENGES", "CHALLENGE_FIELDS", "Challenge", "challenge_of"]

MOST_EXAMINED = 65_536
"""How many bytes of a content are searched for marks; challenges are shorter than pages."""
SEPARATOR = re.compile(r"[,;\s]+")
REFUSALS = (401, 403, 405, 429)
"""The statuses with which a vendor refuses a request, unless the customer chooses another."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """How the challenge of one vendor shows."""

    vendor: str
    """The vendor or product."""
    source: str
    """The document that states it, or where it was seen."""
    field: str = ""
    """The header field, in lower case; empty if the content shows it."""
    values: tuple[str, ...] = ()
    """The words of which the field must have one; empty if any value counts."""
    statuses: tuple[int, ...] = ()
    """The statuses with which it counts; empty if any does."""
    mark: bytes = b""
    """What the content contains, if it is HTML; empty if the field shows it."""

    __repr__ = short_repr

    def shows_in(self, status: int, fields: Fields, html: bytes) -> str | None:
        """Return what shows that a response is this challenge; `None` if it is none.

        Args:
            status: Its status.
            fields: Its header fields, names in lower case.
            html: The beginning of its content; empty unless it is HTML.

        """
        if self.statuses and status not in self.statuses:
            return None
        if self.mark:
            return self.mark.decode() if self.mark in html else None
        # A field has one word; if several lines were joined, one of them is enough.
        words = SEPARATOR.split(",".join(values_of(fields, self.field)).lower())
        found = (word for word in words if word and (not self.values or word in self.values))
        return next(found, None)


CHALLENGES: tuple[Challenge, ...] = (
    Challenge(
        "Cloudflare",
        "Cloudflare, Detect a Challenge Page response:"
        "https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response",
        "cf-mitigated",
        ("challenge",),
    ),
    Challenge(
        "AWS WAF",
        "AWS WAF, CAPTCHA and Challenge action behavior (202 and 405):"
        "https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-actions.html",
        "x-amzn-waf-action",
        ("challenge", "captcha"),
    ),
    Challenge(
        "Vercel",
        "vercel-labs/vgpu, pull request 228 (403; others saw 429):"
        "https://github.com/vercel-labs/vgpu/pull/228",
        "x-vercel-mitigated",
        ("challenge",),
    ),
    Challenge(
        "SiteGround",
        "Vocational Media, SiteGround Anti-Bot CAPTCHA (202):"
        "https://vocationalmedia.com/blog/phantom-noindex-tag-siteground-captcha/",
        "sg-captcha",
        ("challenge",),
    ),
    Challenge(
        "DataDome",
        "is-antibot, providers.json:"
        "https://github.com/microlinkhq/is-antibot/blob/master/src/providers.json",
        "x-datadome-cid",
        statuses=REFUSALS,
    ),
    Challenge(
        "DataDome",
        "is-antibot, providers.json:"
        "https://github.com/microlinkhq/is-antibot/blob/master/src/providers.json",
        "x-dd-b",
        statuses=REFUSALS,
    ),
    Challenge(
        "DataDome",
        "is-antibot, pull request 15 (ordinary responses have it too, with other statuses):"
        "https://github.com/microlinkhq/is-antibot/pull/15",
        "x-datadome",
        statuses=REFUSALS,
    ),
    Challenge(
        "Sucuri",
        "WAFW00F, sucuri.py:"
        "https://github.com/EnableSecurity/wafw00f/blob/master/wafw00f/plugins/sucuri.py",
        "x-sucuri-block",
    ),
    Challenge(
        "Kasada",
        "vercel-llm-api, issue 22 (429): https://github.com/ading2210/vercel-llm-api/issues/22",
        "x-kpsdk-ct",
        statuses=(403, 429),
    ),
    Challenge(
        "Anubis",
        "is-antibot, pull request 21; Anubis answers with 200:"
        "https://github.com/TecharoHQ/anubis/issues/473",
        mark=b"anubis_challenge",
    ),
    Challenge(
        "Fastly",
        "Fastly, Using client challenges; as pypi.org sends them:"
        "https://fastly.com/documentation/guides/next-gen-waf/using-ngwaf/rules/using-client-challenges",
        mark=b"/_fs-ch-",
    ),
    Challenge(
        "Akamai",
        "the page of Akamai's crypto challenge, whose cookie is sec_cpt:"
        "https://gist.github.com/justhyped/5c28e785642fccdf13265bf5d09e551a",
        mark=b"sec-if-cpt-container",
    ),
    Challenge(
        "Imperva",
        "Imperva (Incapsula), parameters of its challenge page:"
        "https://docs.capmonster.cloud/docs/captchas/incapsula/",
        mark=b"_Incapsula_Resource",
    ),
    Challenge(
        "HUMAN (PerimeterX)",
        "captchaforge, perimeterx.rs:"
        "https://docs.rs/crate/captchaforge/latest/source/src/solver/vendors/perimeterx.rs",
        mark=b"px-captcha",
    ),
)
"""How the challenges of vendors show, each with its source."""

CHALLENGE_FIELDS = frozenset(one.field for one in CHALLENGES if one.field)
"""The header fields of the table."""


def challenge_of(status: int, fields: Fields, content: bytes = b"") -> tuple[Challenge, str] | None:
    """Return the challenge that a response is, and what shows it; `None` if it is none.

    Args:
        status: Its status.
        fields: Its header fields, names in lower case.
        content: Its content; at most 65,536 bytes of it are examined.

    >>> found = challenge_of(202, (("x-amzn-waf-action", "challenge"),))
    >>> found[0].vendor, found[1]
    ('AWS WAF', 'challenge')
    >>> challenge_of(200, (("x-datadome", "protected"),))

    """
    head = content[:MOST_EXAMINED]
    html = head if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else b""
    for one in CHALLENGES:
        shown = one.shows_in(status, fields, html)
        if shown is not None:
            return one, shown
    return None
