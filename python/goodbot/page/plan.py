"""What the marks of one document mean: the plan that the core scans it by."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol, TypeAlias, TypedDict

from goodbot.page.dialects import PageDialect
from goodbot.page.marks import MARKS, REL_NOFOLLOW_URIS, Mark
from goodbot.page.robot_names import RobotNames

__all__ = ["CorePlan", "Plan", "declared_names"]

NAME = re.compile(r"RobotExclusion\.RobotName(\d{1,9})", re.IGNORECASE)
GOOGLE_COMMENT = re.compile(
    r"(googleoff|googleon)\s*:\s*(index|anchor|snippet|all)\s*", re.IGNORECASE
)

MOST_LINKS = 50_000
MOST_RUNS = 200_000


def declared_names(metas: Iterable[tuple[str, str, bool, bool, int]]) -> dict[int, str]:
    """Read the robots' names that META elements declare, by number.

    Source: Robot Exclusion Profile, Specificity.
    """
    found = ((NAME.fullmatch(name), content) for name, content, *_ in metas)
    return {int(match[1]): content for match, content in found if match}


Classes: TypeAlias = dict[str, tuple[int, int, bool, bool, int]]
Attributes: TypeAlias = list[tuple[str, list[str], int, int]]
Relations: TypeAlias = dict[str, tuple[int, int]]
Regions: TypeAlias = list[tuple[int, int, int, int]]


class CorePlan(TypedDict):
    """A plan as the core reads it. Acts are bits, in the order of the core; a row is of `rows`."""

    classes: Classes
    """By name: forbids, allows, names the robot, nests, row."""
    attributes: Attributes
    """Name, elements on which it counts, forbids, row."""
    relations: Relations
    """By name: forbids, row."""
    regions: Regions
    """The bytes at which a region begins and ends, forbids, row."""
    classes_outweigh_relations: bool
    base: str
    most_links: int
    most_runs: int
    most_url_bytes: int


class HasRegions(Protocol):
    """A document in which comments and NOINDEX elements may delimit regions."""

    @property
    def noindex(self) -> list[tuple[int, bool]]:
        """The bytes at which NOINDEX elements begin and end: place, whether it closes."""

    @property
    def comments(self) -> list[tuple[str, int, int]]:
        """Comments that may be marks: text, the bytes at which they begin and end."""

    @property
    def length(self) -> int:
        """The bytes of the document."""


@lru_cache(maxsize=64)
def table(dialect: PageDialect, marks: frozenset[str]) -> tuple[Classes, Attributes, Relations]:
    """Give the rows that are switched on and that need no profile, as the core takes them."""
    classes: Classes = {}
    attributes: Attributes = []
    relations: Relations = {}
    for row, mark in enumerate(MARKS):
        if mark.name not in marks:
            continue
        (first, *_) = mark.written
        if mark.form == "class":
            classes[first] = (mark.forbids, mark.allows, False, False, row)
        elif mark.form == "attribute":
            attributes.append((first, list(dialect.nosnippet_elements), mark.forbids, row))
        elif mark.form == "relation":
            relations[first] = (mark.forbids, row)
    return classes, attributes, relations


@lru_cache(maxsize=64)
def idle(marks: frozenset[str]) -> Classes:
    """Give the classes of the Profile as ones that mean nothing."""
    return {
        mark.name: (0, 0, False, True, row)
        for row, mark in enumerate(MARKS)
        if mark.form == "profile class" and mark.name in marks
    }


@dataclass(slots=True)
class Plan:
    """The plan, and the row that each mark has in it."""

    dialect: PageDialect
    marks: frozenset[str]
    rows: list[Mark] = field(default_factory=list)
    classes: Classes = field(default_factory=dict)
    attributes: Attributes = field(default_factory=list)
    relations: Relations = field(default_factory=dict)
    regions: Regions = field(default_factory=list)
    outweigh: bool = False
    most_url_bytes: int = 0
    """The most bytes that the resolved URLs of all links take together."""

    def add_table(self) -> None:
        """Take the rows of the table that are switched on and that need no profile."""
        self.rows = list(MARKS)
        classes, self.attributes, self.relations = table(self.dialect, self.marks)
        self.classes = dict(classes)

    def add_profile(
        self, profile: str, uris: Iterable[str], names: Mapping[int, str], robot: RobotNames
    ) -> bool:
        """Take the classes of the Robot Exclusion Profile, if the document names it.

        They are "meaningless when the profile URI is not present in the document <head>'s profile
        attribute", a list of URIs divided by white space, the most significant first.
        """
        uris = [plain(uri) for uri in uris]
        known = {*uris, *map(plain, REL_NOFOLLOW_URIS)}
        listed: dict[str, int] = {}
        for place, word in enumerate(re.finditer(r"\S+", profile)):
            if (uri := plain(word[0])) in known:
                listed.setdefault(uri, place)
        places = [listed[uri] for uri in uris if uri in listed]
        if not places:
            # They are noticed, and mean nothing.
            self.classes |= idle(self.marks)
            return False
        rivals = [listed[uri] for uri in map(plain, REL_NOFOLLOW_URIS) if uri in listed]
        self.outweigh = not rivals or min(places) < min(rivals)
        for row, mark in enumerate(MARKS):
            if mark.form == "profile class" and mark.name in self.marks:
                self.classes[mark.name] = (mark.forbids, mark.allows, False, True, row)
                for number, name in names.items():
                    if robot.is_called(name):
                        self.add_specific(mark, number)
        return True

    def add_specific(self, mark: Mark, number: int) -> None:
        """Take a class that names the robot by its number."""
        written = mark.name.replace("robots-", f"robot{number}-", 1)
        own = Mark(
            written, mark.form, (written,), mark.forbids, mark.allows, mark.meaning, mark.source
        )
        self.classes[written] = (mark.forbids, mark.allows, True, True, len(self.rows))
        self.rows.append(own)

    def add_regions(self, facts: HasRegions) -> None:
        """Take the parts of the source between two marks."""
        if not facts.noindex and not facts.comments:
            return
        for row, mark in enumerate(MARKS):
            if mark.name not in self.marks or mark.form not in {"comments", "element"}:
                continue
            events = (
                facts.noindex if mark.form == "element" else list(switches(mark, facts.comments))
            )
            # In the order of the source; a table puts what is misplaced in it before itself.
            for start, end in between(sorted(events), facts.length):
                self.regions.append((start, end, mark.forbids, row))

    def as_dict(self, base: str) -> CorePlan:
        """Give it as the core takes it."""
        return {
            "classes": self.classes,
            "attributes": self.attributes,
            "relations": self.relations,
            "regions": self.regions,
            "classes_outweigh_relations": self.outweigh,
            "base": base,
            "most_links": MOST_LINKS,
            "most_runs": MOST_RUNS,
            "most_url_bytes": self.most_url_bytes,
        }


def plain(uri: str) -> str:
    """Give a profile's address without what does not tell it from others: scheme and fragment."""
    return uri.rstrip("#").removeprefix("https:").removeprefix("http:")


def switches(mark: Mark, comments: Iterable[tuple[str, int, int]]) -> Iterable[tuple[int, bool]]:
    """Find where comments switch a mark on and off: place, whether off.

    `googleon: all` ends what any `googleoff` began, and `googleoff: all` is ended by that alone;
    the documents do not say, and this leaves nothing open that its author meant to close.
    """
    opens, closes = mark.written
    kind = opens.partition(": ")[2]
    for text, start, end in comments:
        if kind:
            found = GOOGLE_COMMENT.fullmatch(text)
            if found is None:
                continue
            off, named = found[1].lower() == "googleoff", found[2].lower()
            if off and named == kind:
                yield end, False
            elif not off and named in {kind, "all"}:
                yield start, True
        elif text.lower() == opens:
            yield end, False
        elif text.lower() == closes:
            yield start, True


def between(events: Iterable[tuple[int, bool]], length: int) -> Iterable[tuple[int, int]]:
    """Pair what opens with the first that closes; what nothing closes goes to the end of the page.

    >>> list(between([(5, False), (7, False), (9, True), (11, True), (20, False)], 30))
    [(5, 9), (20, 31)]

    Source: Yandex, noindex ("not sensitive to nesting"); ht://Dig pairs by position.
    """
    start: int | None = None
    for place, closes in events:
        if closes and start is not None:
            yield start, place
            start = None
        elif not closes and start is None:
            start = place
    if start is not None:
        yield start, length + 1
