"""Challenges of firewalls: how a response shows that it is one, and not what was requested.

Scope: one table by vendor, and the row for a response. What a challenge means for robots.txt is in
`goodbot.policy.outcome_tables`, and for a page in `goodbot.http.status`.

A challenge is meant for browsers. It says nothing about the site: neither that it has no robots.txt
nor that a page is gone. Fields that a vendor also adds to other responses are not in the table,
unless a status tells the two apart.
"""

import re

from goodbot.display import short_repr
from goodbot.http.fields import Fields, values_of
from goodbot.lazy_dataclass import dataclass

__all__ = ["CHALLENGES", "CHALLENGE_FIELDS", "Challenge", "challenge_of"]

MOST_EXAMINED = 65_536
"""How many bytes of a content are searched for marks; challenges are shorter than pages."""
SEPARATOR = re.compile(r"[,;\s]+")
REFUSALS = (401, 403, 405, 429)
"""The statuses with which a vendor refuses a request, unless the customer chooses another."""


@dataclass(frozen=True, slots=True, repr=False)
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
        "Cloudflare, Detect a Challenge Page response: "
        "https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response",
        "cf-mitigated",
        ("challenge",),
    ),
    Challenge(
        "AWS WAF",
        "AWS WAF, CAPTCHA and Challenge action behavior (202 and 405): "
        "https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-actions.html",
        "x-amzn-waf-action",
        ("challenge", "captcha"),
    ),
    Challenge(
        "Vercel",
        "seen in mohamedhiba/smartmenu, issue 45 (403), and elevenlabs/ui, issue 80 (429): "
        "https://github.com/mohamedhiba/smartmenu/issues/45",
        "x-vercel-mitigated",
        ("challenge",),
    ),
    Challenge(
        "SiteGround",
        "seen by Vocational Media, SiteGround Anti-Bot CAPTCHA (202): "
        "https://vocationalmedia.com/blog/phantom-noindex-tag-siteground-captcha/",
        "sg-captcha",
        ("challenge",),
    ),
    Challenge(
        "DataDome",
        "seen in lemma-work/lemma-platform, pull request 751 (403; other statuses of a refusal are"
        " goodbot's choice): "
        "https://github.com/lemma-work/lemma-platform/pull/751",
        "x-datadome-cid",
        statuses=REFUSALS,
    ),
    Challenge(
        "DataDome",
        "seen in lemma-work/lemma-platform, pull request 751 (403; other statuses of a refusal are"
        " goodbot's choice): "
        "https://github.com/lemma-work/lemma-platform/pull/751",
        "x-dd-b",
        statuses=REFUSALS,
    ),
    Challenge(
        "DataDome",
        "seen in lemma-work/lemma-platform, pull request 751: nytimes.com has it with 200 too, so"
        " that only a refusal counts: "
        "https://github.com/lemma-work/lemma-platform/pull/751",
        "x-datadome",
        statuses=REFUSALS,
    ),
    Challenge(
        "DataDome",
        "a captured page, microlinkhq/is-antibot, providers/datadome/failed.json (200): "
        "https://github.com/microlinkhq/is-antibot/blob/master/providers/datadome/failed.json",
        mark=b"captcha-delivery.com/",
    ),
    Challenge(
        "Sucuri",
        "a captured response, Ekultek/WhatWaf, issue 1161 (403): "
        "https://github.com/Ekultek/WhatWaf/issues/1161",
        "x-sucuri-block",
    ),
    Challenge(
        "Kasada",
        "seen by Averyy/wafer, docs/kasada.md, Challenge Flow (429; 403 is goodbot's choice): "
        "https://github.com/Averyy/wafer/blob/main/docs/kasada.md",
        "x-kpsdk-ct",
        statuses=(403, 429),
    ),
    Challenge(
        "Anubis",
        "a captured page, microlinkhq/is-antibot, providers/anubis/failed.json (401); by default"
        " with 200, as in TecharoHQ/anubis, issue 473: "
        "https://github.com/microlinkhq/is-antibot/blob/master/providers/anubis/failed.json",
        mark=b"anubis_challenge",
    ),
    Challenge(
        "Fastly",
        "a captured page of nature.com, groktopus/groktocrawl, issue 586; with 200, as in"
        " pypi/warehouse, issue 17285: "
        "https://github.com/groktopus/groktocrawl/issues/586",
        mark=b"/_fs-ch-",
    ),
    Challenge(
        "Akamai",
        "a captured page of edmunds.com, germondai/trawl, pull request 33 (200): "
        "https://github.com/germondai/trawl/pull/33",
        mark=b"sec-if-cpt-container",
    ),
    Challenge(
        "Imperva",
        "a captured page, microlinkhq/is-antibot, providers/imperva/failed.json (200): "
        "https://github.com/microlinkhq/is-antibot/blob/master/providers/imperva/failed.json",
        mark=b"_Incapsula_Resource",
    ),
    Challenge(
        "HUMAN (PerimeterX)",
        "PerimeterX, perimeterx-python-wsgi, templates/block_template.mustache: "
        "https://github.com/PerimeterX/perimeterx-python-wsgi/blob/221c736e54b068cec6c6cfb30eba0c8fd88ee8ec/perimeterx/templates/block_template.mustache",
        mark=b"px-captcha",
    ),
    Challenge(
        "DDoS-Guard",
        "a captured page of apteka.ru, Ekultek/WhatWaf, issue 1005 (403): "
        "https://github.com/Ekultek/WhatWaf/issues/1005",
        mark=b"<title>DDOS-GUARD</title>",
    ),
    Challenge(
        "DDoS-Guard",
        "the title by which FlareSolverr knows it since pull request 559: "
        "https://github.com/FlareSolverr/FlareSolverr/pull/559",
        mark=b"<title>DDoS-Guard</title>",
    ),
    Challenge(
        "BlazingFast",
        "a captured page, rebasedkon/octo-updater, issue 7: "
        "https://github.com/rebasedkon/octo-updater/issues/7",
        mark=b"Verifying your browser, please wait...<br>DDoS Protection by",
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
    if not html and CHALLENGE_FIELDS.isdisjoint([name for name, _ in fields]):
        return None  # so for nearly every response, which is asked several times
    for one in CHALLENGES:
        shown = one.shows_in(status, fields, html)
        if shown is not None:
            return one, shown
    return None
