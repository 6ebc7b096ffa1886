"""What is wrong with a sitemap as a document, in words: where, why, and how much of it was read.

Scope: sentences. `goodbot.crawl.frontier.sitemaps` reads sitemaps of sites, and the command those
in files.
"""

import re

from goodbot._core import SitemapScan
from goodbot.http.amounts import counted

__all__ = ["amount_read", "what_it_is", "xml_fault"]

MOST_LOOKED_AT = 4 * 1024
FIRST_ELEMENT = re.compile(rb"<([A-Za-z_][^\s/>]{0,60})")
PROLOGUE = re.compile(rb"<!--.*?-->|<\?.*?\?>|<![A-Za-z]+[^>\[]*(?:\[.*?\]\s*)?>", re.DOTALL)


def xml_fault(read: SitemapScan) -> tuple[str, int] | None:
    """Return what is not well-formed in a sitemap, and the line; `None` if nothing is."""
    if read.fault is None:
        return None
    what, line = read.fault
    more = f", and {counted(read.faults - 1, 'more fault')} follow" if read.faults > 1 else ""
    more = more.replace("follow", "follows") if read.faults == 2 else more  # noqa: PLR2004
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
