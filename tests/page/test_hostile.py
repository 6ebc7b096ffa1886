"""Hostile pages: each is read to its end or a limit, and a finding reports each exceeded limit.

Speed is measured in `benchmarks/`: a cost that grows with the square of the bytes makes such a page
take hours, and ends these tests whatever the machine.
"""

from collections.abc import Callable

import pytest

import goodbot

URL = "https://example.com/"
XHTML = b'<html xmlns="http://www.w3.org/1999/xhtml">'
XLINK = b'<r xmlns:xlink="http://www.w3.org/1999/xlink">'
MANY = 100_000
SCHEMA = b"<link rel=schema.RobotExclusion href=x>"

Case = tuple[Callable[[], bytes], set[str]]
"""How the page is made, and the findings that must be among its own."""


def numbered() -> bytes:
    """Return paragraphs with many different marks."""
    return b"".join(b"<p class=robot%d-noindex>x" % number for number in range(MANY))


HTML_CASES: dict[str, Case] = {
    "deep": (lambda: b"<div>" * MANY, {"too-deep"}),
    "deep and marked": (lambda: b"<i class=robots-nocontent>" * MANY + b"w", {"too-deep"}),
    "misnested": (lambda: b"<b><i></b></i>" * MANY, set()),
    "formatting in paragraphs": (lambda: b"<b><p>" * MANY, set()),
    "formatting copied": (
        lambda: b"<p>" + b"".join(b"<font size=%d>" % n for n in range(150)) + b"<p>x" * MANY,
        {"too-many-nodes"},
    ),
    "a long class copied": (
        lambda: b"<p><font class='" + b"robots-nocontent " * 50_000 + b"'>" + b"<p>x" * 50_000,
        {"too-many-nodes"},
    ),
    "end tags": (lambda: b"<p>" * 500 + b"</q>" * MANY, set()),
    "tables": (lambda: b"<table><tr><td>" * MANY, {"too-deep"}),
    "text in tables": (lambda: b"<table>" + b"a<!--b-->" * MANY, set()),
    "attributes": (
        lambda: b"<p " + b"".join(b"a%d " % n for n in range(MANY)) + b">",
        {"too-many-attributes"},
    ),
    "equal attributes": (lambda: b"<p " + b"a " * MANY + b">", set()),
    "a name": (lambda: b"<" + b"a" * 1_000_000, set()),
    "references": (lambda: b"&" * 1_000_000, set()),
    "long references": (lambda: b"&CounterClockwiseContourIntegra" * MANY, set()),
    "comments": (lambda: b"<!--" * MANY, set()),
    "less than": (lambda: b"<" * 1_000_000, set()),
    "script": (lambda: b"<script>" + b"<!--<script>" * MANY, set()),
    "templates": (lambda: b"<template>" * MANY, {"too-deep"}),
    "select": (lambda: b"<select><option>" * MANY, set()),
    "foreign": (lambda: b"<svg><a><math>" * MANY, {"too-deep"}),
    "regions": (lambda: b"<!--noindex-->a<!--/noindex-->" * MANY, set()),
    "regions over regions": (
        lambda: b"<noindex>" + b"<!--googleoff: snippet-->a<!--googleon: snippet-->" * MANY,
        set(),
    ),
    "regions left open": (lambda: b"<!--googleoff: all-->" * MANY, set()),
    "links": (lambda: b"<a href=x>y" * MANY, {"too-many-parts"}),
    "runs": (lambda: b"<p>x" * 250_000, {"too-many-parts"}),
    "nodes": (lambda: b"<br>" * 1_100_000, {"too-many-nodes"}),
    "size": (lambda: b" " * (16 * 1024 * 1024 + 1), {"too-large"}),
    "directives": (lambda: b"<meta name=robots content='" + b"x," * MANY + b"'>", {"findings-cut"}),
    "metas": (lambda: b"<meta name=robots content=noindex>" * MANY, set()),
    "classes": (lambda: b"<p class='" + b"robots-nocontent " * MANY + b"'>x", set()),
    "relations": (lambda: b"<a href=/ rel='" + b"nofollow " * MANY + b"'>x", set()),
    "profiles": (lambda: b"<head profile='" + b"http://a/ " * MANY + b"'>", set()),
    "names of a number": (
        lambda: SCHEMA + b"<meta name=RobotExclusion.RobotName1 content=Bot>" * MANY + numbered(),
        set(),
    ),
    "numbers": (
        lambda: (
            SCHEMA
            + b"".join(
                b"<meta name=RobotExclusion.RobotName%d content=Bot>" % n for n in range(MANY)
            )
            + numbered()
        ),
        set(),
    ),
    "numbered classes": (lambda: SCHEMA + numbered(), {"undeclared-robot"}),
    "classes that resemble others": (
        lambda: SCHEMA + b"".join(b"<p class=robots-no-index%d>x" % n for n in range(MANY)),
        set(),
    ),
    "profiles in links": (lambda: SCHEMA * MANY, set()),
    "excluded again": (
        lambda: (
            b"<title>"
            + b"abcd " * 10_000
            + b"</title>"
            + b"<p class=robots-nocontent>abcd" * 20_000
        ),
        {"excluded-text-repeated"},
    ),
}

XML_CASES: dict[str, Case] = {
    "entities": (
        lambda: (
            b'<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">'
            + b"".join(b'<!ENTITY %c "%s">' % (n + 1, b"&%c;" % n * 10) for n in range(97, 110))
            + b']><r b="&n;">&n;</r>'
        ),
        {"unsafe-entity"},
    ),
    "a long entity": (
        lambda: b'<!DOCTYPE r [<!ENTITY a "' + b"b" * MANY + b'">]><r b="' + b"&a;" * MANY + b'"/>',
        {"unsafe-entity"},
    ),
    "an outer entity": (
        lambda: (
            b'<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">'
            b'<!ENTITY b SYSTEM "x">]><r>&a;</r>'
        ),
        set(),
    ),
    "deep": (lambda: b"<a>" * MANY, {"too-deep", "not-well-formed"}),
    "deep and ended": (lambda: b"<a>" * MANY + b"</a>" * MANY, {"too-deep"}),
    "declared attributes": (
        lambda: (
            b"<!DOCTYPE r [<!ATTLIST a "
            + b" ".join(b"a%d CDATA #IMPLIED" % n for n in range(MANY))
            + b">]><r>"
            + b"<a/>" * MANY
            + b"</r>"
        ),
        set(),
    ),
    "defaults": (
        lambda: (
            b"<!DOCTYPE r [<!ATTLIST a "
            + b" ".join(b"a%d CDATA ''" % n for n in range(MANY))
            + b">]><r>"
            + b"<a/>" * MANY
            + b"</r>"
        ),
        {"too-many-nodes"},
    ),
    "entities in attributes": (
        lambda: (
            b"<!DOCTYPE r [<!ENTITY a '"
            + "😀".encode() * 64
            + b"'>]><r b='"
            + b"&a;" * MANY
            + b"'/>"
        ),
        set(),
    ),
    "content models": (
        lambda: b"<!DOCTYPE r [<!ELEMENT a " + b"(" * 1_000_000,
        {"not-well-formed"},
    ),
    "declarations": (lambda: b"<!DOCTYPE r [" + b"<!ELEMENT a ANY>" * MANY + b"]><r/>", set()),
    "parameter entities": (lambda: b"<!DOCTYPE r [" + b"%a;" * MANY + b"]><r/>", set()),
    "sections": (lambda: b"<r>" + b"<![CDATA[]]>" * MANY + b"</r>", set()),
    "brackets": (lambda: b"<r>" + b"]" * 1_000_000 + b"</r>", set()),
    "a broken tag": (lambda: b"<r><a b='" + b"<" * 1_000_000, {"not-well-formed"}),
    "broken tags": (lambda: b"<r>" + b"<a " * MANY, {"not-well-formed"}),
    "equal attributes": (lambda: b"<r><b " + b"a='' " * MANY + b"/>", {"not-well-formed"}),
    "a name": (lambda: b"<r><" + b"a" * 1_000_000, {"not-well-formed"}),
    "no characters": (
        lambda: b"<r>" + b"\xef\xbc\x8c" * MANY + b"\x01" * MANY,
        {"not-well-formed"},
    ),
    "namespaces": (
        lambda: (
            b"<r><s "
            + b" ".join(b'xmlns:a%d="b"' % n for n in range(MANY))
            + b">"
            + b'<a xmlns:b="c"/>' * MANY
            + b"</r>"
        ),
        {"too-many-attributes"},
    ),
    "nested namespaces": (lambda: b"<r>" + b'<a xmlns:b="c"/>' * MANY + b"</r>", set()),
    "attributes": (
        lambda: (
            XHTML
            + b"<p "
            + b" ".join(b"a%d='<b>'" % n for n in range(MANY)).replace(b"<", b"&lt;")
            + b"/></html>"
        ),
        {"too-many-attributes"},
    ),
    "a long comment": (lambda: XHTML + b"<!--" + b"a" * 1_000_000 + b"--></html>", set()),
    "instructions": (
        lambda: b"<?robots a?>" * MANY + b"<r/>",
        {"illegal-robots-pi", "findings-cut"},
    ),
    "a long instruction": (
        lambda: b"<?robots " + b"a" * 1_000_000 + b"?><r/>",
        {"illegal-robots-pi"},
    ),
    "regions": (lambda: XHTML + b"<!--noindex-->a<!--/noindex-->" * MANY + b"</html>", set()),
    "open links": (lambda: XHTML + b"<a href='b'>" * 400 + b"a b " * MANY, {"not-well-formed"}),
    "links": (lambda: XLINK + b"<a xlink:href='b'/>" * MANY + b"</r>", {"too-many-parts"}),
    "bases": (lambda: b"<r>" + b"<a xml:base='b/'>" * 400 + b"</a>" * 400 + b"</r>", set()),
    "references": (lambda: b"<r>" + b"&amp;" * MANY + b"</r>", set()),
    "texts": (lambda: XHTML + b"<title>" + b"a\n" * MANY + b"</title></html>", set()),
}


def ask(body: bytes, kind: str, codes: set[str]) -> None:
    """Use everything that a page offers."""
    page = goodbot.Page(URL, body, content_type=kind)
    copy = page.archive_copy()
    assert copy.html is not None
    assert len(copy.html) < 6 * len(body) + 50_000_000  # an escape has 5 bytes, a node some 25
    page.snippet_for("x")
    page.text()
    assert codes <= {finding.code for finding in page.findings}
    assert len(page.links) <= 50_000
    assert len(page.runs) <= 200_000


@pytest.mark.parametrize("case", HTML_CASES)
def test_html_costs_no_more_than_its_size(case: str) -> None:
    """A cost that grows with the square of the bytes would hang here."""
    make, codes = HTML_CASES[case]
    ask(make(), "text/html; charset=utf-8", codes)


@pytest.mark.parametrize("case", XML_CASES)
def test_xml_costs_no_more_than_its_size(case: str) -> None:
    """The same for XML; no entity is fetched or multiplied."""
    make, codes = XML_CASES[case]
    ask(make(), "application/xml", codes)


def test_a_header_costs_no_more_than_its_size() -> None:
    """Header fields that are long or many."""
    headers = [
        ("X-Robots-Tag", "noindex," * MANY),
        ("X-Robots-Tag", "a:" * MANY),
        ("X-Robots-Tag", "unavailable_after: wed, " * MANY),
        ("Link", "<a>; rel=license, " * MANY),
        ("Link", "<a>; " * MANY),
        ("Content-Usage", "a=b," * MANY),
        *[("X-Robots-Tag", "nofollow")] * 10_000,
    ]
    page = goodbot.Page(URL, b"", headers=headers)
    assert not page.index
    assert not page.follow
