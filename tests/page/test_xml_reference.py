"""XML: the core agrees with the reference, which hears expat's events one by one."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import goodbot
from goodbot.page import PROFILE_URIS
from tests.support.page_reference import ReferencePage

URL = "https://example.com/page"
XHTML = "http://www.w3.org/1999/xhtml"
TYPE = "application/xml"
PROFILE = f'<head profile="{PROFILE_URIS[0]}"><title>t &amp; <b>u</b>\n</title></head>'

NAMES = [
    *["p", "div", "span", "b", "a", "area", "img", "noindex", "pre", "title", "script", "style"],
    *["head", "meta", "base", "link", "entry", "x:a", "y:p", "P", "svg", "q:r"],
]
VALUES = {
    "class": ["robots-noindex", "robots-noarchive", "robots-archive robots-nofollow", "&short;"],
    "href": ["x", " /y?a=1&amp;b=2\t", "//h.example", "http://[", "&#x41;&nbsp;&short;", ""],
    "xml:base": ["b/", "https://h.example/", "http://[", "../"],
    "xlink:href": ["z", "http://["],
    "xlink:type": ["simple", "extended", "locator", "other"],
    "x:href": ["w", "a\r\nb"],
    "xmlns": [XHTML, "http://www.w3.org/2005/Atom", "", "urn:other"],
    "xmlns:x": ["http://www.w3.org/1999/xlink", XHTML, "urn:other"],
    "rel": ["nofollow", "canonical", "license", "a\n\nb"],
    "name": ["robots", "", "description"],
    "http-equiv": ["refresh", "robots"],
    "content": ["noindex", "noarchive", "none", "words"],
    "alt": ["an image"],
    "data-nosnippet": [""],
}
DTD = """<!DOCTYPE r [<!-- noindex --><?robots index="no" follow="yes"?>
<!ENTITY short "s h"><!ENTITY long "%s"><!ENTITY amp2 "&#38;"><!ENTITY % p "v">
<!ATTLIST p rel CDATA "ugc" class NMTOKENS #IMPLIED><!ATTLIST a href CDATA "d>[">]>""".replace(
    "%s", "l" * 70
)


@st.composite
def tags(draw: st.DrawFn) -> tuple[str, str]:
    """Write the two tags of an element."""
    name = draw(st.sampled_from(NAMES))
    keys = draw(st.lists(st.sampled_from(sorted(VALUES)), max_size=4, unique=True))
    written = [f"{key}='{draw(st.sampled_from(VALUES[key]))}'" for key in keys]
    space = draw(st.sampled_from([" ", "\n", " \r\n"]))
    return f"<{space.join([name, *written])}{space}>", f"</{name}>"


texts = st.sampled_from(
    [
        *["fish", " ", "\r\n", "a\r\nb", "&amp;", "&nbsp;", "&short;", "&none;", "&#233;"],
        *["é ]] >", "<![CDATA[a < b\r\n]]>", "<![CDATA[]]>", "\u3000", "<br/>", "<x:a/>"],
        *["<!--noindex-->", "<!--/noindex-->", "<!--googleoff: all-->", "<!--a\r\nb-->"],
        *["<!-- googleon: all -->", "<noindex/>", "<?other  d?>", "<?robots index='no'?>"],
        '<?robots index="no" follow="no"?>',
    ]
)
wrong = st.sampled_from(
    ["<", "&", "</p>", "<p a=1>", "<p a='1' a='2'>", "<![CDATA[x", "<!--", "&#0;", "\x01", "<p"]
)


def joined(parts: tuple[tuple[str, str], list[str]]) -> str:
    """Write an element with what stands in it."""
    (start, end), inner = parts
    return start + "".join(inner) + end


bodies = st.lists(
    st.recursive(
        texts,
        lambda inner: st.tuples(tags(), st.lists(inner, max_size=5)).map(joined),
        max_leaves=20,
    ),
    max_size=6,
).map("".join)
starts = st.sampled_from(
    [
        ("", f"<html xmlns='{XHTML}'>{PROFILE}", "</html>"),
        ("<?xml version='1.0'?>\n<!-- c -->", f"<html>{PROFILE}", "</html>\n<!--noindex-->"),
        (DTD, f"<html xmlns='{XHTML}' class='robots-noarchive'>{PROFILE}", "</html> "),
        (DTD, "<r>", "</r>"),
        ("", "<feed xmlns='http://www.w3.org/2005/Atom'>", "</feed>"),
        ("", "<html class='robots-noarchive'>", ""),
    ]
)


def agree(source: str) -> None:
    """Check that core and reference agree on a document, and make the same copy."""
    page = goodbot.Page(URL, source, content_type=TYPE)
    reference = ReferencePage(URL, source, content_type=TYPE)
    said, expected = page.as_dict(), reference.as_dict()
    for one in (said, expected):
        one["findings"] = sorted((each["code"], each["message"]) for each in one["findings"])
    assert said == expected
    assert page.archive_copy() == reference.archive_copy()


@settings(max_examples=500, deadline=None)
@given(starts, bodies)
def test_the_core_reads_xml_as_the_reference_does(start: tuple[str, str, str], body: str) -> None:
    """Verdicts, runs, links, what it says of itself, findings, copies."""
    before, root, end = start
    agree(before + root + body + end)


@settings(max_examples=200, deadline=None)
@given(starts, bodies, wrong, bodies, st.integers(0, 400))
@example(("", "<r>", "</r>"), "a", "<", "b", 0)
def test_the_core_breaks_off_where_the_reference_does(
    start: tuple[str, str, str], body: str, fault: str, behind: str, cut: int
) -> None:
    """With a fault in it, or cut short, a document is read up to the same byte."""
    before, root, end = start
    agree(before + root + body + fault + behind + end)
    agree((before + root + body + end)[:-cut])


@pytest.mark.parametrize("depth", [511, 512, 513, 520])
def test_core_and_reference_leave_out_the_same_that_is_too_deep(depth: int) -> None:
    """A META element counts however deep it stands."""
    inner = "a<b>c<meta name='robots' content='noindex'/><!--noindex-->d</b>e"
    source = f"<html xmlns='{XHTML}'>" + "<p>f" * depth + inner + "g</p>" * depth + "</html>"
    agree(source)
    agree(re.sub("<html ", "<html class='robots-noarchive' ", source))


def test_line_ends_of_xml_are_line_feeds() -> None:
    """A carriage return alone is one, too (XML 1.0 section 2.11)."""
    source = "<html><pre>a\rb\r\nc&#13;<![CDATA[\rd]]></pre></html>"
    page = goodbot.Page(URL, source, content_type=TYPE)
    assert [run.text for run in page.runs] == ["a\nb\nc\r\nd"]
