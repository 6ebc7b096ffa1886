"""What a document says of itself beside directives: title, keywords, related pages, licences."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol, TypeAlias

from goodbot.page.finding_codes import Findings
from goodbot.page.header import links_of
from goodbot.page.inputs import days
from goodbot.page.readers.arguments import Given
from goodbot.page.resolving import Resolver, join
from goodbot.page.usage import PageUsage, usage_of

__all__ = ["Description", "LinkElements", "Metas", "describe"]

MOST_KEYWORDS = 1_000
MOST_LICENSE_BYTES = 64 * 1024
"""The URLs of licences take no more bytes than this together."""
RELATION = re.compile(r"(?<!\S)(?:canonical|license|robotexclusion\.names)(?!\S)")
"""The relations of a LINK element that mean something here."""

Metas: TypeAlias = list[tuple[str, str, bool, bool, int]]
"""META elements: name, content, whether it is an http-equiv, whether in the HEAD, line."""

LinkElements: TypeAlias = list[tuple[str, str, str, str, str, bool, int]]
"""LINK elements: rel, href, type, name, content, whether in the HEAD, line."""

Related: TypeAlias = dict[str, list[str]]
"""Targets by relation, those of the header first."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a document says of itself beside directives."""

    title: str
    description: str | None
    keywords: list[str]
    revisit_after: timedelta | None
    spider_by: str | None
    index_instead: str | None
    canonical: str | None
    names_url: str | None
    usage: PageUsage


class Describes(Protocol):
    """What is read of a document that has elements."""

    @property
    def title(self) -> str:
        """The text of TITLE."""

    @property
    def metas(self) -> Metas:
        """META elements."""

    @property
    def links(self) -> LinkElements:
        """LINK elements."""


def describe(given: Given, base: str, facts: Describes | None, findings: Findings) -> Description:
    """Collect what the header and the elements of a document, if it has any, say of it."""
    title, metas, links = (facts.title, facts.metas, facts.links) if facts else ("", [], [])
    first: dict[str, str] = {}
    for name, content, *_ in metas:
        first.setdefault(name.lower(), content)
    words = first.get("keywords", "").split(",", MOST_KEYWORDS)[:MOST_KEYWORDS]
    instead = first.get("url")
    for _rel, _href, _type, name, content, _in_head, _line in links:
        if content and name.lower() == "indexinstead":
            instead = content
    related = relations(given, links)
    licenses = licenses_of(related.get("license", ()), base, findings)
    return Description(
        title=title,
        description=first.get("description"),
        keywords=[word.strip() for word in words if word.strip()],
        revisit_after=days(first.get("revisit-after", "")),
        spider_by=first.get("spider by"),
        index_instead=join(base, instead.strip()) if instead else None,
        canonical=first_of("canonical", related, base),
        names_url=first_of("robotexclusion.names", related, base),
        usage=usage_of(given.fields, metas, licenses, base, given.vocabulary),
    )


def relations(given: Given, links: LinkElements) -> Related:
    """Collect what the header and the document's LINK elements relate it to."""
    related: Related = {}
    for name, value in given.fields:
        for target, named, _type in links_of(value) if name == "link" else ():
            for relation in named:
                related.setdefault(relation, []).append(target)
    for rel, href, _type, _name, _content, in_head, _line in links:
        for relation in RELATION.findall(rel.lower()) if href else ():
            # A license may stand anywhere (HTML 4.6.7.11); the others are of the HEAD.
            if in_head or relation == "license":
                related.setdefault(relation, []).append(href.strip())
    return related


def first_of(relation: str, related: Related, base: str) -> str | None:
    """Return the first target of a relation, of those in the header and in the HEAD."""
    targets = related.get(relation)
    return join(base, targets[0]) if targets else None


def licenses_of(targets: Iterable[str], base: str, findings: Findings) -> tuple[str, ...]:
    """Return the URLs of licences, each once; as written where one is no URL."""
    resolver = Resolver(MOST_LICENSE_BYTES)
    found: dict[str, None] = {}
    for target in dict.fromkeys(targets):
        url, why = resolver.resolve(base, target)
        if url is not None or why == "invalid":
            found[url or target] = None
        else:
            message = f"{target[:60]!r} is a licence of which the URL is too long to be kept"
            findings.add("link-too-long", message)
        if why == "over-budget":
            break
    return tuple(found)
