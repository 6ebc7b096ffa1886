"""What of a document speaks to robots: a copy keeps it, and so says the same."""

import re
from html import escape
from typing import Protocol, TypeAlias

from goodbot._core import HtmlDocument, HtmlFacts
from goodbot.page.directives import DIRECTIVES, entries
from goodbot.page.marks import MARKS
from goodbot.page.plan import CorePlan, switches
from goodbot.page.readers.reader import CutRow
from goodbot.page.statements import ALONE, HEADERS

__all__ = ["Spoken", "spoken_in", "written", "written_behind"]

NAMES = {"robots", "revisit-after", "tdm-policy", "tdm-reservation", "url", *ALONE, *HEADERS}
"""META names that speak to every robot."""

NUMBERED = "robotexclusion."
"""How the META names and relations begin by which the Robot Exclusion Profile numbers robots."""

DESCRIPTIVE = {"author", "description", "generator", "keywords", "title"}
"""META names that tell people of a page, and speak of robots only by chance."""

NAME = re.compile(r"[a-z0-9_ -]+")
"""What the name of a robot may be, in lower case; `og:title` and `dc.title` are none."""

RELATIONS = {"canonical", "license", "profile", "schema.robotexclusion"}
"""Relations of LINK elements that say how a document is to be read, or used."""

Spoken: TypeAlias = tuple[list[int], list[int], list[int]]
"""The numbers of META elements, LINK elements and comments."""


def written(document: HtmlDocument, plan: CorePlan) -> tuple[str, list[CutRow]]:
    """Write the copy of a document that may be kept by a plan, and what is cut from it."""
    return document.archive(plan, spoken_in(document.facts))


def written_behind(facts: HtmlFacts) -> str:
    """Write what speaks to robots behind where XML breaks off, after what breaks it off again.

    Args:
        facts: What stands behind, as HTML is read.

    Returns:
        An end tag without a name, which is a fatal error of XML, META elements and instructions;
        nothing if there are none of them.

    """
    tags = []
    for name, content, is_pragma, _in_head, _line in facts.metas:
        if meta_speaks(name, content):
            key = "http-equiv" if is_pragma else "name"
            tags.append(f'<meta {key}="{escape(name)}" content="{escape(content)}"/>')
    tags += [f"<?robots {data}?>" for data, _line, _late in facts.instructions]
    return "".join(["</>", *tags]) if tags else ""


class SaysMuch(Protocol):
    """What a document says of itself, as the core reports it."""

    @property
    def metas(self) -> list[tuple[str, str, bool, bool, int]]:
        """META elements: name, content, whether it is an http-equiv, whether in the HEAD, line."""

    @property
    def links(self) -> list[tuple[str, str, str, str, str, bool, int]]:
        """LINK elements: rel, href, type, name, content, whether in the HEAD, line."""

    @property
    def comments(self) -> list[tuple[str, int, int]]:
        """Comments that may be marks: text, the bytes at which they begin and end."""


def spoken_in(facts: SaysMuch) -> Spoken:
    """List what speaks to robots, to whichever."""
    return (
        [number for number, one in enumerate(facts.metas) if meta_speaks(one[0], one[1])],
        [number for number, one in enumerate(facts.links) if link_speaks(one[0], one[3])],
        [number for number, one in enumerate(facts.comments) if is_mark(one)],
    )


def meta_speaks(name: str, content: str) -> bool:
    """Report whether a META element speaks to a robot; any name may be that of one.

    >>> meta_speaks("examplereader", "noindex"), meta_speaks("description", "All about fish.")
    (True, False)
    """
    lower = name.lower()
    if lower in NAMES or lower.startswith(NUMBERED):
        return True
    if lower in DESCRIPTIVE or not NAME.fullmatch(lower):
        return False
    return any(word in DIRECTIVES for word, _value in entries(content, spaces=True))


def link_speaks(rel: str, name: str) -> bool:
    """Report whether a LINK element says how the document is to be read, or used."""
    named = name.lower() == "indexinstead"
    return named or any(one in RELATIONS or one.startswith(NUMBERED) for one in rel.lower().split())


def is_mark(comment: tuple[str, int, int]) -> bool:
    """Report whether a comment switches a mark on or off."""
    return any(list(switches(mark, [comment])) for mark in MARKS if mark.form == "comments")
