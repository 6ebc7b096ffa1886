"""Sitemaps: the URLs that a site lists itself.

Scope: reading URLs from bytes. There is no clock, socket or disk. A sitemap is a hint and not a
permission: the rules of robots.txt apply to the URLs in it.

All three forms of the protocol are read: XML, including index files; text files; RSS and Atom
feeds. Each may be compressed with gzip. The core finds the entries in XML.

Source: sitemaps.org, protocol 0.9.
"""

import re
from collections.abc import Collection
from contextlib import suppress
from typing import Any, Literal

from goodbot._core import Finding, parse_sitemap
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError
from goodbot.lazy_dataclass import dataclass
from goodbot.net.decoding import GZIP_MAGIC, DecodingError, Inflater
from goodbot.page.encoding import is_utf_8, text_of_xml
from goodbot.page.finding_codes import Findings
from goodbot.sitemaps.finding_codes import FINDING_CODES
from goodbot.sitemaps.sitemap_entries import (
    MOST_ENTRIES,
    EnoughRead,
    Entries,
    SitemapEntries,
    SitemapEntry,
)
from goodbot.sitemaps.sitemap_faults import (
    amount_read,
    late_declaration,
    what_it_is,
    xml_fault,
)
from goodbot.sitemaps.sitemap_versions import report_versions

__all__ = [
    "MOST_BYTES",
    "Sitemap",
    "SitemapEntry",
    "SitemapForm",
    "read_sitemap",
    "sitemap_findings",
]

MOST_BYTES = 50 * 1024 * 1024
"""The maximum size of a sitemap in bytes, uncompressed (sitemaps.org, protocol, Sitemap files)."""

MAX_LINE = 4_096
"""How many bytes of a line are read at most."""

CHUNK = 64 * 1024
LINE = re.compile(rb"\S[^\r\n]*")
LINE_END = re.compile(rb"\r\n?|\n")

SitemapForm = Literal["urlset", "index", "text", "feed", "none"]
"""The form of a sitemap; `none`: the content is not a sitemap."""

NOT_UTF_8 = "some bytes are not valid UTF-8"
TOO_DEEP = "elements are nested more than 1,000 levels deep; the rest was not read"

NOT_WHOLE = frozenset({
    "no-sitemap", "sitemap-too-large", "too-many-entries", "too-many-elements", "too-deep",
    "broken-gzip", "not-well-formed",
})  # fmt: skip
"""The codes of findings that say how many URLs were read."""


@dataclass(frozen=True, slots=True, repr=False)
class Sitemap:
    """The content of a sitemap."""

    form: SitemapForm
    """The form of the sitemap."""
    urls: SitemapEntries
    """The URLs it lists and may list, each once, in their order."""
    sitemaps: SitemapEntries
    """The sitemaps it lists, if it is an index."""
    findings: tuple[Finding, ...]
    """One finding for each code, with the number of further cases."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "form": self.form,
            "urls": [entry.as_dict() for entry in self.urls],
            "sitemaps": [entry.as_dict() for entry in self.sitemaps],
            "findings": [finding.as_dict() for finding in self.findings],
        }


def read_sitemap(content: bytes, url: str, *, speaks_for: Collection[str] = ()) -> Sitemap:
    """Parse a sitemap.

    No content raises: problems are reported as findings, with the line, the cause and how many URLs
    were read. Reading goes on behind an error of XML: `&` stands for itself, and at any other error
    the next entry begins. At most 50 MiB and 50,000 entries are read; gzip bombs and entity bombs
    are not expanded. Worst case: time and memory linear in the number of bytes read.

    Args:
        content: The bytes of the sitemap, after decoding Content-Encoding. One remaining layer of
            gzip, as in `sitemap.xml.gz`, is decompressed here.
        url: The URL of the sitemap.
        speaks_for: The origins whose robots.txt names it, or names an index that lists it. It may
            list all URLs of these origins, and otherwise only those below its own directory.

    Raises:
        NoOriginError: `url` is not an absolute http or https URL, or one of `speaks_for` is not an
            origin.
        WrongTypeError: `content` is not `bytes`.

    >>> content = b"<urlset><url><loc> https://a.example/b </loc><lastmod>2005</lastmod></url>"
    >>> read = read_sitemap(content + b"</urlset>", "https://a.example/sitemap.xml")
    >>> read.form, [(one.url, one.modified.year) for one in read.urls]
    ('urlset', [('https://a.example/b', 2005)])
    >>> read_sitemap(b"https://a.example/c", "https://b.example/list.txt").findings[0].code
    'other-site'

    Source: sitemaps.org, protocol; for which URLs it may list: Sitemap file location, Sitemaps &
    Cross Submits.

    """
    if not isinstance(content, bytes):
        given = type(content).__name__
        message = f"content must be bytes, not {given}; pass the body as it was received"
        raise WrongTypeError(message)
    entries = Entries(url, speaks_for)
    findings = Findings()
    body, is_cut = unpacked(content, entries)
    late = late_declaration(body)
    body, _encoding = text_of_xml(body, None, findings)
    if body.lstrip().startswith(b"<"):
        form = read_xml(body, entries, findings, is_cut=is_cut, late=late)
    else:
        form = read_text(body, entries, findings)
    if form == "none":
        entries.note("no-sitemap", cause=what_it_is(body), line=1)
    urls, sitemaps = entries.of("url"), entries.of("sitemap")
    amount = amount_read(len(urls), len(sitemaps))
    found = [with_amount(one, amount) for one in (*entries.findings(), *findings.list)]
    return Sitemap(form, urls, sitemaps, tuple(found))


def sitemap_findings(read: Sitemap | None, status: int) -> tuple[Finding, ...]:
    """Return the findings on a sitemap that was requested; `None` stands for no success."""
    if read is not None:
        return read.findings
    severity, message = FINDING_CODES["no-sitemap"]
    text = f"{message.rstrip('.')}: status {status}; {amount_read(0)}"
    return (Finding("no-sitemap", severity, text),)


def with_amount(one: Finding, amount: str) -> Finding:
    """Return a finding that says how many URLs were read, if it is about what was not."""
    if one.code not in NOT_WHOLE:
        return one
    return Finding(one.code, one.severity, f"{one.message.rstrip('.')}; {amount}", line=one.line)


def unpacked(content: bytes, entries: Entries) -> tuple[bytes, bool]:
    """Decompress gzip and cut oversized content; return also whether the end is missing."""
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
    """Read a text file with one URL a line (sitemaps.org, protocol, Text file)."""
    if not is_utf_8(body):
        findings.add("encoding-broken", NOT_UTF_8)
    with suppress(EnoughRead):
        line, before = 1, 0
        for found in LINE.finditer(body):
            start, end = found.span()
            line, before = line + len(LINE_END.findall(body, before, start)), start
            address = body[start : min(end, start + MAX_LINE)].decode("utf-8", "replace")
            entries.add("url", address, line=line)
    return "text" if entries.has_addresses() else "none"


def read_xml(
    body: bytes, entries: Entries, findings: Findings, *, is_cut: bool, late: int | None = None
) -> SitemapForm:
    """Read an XML document, as UTF-8 whatever it declares.

    Args:
        body: The document.
        entries: The list to which its entries are added.
        findings: The list to which problems are added.
        is_cut: Whether its end is missing.
        late: The line of its XML declaration, if there are blanks before it.

    """
    read = parse_sitemap(body, MOST_ENTRIES)
    if read.broken:
        findings.add("encoding-broken", NOT_UTF_8)
    findings.add_of_xml(read.unsafe_entity, None)
    fault = xml_fault(read, late)
    # If the content was cut, there is a finding on that already.
    if fault is not None and not (is_cut and read.faults == 1 and late is None):
        findings.add("not-well-formed", *fault)
    times, line, behind = read.without_address or (0, 0, 0)
    with suppress(EnoughRead):
        entries.add_all(read.entries[:behind])
        if times:
            entries.note("no-address", line=line, times=times)
        entries.add_all(read.entries[behind:])
    if read.versions:
        report_versions(read.versions, [one[1] for one in read.entries], entries.note)
    if read.limit is not None:
        limit, line = read.limit
        if limit == "elements":
            entries.note("too-many-elements", line=line)
        else:
            findings.add("too-deep", TOO_DEEP, line)
    return read.form
