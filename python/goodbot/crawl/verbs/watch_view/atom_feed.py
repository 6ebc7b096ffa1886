"""The runs of `goodbot watch` as an Atom feed.

Scope: from runs to XML. Times are those of the runs, so that the same runs make the same feed.

Source: RFC 4287.
"""

import uuid
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from goodbot.crawl.verbs.watch_view.messages import text_lines
from goodbot.crawl.watching.watch_run import WatchRun
from goodbot.http.instants import written

__all__ = ["MOST_ENTRIES", "atom_feed"]

NAMESPACE = "http://www.w3.org/2005/Atom"
MOST_ENTRIES = 50
"""How many runs the feed has: the first, and the latest in which something changed."""
LEAST = 0x20
SURROGATES = range(0xD800, 0xE000)
NO_CHARACTERS = (0xFFFE, 0xFFFF)


def atom_feed(site: str, runs: Sequence[WatchRun]) -> bytes:
    """Return the feed, the latest run first.

    Args:
        site: The site, as an origin.
        runs: The runs, the earliest first; at least one.

    """
    ET.register_namespace("", NAMESPACE)
    feed = ET.Element(name_of("feed"))
    add(feed, "id", identifier(site))
    add(feed, "title", f"Changes at {site}")
    add(feed, "updated", written(runs[-1].at) or "")
    author = ET.SubElement(feed, name_of("author"))
    add(author, "name", "goodbot")
    ET.SubElement(feed, name_of("link"), href=f"{site}/")
    told = [run for run in runs if run.changes or run.is_first][-MOST_ENTRIES:]
    for run in reversed(told):
        add_entry(feed, run)
    ET.indent(feed)
    return bytes(ET.tostring(feed, encoding="utf-8", xml_declaration=True)) + b"\n"


def add_entry(feed: ET.Element, run: WatchRun) -> None:
    """Add a run."""
    entry = ET.SubElement(feed, name_of("entry"))
    at = written(run.at) or ""
    add(entry, "id", identifier(f"{run.site} {at}"))
    add(entry, "title", run.sentence)
    add(entry, "updated", at)
    ET.SubElement(entry, name_of("link"), rel="alternate", href=f"{run.site}/")
    text = "\n".join(line for line, _ in text_lines(run))
    add(entry, "content", text, type="text")


def add(parent: ET.Element, tag: str, text: str, **attributes: str) -> None:
    """Add an element with a text, without characters that XML does not allow."""
    element = ET.SubElement(parent, name_of(tag), attributes)
    element.text = "".join(one if is_allowed(ord(one)) else "\ufffd" for one in text)


def is_allowed(code: int) -> bool:
    """Return whether XML 1.0 allows a character (section 2.2)."""
    if code < LEAST:
        return chr(code) in "\t\n\r"
    return code not in SURROGATES and code not in NO_CHARACTERS


def name_of(tag: str) -> str:
    """Return the name of an element of Atom."""
    return f"{{{NAMESPACE}}}{tag}"


def identifier(text: str) -> str:
    """Return an identifier that is always the same for a text (RFC 4287 section 4.2.6)."""
    return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, text)}"
