"""The reference for the core's reader of XML: the events of expat, one by one.

With a default handler, expat leaves entities in texts as they are. It expands those in attributes,
except the ones that `without_bombs` empties.
"""

import re
from contextlib import suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from xml.parsers import expat

from goodbot._core import parse_html
from goodbot.page.finding_codes import Findings
from tests.support.references.page_walk_reference import SPACE, Event, OfXml, words
from tests.support.references.xml_entities_reference import Prologue, prologue_of, without_bombs

__all__ = ["XmlDocument", "good_bytes", "read_xml"]

XHTML = "http://www.w3.org/1999/xhtml"
XLINK = "http://www.w3.org/1999/xlink"
ATOM = "http://www.w3.org/2005/Atom"
SVG = "http://www.w3.org/2000/svg"
RSS = (
    "",
    "http://purl.org/rss/1.0/",
    "http://my.netscape.com/rdf/simple/0.9/",
    "http://channel.netscape.com/rdf/simple/0.9/",
)
ENCODED = "http://purl.org/rss/1.0/modules/content/", "encoded"
TAG = re.compile("<[A-Za-z/!]")

VERBATIM = frozenset({"script", "style"})
UNSEEN = frozenset(
    {*("template", "noframes", "noembed", "iframe", "datalist", "audio", "video", "canvas", "rp")}
)
"""Elements of HTML whose content is no visible text, in XHTML as in HTML."""
DEPTH = 512
MOST_ATTRIBUTES = 256
KEPT = {"class", "content", "data-nosnippet", "href", "http-equiv", "name", "profile", "rel"}
"""Attributes that are always read, however many stand before them."""

TAG_WRITTEN = re.compile(rb"""<[^\s/>]+(?:\s+[^\s=]+\s*=\s*(?:"[^"]*"|'[^']*'))*""")
CLASS = re.compile(r"""\sclass\s*=\s*["']([^"']*)""")
PREDEFINED = {"lt", "gt", "amp", "quot", "apos"}
FORBIDDING = "robots-noindex robots-nofollow robots-noarchive robots-noanchortext robots-nocontent"
DECLARATION = re.compile("<![A-Z]")
WATCHED = re.compile(r"\s*(/?noindex|/?htdig_noindex|googleo(?:ff|n)\s*:.*)\s*", re.IGNORECASE)


@dataclass(slots=True)
class XmlDocument:
    """The content of an XML document."""

    body: bytes
    """Its bytes, with line ends as LF alone."""
    read_to: int
    """The byte at which the reading ended: the length, unless the document is not well-formed."""
    events: list[Event] = field(default_factory=list)
    """The content, each event with its first byte in `body`."""
    instructions: list[tuple[str, int, bool, bool]] = field(default_factory=list)
    """The robots processing instructions: data, line, whether after text or a link, and whether
    in an entity."""
    title: str = ""
    title_line: int = 0
    base: str | None = None
    profile: tuple[str, int] | None = None
    metas: list[tuple[str, str, bool, bool, int]] = field(default_factory=list)
    valued: list[tuple[str, str, int]] = field(default_factory=list)
    links: list[tuple[str, str, str, str, str, bool, int]] = field(default_factory=list)
    comments: list[tuple[str, int, int]] = field(default_factory=list)
    noindex: list[tuple[int, bool]] = field(default_factory=list)
    rsl_licenses: list[tuple[str, int, bool, bool]] = field(default_factory=list)
    is_xhtml: bool = False
    is_feed: bool = False
    escaped_html: int | None = None
    """The line of the first text of a feed that is HTML in disguise."""

    @property
    def length(self) -> int:
        """The number of bytes."""
        return len(self.body)

    def rest(self, watched: list[str]) -> SimpleNamespace | None:
        """Parse the remainder as HTML, with line numbers counted in the whole document."""
        behind = self.body[self.read_to :]
        if not behind.strip():
            return None
        before = self.body.count(b"\n", 0, self.read_to)
        facts = parse_html(behind, "utf-8", watched).facts
        metas = [(*meta[:4], meta[4] + before) for meta in facts.metas]
        instructions = [(data, line + before, *rest) for data, line, *rest in facts.instructions]
        return SimpleNamespace(facts=SimpleNamespace(metas=metas, instructions=instructions))


def parser_of() -> expat.XMLParserType:
    """Return a parser that fetches nothing."""
    parser = expat.ParserCreate("utf-8")
    # Undeclared entities are then ignored; the external subset is never fetched.
    parser.UseForeignDTD(True)  # noqa: FBT003  the signature is expat's
    parser.ordered_attributes = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    return parser


def good_bytes(body: bytes) -> tuple[int, bool]:
    """Return how far a document is well-formed, and whether that is its end.

    A parser with only a default handler passes on each token as it is written.
    Declarations and sections consist of several.
    """
    parser = parser_of()
    good = total = 3 if body.startswith(b"\xef\xbb\xbf") else 0
    in_subset = False
    ends: tuple[str, ...] = ()  # the tokens that end what is open

    def default(written: str) -> None:
        nonlocal good, total, in_subset, ends
        total += len(written.encode("utf-8", "surrogatepass"))
        if ends:
            in_subset |= "[" in ends and written == "["
            ends = () if written in ends else ends
        elif written == "<![CDATA[":
            ends = ("]]>",)
        elif in_subset and written == "]":
            in_subset, ends = False, (">",)
        elif DECLARATION.match(written):
            ends = ("[", ">") if written == "<!DOCTYPE" else (">",)
        good = good if ends else total

    parser.DefaultHandler = default
    with suppress(expat.ExpatError):
        parser.Parse(body, True)  # noqa: FBT003  the signature is expat's
        return good, True
    return good, False


def read_xml(body: bytes, findings: Findings) -> XmlDocument:
    """Read an XML document; errors in it become findings.

    Args:
        body: Its bytes, read as UTF-8 whatever encoding it declares.
        findings: Where findings go.

    """
    # XML 1.0, section 2.11.
    body = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    document = XmlDocument(body, 0)
    safe, prologue = without_bombs(body), prologue_of(body)
    document.read_to, is_whole = good_bytes(safe)
    reader = Reader(findings, document, prologue)
    parser = parser_of()
    reader.attach(parser)
    with suppress(expat.ExpatError):
        parser.Parse(safe, True)  # noqa: FBT003  the signature is expat's
    findings.add_of_xml(prologue.not_read, None)
    if not is_whole:
        line = body.count(b"\n", 0, document.read_to) + 1
        findings.add("not-well-formed", "the XML is not well-formed", line)
    reader.close()
    return document


@dataclass(slots=True)
class Element:
    """An open element."""

    name: str
    """Its name, as in the events."""
    declared: tuple[str, ...]
    """The prefixes that it declares."""
    extended: bool = False
    """Whether it is an extended link."""
    is_hidden: bool = False
    """Whether its text is no text of the document."""
    content: str = "text"
    """The kind of its text: `text`, `address`, or `html` if it may be HTML."""
    started: int = -1
    """The number of the event with which it began."""
    address: str = ""
    """Its text, if that is an address and comes before any other content."""


class Names:
    """The namespaces in force: the meanings of each prefix, innermost last."""

    def __init__(self) -> None:
        """Start outside of the document."""
        self.spaces: dict[str, list[str]] = {}

    def declare(self, attributes: dict[str, str]) -> tuple[str, ...]:
        """Add what an element declares; return the prefixes."""
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
        """Return the namespace of a prefix."""
        spaces = self.spaces.get(prefix)
        return spaces[-1] if spaces else default

    def resolved(self, name: str) -> tuple[str, str]:
        """Return the namespace of an element and its local name."""
        prefix, colon, local = name.rpartition(":")
        return self.of(prefix), local if colon else name


class Reader:
    """Collects what expat finds."""

    def __init__(self, findings: Findings, document: XmlDocument, prologue: Prologue) -> None:
        """Start before the document."""
        self.findings = findings
        self.prologue = prologue
        self.document = document
        self.parser: expat.XMLParserType
        self.open: list[Element] = []
        self.pieces: list[str] = []
        self.section: list[str] | None = None
        self.text_place = 0
        self.names = Names()
        self.title: list[str] = []
        self.too_deep = 0
        self.title_depth = 0
        """The depth of the open title; its text is kept apart from the document's texts."""
        self.in_head = False

    def attach(self, parser: expat.XMLParserType) -> None:
        """Register for the events of the parser."""
        self.parser = parser
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text
        parser.ProcessingInstructionHandler = self.instruction
        parser.CommentHandler = self.comment
        # With this handler, entities are not expanded.
        parser.DefaultHandler = self.entity
        # A section is text like any other.
        parser.StartCdataSectionHandler = self.section_starts
        parser.EndCdataSectionHandler = self.section_ends

    def place(self) -> int:
        """Return the byte at which the parser is."""
        return max(self.parser.CurrentByteIndex, 0)

    def event(self, event: Event) -> None:
        """Add an event, after the text that was collected before it."""
        self.flush()
        self.document.events.append(event)

    def flush(self) -> None:
        """Add the collected text, if it is to be read."""
        if not self.pieces:
            return
        text, self.pieces = "".join(self.pieces), []
        events, place = self.document.events, self.text_place
        within = self.open[-1] if self.open else Element("", ())
        if within.content == "address":
            if within.started == len(events) - 1:
                within.address = text.strip(SPACE)
            events.append(("other", place))
        elif within.content == "html" and TAG.search(text):
            if self.document.escaped_html is None:
                self.document.escaped_html = self.document.body.count(b"\n", 0, place) + 1
            events.append(("other", place))
        else:
            events.append(("text", text, place))

    def line(self) -> int:
        """Return the number of the line at which the parser is."""
        return self.parser.CurrentLineNumber

    def start(self, name: str, flat: list[str]) -> None:
        """Process the start of an element."""
        if len(self.open) >= DEPTH:
            if not self.too_deep:
                message = f"elements are nested over {DEPTH} deep; the deeper ones are not read"
                self.findings.add("too-deep", message, self.line())
            self.too_deep += 1
            self.event(("omitted", self.place()))
            if name.rpartition(":")[2].lower() == "meta":
                # It applies to the whole document, wherever it stands.
                written = self.first(dict(zip(flat[::2], flat[1::2], strict=True)))
                self.of_html("meta", {key.lower(): value for key, value in written.items()})
            return
        attributes = self.first(dict(zip(flat[::2], flat[1::2], strict=True)))
        self.forbid(attributes)
        around = self.open[-1] if self.open else Element("", ())
        declared = self.names.declare(attributes)
        space, local = self.names.resolved(name)
        is_html = space == XHTML or (not space and self.document.is_xhtml)
        if not self.open and (space == XHTML or local == "html"):
            self.document.is_xhtml = is_html = True
        element = Element(local.lower() if is_html else local, declared)
        link, element.extended = self.link(
            local, space, attributes, extended=around.extended, is_html=is_html
        )
        element.content, url = self.in_feed(local, space, attributes, around.name)
        link = url if link is None else link
        # SVG and MathML in XHTML may be marked as well.
        marked = attributes.items() if self.document.is_xhtml else ()
        pairs = [(key.lower(), value) for key, value in marked]
        values = dict(reversed(pairs))
        if link is not None and (space == ATOM or (space == SVG and not self.document.is_xhtml)):
            pairs = [pair for pair in attributes.items() if pair[0] == "rel"]
        place = self.place()
        of_xml = OfXml(link, attributes.get("xml:base"), is_html, is_html or self.document.is_xhtml)
        self.event(("start", element.name, pairs, place, place + 1, of_xml))
        element.started = len(self.document.events) - 1
        element.is_hidden = (
            around.is_hidden
            or ((is_html or self.document.is_xhtml) and element.name in VERBATIM)
            or (is_html and element.name in UNSEEN)
        )
        self.open.append(element)
        if is_html:
            self.of_html(element.name, values)

    def in_feed(
        self, local: str, space: str, attributes: dict[str, str], around: str
    ) -> tuple[str, str | None]:
        """Return the kind of an element's text, and the URL in an attribute of an RSS element."""
        if not self.open:
            self.document.is_feed = local in {"rss", "RDF", "feed"}
        if not self.open or not self.document.is_feed:
            return "text", None
        in_item = space in RSS and around in {"channel", "item", "image", "textinput"}
        is_permanent = attributes.get("isPermaLink") != "false"
        is_of_atom = space == ATOM and attributes.get("type") == "html"
        if in_item and (local in {"link", "comments"} or (local == "guid" and is_permanent)):
            return "address", None
        if (in_item and local == "description") or (space, local) == ENCODED or is_of_atom:
            return "html", None
        has_url = not space and around == "item" and local in {"enclosure", "source"}
        return "text", attributes.get("url") if has_url else None

    def forbid(self, attributes: dict[str, str]) -> None:
        """Replace the classes of a tag with a forbidding one if they have an unreadable entity."""
        tag = TAG_WRITTEN.match(self.document.body, self.place())
        written = CLASS.search(tag[0].decode() if tag else "")
        for name in re.findall("&([a-z0-9]+);", written[1] if written else ""):
            known = name in PREDEFINED or self.prologue.read(f"&{name};", "")
            if not known and name not in self.prologue.texts:
                attributes["class"] = FORBIDDING
                self.prologue.not_read = self.prologue.not_read or name

    def first(self, attributes: dict[str, str]) -> dict[str, str]:
        """Return the attributes that are read when there are very many."""
        kept = {
            name: value
            for number, (name, value) in enumerate(attributes.items())
            if number < MOST_ATTRIBUTES or name in KEPT or name.startswith("xmlns")
        }
        if len(attributes) > MOST_ATTRIBUTES:
            message = "a tag has over 256 attributes; the rest is not read"
            self.findings.add("too-many-attributes", message, self.line())
        return kept

    def link(
        self,
        local: str,
        space: str,
        attributes: dict[str, str],
        *,
        extended: bool,
        is_html: bool,
    ) -> tuple[str | None, bool]:
        """Return the target of an element, and whether it is an extended link.

        Simple links and the locators of extended ones have an href (XLink 1.0 section 5; in 1.1 an
        href without a type makes a simple link). Anchors of XHTML and links of Atom have one too.
        """
        if space == SVG and local == "a" and "href" in attributes:
            return attributes["href"], extended
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
        """Record what an XHTML element states about the document."""
        line = self.line()
        if name == "head":
            self.in_head = True
            if "profile" in values and self.document.profile is None:
                self.document.profile = (values["profile"], line)
        elif name == "title" and not self.title_depth and not words("".join(self.title)):
            self.title_depth = len(self.open)
            self.document.title_line = line
        elif name == "base" and self.document.base is None:
            self.document.base = values.get("href")
        elif name == "meta":
            named = values.get("name", "").strip() and values["name"]
            meta = named or values.get("http-equiv", values.get("property"))
            if meta is not None:
                is_pragma = not named and "http-equiv" in values
                content = values.get("content", "")
                self.document.metas.append((meta.strip(), content, is_pragma, self.in_head, line))
                if "value" in values and "content" not in values:
                    self.document.valued.append((meta.strip(), values["value"], line))
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
        """Process the end of an element."""
        if self.too_deep:
            self.too_deep -= 1
            self.event(("omitted", self.place()))
            return
        if self.title_depth == len(self.open):
            self.title_depth = 0
        self.flush()
        element = self.open.pop()
        if element.address:
            events = self.document.events
            *start, of_xml = events[element.started]
            events[element.started] = (*start, of_xml._replace(link=element.address))
        self.names.forget(element.declared)
        name = element.name
        if name == "noindex":
            self.document.noindex.append((self.place(), True))
        self.in_head &= name != "head"
        self.event(("end", name, self.place()))

    def section_starts(self) -> None:
        """Start a CDATA section, which is ignored if it never ends."""
        self.section, self.section_place = [], self.place()

    def section_ends(self) -> None:
        """Add a whole CDATA section."""
        text, self.section = "".join(self.section or ()), None
        self.text(text, self.section_place)

    def text(self, text: str, place: int | None = None) -> None:
        """Process a text."""
        if self.section is not None:
            self.section.append(text)
            return
        at = self.place() if place is None else place
        hidden = bool(self.open) and self.open[-1].is_hidden
        if self.title_depth and not self.too_deep:
            self.title.append(text)
        if self.too_deep or self.title_depth or hidden:
            is_title = self.title_depth and not self.too_deep
            self.event(("omitted" if self.too_deep else "other", at, *[text][: bool(is_title)]))
            return
        if not self.pieces:
            self.text_place = at
        self.pieces.append(text)

    def entity(self, data: str) -> None:
        """Add the text of a reference, from the document's declarations or the HTML standard."""
        if data.startswith("&") and data.endswith(";"):
            self.text(self.prologue.read(data, " "))
        else:
            self.event(("other", self.place()))

    def comment(self, text: str) -> None:
        """Process a comment."""
        start = self.place()
        end = start + len(text.encode("utf-8", "surrogatepass")) + len("<!---->")
        if WATCHED.fullmatch(text):
            self.document.comments.append((text.strip(), start, end))
        self.event(("comment", text, start, end))

    def instruction(self, target: str, data: str) -> None:
        """Process a processing instruction."""
        self.event(("other", self.place()))
        if target != "robots":
            return
        is_late = any(is_content(event) for event in self.document.events)
        # Of one in an entity, the parser names the place of the reference.
        is_hidden = not self.document.body.startswith(b"<?", self.place())
        self.document.instructions.append((data, self.line(), is_late, is_hidden))

    def close(self) -> None:
        """Close the elements that the document left open."""
        document = self.document
        self.flush()  # while the element that the text stands in is open
        while self.open:
            self.event(("end", self.open.pop().name, document.read_to))
        document.title = " ".join(words("".join(self.title)))


def is_content(event: Event) -> bool:
    """Return whether an event is text or a link, before which the PI should stand."""
    kind, *parts = event
    if kind == "text":
        return bool(parts[0].strip(SPACE))
    return kind == "start" and parts[4].link is not None
