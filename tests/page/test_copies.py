"""The copy that may be kept says the same as the page, to every robot and in every page dialect."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import goodbot
from goodbot.page import PAGE_DIALECTS, PROFILE_URIS
from tests.support.examples import examples

URL = "https://example.com/dir/page"
ELSEWHERE = "https://cache.example/copies/1"
TYPES = ["text/html", "application/xhtml+xml"]
PROFILE = PROFILE_URIS[0]
ROBOTS = ["ExampleBot", "OtherReader/2.0", "Googlebot-News"]

CLASSES = ["robots-noarchive", "robots-archive", "robots-noarchive robots-noindex"]
marks = st.sampled_from(["", "", "", *(f' class="{names}"' for names in CLASSES)])
names = st.sampled_from(["robots", "ROBOTS", "examplebot", "otherreader", "googlebot", "spider by"])
contents = st.sampled_from(
    ["noindex", "nofollow", "none", "noarchive, nofollow", "max-snippet:20", "index, follow",
     "unavailable_after: Wed, 25 Jun 2025 15:00:00 GMT", "noai, odd", "nosnippet", "notranslate"]
)  # fmt: skip
metas = st.one_of(
    st.tuples(names, contents, marks).map(
        lambda parts: f'<meta name="{parts[0]}" content="{parts[1]}"{parts[2]}/>'
    ),
    st.tuples(contents, marks).map(
        lambda parts: f'<meta http-equiv="X-Robots-Tag" content="{parts[0]}"{parts[1]}/>'
    ),
)
others = marks.flatmap(
    lambda mark: st.sampled_from(
        [
            f"<title{mark}>a title</title>",
            f"<style{mark}>p {{}}</style>",
            f'<link rel="canonical" href="c"{mark}/>',
            f'<base target="_top"{mark}/>',
            f'<base href="deep/"{mark}/>',
            f'<script{mark} type="application/ld+json">1</script>',
            f"<noscript{mark}></noscript>",
            "<!-- a comment -->",
        ]
    )
)
heads = st.lists(st.one_of(metas, others), max_size=5).map("".join)

LEAVES = ["word", '<a href="l">link</a>', '<img src="i.png" alt="x"/>', "<br/>", "<!--noindex-->"]
leaves = st.one_of(st.sampled_from(LEAVES), metas)
BLOCKS = ["p", "div", "span", "section", "blockquote", "h1", "b", "template", "noscript", "video"]


def element(name: str) -> st.SearchStrategy[str]:
    """Draw elements of a name with possible content."""

    def of(child: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        parts = st.tuples(marks, st.lists(child, max_size=3).map("".join))
        return parts.map(lambda part: f"<{name}{part[0]}>{part[1]}</{name}>")

    if name == "table":
        return of(of_name("tr", of_name("td", leaves)))
    if name == "ul":
        return of(of_name("li", leaves))
    return of(leaves)


def of_name(name: str, child: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Draw one element around others."""
    parts = st.tuples(marks, st.lists(child, max_size=3).map("".join))
    return parts.map(lambda part: f"<{name}{part[0]}>{part[1]}</{name}>")


bodies = st.lists(
    st.one_of(leaves, *(element(name) for name in [*BLOCKS, "table", "ul"])), max_size=5
).map("".join)


def page_of(url: str, body: str, kind: str, dialect: str, robot: str) -> goodbot.Page:
    """Read a page."""
    return goodbot.Page(url, body, content_type=kind, dialect=dialect, robot=robot)


@examples(300)
@given(heads, marks, marks, marks, bodies, st.sampled_from(TYPES), st.sampled_from(ROBOTS))
@example(
    "<title class='robots-noarchive'>t</title><meta name='robots' content='noindex'/>",
    *("", "", "", "a", TYPES[0], ROBOTS[0]),
)
def test_a_copy_says_what_the_page_says(
    head: str, of_root: str, of_head: str, of_body: str, body: str, kind: str, robot: str
) -> None:
    """Every verdict and limit is the same in every dialect, and links lead to the same places."""
    source = (
        f'<html xmlns="http://www.w3.org/1999/xhtml"{of_root}><head profile="{PROFILE}"{of_head}>'
        f"{head}</head><body{of_body}>{body}</body></html>"
    )
    for name in PAGE_DIALECTS:
        page = page_of(URL, source, kind, name, robot)
        copy = page.archive_copy()
        if copy.html is None:
            continue
        where = ELSEWHERE if copy.cuts else URL
        again = page_of(where, copy.html, kind, name, robot)
        said = {act: verdict.allowed for act, verdict in page.verdicts.items()}
        assert {act: verdict.allowed for act, verdict in again.verdicts.items()} == said
        assert again.limits == page.limits
        assert again.canonical == page.canonical
        assert {link.url for link in again.links} <= {link.url for link in page.links}
        assert len(re.findall("<base[^>]* href=", copy.html)) <= 1 or not copy.cuts
        codes = {finding.code for finding in again.findings}
        assert not codes & {"not-well-formed", "meta-outside-head"} - {
            finding.code for finding in page.findings
        }


@pytest.mark.parametrize("kind", TYPES)
def test_a_copy_of_a_copy_is_the_same(kind: str) -> None:
    """Marks on a part apply to the words that replace it."""
    source = (
        f'<html xmlns="http://www.w3.org/1999/xhtml"><head profile="{PROFILE}"><title '
        'class="robots-noarchive">t</title></head><body><p class="robots-noarchive">a</p>'
        '<table><tr class="robots-noarchive"><td>b</td></tr></table></body></html>'
    )
    copy = page_of(URL, source, kind, "google", "ExampleBot").archive_copy().html
    assert copy is not None
    again = page_of(URL, copy, kind, "google", "ExampleBot").archive_copy().html
    assert again == copy
