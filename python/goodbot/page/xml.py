"""XML, read safely: no external entity is fetched and no internal one is expanded.

The parser is expat, of the standard library: it is linear and does not recurse. With a default
handler it leaves entities as they are, so that no few octets become many.
"""

import html.entities
import re
from dataclasses import dataclass, field
from urllib.parse import urljoin
from xml.parsers import expat

from goodbot.page.finding_codes import Findings
from goodbot.page.pi import read_robots_pi, syntax_error
from goodbot.page.plain import Event
from goodbot.page.statement import Source, Statement

__all__ = ["XmlDocument", "read_xml"]

XHTML = "http://www.w3.org/1999/xhtml"
XLINK = "http://www.w3.org/1999/xlink"
ATOM = "http://www.w3.org/2005/Atom"
XML = "http://www.w3.org/XML/1998/namespace"

DEPTH = 512
MOST_EVENTS = 1_000_000
WATCHED = re.compile(r"\s*(/?noindex|/?htdig_noindex|googleo(?:ff|n)\s*:.*)\s*", re.IGNORECASE)


@dataclass(slots=True)
class XmlDocument:
    """What stands in a document of XML."""

    events: list[Event] = field(default_factory=list)
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
        body: Its octets.
        url: Its URL, which relative links are resolved against.
        findings: Where findings go.
        lenient: Whether the processing instruction may have white space before `?>`.

    """
    reader = Reader(url, findings, lenient=lenient)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.ordered_attributes = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    reader.attach(parser)
    try:
        parser.Parse(body, True)  # noqa: FBT003  the signature is expat's
    except expat.ExpatError as error:
        message = f"the XML is not well-formed: {expat.errors.messages.get(error.code, error)}"
        findings.add("not-well-formed", message, error.lineno)
    except ValueError as error:
        # An encoding that Python does not have.
        findings.add("not-well-formed", f"the XML cannot be read: {error}")
    reader.close(len(body))
    return reader.document


class Reader:
    """Gathers what expat finds."""

    def __init__(self, url: str, findings: Findings, *, lenient: bool) -> None:
        """Begin before the document."""
        self.url = url
        self.findings = findings
        self.lenient = lenient
        self.document = XmlDocument()
        self.parser: expat.XMLParserType
        # Of each open element: its name as events have it, its names of namespaces, its base,
        # whether it is an extended link.
        self.open: list[tuple[str, dict[str, str], str, bool]] = []
        self.too_deep = 0
        self.in_title = False
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
        """Take up an event, within bounds."""
        if len(self.document.events) >= MOST_EVENTS:
            if len(self.document.events) == MOST_EVENTS:
                self.findings.add("too-many-nodes", "the document has too many nodes", self.line())
                self.document.events.append(("end of all",))
            return
        self.document.events.append(event)

    def line(self) -> int:
        """Give the number of the line at which the parser is."""
        return self.parser.CurrentLineNumber

    def start(self, name: str, flat: list[str]) -> None:
        """Take up the beginning of an element."""
        if len(self.open) >= DEPTH:
            if not self.too_deep:
                message = f"elements are nested over {DEPTH} deep; what is deeper is left out"
                self.findings.add("too-deep", message, self.line())
            self.too_deep += 1
            return
        attributes = dict(zip(flat[::2], flat[1::2], strict=True))
        names, base, extended = self.open[-1][1:] if self.open else ({}, self.url, False)
        declared = {
            key.partition(":")[2]: value
            for key, value in attributes.items()
            if key == "xmlns" or key.startswith("xmlns:")
        }
        names = names | declared if declared else names
        if own_base := attributes.get("xml:base"):
            base = joined(base, own_base)
        space, local = resolved(name, names)
        is_html = space == XHTML or (not space and self.document.is_xhtml)
        if not self.open and (space == XHTML or local == "html"):
            self.document.is_xhtml = True
            is_html = True
        link, extended = self.link(
            local, space, attributes, names, extended=extended, is_html=is_html
        )
        shown = local.lower() if is_html else local
        pairs = [(key.lower(), value) for key, value in attributes.items()] if is_html else []
        event: tuple[object, ...] = ("start", shown, pairs, self.place(), self.place() + 1)
        if link is not None:
            pairs = [pair for pair in pairs if pair[0] != "href"] + [("href", joined(base, link))]
            event = ("start", shown, pairs, self.place(), self.place() + 1, "link")
        elif is_html and shown in {"a", "area"}:
            event = (
                "start",
                shown,
                [p for p in pairs if p[0] != "href"],
                self.place(),
                self.place() + 1,
            )
        self.event(event)
        self.open.append((shown, names, base, extended))
        if is_html:
            self.of_html(shown, dict(pairs), attributes)

    def link(  # noqa: PLR0913  what an element is and where it stands
        self,
        local: str,
        space: str,
        attributes: dict[str, str],
        names: dict[str, str],
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
            if colon and names.get(prefix, XLINK if prefix == "xlink" else "") == XLINK:
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

    def of_html(self, name: str, values: dict[str, str], written: dict[str, str]) -> None:
        """Take up what an element of XHTML says of the document."""
        line = self.line()
        if name == "head":
            self.in_head = True
            if "profile" in values and self.document.profile is None:
                self.document.profile = (values["profile"], line)
        elif name == "title":
            self.in_title = not self.document.title
        elif name == "base" and self.document.base is None:
            self.document.base = written.get("href")
        elif name == "meta":
            meta = values.get("name") or values.get("http-equiv") or values.get("property")
            if meta:
                is_pragma = "name" not in values and "http-equiv" in values
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
            return
        name = self.open.pop()[0]
        if name == "noindex":
            self.document.noindex.append((self.place(), True))
        self.in_head &= name != "head"
        self.in_title &= name != "title"
        self.event(("end", name))

    def text(self, text: str) -> None:
        """Take up a text."""
        if self.too_deep:
            return
        if self.in_title:
            self.document.title += text
        elif (
            not self.open
            or not self.document.is_xhtml
            or self.open[-1][0] not in {"script", "style"}
        ):
            self.event(("text", text, self.place()))

    def entity(self, data: str) -> None:
        """Take up a reference to an entity that the standard of HTML names; others stay out."""
        if data.startswith("&") and data.endswith(";"):
            self.text(html.entities.html5.get(data[1:], ""))

    def comment(self, text: str) -> None:
        """Take up a comment."""
        start = self.place()
        end = start + len(text.encode("utf-8", "surrogatepass")) + len("<!---->")
        if WATCHED.fullmatch(text):
            self.document.comments.append((text.strip(), start, end))
        self.event(("comment", text, start, end))

    def instruction(self, target: str, data: str) -> None:
        """Take up a processing instruction."""
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
        if any(event[0] == "text" and event[1].strip() for event in self.document.events):
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
        while self.open:
            self.event(("end", self.open.pop()[0]))
        self.document.length = length
        self.document.title = " ".join(self.document.title.split())
        if self.document.events and self.document.events[-1][0] == "end of all":
            self.document.events.pop()


def resolved(name: str, names: dict[str, str]) -> tuple[str, str]:
    """Give the namespace of an element and its local name."""
    prefix, colon, local = name.rpartition(":")
    return names.get(prefix, ""), local if colon else name


def joined(base: str, url: str) -> str:
    """Resolve a URL; as it is, if it cannot be."""
    try:
        return urljoin(base, url)
    except ValueError:
        return url
