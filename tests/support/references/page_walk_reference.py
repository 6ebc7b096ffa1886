"""The reference for the core: marks applied event by event, to HTML and XML."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from sys import maxsize
from typing import Any, Literal, NamedTuple, TypeAlias

from goodbot._core import UrlBase
from goodbot.page.plan import MOST_LINKS, MOST_RUNS, Plan
from goodbot.page.resolving import LONGEST_URL, Resolver, Why
from goodbot.page.words import flattened
from tests.support.references.core_tree import element_names

__all__ = ["Event", "Walk", "walk"]

Event: TypeAlias = tuple[Any, ...]
"""`("start", name, attributes, start, end)`, `("end", name)`, `("text", text, place)`,
`("comment", text, start, end)`. An element of XML ends with an `OfXml`; one of SVG or MathML in
HTML ends with `"foreign"`."""


class OfXml(NamedTuple):
    """What an XML element contributes to links."""

    link: str | None
    """Its target as written, if it is a link."""
    base: str | None
    """Its own base as written, if it has one."""
    is_html: bool
    """Whether it is an XHTML element."""
    in_xhtml: bool
    """Whether it is in an XHTML document, or is an XHTML element."""


ACTS = range(5)
INDEX, FOLLOW, ANCHOR, ARCHIVE, SNIPPET = ACTS
BLOCKS, HIDDEN, INLINE_IN_XML = (frozenset(names) for names in element_names())
MISSING = "\0"
"""What stands for a missing part in the text of an open link."""
VERBATIM = {"pre", "textarea", "listing", "xmp"}
MOST_OPEN_LINKS = 4
"""The maximum number of links that collect text at once."""
MOST_STRANGERS, LONGEST_STRANGER = 100, 64
SPACE = " \t\n\r\f"

Cause: TypeAlias = tuple[int, bool, int]
"""Row of the plan, whether it allows, the place of the mark."""
Kind: TypeAlias = Literal["link", "html-refresh"]
"""The kind of a link."""


@dataclass(slots=True)
class State:
    """What the marks so far say about each act."""

    classes: list[Cause | None]
    denials: list[Cause | None]
    verbatim: bool = False
    refusals: list[Cause | None] = field(default_factory=lambda: [None] * 5)
    """What forbids by the robot's name and was not lifted by its name."""

    def copy(self) -> "State":
        """Return a copy that can be changed."""
        return State(self.classes[:], self.denials[:], self.verbatim, self.refusals[:])


@dataclass(slots=True)
class PlainRun:
    """A run of text, with the causes of index, archive and snippet."""

    text: str
    block: bool
    causes: tuple[Cause | None, ...]
    place: int


@dataclass(slots=True)
class PlainLink:
    """A link, with the causes of follow and anchor."""

    url: str
    rel: str
    rev: str
    causes: tuple[Cause | None, ...]
    place: int
    unresolved: Why
    """Why it was not resolved; empty if it was."""
    kind: Kind = "link"
    explicit: bool = False
    """Whether its text may describe the target although the link must not be followed."""
    text: str = ""
    gaps: tuple[int, ...] = ()
    """The places in the text of the spaces at which a part is missing."""


@dataclass(slots=True)
class Walk:
    """The result of a walk."""

    plan: Plan
    base: str
    runs: list[PlainRun] = field(default_factory=list)
    links: list[PlainLink] = field(default_factory=list)
    conflicts: list[int] = field(default_factory=list)
    block: bool = True
    space: bool = False
    split: bool = False
    idle: int | None = None
    """The place of the first class that neither forbids nor allows."""
    strangers: list[tuple[str, int]] = field(default_factory=list)
    """Unknown classes that begin like those for robots, each with its first place."""
    described: list[tuple[Cause | None, ...]] = field(default_factory=list)
    """The causes for title, description and keywords."""
    cut: bool = False
    """Whether there are more links or runs than are kept."""
    resolver: Resolver = field(init=False)
    regions: dict[tuple[int, int], list[tuple[int, int]]] = field(init=False)
    """The parts of the source where acts are forbidden, by row of the plan and acts."""

    def __post_init__(self) -> None:
        """Sort the regions."""
        self.resolver = Resolver(self.plan.most_url_bytes)
        self.regions = {}
        for start, end, forbids, row in self.plan.regions:
            self.regions.setdefault((forbids, row), []).append((start, end))
        for regions in self.regions.values():
            regions.sort()

    def text(self, text: str, place: int, state: State) -> None:
        """Add a text."""
        if not text.strip(SPACE):
            self.space |= bool(text)
            return
        if len(self.runs) >= MOST_RUNS:
            self.cut = True
            return
        self.run(place, state)
        if state.verbatim:
            self.runs[-1].text += text
            return
        lead = " " if self.space or text[0] in SPACE else ""
        self.runs[-1].text += lead + flattened(text, split=words)
        self.space = text[-1] in SPACE

    def gap(self, place: int, state: State) -> None:
        """Mark a gap, even if no text is missing."""
        if len(self.runs) < MOST_RUNS:
            self.run(place, state)

    def run(self, place: int, state: State) -> None:
        """Make sure that the last run is one that a text in this state belongs to."""
        causes = tuple(self.cause(act, place, state) for act in (INDEX, ARCHIVE, SNIPPET))
        goes_on = bool(self.runs) and self.runs[-1].causes == causes and not self.split
        self.split = False
        if self.block or not goes_on:
            self.runs.append(PlainRun("", self.block, causes, place))
        self.space &= not self.block
        self.block = False

    def cause(self, act: int, place: int, state: State) -> Cause | None:
        """Return what decides an act at a place."""
        regions = self.around(act, place)
        if regions:
            start, _end, row = max(regions, key=lambda region: (region[0], -region[2]))
            return (row, False, start)
        return state.denials[act] or state.classes[act]

    def rows_around(self, place: int) -> Iterator[tuple[int, int]]:
        """Yield the rows that have a region around a place."""
        for row, regions in self.regions.items():
            at = bisect_right(regions, (place, maxsize)) - 1
            if at >= 0 and place < regions[at][1]:
                yield row

    def around(self, act: int, place: int) -> list[tuple[int, int, int]]:
        """Return the regions around a place that forbid an act; those of one row do not overlap."""
        found = []
        for (forbids, row), regions in self.regions.items():
            at = bisect_right(regions, (place, maxsize)) - 1
            if forbids >> act & 1 and at >= 0 and place < regions[at][1]:
                found.append((*regions[at], row))
        return found

    def region_begins(self, place: int, state: State) -> None:
        """Mark a gap if text is excluded from here on."""
        if any(start == place for start, _end, _row in self.around(INDEX, place)):
            self.gap(place, state)

    def mark(
        self, name: str, attributes: Iterable[tuple[str, str]], place: int, state: State
    ) -> int:
        """Apply the marks of one element, and return the acts that they decide."""
        marked = 0
        for attribute, value in attributes:
            if attribute == "class" and self.plan.classes:
                marked |= self.classes(value, place, state)
                continue
            for wanted, elements, forbids, row in self.plan.attributes:
                if wanted == attribute and (not elements or name in elements):
                    marked |= forbids
                    deny(forbids, row, place, state)
        return marked

    def classes(self, value: str, place: int, state: State) -> int:
        """Apply the classes of one element."""
        marked = 0
        found = [row for name in words(value) if (row := self.meaning(name, place))]
        for forbids, allows, _specific, nests, number in found:
            if not forbids and not allows and self.idle is None:
                self.idle = place
            if not nests:
                marked |= forbids
                deny(forbids, number, place, state)
        nesting = [one for one in found if one[3]]
        for act in ACTS:
            speaking = [one for one in nesting if (one[0] | one[1]) >> act & 1]
            strongest = [one for one in speaking if one[2]] or speaking
            if not strongest:
                continue
            marked |= 1 << act
            against = [one for one in strongest if one[0] >> act & 1]
            if against and len(against) < len(strongest):
                self.conflicts.append(place)
            chosen = (against or strongest)[0]
            cause = (chosen[4], not against, place)
            if chosen[2]:
                state.refusals[act] = cause if against else None
            state.classes[act] = (state.refusals[act] or cause) if not against else cause
        return marked

    def meaning(self, name: str, place: int) -> tuple[int, int, bool, bool, int] | None:
        """Return the meaning of a class; record unknown ones that begin like those for robots."""
        plan = self.plan
        if name in plan.classes:
            return plan.classes[name]
        if not plan.numbered or not name.lower().startswith("robot"):
            return None
        numbered = re.fullmatch("robot([0-9]{1,9})-(.*)", name, re.DOTALL)
        row = plan.numbered.get(numbered[2]) if numbered else None
        if row and numbered and numbered[1] in plan.numbers:
            return None
        if (
            len(self.strangers) < MOST_STRANGERS
            and len(name.encode("utf-8", "replace")) <= LONGEST_STRANGER
            and name not in {one for one, _ in self.strangers}
        ):
            self.strangers.append((name, place))
        return row if row and row[0] | row[1] else None

    def link(
        self,
        values: dict[str, str],
        href: str,
        base: str,
        place: int,
        state: State,
        kind: Kind = "link",
    ) -> PlainLink | None:
        """Add a link; return `None` if there are too many.

        Args:
            values: The attributes of the element.
            href: Its target, as written.
            base: The URL that the target is resolved against.
            place: Where the element begins.
            state: What the marks around it say.
            kind: The kind of link.

        """
        if len(self.links) >= MOST_LINKS:
            self.cut = True
            return None
        rel = values.get("rel", "")
        follow, anchor = self.follow(rel, place, state), self.cause(ANCHOR, place, state)
        firm = any(not row[1] for row in self.relations(rel))
        explicit = nearer(anchor, follow) and not firm and state.denials[FOLLOW] is None
        written = href.strip(SPACE)
        url, why = self.resolver.resolve(base, written)
        rev = values.get("rev", "")
        link = PlainLink(
            url or shortened(written), rel, rev, (follow, anchor), place, why, kind, explicit
        )
        self.links.append(link)
        return link

    def follow(self, rel: str, place: int, state: State) -> Cause | None:
        """Return what decides whether a link may be followed."""
        said = self.cause(FOLLOW, place, state)
        if said is not None and not said[1]:
            return said
        is_here = said is not None and said[2] == place
        for _forbids, yields, row in self.relations(rel):
            if not (is_here and yields):
                return (row, False, place)
        return said

    def relations(self, rel: str) -> list[tuple[int, bool, int]]:
        """Return the relations that forbid following a link."""
        found = (self.plan.relations.get(word) for word in words(rel.lower().replace(",", " ")))
        return [row for row in found if row and row[0] >> FOLLOW & 1]


def nearer(anchor: Cause | None, other: Cause | None) -> bool:
    """Return whether a mark that lets a text describe its target is nearer than another mark."""
    return anchor is not None and anchor[1] and (other is None or other[2] <= anchor[2])


REFRESH = re.compile(
    r"""[ \t\n\r\f]*([0-9]+[0-9.]*|\.[0-9.]*)(?=[;, \t\n\r\f])[ \t\n\r\f]*[;,]?[ \t\n\r\f]*
    (?:[Uu][Rr][Ll][ \t\n\r\f]*=[ \t\n\r\f]*)?(?:"([^"]*)|'([^']*)|([^"'].*|\Z))""",
    re.VERBOSE | re.DOTALL,
)


def refresh_target(values: dict[str, str]) -> str | None:
    """Return where a META element redirects its readers, if it does (HTML 4.2.5.3)."""
    if values.get("http-equiv", "").strip(SPACE).lower() != "refresh":
        return None
    found = REFRESH.match(values.get("content", ""))
    target = next((one for one in found.groups()[1:] if one is not None), "") if found else ""
    return target.strip(SPACE) or None


def rebased(around: str, written: str | None) -> str:
    """Return the base within an element (XML Base, section 4)."""
    return around if written is None else UrlBase(around).resolve(written)[0] or written


def shortened(address: str) -> str:
    """Return the beginning of an unresolved address, as long as the core keeps it."""
    if len(address) * 4 <= LONGEST_URL:
        return address
    return address.encode("utf-8", "replace")[:LONGEST_URL].decode("utf-8", "ignore")


def words(text: str) -> list[str]:
    """Split a text at white space as defined by HTML."""
    return [word for word in re.split("[ \t\n\r\f]+", text) if word]


def deny(forbids: int, row: int, place: int, state: State) -> None:
    """Forbid acts permanently: nothing within can allow them again."""
    for act in ACTS:
        if forbids >> act & 1 and state.denials[act] is None:
            state.denials[act] = (row, False, place)


def walk(events: Iterable[Event], plan: Plan, base: str, *, xml: bool = False) -> Walk:
    """Walk through a document.

    Args:
        events: The content of the document, in order.
        plan: The meaning of its marks.
        base: The URL that links are resolved against.
        xml: Whether it is XML: any element may begin a block, and no element is hidden by its name.

    """
    events = list(events)
    walker = Walker(Walk(plan, base), xml=xml)
    for kind, *parts in events:
        if kind == "start":
            walker.start(parts)
        elif kind == "end":
            walker.end(parts[0])
        elif kind == "text" and not walker.hidden:
            walker.text(parts[0], parts[1])
        elif kind == "comment" and not walker.hidden:
            walker.region_begins(parts[2], walker.states[-1])
    found = walker.found
    found.described = described(events, found, xml=xml)
    found.conflicts = sorted(set(found.conflicts))
    return found


class Walker:
    """Keeps the state around the current place."""

    def __init__(self, found: Walk, *, xml: bool) -> None:
        """Start before the document."""
        self.found = found
        self.xml = xml
        self.states = [State([None] * 5, [None] * 5)]
        self.links: list[tuple[int, PlainLink]] = []
        self.hidden = 0
        self.bases = [found.base]
        # For each open element, whether it begins and ends a block.
        self.breaks: list[bool] = []

    def start(self, parts: list[Any]) -> None:
        """Process the start of an element."""
        name, attributes, start, end, *more = parts
        if self.hidden or (name in HIDDEN and not self.xml and more != ["foreign"]):
            self.hidden += 1
            return
        depth = len(self.states)
        state = self.states[-1].copy()
        self.states.append(state)
        state.verbatim |= name in VERBATIM and more != ["foreign"]
        is_other_xml = self.xml and not more[0].in_xhtml
        self.breaks.append(name not in INLINE_IN_XML if is_other_xml else name in BLOCKS)
        self.begin(name, attributes, (start, end), state)
        values = dict(reversed(attributes))
        of_xml = more[0] if self.xml else OfXml(None, None, more != ["foreign"], in_xhtml=True)
        self.bases.append(rebased(self.bases[-1], of_xml.base))
        href = of_xml.link
        if href is None and name in {"a", "area"}:
            href = values.get("href")
        if href is not None:
            link = self.found.link(values, href, self.bases[-1], start, state)
            if link is None:
                return
            if name == "area":
                link.text = values.get("alt", "")
            if len(self.links) < MOST_OPEN_LINKS:
                self.links.append((depth, link))
        elif name == "img" and self.links and "alt" in values:
            shown = f" {values['alt']} " if self.shows(start) else MISSING
            self.links[-1][1].text += shown
        elif name == "meta" and of_xml.is_html:
            target = refresh_target(values)
            if target is not None:
                self.found.link(values, target, self.bases[-1], start, state, "html-refresh")

    def begin(
        self, name: str, attributes: list[tuple[str, str]], places: tuple[int, int], state: State
    ) -> None:
        """Process the marks of an element, and the gap that it may be."""
        found = self.found
        start, end = places
        self.breaks_words(is_block=self.breaks[-1])
        marked = found.mark(name, attributes, start, state)
        if marked >> INDEX & 1:
            found.gap(start, state)
        if marked >> INDEX & 1 or marked >> ANCHOR & 1:
            self.gap_in_links(start)
        if name == "noindex":
            found.split = True
            self.region_begins(end, state)

    def breaks_words(self, *, is_block: bool) -> None:
        """Separate the words around the beginning or the end of a block."""
        self.found.block |= is_block
        for _depth, link in self.links if is_block else ():
            link.text += " "

    def region_begins(self, place: int, state: State) -> None:
        """Mark a gap in the text and in the links if text is excluded from here on."""
        found = self.found
        found.region_begins(place, state)
        begin = [*found.around(INDEX, place), *found.around(ANCHOR, place)]
        if any(start == place for start, _end, _row in begin):
            self.gap_in_links(place)

    def gap_in_links(self, place: int) -> None:
        """Mark a gap in the texts of all open links."""
        if self.links and not self.shows(place):
            for _depth, link in self.links:
                link.text += MISSING

    def end(self, name: str) -> None:
        """Process the end of an element."""
        if self.hidden:
            self.hidden -= 1
            return
        self.states.pop()
        self.bases.pop()
        self.breaks_words(is_block=self.breaks.pop())
        self.found.split |= name == "noindex"
        if self.links and self.links[-1][0] == len(self.states):
            link = self.links.pop()[1]
            parts = [flattened(part, split=words) for part in link.text.split(MISSING)]
            parts = [part for part in parts if part]
            link.text = " ".join(parts)
            link.gaps = tuple(len(" ".join(parts[:at])) for at in range(1, len(parts)))

    def shows(self, place: int) -> bool:
        """Return whether a text here may be part of a link's text."""
        state, found = self.states[-1], self.found
        anchor, index = found.cause(ANCHOR, place, state), state.classes[INDEX]
        allowed = (anchor is None or anchor[1]) and state.denials[INDEX] is None
        if index is not None and not index[1]:
            allowed &= nearer(anchor, index)
        return allowed and not any(
            forbids >> INDEX & 1 and forbids != 1 << INDEX
            for forbids, _row in (found.rows_around(place) if found.regions else ())
        )

    def text(self, text: str, place: int) -> None:
        """Process a text."""
        describes = not self.links or self.shows(place)
        for _depth, link in self.links:
            anchor = link.causes[1]
            is_kept = describes or (anchor is not None and not anchor[1])
            link.text += text if is_kept else MISSING
        self.found.text(text, place, self.states[-1])


Opened: TypeAlias = tuple[str, list[tuple[str, str]], int]
"""An open element: its name, its attributes, and where it begins."""


def described(events: Iterable[Event], found: Walk, *, xml: bool) -> list[tuple[Cause | None, ...]]:
    """Return what decides on title, description and keywords, even where the walk skips them.

    Args:
        events: The content of the document.
        found: The result of the walk; the marks around these three are added to it.
        xml: Whether it is XML.

    """
    opened: list[Opened] = []
    title: list[tuple[list[Opened], int]] = []
    depth, has_text = 0, False
    metas: dict[str, tuple[list[Opened], int]] = {}
    for kind, *parts in events:
        if kind == "start":
            name, attributes, start, _end, *more = parts
            opened.append((name, attributes, start))
            is_html = more[0].is_html if xml else not more
            if is_html and name == "title" and not depth and not has_text:
                depth, title = len(opened), []
            if is_html and name == "meta":
                meta = name_of_meta(dict(reversed(attributes)))
                metas.setdefault(meta, (opened[:], start))
        elif kind == "end":
            depth = 0 if depth == len(opened) else depth
            opened.pop()
        elif depth and (kind == "text" or len(parts) > 1):
            text, place = parts[:2] if kind == "text" else parts[1::-1]
            if isinstance(text, str):
                has_text |= bool(words(text))
                title.append((opened[:], place))
    of_texts = [causes_at(found, *one) for one in title]
    decided = tuple(strictest(of_act) for of_act in zip(*of_texts, strict=True))
    about = [causes_at(found, *metas.get(name, ([], 0))) for name in ("description", "keywords")]
    return [decided or (None, None, None), *about]


def name_of_meta(values: dict[str, str]) -> str:
    """Return the name of a META element, in lower case."""
    named = values.get("name", "").strip()
    return (named or values.get("http-equiv", values.get("property", ""))).strip().lower()


def causes_at(found: Walk, opened: Iterable[Opened], place: int) -> tuple[Cause | None, ...]:
    """Return what decides whether these elements may be indexed, archived or quoted."""
    state = State([None] * 5, [None] * 5)
    for name, attributes, start in opened:
        found.mark(name, attributes, start, state)
    if not opened:
        return (None, None, None)
    return tuple(found.cause(act, place, state) for act in (INDEX, ARCHIVE, SNIPPET))


def strictest(causes: Iterable[Cause | None]) -> Cause | None:
    """Return the first cause that forbids, or the first of all."""
    said = [cause for cause in causes if cause is not None]
    return next((cause for cause in said if not cause[1]), said[0] if said else None)
