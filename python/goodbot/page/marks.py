"""Marks on parts of a document: one table, with the effect and the source of each."""

from typing import Literal

from goodbot._core import PART_ACTS
from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass

__all__ = ["ANCHOR", "ARCHIVE", "FOLLOW", "INDEX", "MARKS", "PROFILE_URIS", "SNIPPET", "Mark"]

INDEX, FOLLOW, ANCHOR, ARCHIVE, SNIPPET = (
    1 << PART_ACTS.index(act) for act in ("index", "follow", "anchor", "archive", "snippet")
)
"""The acts as bits, in the order of the core."""

PROFILE_URIS = (
    "http://example.org/xmdp/robots-profile#",
    "http://microformats.org/wiki/robots-exclusion#",
)
"""The preliminary URI that the Profile states, and the address at which it is published."""

REL_NOFOLLOW_URIS = (
    "http://microformats.org/wiki/rel-nofollow",
    "http://microformats.org/profile/rel-nofollow",
)
"""Profiles that define `rel=nofollow`; which profile a page lists first takes precedence."""

Form = Literal["profile class", "class", "attribute", "element", "comments", "relation"]


@dataclass(frozen=True, slots=True, repr=False)
class Mark:
    """A row of the table."""

    name: str
    """The name, by which it is switched on and off."""
    form: Form
    """The form of the mark."""
    written: tuple[str, ...]
    """The class, attribute, element or relation; of comments the one that opens and the closing."""
    forbids: int
    """The acts that it forbids, as bits."""
    allows: int
    """The acts that it allows again within a part that forbids them, as bits."""
    meaning: str
    """The meaning, in one sentence."""
    source: str
    """The document that defines it."""

    __repr__ = short_repr


PROFILE = "Robot Exclusion Profile, draft of 18 June 2005"
GSA = "Google Search Appliance, googleoff and googleon (secondary)"
YANDEX = "Yandex, noindex"


def of_profile(name: str, forbids: int, allows: int, meaning: str) -> Mark:
    """Build a row for a class of the Profile."""
    return Mark(
        f"robots-{name}", "profile class", (f"robots-{name}",), forbids, allows, meaning, PROFILE
    )


MARKS: tuple[Mark, ...] = (
    of_profile("noindex", INDEX, 0, "Robots must not index this content; the words before and after it do not form a phrase."),
    of_profile("index", 0, INDEX, "Robots may index this content, even within an element marked robots-noindex."),
    of_profile("nofollow", FOLLOW, 0, "Robots must not follow the links within."),
    of_profile("follow", 0, FOLLOW, "Robots may follow the links within, even those with rel=nofollow."),
    of_profile("noanchortext", ANCHOR, 0, "Robots must not index the target of a link under the text of the link."),
    of_profile("anchortext", 0, ANCHOR, "Robots may index the target of a link under the text of the link."),
    of_profile("noarchive", ARCHIVE | SNIPPET, 0, "Robots must not include this content in a copy or in a summary."),
    of_profile("archive", 0, ARCHIVE | SNIPPET, "Robots may include this content in a copy or in a summary."),
    Mark("data-nosnippet", "attribute", ("data-nosnippet",), SNIPPET, 0, "Robots must not quote this text; the value of the attribute does not matter.", "Google, robots meta tag; Bing, 15 October 2025"),
    Mark("googleoff-index", "comments", ("googleoff: index", "googleon: index"), INDEX, 0, "Robots must not index this text; they may still follow the links in it.", GSA),
    Mark("googleoff-anchor", "comments", ("googleoff: anchor", "googleon: anchor"), ANCHOR, 0, "Robots must not index the target of a link under the text of the link.", GSA),
    Mark("googleoff-snippet", "comments", ("googleoff: snippet", "googleon: snippet"), SNIPPET, 0, "Robots must not quote this text.", GSA),
    Mark("googleoff-all", "comments", ("googleoff: all", "googleon: all"), INDEX | ANCHOR | SNIPPET, 0, "Robots must not index or quote this text, nor index the target of a link under the text of the link.", GSA),
    Mark("noindex-element", "element", ("noindex", "/noindex"), INDEX | SNIPPET, 0, "Robots must not index or quote this text; it ends at the first end tag, or at the end of the page if there is none.", YANDEX),
    Mark("noindex-comments", "comments", ("noindex", "/noindex"), INDEX | SNIPPET, 0, "Robots must not index or quote this text, as in a NOINDEX element.", YANDEX),
    Mark("htdig-noindex", "comments", ("htdig_noindex", "/htdig_noindex"), INDEX | SNIPPET, 0, "Robots must not index or quote this text.", "ht://Dig, noindex_start and noindex_end"),
    Mark("robots-nocontent", "class", ("robots-nocontent",), INDEX | SNIPPET, 0, "Robots must not use these words to find the page or to describe it.", "Yahoo, May 2007 (secondary)"),
    Mark("nofollow", "relation", ("nofollow",), FOLLOW, 0, "Robots must not follow the link.", "rel-nofollow, 10 January 2005"),
    Mark("ugc", "relation", ("ugc",), FOLLOW, 0, "Users of the site made the link; robots generally do not follow it.", "Google, qualify outbound links"),
    Mark("sponsored", "relation", ("sponsored",), FOLLOW, 0, "The link was paid for; robots generally do not follow it.", "Google, qualify outbound links"),
)  # fmt: skip
"""Every mark."""

WATCHED = sorted(
    {written for mark in MARKS if mark.form == "comments" for written in mark.written}
    | {"googleoff", "googleon"}
)
"""The first words of comments that are marks."""
