"""The plan by which the core scans one document: the meaning of each of its marks."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, Protocol, TypeAlias, TypedDict

from goodbot._core import MarkTable
from goodbot.page.dialects import PageDialect
from goodbot.page.marks import MARKS, Mark
from goodbot.page.profile import NO_NAMES, KnownNames, Profiles
from goodbot.page.robot_names import RobotNames

__all__ = ["CorePlan", "Plan"]

GOOGLE_COMMENT = re.compile(
    r"(googleoff|googleon)\s*:\s*(index|anchor|snippet|all)\s*", re.IGNORECASE
)

ROWS: list[Mark] = list(MARKS)
"""The rows of a plan, before names of robots are added."""

MOST_LINKS = 50_000
MOST_RUNS = 200_000


MOST_OWN_NUMBERS = 5_000
"""The most numbers of one robot that are looked up. With any further number a class counts if it
forbids, as with a number that may be any robot's."""

Classes: TypeAlias = dict[str, tuple[int, int, bool, bool, int]]
"""By name: forbids, allows, names the robot, nests, row."""
Attributes: TypeAlias = list[tuple[str, list[str], int, int]]
"""Name, elements on which it counts, forbids, row."""
Relations: TypeAlias = dict[str, tuple[int, bool, int]]
"""By name: forbids, whether a class on the same element overrides it, row."""
Regions: TypeAlias = list[tuple[int, int, int, int]]


class CorePlan(TypedDict):
    """A plan as the core reads it. Acts are bits in its order; a row is a place in `Plan.rows`."""

    table: MarkTable
    """What marks mean, wherever they are."""
    regions: Regions
    """The bytes at which a region begins and ends, forbids, row."""
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
        """The number of bytes of the document."""


@lru_cache(maxsize=64)
def table(dialect: PageDialect, marks: frozenset[str]) -> tuple[Classes, Attributes, Relations]:
    """Return the marks that are switched on and need no profile, as the core reads them."""
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
            relations[first] = (mark.forbids, False, row)
    return classes, attributes, relations


class IdleMarks(NamedTuple):
    """The marks of a document that does not declare the Robot Exclusion Profile."""

    classes: Classes
    numbered: Classes
    attributes: Attributes
    relations: Relations
    table: MarkTable
    """The core's table of these."""


@lru_cache(maxsize=64)
def idle(dialect: PageDialect, marks: frozenset[str]) -> IdleMarks:
    """Return the marks of a document that does not declare the Profile; most documents share them.

    The classes of the Profile are "meaningless when the profile URI is not present in the document
    <head>'s profile attribute". They have no effect, but are marks, so that they are noticed.
    """
    of_profile: Classes = {
        mark.name: (0, 0, False, True, row)
        for row, mark in enumerate(MARKS)
        if mark.form == "profile class" and mark.name in marks
    }
    numbered = {name.removeprefix("robots-"): row for name, row in of_profile.items()}
    classes, attributes, relations = table(dialect, marks)
    classes = classes | of_profile
    table_of_core = MarkTable(classes, numbered, set(), attributes, relations)
    return IdleMarks(classes, numbered, attributes, relations, table_of_core)


@dataclass(slots=True)
class Plan:
    """The plan of one document as it is built, and the mark of each row."""

    dialect: PageDialect
    marks: frozenset[str]
    rows: list[Mark] = field(default_factory=list)
    classes: Classes = field(default_factory=dict)
    numbered: Classes = field(default_factory=dict)
    """The meaning of classes `robotN-…` with an unknown number, by the part after the number."""
    numbers: set[str] = field(default_factory=set)
    """The numbers that are known to be some robot's, as written."""
    names: KnownNames = NO_NAMES
    """The names of robots by number."""
    declares_profile: bool = False
    """Whether the document declares the Robot Exclusion Profile."""
    attributes: Attributes = field(default_factory=list)
    relations: Relations = field(default_factory=dict)
    regions: Regions = field(default_factory=list)
    """The bytes at which a region begins and ends, forbids, row."""
    most_url_bytes: int = 0
    """The most bytes that the resolved URLs of all links may have together."""
    shared: MarkTable | None = None
    """The core's table of the marks, if documents share it."""

    def add_table(self) -> None:
        """Add the marks that are switched on and need no profile."""
        self.rows = list(ROWS)
        classes, self.attributes, relations = table(self.dialect, self.marks)
        self.classes, self.relations = dict(classes), dict(relations)

    @classmethod
    def sharing_idle(cls, dialect: PageDialect, marks: frozenset[str]) -> "Plan":
        """Return the plan of a document that does not declare the Profile.

        Its marks are those of other documents, too, and nobody changes them.
        """
        known = idle(dialect, marks)
        return cls(
            dialect,
            marks,
            ROWS,
            known.classes,
            known.numbered,
            attributes=known.attributes,
            relations=known.relations,
            shared=known.table,
        )

    def add_profile(self, declared: Profiles, names: KnownNames, robot: RobotNames) -> None:
        """Add the classes of the Robot Exclusion Profile for a document that declares it."""
        self.declares_profile = True
        if "nofollow" in self.relations and declared.outweighs_relations:
            forbids, _, row = self.relations["nofollow"]
            self.relations["nofollow"] = (forbids, True, row)
        self.names = names
        own, shared = names.of(robot)
        numbers = [*own, *shared]
        may_be_ours = bool(names.unread) or not names.are_all or len(numbers) > MOST_OWN_NUMBERS
        self.numbers = names.by_number.keys() - numbers[MOST_OWN_NUMBERS:]
        only_forbid = set(shared)
        for row, mark in enumerate(MARKS):
            if mark.form == "profile class" and mark.name in self.marks:
                self.classes[mark.name] = (mark.forbids, mark.allows, False, True, row)
                for number in numbers[:MOST_OWN_NUMBERS]:
                    if mark.forbids or number not in only_forbid:
                        self.add_specific(mark, number)
                self.add_numbered(mark, counts=may_be_ours)

    def add_specific(self, mark: Mark, number: str) -> None:
        """Add a class that addresses the robot by its number."""
        written = mark.name.replace("robots-", f"robot{number}-", 1)
        self.classes[written] = (mark.forbids, mark.allows, True, True, self.add_row(mark, written))

    def add_numbered(self, mark: Mark, *, counts: bool) -> None:
        """Add the classes with numbers that are not known to be any robot's.

        Args:
            mark: The mark of which they are the numbered form.
            counts: Whether such a number may be this robot's; then a class that forbids counts.

        """
        behind = mark.name.removeprefix("robots-")
        forbids = mark.forbids if counts else 0
        row = self.add_row(mark, f"robotN-{behind}") if forbids else 0
        self.numbered[behind] = (forbids, 0, True, True, row)

    def add_row(self, mark: Mark, written: str) -> int:
        """Add a row for a mark under another name; return its number."""
        self.rows.append(replace(mark, name=written, written=(written,)))
        return len(self.rows) - 1

    def add_regions(self, facts: HasRegions) -> None:
        """Add the parts of the source between two comments, or within NOINDEX elements."""
        if not facts.noindex and not facts.comments:
            return
        for row, mark in enumerate(MARKS):
            if mark.name not in self.marks or mark.form not in {"comments", "element"}:
                continue
            events = (
                facts.noindex if mark.form == "element" else list(switches(mark, facts.comments))
            )
            # Sorted by source: the tree moves misplaced content of a table to before the table.
            for start, end in between(sorted(events), facts.length):
                self.regions.append((start, end, mark.forbids, row))

    def may_forbid(self, acts: int) -> bool:
        """Return whether any mark of the plan can forbid one of some acts (bits) for a part."""
        forbids = chain(
            (row[0] for row in self.classes.values()),
            (row[0] for row in self.numbered.values()),
            (row[0] for row in self.relations.values()),
            (row[2] for row in self.attributes),
            (row[2] for row in self.regions),
        )
        return any(bits & acts for bits in forbids)

    def as_dict(self, base: str) -> CorePlan:
        """Return the plan as the core reads it."""
        return {
            "table": self.shared or self._as_table(),
            "regions": self.regions,
            "base": base,
            "most_links": MOST_LINKS,
            "most_runs": MOST_RUNS,
            "most_url_bytes": self.most_url_bytes,
        }

    def _as_table(self) -> MarkTable:
        """Return the core's table of the marks."""
        marks = (self.classes, self.numbered, self.numbers, self.attributes, self.relations)
        return MarkTable(*marks)


def switches(mark: Mark, comments: Iterable[tuple[str, int, int]]) -> Iterable[tuple[int, bool]]:
    """Yield the places at which comments begin and end a mark: place, whether it ends there.

    `googleon: all` ends every `googleoff`, and only it ends `googleoff: all`. The documents leave
    this open; this way no region stays open that its author meant to close.
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
    """Pair each beginning with the next end; without an end, a region extends to the page's end.

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
