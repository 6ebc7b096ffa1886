"""The reference for the core's reader of XML: the events of expat, one by one.

With a default handler expat leaves entities in texts as they are. Those in attributes it expands.
"""

import html.entities
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from goodbot.page.entities import without_bombs
from goodbot.page.finding_codes import Findings
from goodbot.page.pi import read_robots_pi, syntax_error
from goodbot.page.pieces import EndsHereError, parse_in_pieces
from goodbot.page.resolving import Resolver, most_url_bytes
from goodbot.page.verdict import Source, Statement
from tests.support.page_walk_reference import SPACE, Event, words

__all__ = ["XmlDocument", "read_xml"]

XHTML = "http://www.w3.org/1999/xhtml"
XLINK = "http://www.w3.org/1999/xlink"
ATOM = "http://www.w3.org/2005/Atom"
XML = "http://www.w3.org/XML/1998/namespace"

VERBATIM = frozenset({"script", "style"})
DEPTH = 512
DEEPEST = 50_000
"""Expat takes some 300 bytes for each open element, however it is left out."""
MOST_EVENTS = 1_000_000
EVENTS_AT_ONCE = 1_000
WATCHED = re.compile(r"\s*(/?noindex|/?htdig_noindex|googleo(?:ff|n)\s*:.*)\s*", re.IGNORECASE)


class Events:
    """A million events, of which garbage collection sees a thousand at most.

    It holds all threads while it passes over the items of lists and whatever they hold, some of
    them again and again. Tuples of texts, numbers and such tuples it looks at once.

    >>> events = Events()
    >>> for place in range(2_500):
    ...     events.append(("other", place))
    >>> len(events), list(events) == [("other", place) for place in range(2_500)]
    (2500, True)
    >>> events.clear()
    >>> len(events)
    0
    """

    __slots__ = ("_last", "_whole")

    def __init__(self) -> None:
        """Begin with none."""
        self._whole: list[tuple[Event, ...]] = []
        self._last: list[Event] = []

    def append(self, event: Event) -> None:
        """Add one; all that is in it is text, numbers, or a tuple of them."""
        self._last.append(event)
        if len(self._last) == EVENTS_AT_ONCE:
            self._whole.append(tuple(self._last))
            self._last.clear()

    def __len__(self) -> int:
        """Count them."""
        return len(self._whole) * EVENTS_AT_ONCE + len(self._last)

    def __iter__(self) -> Iterator[Event]:
        """Yield each, in order."""
        for events in self._whole:
            yield from events
        yield from self._last

    def clear(self) -> None:
        """Forget them, a thousand at a time: freed at once they hold all other threads."""
        self._last.clear()
        while self._whole:
            del self._whole[-1]


@dataclass(slots=True)
class XmlDocument:
    """What stands in a document of XML."""

    events: Events = field(default_factory=Events)
    """What stands in it, with the octet of `body` at which each begins."""
    body: bytes = b""
    read_to: int | None = None
    """The octet at which the reading ended: the length, but for errors and limits."""
    said: tuple[Statement, ...] = ()
    """What the robots processing instruction states."""
    title: str = ""
    base: str | None = None
    profile: tuple[str, int] | None = None
    metas: list[tuple[str, str, bool, bool, int]] = field(default_factory=list)
    links: list[tuple[str, str, str, str, str, bool, int]] = field(default_factory=list)
    comments: list[tuple[str, int, int]] = field(default_factory=list)
    noindex: list[tuple[int, bool]] = field(default_factory=list)
    length: int = 0
    is_xhtml: bool = False


def read_xml(body: bytes, url: str, findings: Findings, *, lenient: bool) -> XmlDocument:
    """Read a document of XML; what is wrong with it is a finding.

    Args:
        body: Its octets, in UTF-8 whatever it declares.
        url: Its URL, which relative links are resolved against.
        findings: Where findings go.
        lenient: Whether the processing instruction may have white space before `?>`.

    """
    body = without_bombs(body, findings)
    reader = Reader(url, findings, Resolver(most_url_bytes(len(body))), lenient=lenient)
    parser = expat.ParserCreate("utf-8")
    # An entity that nobody declares is then passed over; the subset itself is never fetched.
    parser.UseForeignDTD(True)  # noqa: FBT003  the signature is expat's
    parser.ordered_attributes = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    reader.attach(parser)
    try:
        parse_in_pieces(parser, body)
    except EndsHereError as end:
        findings.add(end.code, str(end), parser.CurrentLineNumber)
        if reader.document.read_to is None:
            reader.document.read_to = end.place
    except expat.ExpatError as error:
        message = f"the XML is not well-formed: {expat.errors.messages.get(error.code, error)}"
        findings.add("not-well-formed", message, error.lineno)
        if reader.document.read_to is None:
            reader.document.read_to = max(parser.ErrorByteIndex, 0)
    reader.close(len(body))
    reader.document.body = body
    return reader.document


@dataclass(slots=True)
class Element:
    """An open element."""

    name: str
    """Its name, as events have it."""
    declared: tuple[str, ...]
    """The prefixes that it declares."""
    base: str
    extended: bool = False
    """Whether it is an extended link."""


class Names:
    """The namespaces in force: of each prefix what it stands for, the innermost last."""

    def __init__(self) -> None:
        """Begin outside of the document."""
        self.spaces: dict[str, list[str]] = {}

    def declare(self, attributes: dict[str, str]) -> tuple[str, ...]:
        """Take what an element declares; give the prefixes."""
        declared = []
        for key, value in attributes.items():
            if key == "xmlns" or key.startswith("xmlns:"):
                prefix = key.partition(":")[2]
                self.spaces.setdefault(prefix, []).append(value)
                declared.append(prefix)
        return tuple(declared)

    def forget(self, declared: tuple[str, ...]) -> None:
        """Leave an element."""
        for prefix in declared:
            self.spaces[prefix].pop()

    def of(self, prefix: str, default: str = "") -> str:
        """Give what a prefix stands for."""
        spaces = self.spaces.get(prefix)
        return spaces[-1] if spaces else default

    def resolved(self, name: str) -> tuple[str, str]:
        """Give the namespace of an element and its local name."""
        prefix, colon, local = name.rpartition(":")
        return self.of(prefix), local if colon else name


class Reader:
    """Gathers what expat finds."""

    def __init__(self, url: str, findings: Findings, resolver: Resolver, *, lenient: bool) -> None:
        """Begin before the document."""
        self.url = url
        self.findings = findings
        self.resolver = resolver
        self.lenient = lenient
        self.document = XmlDocument()
        self.parser: expat.XMLParserType
        self.open: list[Element] = []
        self.pieces: list[str] = []
        self.text_place = 0
        self.names = Names()
        self.title: list[str] = []
        self.too_deep = 0
        self.title_depth = 0
        """How deep the title stands that is open; its text is not among those of the document."""
        self.in_head = False

    def attach(self, parser: expat.XMLParserType) -> None:
        """Take what the parser finds."""
        self.parser = parser
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text
        parser.ProcessingInstructionHandler = self.instruction
        parser.CommentHandler = self.comment
        # Entities are then not expanded.
        parser.DefaultHandler = self.entity

    def place(self) -> int:
        """Give the octet at which the parser is."""
        return max(self.parser.CurrentByteIndex, 0)

    def event(self, event: Event) -> None:
        """Take up an event, within bounds; first the text before it, which comes in pieces."""
        if self.pieces:
            text, self.pieces = "".join(self.pieces), []
            self.add(("text", text, self.text_place))
        self.add(event)

    def add(self, event: Event) -> None:
        """Add an event, if there are not too many."""
        if len(self.document.events) < MOST_EVENTS:
            self.document.events.append(event)
        elif self.document.read_to is None:
            self.findings.add("too-many-nodes", "the document has too many nodes", self.line())
            self.document.read_to = self.text_place if event[0] == "text" else self.place()

    def line(self) -> int:
        """Give the number of the line at which the parser is."""
        return self.parser.CurrentLineNumber

    def start(self, name: str, flat: list[str]) -> None:
        """Take up the beginning of an element."""
        if len(self.open) >= DEPTH:
            if not self.too_deep:
                message = f"elements are nested over {DEPTH} deep; what stands deeper is left out"
                self.findings.add("too-deep", message, self.line())
            self.too_deep += 1
            if self.too_deep > DEEPEST:
                message = f"elements are nested over {DEEPEST} deep; the rest was not read"
                raise EndsHereError(message, "too-deep", self.place())
            self.event(("left out", self.place()))
            if name.rpartition(":")[2].lower() == "meta":
                # It says how everything is to be treated, wherever it stands.
                written = dict(zip(flat[::2], flat[1::2], strict=True))
                self.of_html("meta", {key.lower(): value for key, value in written.items()})
            return
        attributes = dict(zip(flat[::2], flat[1::2], strict=True))
        around = self.open[-1] if self.open else Element("", (), self.url)
        declared = self.names.declare(attributes)
        base = attributes.get("xml:base")
        if base is not None:
            base = self.resolver.resolve(around.base, base)[0] or base
        space, local = self.names.resolved(name)
        is_html = space == XHTML or (not space and self.document.is_xhtml)
        if not self.open and (space == XHTML or local == "html"):
            self.document.is_xhtml = is_html = True
        base = around.base if base is None else base
        element = Element(local.lower() if is_html else local, declared, base)
        link, element.extended = self.link(
            local, space, attributes, extended=around.extended, is_html=is_html
        )
        # SVG and MathML in it may be marked as well.
        marked = attributes.items() if self.document.is_xhtml else ()
        pairs = [(key.lower(), value) for key, value in marked]
        values = dict(pairs)
        if link is not None:
            if space == ATOM:
                pairs = [pair for pair in attributes.items() if pair[0] == "rel"]
            link = link.strip(SPACE)
            resolved, why = self.resolver.resolve(element.base, link)
            pairs = [pair for pair in pairs if pair[0] != "href"]
            pairs.append(("href", resolved or link))
        place = self.place()
        # Garbage collection, which holds all threads, passes over tuples of texts.
        event = ("start", element.name, tuple(pairs), place, place + 1)
        self.event(event if link is None else (*event, "link", why))
        self.open.append(element)
        if is_html:
            self.of_html(element.name, values)

    def link(
        self,
        local: str,
        space: str,
        attributes: dict[str, str],
        *,
        extended: bool,
        is_html: bool,
    ) -> tuple[str | None, bool]:
        """Find where an element leads, and whether it is an extended link.

        Simple links and the locators of extended ones have an href (XLink 1.0 section 5; 1.1 takes
        an href without a type for a simple link); so have the anchors of XHTML and the links of
        Atom.
        """
        xlink = {}
        for key, value in attributes.items():
            prefix, colon, name = key.partition(":")
            if colon and self.names.of(prefix, XLINK if prefix == "xlink" else "") == XLINK:
                xlink[name] = value
        kind = xlink.get("type", "simple" if "href" in xlink else "")
        if kind == "extended":
            return None, True
        if kind == "simple" or (kind == "locator" and extended):
            return xlink.get("href"), extended
        if is_html and local.lower() in {"a", "area"}:
            return attributes.get("href"), extended
        if space == ATOM and local == "link":
            return attributes.get("href"), extended
        return None, extended

    def of_html(self, name: str, values: dict[str, str]) -> None:
        """Take up what an element of XHTML says of the document."""
        line = self.line()
        if name == "head":
            self.in_head = True
            if "profile" in values and self.document.profile is None:
                self.document.profile = (values["profile"], line)
        elif name == "title" and not self.title_depth and not words("".join(self.title)):
            self.title_depth = len(self.open)
        elif name == "base" and self.document.base is None:
            self.document.base = values.get("href")
        elif name == "meta":
            named = values.get("name", "").strip() and values["name"]
            meta = named or values.get("http-equiv", values.get("property"))
            if meta is not None:
                is_pragma = not named and "http-equiv" in values
                content = values.get("content", "")
                self.document.metas.append((meta.strip(), content, is_pragma, self.in_head, line))
        elif name == "link":
            get = values.get
            found = (
                get("rel", ""),
                get("href", ""),
                get("type", ""),
                get("name", ""),
                get("content", ""),
            )
            self.document.links.append((*found, self.in_head, line))
        elif name == "noindex":
            self.document.noindex.append((self.place() + 1, False))

    def end(self, _name: str) -> None:
        """Take up the end of an element."""
        if self.too_deep:
            self.too_deep -= 1
            self.event(("left out", self.place()))
            return
        if self.title_depth == len(self.open):
            self.title_depth = 0
        element = self.open.pop()
        self.names.forget(element.declared)
        name = element.name
        if name == "noindex":
            self.document.noindex.append((self.place(), True))
        self.in_head &= name != "head"
        self.event(("end", name, self.place()))

    def text(self, text: str) -> None:
        """Take up a text."""
        hidden = self.document.is_xhtml and self.open and self.open[-1].name in VERBATIM
        if self.title_depth and not self.too_deep:
            self.title.append(text)
        if self.too_deep or self.title_depth or hidden:
            self.event(("left out" if self.too_deep else "other", self.place()))
            return
        if not self.pieces:
            self.text_place = self.place()
        self.pieces.append(text)

    def entity(self, data: str) -> None:
        """Take up a reference to an entity that the standard of HTML names; others stay out."""
        if data.startswith("&") and data.endswith(";"):
            self.text(html.entities.html5.get(data[1:], ""))
        else:
            self.event(("other", self.place()))

    def comment(self, text: str) -> None:
        """Take up a comment."""
        start = self.place()
        end = start + len(text.encode("utf-8", "surrogatepass")) + len("<!---->")
        if WATCHED.fullmatch(text):
            self.document.comments.append((text.strip(), start, end))
        self.event(("comment", text, start, end))

    def instruction(self, target: str, data: str) -> None:
        """Take up a processing instruction."""
        self.event(("other", self.place()))
        if target != "robots":
            return
        line = self.line()
        said = read_robots_pi(data, lenient=self.lenient)
        if said is None:
            message = f"{self.url}: <?robots {data[:60]}?>: {syntax_error(data)}"
            self.findings.add("illegal-robots-pi", message, line)
            return
        if self.document.said:
            self.findings.add("repeated-robots-pi", "the first legal robots PI holds", line)
            return
        if any(is_content(event) for event in self.document.events):
            message = "the robots PI should stand before any text and any link"
            self.findings.add("late-robots-pi", message, line)
        index, follow = said
        source = Source("pi", "robots PI", line, data)
        self.document.said = (
            Statement("index" if index else "noindex", None, source),
            Statement("follow" if follow else "nofollow", None, source),
        )

    def close(self, length: int) -> None:
        """Close what the document left open."""
        document = self.document
        document.length = length
        if document.read_to is None:
            document.read_to = length
        while self.open:
            self.event(("end", self.open.pop().name, document.read_to))
        document.title = " ".join(words("".join(self.title)))


def is_content(event: Event) -> bool:
    """Whether something is text or a link, before which the PI should stand."""
    kind, *parts = event
    if kind == "text":
        return bool(parts[0].strip())
    return kind == "start" and parts[4:5] == ["link"]
