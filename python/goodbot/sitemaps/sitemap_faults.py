"""What is wrong with a sitemap as a document, in words: where, why, and how much of it was read.

Scope: sentences. `goodbot.sitemaps.sitemaps` reads sitemaps of sites, and the command those
in files.
"""

import re

from goodbot._core import SitemapScan
from goodbot.http.amounts import counted

__all__ = ["amount_read", "late_declaration", "what_it_is", "xml_fault"]

MOST_LOOKED_AT = 4 * 1024
FIRST_ELEMENT = re.compile(rb"<([A-Za-z_][^\s/>]{0,60})")
PROLOGUE = re.compile(rb"<!--.*?-->|<\?.*?\?>|<![A-Za-z]+[^>\[]*(?:\[.*?\]\s*)?>", re.DOTALL)


LATE = re.compile(rb"(?:\xef\xbb\xbf)?([ \t\r\n]+)<\?xml[ \t\r\n]")
LINE_END = re.compile(rb"\r\n?|\n")


def late_declaration(content: bytes) -> int | None:
    r"""Return the line of an XML declaration that has blanks before it; `None` if none has.

    >>> late_declaration(b"\n<?xml version='1.0'?><urlset/>"), late_declaration(b"<urlset/>")
    (2, None)

    Source: XML 1.0 section 2.8, production 22.
    """
    found = LATE.match(content)
    return None if found is None else 1 + len(LINE_END.findall(found[1]))


def xml_fault(read: SitemapScan, late: int | None = None) -> tuple[str, int] | None:
    """Return what is not well-formed in a sitemap, and the line; `None` if nothing is.

    Args:
        read: The sitemap.
        late: The line of its declaration, if there are blanks before it. They are skipped, but
            other readers refuse the sitemap.

    """
    if late is not None:
        what, line, faults = "there are blanks before the XML declaration", late, read.faults + 1
    elif read.fault is not None:
        (what, line), faults = read.fault, read.faults
    else:
        return None
    more = f", and {counted(faults - 1, 'more fault')} follow" if faults > 1 else ""
    more = more.replace("follow", "follows") if faults == 2 else more  # noqa: PLR2004
    rest = "; there are too many faults to read on" if read.is_cut else ""
    return f"the XML is not well-formed: {what}{more}{rest}", line


def amount_read(urls: int, sitemaps: int = 0) -> str:
    """Return how many URLs were read.

    >>> amount_read(2), amount_read(1), amount_read(0, 3)
    ('2 URLs were read', '1 URL was read', '3 sitemaps were read')
    """
    number, what = (sitemaps, "sitemap") if sitemaps and not urls else (urls, "URL")
    return f"{counted(number, what)} {'was' if number == 1 else 'were'} read"


def what_it_is(body: bytes) -> str:
    """Return why content is no sitemap.

    >>> what_it_is(b"<!DOCTYPE html><html>"), what_it_is(b""), what_it_is(b"Not found")
    ('its root element is html', 'it is empty', 'no line of it is an absolute http or https URL')
    """
    start = body[:MOST_LOOKED_AT].strip()
    if not start:
        return "it is empty"
    if not start.startswith(b"<"):
        return "no line of it is an absolute http or https URL"
    found = FIRST_ELEMENT.search(PROLOGUE.sub(b"", start))
    if found is None:
        return "it has no element"
    return f"its root element is {found[1].decode('utf-8', 'replace')}"
