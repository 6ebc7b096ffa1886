"""`Page` and `RobotsHandler` read the same instruction in every document that a parser accepts."""

import xml.sax

from hypothesis import example, given
from hypothesis import strategies as st

import goodbot
from goodbot.page.sax import RobotsHandler
from tests.support.examples import examples

URL = "https://example.com/a.xml"

CODES = {"illegal-robots-pi", "repeated-robots-pi", "spaced-robots-pi"}

INSTRUCTIONS = [
    '<?robots index="no" follow="yes"?>',
    '<?robots index="yes"\n\tfollow="no"?>',
    '<?robots index="no" follow="no" ?>',
    '<?robots index="yes" follow="yes"?>',
    "<?robots index='no' follow='no'?>",
    '<?robots  index="no"?>',
    "<?robots?>",
    '<?ROBOTS index="no" follow="no"?>',
    '<?robots-x index="no" follow="no"?>',
]
HIDDEN = [
    '<!-- <?robots index="no" follow="no"?> -->',
    '<![CDATA[<?robots index="no" follow="no"?>]]>',
]
MISC = st.sampled_from([*INSTRUCTIONS, HIDDEN[0], "\n", " "])
DECLARED = st.sampled_from(
    [
        *[f"<!ENTITY e '{one}'>" for one in INSTRUCTIONS[:4]],
        '<!ENTITY f "a">',
        '<!ENTITY f "&e;&e;">',
        '<!ENTITY g "<b>&f;</b>">',
        f"<!ENTITY g '{HIDDEN[0]}'>",
        f"<!ENTITY % p '{INSTRUCTIONS[0]}'>",
        f"<!ENTITY % p '{INSTRUCTIONS[3]} {HIDDEN[0]}'>",
        "<!ENTITY far SYSTEM 'far.xml'>",
        "<!ENTITY % q SYSTEM 'far.dtd'>",
        "<!ATTLIST d a CDATA 'x'>",
        "%p;",
        "%q;",
    ]
)
PIECES = st.sampled_from(
    [*INSTRUCTIONS, *HIDDEN, "text", "&e;", "&f;", "&g;", "&far;", "<b a='&lt;'/>"]
)
SUBSETS = st.lists(st.one_of(MISC, DECLARED), max_size=8)
STANDALONE = st.sampled_from(
    ["", "<?xml version='1.0'?>", "<?xml version='1.0' standalone='yes'?>"]
)


@examples(500, deadline=None)
@given(STANDALONE, st.lists(MISC, max_size=3), st.none() | SUBSETS, st.lists(PIECES, max_size=6))
@example("", [], ['<!ENTITY % p \'<?robots index="no" follow="no"?>\'>', "%p;"], [])
@example("", [], ['<!ENTITY e \'<?robots index="no" follow="no"?>\'>'], ["text", "&e;"])
def test_page_and_handler_agree(
    start: str, before: list[str], subset: list[str] | None, pieces: list[str]
) -> None:
    """Return index and follow, and the findings on the instructions with their lines.

    A parser stops at what is not well-formed, which an entity that nobody declares may be, and the
    page goes on; what was heard before holds for both.
    """
    declared = "" if subset is None else f"<!DOCTYPE d [{''.join(subset)}]>"
    document = f"{start}{''.join(before)}{declared}<d>{''.join(pieces)}</d>".encode()
    handler = RobotsHandler()
    page = goodbot.Page(URL, document, content_type="application/xml")
    said = [(one.code, one.line) for one in page.findings if one.code in CODES]
    heard = (bool(page.index), bool(page.follow))
    try:
        xml.sax.parseString(document, handler)  # noqa: S317  our own text
    except xml.sax.SAXParseException:
        if handler.should_index() and handler.should_follow():
            return  # perhaps there was none before
        assert heard == (handler.should_index(), handler.should_follow())
        return
    assert heard == (handler.should_index(), handler.should_follow())
    assert said == [(one.code, one.line) for one in handler.robots_findings]
