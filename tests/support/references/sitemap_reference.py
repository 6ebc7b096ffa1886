"""The reference for the core's reader of sitemaps: what expat finds, event by event."""

from contextlib import suppress
from xml.parsers import expat

from goodbot.page.encoding import is_utf_8
from goodbot.page.finding_codes import Findings
from goodbot.sitemaps.sitemap_entries import EnoughRead, Entries, EntryKind
from goodbot.sitemaps.sitemaps import SitemapForm
from tests.support.references.xml_entities_reference import Prologue, prologue_of, without_bombs
from tests.support.references.xml_reference import parser_of

__all__ = ["read_xml"]

MOST_ELEMENTS = 2_000_000
MOST_OPEN = 1_000
MAX_TEXT = 4_096

ROOTS: dict[str, SitemapForm] = {
    "urlset": "urlset",
    "sitemapindex": "index",
    "rss": "feed",
    "rdf": "feed",
    "feed": "feed",
}
"""The root elements of each kind of document."""

ENTRIES: dict[tuple[str, str], EntryKind] = {
    ("urlset", "url"): "url",
    ("urlset", "sitemap"): "sitemap",
    ("sitemapindex", "sitemap"): "sitemap",
    ("sitemapindex", "url"): "url",
    ("channel", "item"): "url",
    ("rdf", "item"): "url",
    ("feed", "entry"): "url",
}
"""The elements that are entries, each with its parent, and what they name."""

ROLES = {
    ("url", "loc"): "address",
    ("url", "lastmod"): "modified",
    ("sitemap", "loc"): "address",
    ("sitemap", "lastmod"): "modified",
    ("item", "link"): "address",
    ("item", "pubdate"): "modified",
    ("entry", "updated"): "modified",
    ("entry", "modified"): "modified",
}
"""What the text of an element within an entry means. In Atom, `href` of `link` has its address."""


class TooDeep(Exception):  # noqa: N818  not an error: it ends the reading
    """Elements are nested too deep."""


def read_xml(
    body: bytes, entries: Entries, findings: Findings, *, is_cut: bool, late: int | None = None
) -> SitemapForm:
    """Read an XML document as UTF-8, whatever encoding it declares."""
    if not is_utf_8(body):
        findings.add("encoding-broken", "some bytes are no characters of UTF-8")
    body = body.decode("utf-8", "replace").encode()
    body = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    has_type = b"<!DOCTYPE" in body
    body, prologue = without_bombs(body), prologue_of(body)
    reader = Reader(entries, prologue)
    parser = parser_of()
    parser.ordered_attributes = False
    reader.attach(parser)
    with suppress(EnoughRead):
        try:
            parser.Parse(body, True)  # noqa: FBT003  the signature is expat's
        except TooDeep:
            findings.add("too-deep", "elements are nested over 1,000 deep; the rest was not read")
            reader.flush()
        except expat.ExpatError:
            if not is_cut:
                findings.add("not-well-formed", "the XML is not well-formed")
            reader.flush()
    if late is not None or (reader.refers and not has_type):
        findings.add("not-well-formed", "the XML is not well-formed")
    findings.add_of_xml(prologue.not_read, None)
    return reader.form


class Reader:
    """Builds entries from what expat finds.

    Names are compared without their prefix and without regard to case, in any namespace, because
    sitemaps are written by hand. An element with another prefix than its parent, such as
    `image:loc`, belongs to another vocabulary and is ignored.
    """

    def __init__(self, entries: Entries, prologue: Prologue) -> None:
        """Start before the document."""
        self.entries = entries
        self.prologue = prologue
        self.form: SitemapForm = "none"
        self.parser: expat.XMLParserType
        self.open: list[tuple[str, str]] = []
        self.elements = 0
        self.kind: EntryKind | None = None
        self.line = 0
        self.said: dict[str, str] = {}
        self.entry_depth = 0
        self.role = ""
        self.role_depth = 0
        self.pieces: list[str] = []
        self.size = 0
        self.refers = False

    def attach(self, parser: expat.XMLParserType) -> None:
        """Register for the events of the parser."""
        self.parser = parser
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text
        # With this handler, entities are not expanded.
        parser.DefaultHandler = self.entity

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Process the start of an element."""
        self.elements += 1
        if self.elements > MOST_ELEMENTS:
            self.entries.note("too-many-elements", line=self.parser.CurrentLineNumber)
            raise EnoughRead
        prefix, _, local = name.lower().rpartition(":")
        outer_prefix, outer = self.open[-1] if self.open else ("", "")
        self.open.append((prefix, local))
        if len(self.open) > MOST_OPEN:
            raise TooDeep
        if len(self.open) == 1:
            self.form = ROOTS.get(local, "none")
            if self.form == "none":
                raise EnoughRead
        elif kind := self.kind_here((outer_prefix, outer), (prefix, local)):
            self.finish()  # an entry that lacks its end
            self.role = ""
            self.kind, self.said, self.line = kind, {}, self.parser.CurrentLineNumber
            self.entry_depth = len(self.open)
        elif self.kind and not self.role and prefix == outer_prefix:
            self.within(outer, local, attributes)

    def kind_here(self, outer: tuple[str, str], inner: tuple[str, str]) -> EntryKind | None:
        """Return what an element names: an entry of the list, or one within one that is alike."""
        is_alike = outer == inner and self.entry_depth == len(self.open) - 1
        return ENTRIES.get((outer[1], inner[1])) or (self.kind if is_alike else None)

    def finish(self) -> None:
        """Pass on the entry, or note that it has no address."""
        if self.kind and "address" not in self.said:
            self.entries.note("no-address", line=self.line)
        self.flush()

    def within(self, outer: str, local: str, attributes: dict[str, str]) -> None:
        """Process an element within an entry."""
        if (outer, local) == ("entry", "link"):
            # The page itself, not where it is edited or repeated (RFC 4287 section 4.2.7.2).
            if attributes.get("rel", "alternate") == "alternate":
                self.say("address", attributes.get("href", ""))
        elif role := ROLES.get((outer, local)):
            self.role, self.role_depth = role, len(self.open)
            self.pieces, self.size = [], 0

    def text(self, text: str) -> None:
        """Process a text, if it belongs to an entry."""
        if self.role and self.size <= MAX_TEXT:
            self.pieces.append(text)
            self.size += len(text)

    def entity(self, data: str) -> None:
        """Add the text of a reference, from the document's declarations or the HTML standard."""
        if data.startswith("&") and data.endswith(";"):
            self.refers = True
            text = self.prologue.read(data, "")
            self.text(text if self.role else "")

    def end(self, _name: str) -> None:
        """Process the end of an element."""
        depth = len(self.open)
        if self.role and depth == self.role_depth:
            self.say(self.role, "".join(self.pieces))
            self.role = ""
        if self.kind and depth == self.entry_depth:
            self.finish()
        self.open.pop()

    def say(self, role: str, text: str) -> None:
        """Keep what the entry says first; blanks say nothing."""
        if text.strip():
            self.said.setdefault(role, text.strip()[:MAX_TEXT])

    def flush(self) -> None:
        """Pass on the entry, as far as it was read."""
        if self.kind and "address" in self.said:
            address, modified = self.said["address"], self.said.get("modified", "")
            self.entries.add(self.kind, address, modified, self.line)
        self.kind = None
