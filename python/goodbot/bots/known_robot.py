"""What is known of a robot: one record each, and where every fact comes from.

Scope: the records and their words. The table is in known-robots/, in files by operator or purpose.
"""

from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any, Literal, TypeAlias

from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass

__all__ = ["PURPOSES", "AddressList", "FactSource", "KnownRobot", "ListForm"]

PURPOSES = {
    "search": "Builds the index of a search engine.",
    "ai-training": "Collects content with which models are trained.",
    "ai-search": "Finds content that a model answers with: search, grounding, assistants.",
    "user-triggered": "Fetches a page because a person asked for it.",
    "archive": "Keeps copies for an archive.",
    "seo": "Analyses sites, links or mentions for search engine optimisation and marketing.",
    "preview": "Shows a preview of a link that was shared.",
    "ads": "Checks or places advertisements.",
    "monitoring": "Checks whether a site can be reached, works or is safe.",
    "research": "Collects data for research.",
    "feed": "Reads feeds.",
    "service": "Serves what the owner of a site has set up: webhooks, notifications, scanners.",
}
"""The purposes of robots, each with its meaning."""

ListForm: TypeAlias = Literal["json", "text", "geofeed"]

GOOGLES_FORM = "prefixes.*.ipv4Prefix|ipv6Prefix"
"""Where most lists have their prefixes: the form that Google introduced."""


@dataclass(frozen=True, slots=True, repr=False)
class FactSource:
    """A page or a list that states a fact, and when it was read."""

    title: str
    """The title of the page or list."""
    url: str
    """Its address."""
    read: str
    """The day on which it was read, such as `2026-11-22`."""
    as_of: str | None = None
    """The day as of which a public list stands."""
    copy: str | None = None
    """The address at which its text was read, if that was not the page itself."""

    __repr__ = short_repr

    def __str__(self) -> str:
        """Return the title, the address and the day."""
        as_of = f" of {self.as_of}" if self.as_of else ""
        return f"{self.title}{as_of} ({self.url}, read {self.read})"

    def as_dict(self) -> dict[str, str | None]:
        """Return plain values, for JSON."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


@dataclass(frozen=True, slots=True, repr=False)
class AddressList:
    """A list in which an operator publishes the addresses of its robots."""

    url: str
    """The address of the list."""
    form: ListForm = "json"
    """How it is written: `json`, `text` (a prefix a line) or `geofeed` (RFC 8805)."""
    path: str = GOOGLES_FORM
    """Where JSON has the prefixes: names separated by `.`, `*` for each value, `a|b` for several
    names, `[name=value]` for values that have another one beside them."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, str]:
        """Return plain values, for JSON."""
        path = {"path": self.path} if self.form == "json" else {}
        return {"url": self.url, "form": self.form, **path}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class KnownRobot:
    """What is known of one robot. `None` and an empty tuple mean that it is not known.

    >>> from goodbot import bots
    >>> bots.get("Googlebot-News").tokens
    ('Googlebot-News', 'Googlebot')
    >>> bots.get("AdsBot-Google").ignores_star
    True
    >>> bots.get("Googlebot").source("tokens").title
    'Google: common crawlers'
    """

    name: str
    """The name, as its operator writes it."""
    operator: str | None = None
    """Who runs it."""
    purposes: tuple[str, ...] = ()
    """The purposes, words of `PURPOSES`."""
    tokens: tuple[str, ...] = ()
    """The product tokens that it looks for in robots.txt, in the order in which it tries them."""
    fetches: bool = True
    """Whether requests come under this name. If not, the operator's other robots obey its group."""
    obeys: bool | None = None
    """Whether it is said to obey robots.txt; `source("obeys")` names who says so."""
    ignores_star: bool | None = None
    """Whether it ignores the group for `*`."""
    dialect: str | None = None
    """The name of the dialect in which it reads robots.txt."""
    reads: tuple[str, ...] = ()
    """Fields beside the rules that it is known to heed, such as Crawl-delay."""
    ignores: tuple[str, ...] = ()
    """Fields that it is known to ignore."""
    user_agents: tuple[str, ...] = ()
    """Texts by which its User-Agent is recognised, in any case of letters."""
    addresses: tuple[AddressList, ...] = ()
    """The lists of its addresses."""
    prefixes: tuple[str, ...] = ()
    """Addresses and prefixes that are stated once and for all, if there is no list."""
    hosts: tuple[str, ...] = ()
    """Masks of the host names of its addresses: `*` is any text, `***` a part of the address."""
    keys: str | None = None
    """The address of the directory of keys with which it signs its requests."""
    sources: Mapping[str, FactSource] = field(hash=False)
    """The source of each fact that is known, by the name of the field."""

    __repr__ = short_repr

    def source(self, fact: str) -> FactSource | None:
        """Return where a fact comes from; `None` if the fact is not known.

        Args:
            fact: The name of a field of this class, such as `tokens`.

        """
        return self.sources.get(fact)

    @property
    def is_verifiable(self) -> bool:
        """Whether there is a way to verify a request: addresses, host names or keys."""
        return bool(self.addresses or self.prefixes or self.hosts or self.keys)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        values = {key: list(one) if isinstance(one, tuple) else one for key, one in values.items()}
        return values | {
            "addresses": [one.as_dict() for one in self.addresses],
            "sources": {fact: source.as_dict() for fact, source in self.sources.items()},
        }
