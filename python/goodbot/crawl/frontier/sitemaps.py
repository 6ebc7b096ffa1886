"""Sitemaps: the URLs that a site says it has.

What may live here: from octets to the URLs in them. There is no clock, no socket, no disk. A
sitemap is a hint and no permission: whatever stands in it, robots.txt is asked as ever.

The three forms of the protocol are read: XML, with index files; lists of text; feeds of RSS and
Atom; each also compressed by gzip. The core finds the entries in XML.

Source: sitemaps.org, protocol 0.9.
"""

import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from goodbot._core import Finding, parse_sitemap
from goodbot.crawl.frontier.sitemap_entries import (
    MOST_ENTRIES,
    EnoughRead,
    Entries,
    SitemapEntries,
    SitemapEntry,
)
from goodbot.errors import WrongTypeError
from goodbot.net.decoding import GZIP_MAGIC, DecodingError, Inflater
from goodbot.page.encoding import is_utf_8, text_of_xml
from goodbot.page.finding_codes import Findings

__all__ = ["MOST_BYTES", "Sitemap", "SitemapEntry", "SitemapForm", "read_sitemap"]

MOST_BYTES = 50 * 1024 * 1024
"""The most octets of one sitemap, uncompressed (sitemaps.org, protocol, Sitemap files)."""

MAX_LINE = 4_096
"""The most bytes of a line that are looked at."""

CHUNK = 64 * 1024
LINE = re.compile(rb"\S[^\r\n]*")

SitemapForm = Literal["urlset", "index", "text", "feed", "none"]
"""What a content is; `none`: no sitemap."""

NOT_UTF_8 = "some bytes are no characters of UTF-8"
TOO_DEEP = "elements are nested over 1,000 deep; the rest was not read"


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What was read of a sitemap."""

    form: SitemapForm
    """What the content is."""
    urls: SitemapEntries
    """The URLs that it names and may speak for, each once, in their order."""
    sitemaps: SitemapEntries
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
        form = read_text(body, entries, findings)
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


def read_text(body: bytes, entries: Entries, findings: Findings) -> SitemapForm:
    """Read a list of text: a line an address (sitemaps.org, protocol, Text file)."""
    if not is_utf_8(body):
        findings.add("encoding-broken", NOT_UTF_8)
    with suppress(EnoughRead):
        for found in LINE.finditer(body):
            start, end = found.span()
            address = body[start : min(end, start + MAX_LINE)].decode("utf-8", "replace")
            entries.add("url", address)
    return "text" if entries.has_addresses() else "none"


def read_xml(body: bytes, entries: Entries, findings: Findings, *, is_cut: bool) -> SitemapForm:
    """Read a document of XML, in UTF-8 whatever it declares."""
    read = parse_sitemap(body, MOST_ENTRIES)
    if read.broken:
        findings.add("encoding-broken", NOT_UTF_8)
    # What breaks off where the content was cut has a finding already.
    findings.add_of_xml(read.unsafe_entity, None if is_cut else read.fault)
    times, line, behind = read.without_address or (0, 0, 0)
    with suppress(EnoughRead):
        entries.add_all(read.entries[:behind])
        if times:
            entries.note("no-address", line=line, times=times)
        entries.add_all(read.entries[behind:])
    if read.limit is not None:
        limit, line = read.limit
        if limit == "elements":
            entries.note("too-many-elements", line=line)
        else:
            findings.add("too-deep", TOO_DEEP, line)
    return read.form
