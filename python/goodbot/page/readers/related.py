"""Related resources: the targets of the Link header and of LINK elements, by relation."""

import re
from typing import NamedTuple, TypeAlias

from goodbot.http.fields import values_of
from goodbot.page.header import links_of
from goodbot.page.readers.arguments import Given
from goodbot.page.resolving import join

NAMES, SCHEMA = "robotexclusion.names", "schema.robotexclusion"
RELATION = re.compile(
    r"(?<!\S)(?:canonical|license|profile|robotexclusion\.names|schema\.robotexclusion)(?!\S)"
)
"""The relations of a LINK element that are used here."""
RELATED = re.compile(r"canonical|license|profile|robotexclusion|\\")
"""Something of each in a line of the Link header, in which a backslash may stand in any word. Most
lines have nothing of it, and are not read."""

PROFILES = {"profile", SCHEMA}
"""Relations that declare a profile."""

LinkElements: TypeAlias = list[tuple[str, str, str, str, str, bool, int]]
"""LINK elements: rel, href, type, name, content, whether in the HEAD, line."""


class Related(NamedTuple):
    """The resources that header and LINK elements relate a document to."""

    base: str
    targets: dict[str, list[str]]
    """The targets by relation, as written; those of the header come first."""

    def of(self, relation: str) -> list[str]:
        """Return the targets of a relation, as written."""
        return self.targets.get(relation, [])

    def first(self, relation: str) -> str | None:
        """Return the URL of the first target of a relation."""
        targets = self.of(relation)
        return join(self.base, targets[0]) if targets else None


def read_related(given: Given, base: str, links: LinkElements | None = None) -> Related:
    """Return the resources that the header and the LINK elements relate a document to."""
    related: dict[str, list[str]] = {}
    for value in values_of(given.fields, "link") if "link" in given.names else ():
        for target, named, _type in links_of(value) if RELATED.search(value.lower()) else ():
            for relation in named if given.profile_links else set(named) - PROFILES:
                related.setdefault(relation, []).append(target)
    for rel, href, _type, _name, _content, in_head, _line in links or ():
        for relation in RELATION.findall(rel.lower()) if href else ():
            # A license may stand anywhere (HTML 4.6.7.11); the others are of the HEAD.
            if in_head or relation == "license":
                related.setdefault(relation, []).append(href.strip())
    return Related(base, related)
