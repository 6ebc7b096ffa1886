"""What one document says about one use, and on which terms.

Scope: values that readers make and `precedence` compares; nothing is decided here.
"""

from datetime import datetime
from typing import Any, Literal, TypeAlias

from goodbot.display import short_repr
from goodbot.http.instants import written
from goodbot.http.quoting import MOST_QUOTED, shortened
from goodbot.lazy_dataclass import dataclass

__all__ = ["SPECIFICATIONS", "STATUSES", "USES", "LicenseTerms", "Use", "UseStatement", "UseStatus"]

Use: TypeAlias = Literal["train", "ground", "search", "archive", "preview"]
UseStatus: TypeAlias = Literal["allowed", "licensed", "reserved", "unknown"]

USES: dict[Use, str] = {
    "train": "train or fine-tune AI models on it",
    "ground": "put it into AI models as input, to answer or to summarise",
    "search": "index it for search and link to it",
    "archive": "keep a copy of it and show it",
    "preview": "quote it in search results",
}
"""Every use, as part of the sentence `you may …`."""

STATUSES: dict[UseStatus, str] = {
    "allowed": "A statement allows the use, and none restricts it.",
    "licensed": "The use needs a licence, whose terms are given as far as they are known.",
    "reserved": "A statement reserves or disallows the use.",
    "unknown": "Nobody mentions the use, or what they say could not be read: no permission.",
}
"""Every answer on a use, and its meaning."""

SPECIFICATIONS: dict[str, tuple[str, str, str]] = {
    "content-usage": (
        "Content-Usage",
        "preference",
        "draft-ietf-aipref-vocab and draft-ietf-aipref-attach-05",
    ),
    "content-signal": (
        "Content-Signal",
        "reservation",
        "Content Signals Policy, 24 September 2025",
    ),
    "purpose-token": (
        "purpose token",
        "reservation",
        "draft-kelley-aipref-training-preference-signal-00, of which the abstract was read",
    ),
    "robots-meta": (
        "META robots and X-Robots-Tag",
        "convention",
        "the documents of the page dialect",
    ),
    "tdmrep": ("TDMRep", "reservation", "TDM Reservation Protocol, 10 May 2024"),
    "rsl": ("RSL", "licence", "Really Simple Licensing 1.0, 10 December 2025"),
}
"""Each specification: its short name, the force of its statements, and its document.

A *preference* is a wish whose legal effect its document leaves open (draft-ietf-aipref-vocab,
Applying Preferences). A *reservation* is one of rights under Article 4 of Directive (EU) 2019/790,
as its document says of itself. A *convention* is what operators of robots promise to obey. A
*licence* offers terms."""

UNVERIFIED = frozenset({"purpose-token"})
"""The specifications whose text was out of reach, so that goodbot's reading of them is unverified:
what restricts counts, and nothing that they say is permission."""


@dataclass(frozen=True, slots=True, repr=False)
class LicenseTerms:
    """The terms of a licence, as far as they were read."""

    url: str
    """The URL of the licence, or of the page that contains it."""
    is_read: bool = True
    """Whether the licence was read; otherwise its terms are unknown."""
    payment: str | None = None
    """The type of payment, such as `crawl`, `subscription`, `attribution` or `free`; `None` if no
    payment is mentioned, which means free."""
    amount: str | None = None
    """The amount, as written."""
    currency: str | None = None
    """The currency of the amount, such as `USD`."""
    standard: str | None = None
    """The URI of a shared licence that applies."""
    custom: str | None = None
    """The URL where a licence can be asked for."""
    server: str | None = None
    """The licence server from which a token must be obtained before the content is fetched."""
    conditions: tuple[str, ...] = ()
    """Further conditions, each in words, such as the users or countries that a licence is for."""
    copyright: str | None = None
    """The holder of the rights."""
    terms: str | None = None
    """The URL of terms for people."""

    __repr__ = short_repr

    @property
    def price(self) -> str:
        """The price in words; empty if no amount is stated.

        >>> LicenseTerms("", payment="crawl", amount="0.015", currency="USD").price
        'USD 0.015 per crawl'
        """
        if self.amount is None:
            return ""
        per = {"crawl": " per crawl", "use": " per use", "training": " per training use"}
        return f"{self.currency} {self.amount}{per.get(self.payment or '', '')}"

    @property
    def is_free(self) -> bool:
        """Whether the use needs nothing: no payment, no token, no condition."""
        unpaid = self.payment in {None, "free"} and not (
            self.amount or self.standard or self.custom
        )
        return self.is_read and unpaid and not (self.server or self.conditions)

    def __str__(self) -> str:
        """Return the terms in words."""
        if not self.is_read:
            return f"terms unknown, because {self.url} was not read"
        parts = [
            self.price or (self.payment if self.payment not in {None, "free"} else ""),
            f"{self.payment}"
            if self.price and self.payment in {"purchase", "subscription"}
            else "",
            f"under {self.standard}" if self.standard else "",
            f"ask at {self.custom}" if self.custom else "",
            f"with a token from {self.server}" if self.server else "",
            *self.conditions,
        ]
        return "; ".join(part for part in parts if part) or "free"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "url": self.url,
            "is_read": self.is_read,
            "payment": self.payment,
            "amount": self.amount,
            "currency": self.currency,
            "price": self.price,
            "standard": self.standard,
            "custom": self.custom,
            "server": self.server,
            "conditions": list(self.conditions),
            "copyright": self.copyright,
            "terms": self.terms,
        }


@dataclass(frozen=True, slots=True, repr=False)
class UseStatement:
    """What one place says about one use."""

    use: Use
    """The use."""
    says: UseStatus
    """What it says: `allowed`, `licensed` or `reserved`."""
    specification: str
    """The specification, a key of `goodbot.content_use.SPECIFICATIONS`."""
    place: str
    """The place, such as `robots.txt, line 3` or `header tdm-reservation`."""
    text: str
    """The statement as written, cut to 256 characters."""
    expires: datetime | None = None
    """The time from which the statement must be fetched again; `None` if not known."""
    terms: LicenseTerms | None = None
    """The terms, if there is a licence or a policy that has them."""
    rank: tuple[int, ...] = ()
    """How specific it is, within its specification; see `goodbot.content_use.precedence`."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Cut a long text."""
        if len(self.text) > MOST_QUOTED:
            object.__setattr__(self, "text", shortened(self.text))

    @property
    def force(self) -> str:
        """The force: `preference`, `reservation`, `convention` or `licence`."""
        return SPECIFICATIONS[self.specification][1]

    @property
    def is_verified(self) -> bool:
        """Whether goodbot's reading was held against the specification, or digests of it."""
        return self.specification not in UNVERIFIED

    def __str__(self) -> str:
        """Return place and text, and that a reading is unverified."""
        return f"{self.place}: {self.text}{'' if self.is_verified else ', unverified'}"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "use": self.use,
            "says": self.says,
            "specification": self.specification,
            "force": self.force,
            "is_verified": self.is_verified,
            "place": self.place,
            "text": self.text,
            "expires": written(self.expires),
            "terms": None if self.terms is None else self.terms.as_dict(),
        }
