"""Marks on parts of a document: one table of them all, each with its effect and its source."""

from dataclasses import dataclass
from typing import Literal

from goodbot._core import PART_ACTS

__all__ = ["ANCHOR", "ARCHIVE", "FOLLOW", "INDEX", "MARKS", "PROFILE_URIS", "SNIPPET", "Mark"]

INDEX, FOLLOW, ANCHOR, ARCHIVE, SNIPPET = (
    1 << PART_ACTS.index(act) for act in ("index", "follow", "anchor", "archive", "snippet")
)
"""The acts as bits, in the order of the core."""

PROFILE_URIS = (
    "http://example.org/xmdp/robots-profile#",
    "http://microformats.org/wiki/robots-exclusion#",
)
"""The preliminary URI that the Profile states, and the address that it stands at."""

REL_NOFOLLOW_URIS = (
    "http://microformats.org/wiki/rel-nofollow",
    "http://microformats.org/profile/rel-nofollow",
)
"""Profiles that would give `rel=nofollow` a meaning of its own among the profiles of a page."""

Form = Literal["profile class", "class", "attribute", "element", "comments", "relation"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A row of the table."""

    name: str
    """Its name, by which it is switched on and off."""
    form: Form
    """What kind of thing it is."""
    written: tuple[str, ...]
    """How it is written: the class, attribute, element or relation; what opens and what closes."""
    forbids: int
    """The acts that it forbids, as bits."""
    allows: int
    """The acts that it allows again."""
    meaning: str
    """What it does."""
    source: str
    """The document that has it."""


PROFILE = "Robot Exclusion Profile, draft of 18 June 2005"
GSA = "Google Search Appliance, googleoff and googleon (secondary)"
YANDEX = "Yandex, noindex"


def of_profile(name: str, forbids: int, allows: int, meaning: str) -> Mark:
    """Write a row of the Profile."""
    return Mark(
        f"robots-{name}", "profile class", (f"robots-{name}",), forbids, allows, meaning, PROFILE
    )


MARKS: tuple[Mark, ...] = (
    of_profile("noindex", INDEX, 0, "The content is not part of the page; words around it are no phrase."),
    of_profile("index", 0, INDEX, "The content is part of the page, within an element that is not."),
    of_profile("nofollow", FOLLOW, 0, "Links within are not to be followed."),
    of_profile("follow", 0, FOLLOW, "Links within are to be followed; it outweighs rel=nofollow."),
    of_profile("noanchortext", ANCHOR, 0, "The target is not to be indexed under the text of the link."),
    of_profile("anchortext", 0, ANCHOR, "The target is to be indexed under the text of the link."),
    of_profile("noarchive", ARCHIVE | SNIPPET, 0, "The content is not to be in a copy, nor in a summary."),
    of_profile("archive", 0, ARCHIVE | SNIPPET, "The content is to be in a copy."),
    Mark("data-nosnippet", "attribute", ("data-nosnippet",), SNIPPET, 0, "The text is not to be quoted; any value counts.", "Google, robots meta tag; Bing, 15 October 2025"),
    Mark("googleoff-index", "comments", ("googleoff: index", "googleon: index"), INDEX, 0, "The text is not to be indexed; links within are still followed.", GSA),
    Mark("googleoff-anchor", "comments", ("googleoff: anchor", "googleon: anchor"), ANCHOR, 0, "Targets are not to be described by the texts of links.", GSA),
    Mark("googleoff-snippet", "comments", ("googleoff: snippet", "googleon: snippet"), SNIPPET, 0, "The text is not to be quoted.", GSA),
    Mark("googleoff-all", "comments", ("googleoff: all", "googleon: all"), INDEX | ANCHOR | SNIPPET, 0, "All three.", GSA),
    Mark("noindex-element", "element", ("noindex", "/noindex"), INDEX | SNIPPET, 0, "The text is not to be indexed; the first end tag ends it, without one the end of the page.", YANDEX),
    Mark("noindex-comments", "comments", ("noindex", "/noindex"), INDEX | SNIPPET, 0, "As the element.", YANDEX),
    Mark("htdig-noindex", "comments", ("htdig_noindex", "/htdig_noindex"), INDEX | SNIPPET, 0, "The text is not to be indexed.", "ht://Dig, noindex_start and noindex_end"),
    Mark("robots-nocontent", "class", ("robots-nocontent",), INDEX | SNIPPET, 0, "The words are not to be used for finding the page or for its abstract.", "Yahoo, May 2007 (secondary)"),
    Mark("nofollow", "relation", ("nofollow",), FOLLOW, 0, "The link is not to be followed.", "rel-nofollow, 10 January 2005"),
    Mark("ugc", "relation", ("ugc",), FOLLOW, 0, "The link was made by users; it is generally not followed.", "Google, qualify outbound links"),
    Mark("sponsored", "relation", ("sponsored",), FOLLOW, 0, "The link was paid for; it is generally not followed.", "Google, qualify outbound links"),
)  # fmt: skip
"""Every mark."""

WATCHED = sorted(
    {written for mark in MARKS if mark.form == "comments" for written in mark.written}
    | {"googleoff", "googleon"}
)
"""The first words of comments that mean something."""
