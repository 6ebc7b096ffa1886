"""What the owner of a site wants to know of a document: its title, heading, words and resources.

Scope: combining what the core has counted with the verdicts. What may be in no index is in no
table either, so texts that must not be indexed or shown are not among the facts.
"""

import re
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from goodbot._core import count_words
from goodbot.display import short_repr
from goodbot.http.fields import values_of
from goodbot.lazy_dataclass import dataclass
from goodbot.page.header import link_values
from goodbot.page.readers.arguments import Given
from goodbot.page.readers.marked import Inventory, Verdicts
from goodbot.page.readers.reader import Reading
from goodbot.page.resolving import join

__all__ = ["PageFacts", "ResourceKind", "facts_of"]

ResourceKind: TypeAlias = Literal["style", "script", "image", "frame", "media", "object"]
"""What a resource is to the document that loads it."""

LANGUAGE = re.compile(r"[A-Za-z0-9_-]{1,35}")
"""What resembles a language tag; RFC 5646 section 4.4.1 wants room for 35 characters."""
MOST_IN_HEADER = 200
"""The most versions in other languages that are read from the header."""


@dataclass(frozen=True, slots=True, repr=False)
class PageFacts:
    """What the owner of a site wants to know of a document."""

    title: str | None = None
    """The title; `None` if there is none, or if it is withheld."""
    description: str | None = None
    """The content of META description; `None` as for the title."""
    h1: str | None = None
    """The text of the first H1; `None` as for the title."""
    withheld: str = ""
    """The statement that forbids to index the document, or those on parts of it: "title: " and the
    mark on the title, for example. Empty if nothing is withheld."""
    h1_count: int = 0
    """The number of H1 elements."""
    language: str | None = None
    """The language tag of the document (HTML 3.2.6.2); `None` if none is stated, or if the document
    must not be indexed."""
    words: int = 0
    """The number of words that no mark keeps out of the index. In writing without spaces, each
    ideograph counts."""
    simhash: int | None = None
    """A hash of these words, of 64 bits: documents whose hashes differ in at most 3 bits are nearly
    the same. `None` if there are no words, or if the document must not be indexed."""
    resources: tuple[tuple[ResourceKind, str], ...] = ()
    """What the document loads: the kind and the URL. Each is listed once, the style sheets first;
    at most 200 of at most 16 KiB, together with the alternates."""
    alternates: tuple[tuple[str, str], ...] = ()
    """The versions of the document in other languages (`hreflang`): language tag and URL."""
    more: int = 0
    """The number of resources and alternates that are not listed."""

    __repr__ = short_repr


def facts_of(given: Given, reading: Reading) -> PageFacts:
    """Return the facts of a document."""
    inventory, texts = reading.marked.inventory, reading.description
    alternates = tuple(alternates_in_header(given)) if "link" in given.names else ()
    if inventory is None:
        words, simhash = count_words([run.text for run in reading.marked.runs])
        counted: dict[str, Any] = {"words": words, "alternates": alternates}
    else:
        simhash = inventory.simhash
        counted = {
            "h1_count": inventory.headings,
            "words": inventory.words,
            "resources": tuple(inventory.resources),
            "alternates": (*alternates, *inventory.alternates),
            "more": inventory.more,
        }
    index = reading.decided.whole["index"]
    if not index.allowed:
        return PageFacts(**counted, withheld=str(index.source or index.reason))
    h1 = inventory.heading if inventory is not None else ""
    return PageFacts(
        **counted,
        title=texts.title or None,
        description=texts.description or None,
        h1=h1 or None,
        withheld="" if reading.marked.is_uniform else "; ".join(withheld_texts(reading, inventory)),
        language=language_of(given, inventory),
        simhash=simhash,
    )


def withheld_texts(reading: Reading, inventory: Inventory | None) -> Iterator[str]:
    """Yield the texts that marks withhold, each with the mark."""
    named = zip(("title", "description"), reading.marked.described, strict=False)
    for name, verdicts in named:
        mark = mark_on(verdicts)
        if mark is not None:
            yield f"{name}: {mark}"
    if inventory is not None and inventory.withheld:
        yield "h1: a mark in it"


def mark_on(verdicts: Verdicts) -> str | None:
    """Return the mark that forbids indexing, keeping or quoting a text; `None` if there is none."""
    marks = [one.source or one.reason for one in verdicts if one.reason == "mark-forbids"]
    return str(marks[0]) if marks else None


def language_of(given: Given, inventory: Inventory | None) -> str | None:
    """Return the language of a document: of its root element, or of its header."""
    if inventory is not None and inventory.language is not None:
        return inventory.language
    stated = ", ".join(values_of(given.fields, "content-language")).strip()
    # Several languages are those of the readers, not of the text (RFC 9110 section 8.5).
    return stated if is_language(stated) else None


def alternates_in_header(given: Given) -> Iterator[tuple[str, str]]:
    """Yield the versions in other languages that the header names (RFC 8288 section 3.4.1)."""
    room = MOST_IN_HEADER
    for value in values_of(given.fields, "link"):
        if "hreflang" not in value.lower():
            continue
        for target, parameters in link_values(value):
            language = parameters.get("hreflang", "")
            if room and "alternate" in parameters.get("rel", "").lower().split():
                url = join(given.url, target) if is_language(language) else ""
                if url.startswith(("https://", "http://")):
                    room -= 1
                    yield language, url


def is_language(tag: str) -> bool:
    """Whether a text resembles a language tag, as in the core."""
    return LANGUAGE.fullmatch(tag) is not None
