"""Everything in a document that is addressed to robots, so that a copy keeps it."""

import re
from functools import lru_cache
from html import escape
from typing import Protocol, TypeAlias

from goodbot._core import HtmlDocument, HtmlFacts
from goodbot.page.directives import DIRECTIVES, entries
from goodbot.page.marks import MARKS
from goodbot.page.plan import CorePlan, switches
from goodbot.page.readers.reader import CutRow
from goodbot.page.statements import ALONE, HEADERS, MOST_CACHED

NAMES = {"robots", "revisit-after", "tdm-policy", "tdm-reservation", "url", *ALONE, *HEADERS}
"""META names that address every robot."""

NUMBERED = "robotexclusion."
"""The beginning of the META names and relations that give robots numbers in the Profile."""

DESCRIPTIVE = {"author", "description", "generator", "keywords", "title"}
"""META names that describe a page; a directive in their content is there by chance."""

NAME = re.compile(r"[a-z0-9_ -]+")
"""Any name of a robot, in lower case; `og:title` and `dc.title` are not names of robots."""

RELATIONS = {"canonical", "license", "profile", "schema.robotexclusion"}
"""Relations of LINK elements that affect how a document may be read or used."""

Spoken: TypeAlias = tuple[list[int], list[int], list[int]]
"""The numbers of META elements, LINK elements and comments."""


def write_copy(document: HtmlDocument, plan: CorePlan) -> tuple[str, list[CutRow]]:
    """Return the copy of a document that a plan allows, and its cuts."""
    return document.archive(plan, find_spoken(document.facts))


def append_instructions(facts: HtmlFacts) -> str:
    """Return the instructions for robots after the first XML error, to be appended to a copy.

    Args:
        facts: The facts of the rest of the document, read as HTML.

    Returns:
        META elements and processing instructions, after an end tag without a name: a fatal error
        of XML that makes readers of the copy stop there, too. Empty if there are none.

    """
    tags = []
    for name, content, is_pragma, _in_head, _line in facts.metas:
        if meta_speaks(name, content):
            key = "http-equiv" if is_pragma else "name"
            tags.append(f'<meta {key}="{escape(name)}" content="{escape(content)}"/>')
    tags += [f"<?robots {data}?>" for data, *_ in facts.instructions]
    return "".join(["</>", *tags]) if tags else ""


class SaysMuch(Protocol):
    """The facts of a document that are used here."""

    @property
    def metas(self) -> list[tuple[str, str, bool, bool, int]]:
        """META elements: name, content, whether it is an http-equiv, whether in the HEAD, line."""

    @property
    def links(self) -> list[tuple[str, str, str, str, str, bool, int]]:
        """LINK elements: rel, href, type, name, content, whether in the HEAD, line."""

    @property
    def comments(self) -> list[tuple[str, int, int]]:
        """Comments that may be marks: text, the bytes at which they begin and end."""


def find_spoken(facts: SaysMuch) -> Spoken:
    """Return the numbers of everything that is addressed to any robot."""
    return (
        [number for number, meta in enumerate(facts.metas) if meta_speaks(meta[0], meta[1])],
        [number for number, link in enumerate(facts.links) if link_speaks(link[0], link[3])],
        [number for number, comment in enumerate(facts.comments) if is_mark(comment)],
    )


def meta_speaks(name: str, content: str) -> bool:
    """Return whether a META element is addressed to a robot; any name may be that of one.

    >>> meta_speaks("examplereader", "noindex"), meta_speaks("description", "All about fish.")
    (True, False)
    """
    speaks = short_name_speaks(name) if len(name) <= MOST_CACHED else name_speaks(name)
    if speaks is not None:
        return speaks
    return short_has_directive(content) if len(content) <= MOST_CACHED else has_directive(content)


def name_speaks(name: str) -> bool | None:
    """Return whether META elements of a name address robots; `None` if their content shows it."""
    lower = name.lower()
    if lower in NAMES or lower.startswith(NUMBERED):
        return True
    return False if lower in DESCRIPTIVE or not NAME.fullmatch(lower) else None


def has_directive(content: str) -> bool:
    """Return whether a directive is among the words of a META element."""
    return any(word in DIRECTIVES for word, _value in entries(content, spaces=True))


short_has_directive = lru_cache(maxsize=256)(has_directive)
short_name_speaks = lru_cache(maxsize=256)(name_speaks)
"""The same from a cache: the pages of a site say the same to browsers."""


def link_speaks(rel: str, name: str) -> bool:
    """Return whether a LINK element affects how the document may be read or used."""
    named = name.lower() == "indexinstead"
    return named or any(
        relation in RELATIONS or relation.startswith(NUMBERED) for relation in rel.lower().split()
    )


def is_mark(comment: tuple[str, int, int]) -> bool:
    """Return whether a comment begins or ends a mark."""
    return any(list(switches(mark, [comment])) for mark in MARKS if mark.form == "comments")
