"""Hostile pages: each is read to its end or a limit, and a finding reports each exceeded limit.

The steps of the core and the lines of Python are counted, for a page and for one twice as long:
what is four times as much has grown with the square of the bytes. Speed is measured in
`benchmarks/`.
"""

from collections.abc import Callable

import pytest

import goodbot
from tests.support.examples import PART, some_of, thorough
from tests.support.references.core_tree import function_of_core
from tests.support.work import lines_run

pytestmark = pytest.mark.stress

URL = "https://example.com/"
XHTML = b'<html xmlns="http://www.w3.org/1999/xhtml">'
XLINK = b'<r xmlns:xlink="http://www.w3.org/1999/xlink">'
MANY = 100_000
"""How many parts a page has that goes beyond a limit."""
SOME = 20_000
"""How many parts a page has that stays below the limits."""
COUNTED = 4_000
"""How many parts the pages have of which the work is counted: more than elements may be deep."""
SLACK = 20_000
"""Steps that do not depend on the page, or end at a limit between the two lengths."""
HTML, XML = "text/html; charset=utf-8", "application/xml"
SCHEMA = b"<link rel=schema.RobotExclusion href=x>"

Case = tuple[Callable[[int], bytes], set[str]]
"""How the page is made of many parts, and the findings that must be among its own."""


def numbered(many: int) -> bytes:
    """Return paragraphs with many different marks."""
    return b"".join(b"<p class=robot%d-noindex>x" % number for number in range(many))


HTML_CASES: dict[str, Case] = {
    "deep": (lambda many: b"<div>" * many, {"too-deep"}),
    "deep and marked": (lambda many: b"<i class=robots-nocontent>" * many + b"w", {"too-deep"}),
    "misnested": (lambda many: b"<b><i></b></i>" * many, set()),
    "formatting in paragraphs": (lambda many: b"<b><p>" * many, set()),
    "formatting copied": (
        lambda many: b"<p>" + b"".join(b"<font size=%d>" % n for n in range(150)) + b"<p>x" * many,
        {"too-many-nodes"},
    ),
    "a long class copied": (
        lambda many: (
            b"<p><font class='" + b"robots-nocontent " * (many // 2) + b"'>" + b"<p>x" * (many // 2)
        ),
        {"too-many-nodes"},
    ),
    "end tags": (lambda many: b"<p>" * 500 + b"</q>" * many, set()),
    "tables": (lambda many: b"<table><tr><td>" * many, {"too-deep"}),
    "text in tables": (lambda many: b"<table>" + b"a<!--b-->" * many, set()),
    "attributes": (
        lambda many: b"<p " + b"".join(b"a%d " % n for n in range(many)) + b">",
        {"too-many-attributes"},
    ),
    "equal attributes": (lambda many: b"<p " + b"a " * many + b">", set()),
    "a name": (lambda many: b"<" + b"a" * 10 * many, set()),
    "references": (lambda many: b"&" * 10 * many, set()),
    "long references": (lambda many: b"&CounterClockwiseContourIntegra" * many, set()),
    "comments": (lambda many: b"<!--" * many, set()),
    "less than": (lambda many: b"<" * 10 * many, set()),
    "script": (lambda many: b"<script>" + b"<!--<script>" * many, set()),
    "templates": (lambda many: b"<template>" * many, {"too-deep"}),
    "select": (lambda many: b"<select><option>" * many, set()),
    "foreign": (lambda many: b"<svg><a><math>" * many, {"too-deep"}),
    "regions": (lambda many: b"<!--noindex-->a<!--/noindex-->" * many, set()),
    "regions over regions": (
        lambda many: b"<noindex>" + b"<!--googleoff: snippet-->a<!--googleon: snippet-->" * many,
        set(),
    ),
    "regions left open": (lambda many: b"<!--googleoff: all-->" * many, set()),
    "links": (lambda many: b"<a href=x>y" * many, {"too-many-parts"}),
    "runs": (lambda many: b"<p>x" * (5 * many // 2), {"too-many-parts"}),
    "nodes": (lambda many: b"<br>" * 11 * many, {"too-many-nodes"}),
    "size": (lambda many: b" " * (168 * many), {"too-large"}),
    "directives": (
        lambda many: b"<meta name=robots content='" + b"x," * many + b"'>",
        {"findings-cut"},
    ),
    "metas": (lambda many: b"<meta name=robots content=noindex>" * many, set()),
    "classes": (lambda many: b"<p class='" + b"robots-nocontent " * many + b"'>x", set()),
    "relations": (lambda many: b"<a href=/ rel='" + b"nofollow " * many + b"'>x", set()),
    "profiles": (lambda many: b"<head profile='" + b"http://a/ " * many + b"'>", set()),
    "names of a number": (
        lambda many: (
            SCHEMA + b"<meta name=RobotExclusion.RobotName1 content=Bot>" * many + numbered(many)
        ),
        set(),
    ),
    "numbers": (
        lambda many: (
            SCHEMA
            + b"".join(
                b"<meta name=RobotExclusion.RobotName%d content=Bot>" % n for n in range(many)
            )
            + numbered(many)
        ),
        set(),
    ),
    "numbered classes": (lambda many: SCHEMA + numbered(many), {"undeclared-robot"}),
    "classes that resemble others": (
        lambda many: SCHEMA + b"".join(b"<p class=robots-no-index%d>x" % n for n in range(many)),
        set(),
    ),
    "roles of links": (lambda many: b"<i role=link>x" * many, {"link-without-href"}),
    "forms that are links": (lambda many: b"<form action=/a></form>" * many, {"link-by-form"}),
    "calls of functions": (
        lambda many: b'<a onclick="' + b"go('/x');" * many + b'">',
        {"link-by-script"},
    ),
    "profiles in links": (lambda many: SCHEMA * many, set()),
    "excluded again": (
        lambda many: (
            b"<title>"
            + b"abcd " * (many // 10)
            + b"</title>"
            + b"<p class=robots-nocontent>abcd" * (many // 5)
        ),
        {"excluded-text-repeated"},
    ),
}

XML_CASES: dict[str, Case] = {
    "entities": (
        lambda _: (
            b'<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">'
            + b"".join(b'<!ENTITY %c "%s">' % (n + 1, b"&%c;" % n * 10) for n in range(97, 110))
            + b']><r b="&n;">&n;</r>'
        ),
        {"unsafe-entity"},
    ),
    "a long entity": (
        lambda many: (
            b'<!DOCTYPE r [<!ENTITY a "' + b"b" * many + b'">]><r b="' + b"&a;" * many + b'"/>'
        ),
        {"unsafe-entity"},
    ),
    "an outer entity": (
        lambda _: (
            b'<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">'
            b'<!ENTITY b SYSTEM "x">]><r>&a;</r>'
        ),
        set(),
    ),
    "deep": (lambda many: b"<a>" * many, {"too-deep", "not-well-formed"}),
    "deep and ended": (lambda many: b"<a>" * many + b"</a>" * many, {"too-deep"}),
    "declared attributes": (
        lambda many: (
            b"<!DOCTYPE r [<!ATTLIST a "
            + b" ".join(b"a%d CDATA #IMPLIED" % n for n in range(many))
            + b">]><r>"
            + b"<a/>" * many
            + b"</r>"
        ),
        set(),
    ),
    "defaults": (
        lambda many: (
            b"<!DOCTYPE r [<!ATTLIST a "
            + b" ".join(b"a%d CDATA ''" % n for n in range(many))
            + b">]><r>"
            + b"<a/>" * many
            + b"</r>"
        ),
        {"too-many-nodes"},
    ),
    "entities in attributes": (
        lambda many: (
            b"<!DOCTYPE r [<!ENTITY a '"
            + "😀".encode() * 64
            + b"'>]><r b='"
            + b"&a;" * many
            + b"'/>"
        ),
        set(),
    ),
    "content models": (
        lambda many: b"<!DOCTYPE r [<!ELEMENT a " + b"(" * 10 * many,
        {"not-well-formed"},
    ),
    "declarations": (lambda many: b"<!DOCTYPE r [" + b"<!ELEMENT a ANY>" * many + b"]><r/>", set()),
    "parameter entities": (lambda many: b"<!DOCTYPE r [" + b"%a;" * many + b"]><r/>", set()),
    "sections": (lambda many: b"<r>" + b"<![CDATA[]]>" * many + b"</r>", set()),
    "brackets": (lambda many: b"<r>" + b"]" * 10 * many + b"</r>", set()),
    "a broken tag": (lambda many: b"<r><a b='" + b"<" * 10 * many, {"not-well-formed"}),
    "broken tags": (lambda many: b"<r>" + b"<a " * many, {"not-well-formed"}),
    "equal attributes": (lambda many: b"<r><b " + b"a='' " * many + b"/>", {"not-well-formed"}),
    "a name": (lambda many: b"<r><" + b"a" * 10 * many, {"not-well-formed"}),
    "no characters": (
        lambda many: b"<r>" + b"\xef\xbc\x8c" * many + b"\x01" * many,
        {"not-well-formed"},
    ),
    "namespaces": (
        lambda many: (
            b"<r><s "
            + b" ".join(b'xmlns:a%d="b"' % n for n in range(many))
            + b">"
            + b'<a xmlns:b="c"/>' * many
            + b"</r>"
        ),
        {"too-many-attributes"},
    ),
    "nested namespaces": (lambda many: b"<r>" + b'<a xmlns:b="c"/>' * many + b"</r>", set()),
    "attributes": (
        lambda many: (
            XHTML
            + b"<p "
            + b" ".join(b"a%d='<b>'" % n for n in range(many)).replace(b"<", b"&lt;")
            + b"/></html>"
        ),
        {"too-many-attributes"},
    ),
    "a long comment": (lambda many: XHTML + b"<!--" + b"a" * 10 * many + b"--></html>", set()),
    "instructions": (
        lambda many: b"<?robots a?>" * many + b"<r/>",
        {"illegal-robots-pi", "findings-cut"},
    ),
    "a long instruction": (
        lambda many: b"<?robots " + b"a" * 10 * many + b"?><r/>",
        {"illegal-robots-pi"},
    ),
    "regions": (lambda many: XHTML + b"<!--noindex-->a<!--/noindex-->" * many + b"</html>", set()),
    "open links": (
        lambda many: XHTML + b"<a href='b'>" * 400 + b"a b " * many,
        {"not-well-formed"},
    ),
    "links": (lambda many: XLINK + b"<a xlink:href='b'/>" * many + b"</r>", {"too-many-parts"}),
    "bases": (lambda _: b"<r>" + b"<a xml:base='b/'>" * 400 + b"</a>" * 400 + b"</r>", set()),
    "references": (lambda many: b"<r>" + b"&amp;" * many + b"</r>", set()),
    "texts": (lambda many: XHTML + b"<title>" + b"a\n" * many + b"</title></html>", set()),
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


def steps_of(body: bytes, kind: str) -> int:
    """Return how much work everything is that a page offers: steps of the core, lines of Python."""
    steps: Callable[[], int] = function_of_core("_steps")
    before = steps()
    lines = lines_run(lambda: ask(body, kind, set()))
    return steps() - before + lines


def check_growth(make: Callable[[int], bytes], kind: str) -> None:
    """Check that a page twice as long is twice as much work."""
    once, twice = (steps_of(make(parts), kind) for parts in (COUNTED, 2 * COUNTED))
    assert twice <= 2.2 * once + SLACK, (once, twice)


@pytest.mark.parametrize("case", HTML_CASES)
def test_html_is_read_to_its_end_or_a_limit(case: str) -> None:
    """And a finding reports the limit."""
    make, codes = HTML_CASES[case]
    ask(make(MANY if codes else SOME), HTML, codes)


@pytest.mark.parametrize("case", XML_CASES)
def test_xml_is_read_to_its_end_or_a_limit(case: str) -> None:
    """The same for XML; no entity is fetched or multiplied."""
    make, codes = XML_CASES[case]
    ask(make(MANY if codes else SOME), XML, codes)


@thorough
@pytest.mark.parametrize("case", some_of(tuple(HTML_CASES), one_of=PART))
def test_html_is_as_much_work_as_it_is_long(case: str) -> None:
    """Counted, below the limits."""
    check_growth(HTML_CASES[case][0], HTML)


@thorough
@pytest.mark.parametrize("case", some_of(tuple(XML_CASES), one_of=PART))
def test_xml_is_as_much_work_as_it_is_long(case: str) -> None:
    """The same for XML."""
    check_growth(XML_CASES[case][0], XML)


@pytest.mark.parametrize("piece", [b"a", b"<b>", b"<!--", b"&amp;"])
def test_the_steps_count_every_byte(piece: bytes) -> None:
    """Else a search that starts again and again would be counted as nothing."""
    body = piece * 10_000
    assert steps_of(body, HTML) >= len(body)


def test_a_header_costs_no_more_than_its_size() -> None:
    """Header fields that are long or many."""
    headers = [
        ("X-Robots-Tag", "noindex," * SOME),
        ("X-Robots-Tag", "a:" * SOME),
        ("X-Robots-Tag", "unavailable_after: wed, " * SOME),
        ("Link", "<a>; rel=license, " * SOME),
        ("Link", "<a>; " * SOME),
        ("Content-Usage", "a=b," * SOME),
        *[("X-Robots-Tag", "nofollow")] * 10_000,
    ]
    page = goodbot.Page(URL, b"", headers=headers)
    assert not page.index
    assert not page.follow
