"""Pages: omitted text is found nowhere, however nested; any bytes can be read.

The judge of borders is Lexbor, another parser that follows the standard: it says in which elements
a word stands, and a few lines here say what their marks mean.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

import goodbot
from goodbot._core import denials
from goodbot.crawl.evidence.evidence_format import OF_LINKS, OF_RUNS
from goodbot.page import PROFILE_URIS, directives
from goodbot.page.directives import DIRECTIVES, entries
from goodbot.page.words import QUOTED, RunAct, flattened, joined, pieces_of
from tests.support.examples import examples
from tests.support.references import words_reference
from tests.support.references.page_reference import ReferencePage
from tests.support.references.page_walk_reference import words

URL = "https://example.com/page"
PROFILE = f'<head profile="{PROFILE_URIS[0]}"><title>t</title></head>'

CLASSES = [f"robots-{no}{act}" for act in ("index", "archive") for no in ("", "no")]
ATTRIBUTES = [
    "",
    "",
    *(f' class="{name}"' for name in CLASSES),
    ' class="robots-noindex robots-noarchive"',
    ' class="robots-nocontent"',
    " data-nosnippet",
]
ELEMENTS = [
    *["p", "div", "span", "b", "i", "a href=/x", "ul", "li", "table", "tr", "td", "h1", "form"],
    *["button", "nobr", "noindex", "pre", "center", "details", "svg", "math", "foreignObject"],
]
COMMENTS = [
    *["noindex", "/noindex", "htdig_noindex", "/htdig_noindex", "googleoff: index"],
    *["googleon: index", "googleoff: snippet", "googleon: snippet", "googleoff: all"],
    *["googleon: all", "googleoff: anchor", "something else", "a > b"],
]
WORD = "\0"
"""A placeholder for a word of its own."""


def tag(words: tuple[str, str]) -> str:
    """Return a start tag with an attribute."""
    element, attribute = words
    return f"<{element}{attribute}>"


starts = st.tuples(st.sampled_from(ELEMENTS), st.sampled_from(ATTRIBUTES)).map(tag)
ends = st.sampled_from(ELEMENTS).map(lambda element: f"</{element.split()[0]}>")
comments = st.sampled_from(COMMENTS).map(lambda text: f"<!--{text}-->")
pieces = st.one_of(starts, starts, ends, comments, st.just(WORD), st.just(WORD), st.just(" "))


def numbered(text: str) -> str:
    """Number each word, so that it can be found again."""
    parts = text.split(WORD)
    return "".join(f"w{n}x{part}" if n else part for n, part in enumerate(parts))


misnested = st.lists(pieces, max_size=30).map("".join).map(numbered)

SPAN = {
    "noindex": ("<!--noindex-->", "<!--/noindex-->"),
    "element": ("<noindex", "</noindex>"),
    "htdig": ("<!--htdig_noindex-->", "<!--/htdig_noindex-->"),
    "index": ("<!--googleoff: index-->", "<!--googleon: (?:index|all)-->"),
    "snippet": ("<!--googleoff: snippet-->", "<!--googleon: (?:snippet|all)-->"),
    "all": ("<!--googleoff: all-->", "<!--googleon: all-->"),
}


def spans(source: str) -> dict[str, set[str]]:
    """Return for each word the regions of the source that it is in."""
    around: dict[str, set[str]] = {}
    for name, (opens, closes) in SPAN.items():
        is_open = False
        for found in re.finditer(rf"({opens})|({closes})|w\d+x", source):
            if found[1]:
                is_open = True
            elif found[2]:
                is_open = False
            elif is_open:
                around.setdefault(found[0], set()).add(name)
    return around


@dataclass
class Said:
    """What is stated on a word."""

    index: bool
    archive: bool
    snippet: bool


def judged(classes: Iterable[Iterable[str]], around: set[str], *, is_quiet: bool) -> Said:
    """Return what may be done with a word in elements of these classes, outermost first."""
    index = archive = True
    for names in classes:
        if {"robots-index", "robots-noindex"} & set(names):
            index = "robots-noindex" not in names
        if {"robots-archive", "robots-noarchive"} & set(names):
            archive = "robots-noarchive" not in names
    hidden = bool({"noindex", "element", "htdig", "all"} & around)
    nocontent = any("robots-nocontent" in names for names in classes)
    return Said(
        index=index and not hidden and not nocontent and "index" not in around,
        archive=archive,
        snippet=archive and not (hidden or nocontent or is_quiet or "snippet" in around),
    )


def words_of_html(source: str) -> Iterator[tuple[str, Said]]:
    """Return the place of each word according to Lexbor."""
    around = spans(source)
    waiting: list[tuple[Any, list[list[str]], bool]] = [(LexborHTMLParser(source).body, [], False)]
    while waiting:
        node, classes, is_quiet = waiting.pop()
        if node.tag == "-text":
            for word in re.findall(r"w\d+x", node.text_content or ""):
                yield word, judged(classes, around.get(word, set()), is_quiet=is_quiet)
        elif not node.tag.startswith("-"):
            attributes = node.attributes
            quiet = node.tag in {"span", "div", "section"} and "data-nosnippet" in attributes
            within = [*classes, (attributes.get("class") or "").split()]
            children = node.iter(include_text=True)
            waiting += [(child, within, is_quiet or quiet) for child in children]


def check(page: goodbot.Page, words: Iterable[tuple[str, Said]]) -> None:
    """Check that each word is where it may be, and nowhere else."""
    text, copy = page.text(), page.archive_copy().html or ""
    usable = page.snippet_for("", 100_000)
    for word, said in words:
        assert (word in text) == said.index, word
        assert (word in copy) == said.archive, word
        assert (word in usable) == (said.index and said.archive and said.snippet), word
        quotation = page.snippet_for(word, 60)
        assert (word in quotation) <= (said.index and said.archive and said.snippet), word


@examples(400)
@given(misnested)
def test_what_is_left_out_is_nowhere_however_tags_are_misnested(body: str) -> None:
    """No excluded word is in text, quotation or copy; every other word is in the text."""
    source = f"<!DOCTYPE html><html>{PROFILE}<body>{body}"
    check(goodbot.Page(URL, source.encode()), words_of_html(source))


def written(tree: Any, names: list[str], words: list[tuple[str, list[str]]]) -> str:  # noqa: ANN401
    """Draw a nested element of XML; record each word with the classes around it."""
    if tree is None:
        word = f"w{len(words)}x"
        words.append((word, names))
        return word
    name, children = tree
    within = [*names, name]
    inner = " ".join(written(child, within, words) for child in children)
    attribute = f' class="{name}"' if name else ""
    return f"<p{attribute}>{inner}</p>"


nested = st.recursive(
    st.none(),
    lambda inner: st.tuples(st.sampled_from(["", *CLASSES]), st.lists(inner, max_size=4)),
    max_leaves=20,
)


@given(nested)
def test_what_is_left_out_of_xhtml_is_nowhere(tree: Any) -> None:  # noqa: ANN401
    """The same for XML, whose copies are well-formed XML."""
    words: list[tuple[str, list[str]]] = []
    body = written(tree, [], words)
    source = f'<html xmlns="http://www.w3.org/1999/xhtml">{PROFILE}<body>{body}</body></html>'
    page = goodbot.Page(URL, source.encode(), content_type="application/xhtml+xml")
    check(
        page, ((word, judged([[one] for one in of], set(), is_quiet=False)) for word, of in words)
    )
    again = goodbot.Page(URL, page.archive_copy().html, content_type="application/xhtml+xml")
    assert not [one for one in again.findings if one.code == "not-well-formed"]


MARKED = f"""<head profile="{PROFILE_URIS[0]}"{{}}><title{{}}>t</title>
<meta name=description content=d{{}}><meta name=keywords content=k>
<meta name="RobotExclusion.RobotName1" content="ExampleBot/1.0">
<meta name="RobotExclusion.RobotName2" content="OtherBot">{{}}</head>"""
head_classes = st.sampled_from(
    ["", "", *(f" class={name}" for name in [*CLASSES, "robot1-noindex", "robot3-noindex"])]
)
names_links = st.sampled_from(["", "<link rel=RobotExclusion.Names href=/names>"])
heads = st.one_of(
    st.sampled_from(["", PROFILE]),
    st.builds(MARKED.format, head_classes, head_classes, head_classes, names_links),
)
more_attributes = st.sampled_from(
    [
        *ATTRIBUTES,
        " class='robots-nofollow robots-follow'",
        " class=robots-follow rel=nofollow",
        " rel='UGC x'",
        " class=robots-noanchortext",
        " class=robots-anchortext",
        " class=robots-anchortext rel=nofollow",
        " class=robots-nofollow",
        " class=robot1-noindex",
        " class='robot1-index robot1-archive'",
        " class=robot1-nofollow",
        " class=robot2-noindex",
        " class='robot3-noindex robots-nofolow'",
        " class='robots-index robots-noindex'",
        " rev=vote-for",
    ]
)
more_pieces = st.one_of(
    pieces,
    st.tuples(
        st.sampled_from(["a href='b c'", "area href=// alt=z", *ELEMENTS]),
        more_attributes,
    ).map(tag),
    st.sampled_from(["<img alt='an image'>", "<textarea>", "</textarea>", "<script>w</script>"]),
    st.sampled_from(["<select><option>", "<template>", "</template>", "<title>t</title>", "\n"]),
    st.sampled_from(["\r\n", "&amp;", "é", "<br>", "<body class=robots-noindex>", "\u3000"]),
)


@examples(400)
@given(st.lists(more_pieces, max_size=30).map("".join).map(numbered), heads)
def test_the_core_finds_the_borders_that_the_reference_finds(body: str, head: str) -> None:
    """Runs, links, title and description are the same, with the same verdicts and lines."""
    page, reference = goodbot.Page(URL, head + body), ReferencePage(URL, head + body)
    assert page.runs == reference.runs
    assert page.links == reference.links
    assert page.title_run == reference.title_run
    assert (page.description, page.keywords) == (reference.description, reference.keywords)
    assert page.names_needed == reference.names_needed
    codes = {"undeclared-robot", "names-not-read", "misspelt-class", "listed-robots"}
    found, wanted = ([one for one in of.findings if one.code in codes] for of in (page, reference))
    assert found == wanted


@examples(200)
@given(
    st.lists(more_pieces, max_size=30).map("".join),
    st.sampled_from(["", "<meta name=robots content=noindex>"]),
    st.sampled_from([200, 404]),
)
def test_a_uniform_page_has_the_verdicts_of_the_whole(body: str, head: str, status: int) -> None:
    """Where no part differs, the short way to the text and to the evidence gives the same."""
    page = goodbot.Page("https://a.example/b/", head + body, status=status)
    assert page.text() == words_reference.joined(page.runs, lambda run: run.index.allowed)
    if not page.is_uniform:
        return
    parts = [
        *((run, act) for run in page.runs for act in OF_RUNS),
        *((link, act) for link in page.links for act in OF_LINKS),
    ]
    whole = {**page.verdicts, "anchor": True}
    assert all(getattr(part, act).allowed == bool(whole[act]) for part, act in parts)


hrefs = st.one_of(
    st.sampled_from(
        ["", "x", "/y", "//h.example", "https:z", "http://[", "?q", "/é", "\U0001f600"]
    ),
    st.integers(8_150, 8_200).map(lambda length: "/" + "a" * length),
    st.integers(4_080, 4_100).map(lambda length: "é" * length),
)


@given(st.integers(0, 9_000), st.lists(hrefs, max_size=12), st.integers(0, 30_000))
def test_core_and_reference_resolve_the_same_links(base: int, links: list[str], room: int) -> None:
    """With any bound; no URL is longer than the longest, nor all of them than the bound."""
    body = f"<base href='https://a.example/{'b' * base}/'>" + "".join(
        f"<a href='{link}'>x</a>" for link in links
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("goodbot.page.readers.marked.most_url_bytes", lambda _length: room)
        page, reference = goodbot.Page(URL, body), ReferencePage(URL, body)
    assert page.links == reference.links
    sizes = [len(link.url.encode()) for link in page.links if link.resolved]
    assert sum(sizes) <= room
    longest = max((len(link.url.encode()) for link in [*page.links, *reference.links]), default=0)
    assert longest <= 8_192


TYPES = [
    "text/html",
    "application/xml",
    "text/plain; charset=utf-16",
    "image/png",
    "",
    "x;charset=q",
]


@examples(400)
@given(
    st.one_of(
        st.binary(max_size=300), st.lists(more_pieces, max_size=12).map("".join).map(str.encode)
    ),
    st.sampled_from(TYPES),
    st.lists(
        st.tuples(
            st.sampled_from(["X-Robots-Tag", "Link", "Content-Usage"]), st.binary(max_size=40)
        )
    ),
    st.sampled_from([200, 404, 402]),
)
def test_any_octets_have_an_answer(
    body: bytes, kind: str, headers: list[tuple[str, bytes]], status: int
) -> None:
    """Content of a site never raises, and everything can be written as JSON."""
    page = goodbot.Page(URL, body, content_type=kind, headers=headers, status=status)
    assert json.loads(json.dumps(page.as_dict()))["url"] == URL
    assert isinstance(page.text() + page.snippet_for("w1x"), str)
    assert page.archive_copy().verdict == page.archive
    if status != 200:
        assert not any(verdict for verdict in page.verdicts.values())


@given(st.binary(max_size=60))
def test_any_bytes_after_a_prologue_of_xml_can_be_read(content: bytes) -> None:
    """Even if a document type declaration is left open."""
    for start in (b"<!DOCTYPE r [", b'<!DOCTYPE r [<!ENTITY a "&b;', b"<r><?robots "):
        page = goodbot.Page(URL, start + content, content_type="application/xml")
        assert page.archive_copy().html is not None


@given(misnested, st.sampled_from([480, 505, 512, 600]), st.booleans())
def test_what_is_left_out_is_nowhere_at_the_limits(body: str, depth: int, is_closed: bool) -> None:  # noqa: FBT001
    """If limits are exceeded, less is reported, and nothing that is excluded."""
    more = " ".join(f"a{number}" for number in range(300))
    marks = re.sub(r'<(\w+) (class="robots[^"]*"|data-nosnippet)', rf"<\1 {more} \2", body)
    inner = "<div>" * depth + marks + ("</div>" * depth if is_closed else "") + "<p>behind"
    source = f"<!DOCTYPE html><html>{PROFILE}<body>{inner}"
    page = goodbot.Page(URL, source.encode())
    text, copy = page.text(), page.archive_copy().html or ""
    usable = page.snippet_for("", 100_000)
    for word, said in words_of_html(source):
        assert (word in text) <= said.index, word
        assert (word in copy) <= said.archive, word
        assert (word in usable) <= (said.index and said.archive and said.snippet), word


@given(st.text(alphabet="ab \n\t\u2003"), st.integers(1, 6))
def test_texts_are_worked_on_in_pieces(text: str, size: int) -> None:
    """The pieces are the text, and white space is treated the same however it is split."""
    assert "".join(pieces_of(text, size)) == text
    assert flattened(text, size) == " ".join(text.split())
    assert flattened(text, size, split=words) == " ".join(words(text))


# Long lists of directives.

LISTED = [
    *["noindex", "NoArchive", "index", "x", "no index", "max-snippet", "max-snippet: 5", ":", "5"],
    *["max-snippet:5", "noindex: true", "unavailable_after", "unavailable_after: Wed", "noai noml"],
    *["unavailable_after: 3 Dec 2025", "3 Dec 2025", "Wed", "xnoindex", "noindexx", "", "  "],
]
DIVIDERS = [",", ", ", " ,", " ", ",,", "\n"]


@given(
    listed=st.lists(st.tuples(st.sampled_from(LISTED), st.sampled_from(DIVIDERS))),
    spaces=st.booleans(),
)
@examples(400)
def test_what_a_long_list_says_behind_its_bound_is_read(
    listed: list[tuple[str, str]], *, spaces: bool
) -> None:
    """A list of which only known directives are read forbids what the whole list forbids."""
    text = "noindexx, " + "".join(entry + divider for entry, divider in listed)
    whole = [one for one in entries(text, spaces=spaces) if one[0] in DIRECTIVES]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(directives, "MOST_CHARACTERS", 0)
        short = [one for one in entries(text, spaces=spaces) if one[0] in DIRECTIVES]
    assert short == whole


def test_unknown_directives_behind_the_bound_cost_nothing() -> None:
    """They are not even split; a directive among them is found."""
    text = "x," * directives.MOST_CHARACTERS + "noarchive"
    read = list(entries(text, spaces=False))
    assert read[-1] == ("noarchive", "")
    assert len(read) <= directives.MOST_CHARACTERS


PAGE = goodbot.Page("https://a.example/", "<meta name=robots content=noarchive>")
VERDICTS = st.sampled_from([PAGE.index, PAGE.archive])
TEXTS = st.sampled_from(["", " ", "a", " b ", "\x1f c", "\u3000", "d\u2003", "e" * 100, "\u200b"])
RUNS = st.lists(
    st.builds(goodbot.page.Run, TEXTS, VERDICTS, VERDICTS, VERDICTS, st.booleans(), st.just(1)),
    max_size=12,
)


@given(RUNS, st.sets(st.sampled_from(QUOTED)).map(sorted), st.sampled_from([0, 3, 160]))
def test_runs_are_joined_as_by_the_reference(
    runs: list[goodbot.page.Run], acts: list[RunAct], small: int
) -> None:
    """The core leaves out the same runs, and marks the same omissions."""

    def may(run: goodbot.page.Run) -> bool:
        return all(getattr(run, act).allowed for act in acts)

    assert joined(runs, acts, small=small) == words_reference.joined(runs, may, small=small)
    for act in QUOTED:
        of_act = [getattr(run, act) for run in runs]
        assert denials(runs, act) == [one for one in of_act if not one.allowed]
