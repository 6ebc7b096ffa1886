"""Read one hostile document in a process of its own, and print how much memory that took.

Run as `python page_memory.py NAME`; it prints the size of the document in bytes, and by how many
bytes the process grew at most.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import goodbot

ROOM = 4 * 1024 * 1024
XHTML = b'<html xmlns="http://www.w3.org/1999/xhtml">'
XLINK = b'<r xmlns:x="http://www.w3.org/1999/xlink" '


def many(piece: bytes) -> bytes:
    """Repeat a piece."""
    return piece * (ROOM // len(piece))


def distinct(form: bytes) -> bytes:
    """Repeat a piece, each time with another number in it."""
    return b"".join(form % number for number in range(ROOM // (len(form) + 4)))


def long_base(length: int) -> bytes:
    """Return a document whose base has this length."""
    return b"<base href='https://example.com/" + b"a" * length + b"/'>"


HTML = "text/html; charset=utf-8"
XML = "application/xml"
DOCUMENTS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a base of 100 KB": (HTML, lambda: long_base(100_000) + b"<a href=x>y" * 90_000),
    "a base of 8 KB": (HTML, lambda: long_base(8_000) + b"<a href=x>y" * 90_000),
    "links in links": (
        HTML,
        lambda: b"<a href=x><table><tr><td>" * 4 + "\U0001f600".encode() + many(b"word "),
    ),
    "attributes": (HTML, lambda: many(b"<p a b c d e f g h i j k l m n o p q r s t u v w x y z>")),
    "metas": (HTML, lambda: many(b"<meta name=a>")),
    "directives": (
        HTML,
        lambda: b"<meta name=robots content='" + distinct(b"max-snippet:%d,") + b"'>",
    ),
    "unknown directives": (
        HTML,
        lambda: b"<meta name=robots content='" + distinct(b"a%d,") + b"'>",
    ),
    "keywords": (HTML, lambda: b"<meta name=keywords content='" + distinct(b"%d,") + b"'>"),
    "relations": (HTML, lambda: b"<link href=x rel='" + distinct(b"%d ") + b"'>"),
    "profiles": (HTML, lambda: b"<head profile='" + distinct(b"%d ") + b"'>"),
    "licences": (HTML, lambda: long_base(8_000) + distinct(b"<link rel=license href=%d>")),
    "regions": (HTML, lambda: many(b"<!--noindex-->x<!--/noindex-->")),
    "paragraphs": ("text/plain", lambda: many(b"ab ")),
    "attributes of XHTML": (
        XML,
        lambda: XHTML + many(b"<p a='' b='' c='' d='' e='' f='' g=''/>") + b"</html>",
    ),
    "open elements of XML": (XML, lambda: many(b"<a>")),
    "attributes of a tag of XML": (XML, lambda: b"<a " + distinct(b"a%d='' ") + b"/>"),
    "defaults of XML": (
        XML,
        lambda: (
            b"<!DOCTYPE r [<!ATTLIST html xmlns CDATA 'http://www.w3.org/1999/xhtml'><!ATTLIST a "
            + b" ".join(b"a%d CDATA ''" % number for number in range(200))
            + b">]><html>"
            + many(b"<a/>")
        ),
    ),
    "declarations of XML": (
        XML,
        lambda: b"<!DOCTYPE r [" + distinct(b"<!ENTITY a%d '1234'>") + b"]><r/>",
    ),
    "entities of XML": (
        XML,
        lambda: (
            b"<!DOCTYPE r [<!ENTITY a '"
            + "\U0001f600".encode() * 64
            + b"'>]><html xmlns='http://www.w3.org/1999/xhtml'>"
            + many(b"<a b='&a;&a;&a;&a;'/>")
        ),
    ),
    "links of XML": (XML, lambda: XLINK + b">" + many(b"<a x:href='b'/>") + b"</r>"),
    "bases of XML": (
        XML,
        lambda: (
            XLINK
            + b"xml:base='https://e.example/%s/'>" % (b"a" * 8_000)
            + b"<a xml:base='b/' x:href='c'/>" * 50_000
            + b"</r>"
        ),
    ),
}


def peak() -> int:
    """Return the peak memory of this process, in bytes."""
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


if __name__ == "__main__":
    kind, make = DOCUMENTS[sys.argv[1]]
    body = make()
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before = peak()
    page = goodbot.Page("https://example.com/", body, content_type=kind)
    print(len(body), peak() - before)  # noqa: T201  the test reads this
