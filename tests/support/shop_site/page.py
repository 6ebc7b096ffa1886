"""The form of one page of the shop."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

__all__ = [
    "FETCHED",
    "HTML",
    "NOFOLLOW",
    "OTHER_ORIGIN",
    "Link",
    "Outcome",
    "Sends",
    "ShopPage",
    "links_to",
]

HTML = "text/html; charset=utf-8"

Sends = Literal["whole", "chunked", "dropped", "too-short", "too-long"]
"""How the content is sent: with its length or in chunks; not at all, as the connection is closed;
less of it than Content-Length says, or more."""


class Outcome(NamedTuple):
    """What a crawl with default settings makes of a URL."""

    state: str
    """A state of `goodbot.crawl.folder.states.STATES`."""
    reason: str
    """The slug of the reason."""


FETCHED = Outcome("done", "fetched")
NOFOLLOW = Outcome("skipped", "nofollow")
OTHER_ORIGIN = Outcome("skipped", "other-origin")


class Link(NamedTuple):
    """A link in the text of a page. `{site}` and `{other}` stand for the two origins."""

    to: str
    text: str = ""
    """Its text; by default the target."""
    rel: str = ""


@dataclass(frozen=True, kw_only=True)
class ShopPage:
    """One page of the shop, and what it is for."""

    path: str
    """Its path and query; a page of the other site begins with `{other}`."""
    why: str
    """What the page is for."""
    title: str = ""
    """The title; without one the page has no TITLE."""
    description: str = ""
    h1: tuple[str, ...] | None = None
    """The headings; `None` stands for one that is the title."""
    lang: str = "en"
    text: str = ""
    """The text; by default some 80 words of its own."""
    links: tuple[Link, ...] = ()
    """The links in the text; those of the navigation come before them."""
    head: str = ""
    """Further HTML in the head."""
    body: str = ""
    """Further HTML in the body."""
    has_navigation: bool = True
    raw: bytes | None = None
    """The content, instead of HTML made from the fields above."""
    type: str = HTML
    """The Content-Type; empty for none."""
    charset: str = "utf-8"
    """The charset in which the HTML is written, whatever the type says."""
    status: int = 200
    fields: tuple[tuple[str, str], ...] = ()
    """Further header fields. `{site}` and `{other}` stand for the two origins."""
    coding: str = ""
    """The coding that is applied to the content: gzip, deflate, br or zstd."""
    says: str | None = None
    """The value of Content-Encoding; by default the coding that is applied."""
    sends: Sends = "whole"
    seconds: float = 0.0
    """How long the answer takes: by the fake clock, and on loopback if that is asked for."""
    first: tuple[int | Literal["dropped"], ...] = ()
    """The statuses of the first requests (429 with Retry-After), or that they are dropped."""
    outcome: Outcome | None = FETCHED
    """What a crawl makes of it; `None` if it finds no way to it."""


def links_to(*targets: str, rel: str = "") -> tuple[Link, ...]:
    """Return links to some targets, with the targets as texts."""
    return tuple(Link(one, rel=rel) for one in targets)
