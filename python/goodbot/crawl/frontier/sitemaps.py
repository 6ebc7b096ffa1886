"""Sitemaps: the URLs that a site says it has.

What may live here: from octets to the URLs in them. There is no clock, no socket, no disk. A
sitemap is a hint and no permission: whatever stands in it, robots.txt is asked as ever.

The three forms of the protocol are read: XML, with index files; lists of text; feeds of RSS and
Atom; each also compressed by gzip. The parser of XML is expat, of the standard library.

Source: sitemaps.org, protocol 0.9.
"""

import html.entities
import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal
from xml.parsers import expat

from goodbot._core import Finding
from goodbot.crawl.frontier.sitemap_entries import EnoughRead, Entries, EntryKind, SitemapEntry
from goodbot.errors import WrongTypeError
from goodbot.net.decoding import GZIP_MAGIC, DecodingError, Inflater
from goodbot.page.encoding import text_of_xml
from goodbot.page.entities import without_bombs
from goodbot.page.finding_codes import Findings
from goodbot.page.pieces import EndsHereError, parse_in_pieces

__all__ = ["MOST_BYTES", "Sitemap", "SitemapEntry", "SitemapForm", "read_sitemap"]

MOST_BYTES = 50 * 1024 * 1024
"""The most octets of one sitemap, uncompressed (sitemaps.org, protocol, Sitemap files)."""

MOST_ELEMENTS = 2_000_000
"""The most elements of one sitemap: forty for each of its entries."""

MOST_OPEN = 1_000
"""The most elements within one another."""

MAX_TEXT = 4_096
"""The most characters of an address or a date that are looked at."""

CHUNK = 64 * 1024
LINE = re.compile(rb"\S[^\r\n]*")

SitemapForm = Literal["urlset", "index", "text", "feed", "none"]
"""What a content is; `none`: no sitemap."""

ROOTS: dict[str, SitemapForm] = {
    "urlset": "urlset",
    "sitemapindex": "index",
    "rss": "feed",
    "rdf": "feed",
    "feed": "feed",
}
"""The root elements of what is read."""

ENTRIES: dict[tuple[str, str], EntryKind] = {
    ("urlset", "url"): "url",
    ("urlset", "sitemap"): "sitemap",
    ("sitemapindex", "sitemap"): "sitemap",
    ("sitemapindex", "url"): "url",
    ("channel", "item"): "url",
    ("rdf", "item"): "url",
    ("feed", "entry"): "url",
}
"""The elements that are entries, each with the one around it, and what they name."""

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
"""What the text of an element within an entry says. Of Atom, `link` has its address in `href`."""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What was read of a sitemap."""

    form: SitemapForm
    """What the content is."""
    urls: tuple[SitemapEntry, ...]
    """The URLs that it names and may speak for, each once, in their order."""
    sitemaps: tuple[SitemapEntry, ...]
    """The sitemaps that it names, if it is an index."""
    findings: tuple[Finding, ...]
    """What is odd about it: a finding for each code, which counts the others of its kind."""

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON."""
        return {
            "form": self.form,
            "urls": [entry.as_dict() for entry in self.urls],
            "sitemaps": [entry.as_dict() for entry in self.sitemaps],
            "findings": [finding.as_dict() for finding in self.findings],
        }


def read_sitemap(content: bytes, url: str, *, speaks_for: Collection[str] = ()) -> Sitemap:
    """Read a sitemap.

    Content never raises; what is wrong with it is a finding, and what was read before counts. At
    most 50 MiB and 50,000 entries are read; a bomb of gzip or of entities is never unpacked. Worst
    case: time and memory linear in the octets that are read.

    Args:
        content: Its octets, with Content-Encoding undone. One layer of gzip that is left, as of
            `sitemap.xml.gz`, is undone here.
        url: Where it is.
        speaks_for: The origins whose robots.txt names it, or names the index that names it: it may
            speak for all of them, and otherwise for what lies beneath it.

    Raises:
        NoOriginError: `url` is no absolute URL of http or https, or one of `speaks_for` no origin.
        WrongTypeError: `content` is no `bytes`.

    >>> content = b"<urlset><url><loc> https://a.example/b </loc><lastmod>2005</lastmod></url>"
    >>> read = read_sitemap(content + b"</urlset>", "https://a.example/sitemap.xml")
    >>> read.form, [(one.url, one.modified.year) for one in read.urls]
    ('urlset', [('https://a.example/b', 2005)])
    >>> read_sitemap(b"https://a.example/c", "https://b.example/list.txt").findings[0].code
    'other-site'

    Source: sitemaps.org, protocol; of what may be spoken for: Sitemap file location, Sitemaps &
    Cross Submits.

    """
    if not isinstance(content, bytes):
        given = type(content).__name__
        message = f"content must be bytes, not {given}; give the octets as they were received"
        raise WrongTypeError(message)
    entries = Entries(url, speaks_for)
    findings = Findings()
    body, is_cut = unpacked(content, entries)
    body, _encoding = text_of_xml(body, None, findings)
    if body.lstrip().startswith(b"<"):
        form = read_xml(body, entries, findings, is_cut=is_cut)
    else:
        form = read_text(body, entries)
    if form == "none":
        entries.note("no-sitemap")
    found = (*entries.findings(), *findings.list)
    return Sitemap(form, entries.of("url"), entries.of("sitemap"), found)


def unpacked(content: bytes, entries: Entries) -> tuple[bytes, bool]:
    """Undo gzip, and cut what is too large; tell whether the end is missing."""
    if not content.startswith(GZIP_MAGIC):
        if len(content) > MOST_BYTES:
            entries.note("sitemap-too-large")
        return content[:MOST_BYTES], len(content) > MOST_BYTES
    inflater, pieces, room = Inflater("gzip"), [], MOST_BYTES + 1
    is_whole = False
    with suppress(DecodingError):
        for at in range(0, len(content), CHUNK):
            pieces.append(inflater.feed(content[at : at + CHUNK], room))
            room -= len(pieces[-1])
            if room <= 0:
                break
        is_whole = inflater.is_complete()
    if room <= 0:
        entries.note("sitemap-too-large")
    elif not is_whole:
        entries.note("broken-gzip")
    return b"".join(pieces)[:MOST_BYTES], room <= 0 or not is_whole


def read_text(body: bytes, entries: Entries) -> SitemapForm:
    """Read a list of text: a line an address (sitemaps.org, protocol, Text file)."""
    with suppress(EnoughRead):
        for found in LINE.finditer(body):
            start, end = found.span()
            address = body[start : min(end, start + MAX_TEXT)].decode("utf-8", "replace")
            entries.add("url", address)
    return "text" if entries.has_addresses() else "none"


def read_xml(body: bytes, entries: Entries, findings: Findings, *, is_cut: bool) -> SitemapForm:
    """Read a document of XML, in UTF-8 whatever it declares."""
    body = without_bombs(body, findings)
    reader = Reader(entries)
    parser = expat.ParserCreate("utf-8")
    # An entity that nobody declares is then passed over; the subset itself is never fetched.
    parser.UseForeignDTD(True)  # noqa: FBT003  the signature is expat's
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    reader.attach(parser)
    with suppress(EnoughRead):
        try:
            parse_in_pieces(parser, body)
        except EndsHereError as end:
            findings.add(end.code, str(end), parser.CurrentLineNumber)
            reader.flush()
        except expat.ExpatError as error:
            if not is_cut:  # a finding tells it already
                message = expat.errors.messages.get(error.code, str(error))
                message = f"the XML is not well-formed: {message}"
                findings.add("not-well-formed", message, error.lineno)
            reader.flush()
    return reader.form


class Reader:
    """Takes entries from what expat finds.

    Names count without their prefix, in either case, in whatever namespace: sitemaps are written by
    hand. But what has another prefix than the element around it, such as `image:loc`, is of another
    vocabulary, and says nothing of the page.
    """

    def __init__(self, entries: Entries) -> None:
        """Begin before the document."""
        self.entries = entries
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

    def attach(self, parser: expat.XMLParserType) -> None:
        """Take what the parser finds."""
        self.parser = parser
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text
        # Entities are then not expanded.
        parser.DefaultHandler = self.entity

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Take up the beginning of an element."""
        self.elements += 1
        if self.elements > MOST_ELEMENTS:
            self.entries.note("too-many-elements", line=self.parser.CurrentLineNumber)
            raise EnoughRead
        prefix, _, local = name.lower().rpartition(":")
        outer_prefix, outer = self.open[-1] if self.open else ("", "")
        self.open.append((prefix, local))
        if len(self.open) > MOST_OPEN:
            message = f"elements are nested over {MOST_OPEN:,} deep; the rest was not read"
            raise EndsHereError(message, "too-deep", self.parser.CurrentByteIndex)
        if len(self.open) == 1:
            self.form = ROOTS.get(local, "none")
            if self.form == "none":
                raise EnoughRead
        elif kind := ENTRIES.get((outer, local)):
            self.kind, self.said, self.line = kind, {}, self.parser.CurrentLineNumber
            self.entry_depth = len(self.open)
        elif self.kind and not self.role and prefix == outer_prefix:
            self.within(outer, local, attributes)

    def within(self, outer: str, local: str, attributes: dict[str, str]) -> None:
        """Take up an element that says something of an entry."""
        if (outer, local) == ("entry", "link"):
            # The page itself, not where it is edited or repeated (RFC 4287 section 4.2.7.2).
            if attributes.get("rel", "alternate") == "alternate":
                self.said.setdefault("address", attributes.get("href", "")[:MAX_TEXT])
        elif role := ROLES.get((outer, local)):
            self.role, self.role_depth = role, len(self.open)
            self.pieces, self.size = [], 0

    def text(self, text: str) -> None:
        """Take up a text, if it says something of an entry."""
        if self.role and self.size <= MAX_TEXT:
            self.pieces.append(text)
            self.size += len(text)

    def entity(self, data: str) -> None:
        """Take up a reference to an entity that the standard of HTML names; others stay out."""
        if self.role and data.startswith("&") and data.endswith(";"):
            self.text(html.entities.html5.get(data[1:], ""))

    def end(self, _name: str) -> None:
        """Take up the end of an element."""
        depth = len(self.open)
        if self.role and depth == self.role_depth:
            self.said.setdefault(self.role, "".join(self.pieces)[:MAX_TEXT])
            self.role = ""
        if self.kind and depth == self.entry_depth:
            if "address" not in self.said:
                self.entries.note("no-address", line=self.line)
            self.flush()
        self.open.pop()

    def flush(self) -> None:
        """Hand over the entry, as far as it was read."""
        if self.kind and "address" in self.said:
            address, modified = self.said["address"], self.said.get("modified", "")
            self.entries.add(self.kind, address, modified, self.line)
        self.kind = None
