"""XML: the core agrees with the reference, which reads expat's events one by one."""

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import goodbot
from goodbot._core import parse_xml
from goodbot.page import PROFILE_URIS
from tests.support.examples import examples
from tests.support.references.page_reference import ReferencePage
from tests.support.references.xml_entities_reference import without_bombs
from tests.support.references.xml_reference import good_bytes

URL = "https://example.com/page"
XHTML = "http://www.w3.org/1999/xhtml"
TYPE = "application/xml"
PROFILE = f'<head profile="{PROFILE_URIS[0]}"><title>t &amp; <b>u</b>\n</title></head>'
NUMBERED = f"""<head profile="{PROFILE_URIS[0]}" class="robots-noarchive">
<title class="robots-archive">t
<b class="robot1-noindex">u</b></title><meta name="RobotExclusion.RobotName1" content="ExampleBot"/>
<meta name="RobotExclusion.RobotName2" content="x"/><meta name="keywords" content="a"/>
<link rel="RobotExclusion.Names" href="/names"/></head>"""

NAMES = [
    *["p", "div", "span", "b", "a", "area", "img", "noindex", "pre", "title", "script", "style"],
    *["template", "canvas"],
    *["head", "meta", "base", "link", "entry", "x:a", "y:p", "P", "svg", "q:r", "ins", "li"],
    *["item", "description", "guid", "source", "comments"],
]
VALUES = {
    "class": [
        *["robots-noindex", "robots-noarchive", "robots-archive robots-nofollow", "&short;"],
        *["robot1-noindex", "robot1-index robots-anchortext", "robot2-noindex robot3-nofollow"],
        *["robots-nofolow robots-index robots-follow", "robots-noanchortext"],
    ],
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
    "type": ["html", "text"],
    "url": ["u", "http://["],
    "isPermaLink": ["false", "true"],
    "content": ["noindex", "noarchive", "none", "words"],
    "alt": ["an image"],
    "data-nosnippet": [""],
}
DTD = """<!DOCTYPE r [<!-- noindex --><?robots index="no" follow="yes"?>
<!ENTITY short "s h &lt; &#233;"><!ENTITY long "%s"><!ENTITY tag "a<b/>"><!ENTITY far SYSTEM "x">
<!ENTITY nbsp "n"><!ENTITY empty ""><!ENTITY made "&short;"><!ENTITY amp2 "&#38;"><!ENTITY % p "v">
<!ATTLIST p rel CDATA "ugc" class NMTOKENS #IMPLIED><!ATTLIST a href CDATA "d>[">]>""".replace(
    "%s", "l" * 70
)


@st.composite
def tags(draw: st.DrawFn) -> tuple[str, str]:
    """Return the two tags of an element."""
    name = draw(st.sampled_from(NAMES))
    keys = draw(st.lists(st.sampled_from(sorted(VALUES)), max_size=4, unique=True))
    written = [f"{key}='{draw(st.sampled_from(VALUES[key]))}'" for key in keys]
    space = draw(st.sampled_from([" ", "\n", " \r\n"]))
    return f"<{space.join([name, *written])}{space}>", f"</{name}>"


texts = st.sampled_from(
    [
        *["fish", " ", "\r\n", "a\r\nb", "&amp;", "&nbsp;", "&short;", "&none;", "&#233;"],
        *["&long;", "&tag;", "&far;", "&empty;", "&made;", "&amp2;", "&eacute;"],
        *["&lt;b>", "é ]] >", "<![CDATA[a < b\r\n]]>", "<![CDATA[]]>", "\u3000", "<br/>", "<x:a/>"],
        *["<!--noindex-->", "<!--/noindex-->", "<!--googleoff: all-->", "<!--a\r\nb-->"],
        *["<!-- googleon: all -->", "<noindex/>", "<?other  d?>", "<?robots index='no'?>"],
        '<?robots index="no" follow="no"?>',
    ]
)
wrong = st.sampled_from(
    ["<", "&", "</p>", "<p a=1>", "<p a='1' a='2'>", "<![CDATA[x", "<!--", "&#0;", "\x01", "<p"]
)


def joined(parts: tuple[tuple[str, str], list[str]]) -> str:
    """Draw an element with its content."""
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
        ("", f"<html xmlns='{XHTML}'>{NUMBERED}", "</html>"),
        (DTD, "<r>", "</r>"),
        ("", "<feed xmlns='http://www.w3.org/2005/Atom'>", "</feed>"),
        ("", "<html class='robots-noarchive'>", ""),
        ("", "<rss><channel><item>", "</item></channel></rss>"),
        ("", "<svg xmlns='http://www.w3.org/2000/svg'>", "</svg>"),
    ]
)


def comparable(finding: dict[str, Any]) -> tuple[str, str, int]:
    """Return what both must agree on; each has its own words for malformed XML."""
    is_fault = finding["code"] == "not-well-formed"
    return (
        finding["code"],
        "" if is_fault else finding["message"],
        finding["line"] if is_fault else 0,
    )


def agree(source: str) -> None:
    """Check that core and reference agree on a document, and make the same copy."""
    page = goodbot.Page(URL, source, content_type=TYPE)
    reference = ReferencePage(URL, source, content_type=TYPE)
    said, expected = page.as_dict(), reference.as_dict()
    for one in (said, expected):
        one["findings"] = sorted(map(comparable, one["findings"]))
    assert said == expected
    agree_on_copy(page)


def agree_on_copy(page: goodbot.Page) -> None:
    """Check that a copy with cuts has the text that may be kept, the words for cuts, no more."""
    copy = page.archive_copy()
    if copy.html is None or not copy.cuts:
        return
    again = goodbot.Page(URL, copy.html, content_type=TYPE)
    shown = "".join("".join(run.text for run in again.runs).split())
    kept = "".join("".join(run.text for run in page.runs if run.archive).split())
    assert re.sub(r"\[(…|Thispartofthepagemaynotbearchived\.)\]", "", shown) == kept
    codes = [{one.code for one in either.findings} for either in (page, again)]
    assert not {"not-well-formed"} & (codes[1] - codes[0])


@examples(500, deadline=None)
@given(starts, bodies)
@example(
    ("", f"<html xmlns='{XHTML}'>{PROFILE}", "</html>"),
    "<script><p class='robots-noarchive'></p><![CDATA[a < b]]></script>",
)
@example(("", "<r>", "</r>"), f"<p xmlns='{XHTML}'><script>fish</script></p>")
def test_the_core_reads_xml_as_the_reference_does(start: tuple[str, str, str], body: str) -> None:
    """Verdicts, runs, links, description, findings, copies."""
    before, root, end = start
    agree(before + root + body + end)


@examples(200, deadline=None)
@given(starts, bodies, wrong, bodies, st.integers(0, 400))
@example(("", "<r>", "</r>"), "a", "<", "b", 0)
@example(
    ("", "<feed xmlns='http://www.w3.org/2005/Atom'><p type='html'>", "</p>"), "&lt;b>", "<", "", 1
)
def test_the_core_breaks_off_where_the_reference_does(
    start: tuple[str, str, str], body: str, fault: str, behind: str, cut: int
) -> None:
    """With an error in it, or cut short, a document is read up to the same byte."""
    before, root, end = start
    agree(before + root + body + fault + behind + end)
    agree((before + root + body + end)[:-cut])


WHOLE = [
    """<?xml version="1.0" encoding='utf-8' standalone="no" ?>
<!-- c --><?pi d?><!DOCTYPE r PUBLIC "-//W3C//DTD" "http://x/y" [
<!ELEMENT r (a,(b|c)?,d*)><!ELEMENT a (#PCDATA|b|c)*><!ELEMENT b EMPTY><!ELEMENT c ANY>
<!ELEMENT d (#PCDATA)><!ATTLIST r x CDATA #REQUIRED y (a|b) "a" w ID #FIXED 'q&lt;'>
<!ATTLIST a z NOTATION (n | m) #IMPLIED><!ENTITY e "text &#65; &#x42;"><!ENTITY % p 'par'>
<!ENTITY ext SYSTEM "u"><!ENTITY bin PUBLIC 'p' "u" NDATA n><!NOTATION n SYSTEM "n">
<!NOTATION m PUBLIC "m"><!-- in --><?in side?> %p; ] >
<r x="v &e; &#10;" y='b'><a>t &amp; &lt; &#x20AC; &e; &ext; &undef;</a><b/><c k:l="m"/>
<![CDATA[ <x> ]] ]]><?pi2?>é</r>
<!-- end --> <?e nd?>
""",
    "<r a='1' b=\"2\">x<s><t/></s>]] > y</r>",
    "<!DOCTYPE r SYSTEM 'a'><r>&nbsp;<x:y xmlns:x='u'/></r>",
    "<!DOCTYPE r [<!ENTITY a '<b>'><!ENTITY b '&#60;'><!ENTITY c SYSTEM 'x'>]><r q='&d;'>&a;</r>",
    "<?xml version='1.0'?><r/>",
    "<?xml version='1.0' standalone='yes'?><!DOCTYPE r []><r/>",
]
TOKENS = [
    *"<>&;\"'![]-?/=%#()|,*+ \n\tax1:é\u00d7\x01\u3000", "<!--", "-->", "<![CDATA[", "]]>", "<?",
    "?>", "&e;", "&a;", "&b;", "&c;", "&bin;", "&#38;", "</", "/>", "<!ENTITY ", "<!ATTLIST ",
    "<!ELEMENT ", "<!DOCTYPE ", "CDATA", "SYSTEM ", "PUBLIC ", "#PCDATA", "%p;", "--", "xml", "[>",
    "NDATA ", "version", "standalone",
]  # fmt: skip
changes = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 4), st.sampled_from(["", *TOKENS])),
    min_size=1,
    max_size=3,
)


@examples(1_000, deadline=None)
@given(st.sampled_from(WHOLE), changes)
def test_the_core_finds_well_formed_what_expat_does(
    text: str, changed: list[tuple[float, int, str]]
) -> None:
    """A document with some characters removed and others inserted: up to the same byte.

    Left aside is where expat departs: it gives up the text before a `]]>` as well, takes a version
    without characters, and none with a colon (XML 1.0, fourth edition, production 26), and does not
    look into declarations behind a reference to a parameter entity.
    """
    for place, without, put in changed:
        at = round(place * len(text))
        text = text[:at] + put + text[at + without :]
    body = text.encode()
    facts = parse_xml(body, []).facts
    found = (facts.read_to, facts.fault is None)
    if found != good_bytes(without_bombs(body)):
        what = "" if facts.fault is None else facts.fault[0]
        version = text.partition("?>")[0]
        is_odd_version = text.startswith("<?xml") and (":" in version or "''" in version)
        is_not_checked = "declaration" in what and re.search(rb"%\S+;", body[: facts.read_to])
        assert "]]>" in what or is_odd_version or is_not_checked


@pytest.mark.parametrize("depth", [511, 512, 513, 520])
def test_core_and_reference_leave_out_the_same_that_is_too_deep(depth: int) -> None:
    """A META element counts however deep it is nested."""
    inner = "a<b>c<meta name='robots' content='noindex'/><!--noindex-->d</b>e"
    source = f"<html xmlns='{XHTML}'>" + "<p>f" * depth + inner + "g</p>" * depth + "</html>"
    agree(source)
    agree(re.sub("<html ", "<html class='robots-noarchive' ", source))


def test_line_ends_of_xml_are_line_feeds() -> None:
    """A carriage return alone is one, too (XML 1.0 section 2.11)."""
    source = "<html><pre>a\rb\r\nc&#13;<![CDATA[\rd]]></pre></html>"
    page = goodbot.Page(URL, source, content_type=TYPE)
    assert [run.text for run in page.runs] == ["a\nb\nc\r\nd"]
