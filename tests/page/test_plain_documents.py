"""Documents with nothing but a title, META and LINK elements skip the steps for other things."""

from collections.abc import Iterator
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot import Page
from goodbot._core import parse_html
from goodbot.page.readers import html
from tests.support.examples import examples

PLAIN = [
    b"",
    b"<title>Sea</title><p>Fish",
    b"<html lang=en><title>Sea</title><meta name=robots content='noindex, noindex'><h1>Sea</h1>",
    b"<meta name=description content=Fish><meta http-equiv=refresh content='1; url=/b'>",
    b"<link rel=canonical href=/b><link rel=alternate hreflang=xx href=/c><a href=/d>D</a>",
    b"<link rel=license href=/l><p data-nosnippet>Fish<p class=robots-noindex>Sharks",
    b"<!-- fish --><meta name=tdm-reservation content=1><a href='javascript:go()'>Go</a>",
]
"""Documents of which `HtmlFacts.is_plain` is true."""
OTHERS = [
    b"<meta name=robots value=none>",
    b"<!-- googleoff: all -->",
    b"<!-- <?robots index='no'?> --><!--?robots index='no' follow='no'?-->",
    b"<noindex>fish</noindex>",
    b"<script type=application/ld+json>{</script>",
    b"<script type=application/rsl+xml><rsl/></script>",
    b"<body><noscript>Turn on scripts</noscript>",
    b"<script>location = '/b'</script>",
    b"<button onclick=\"location='/b'\">B</button>",
    b"<span href=/b>B</span>",
    b"<base href=/b>",
    b"<head profile=http://example.org/xmdp/robots-profile#>",
    b"<meta charset=nonsense>",
    b"fish \xe9",
    b"<meta charset=utf-8>\xe9",
    b"<div>" * 600,
    b"<p %b>" % b" ".join(b"a%d" % number for number in range(300)),
]
"""Documents of which each has something else."""


ELEMENTS = [
    b"<title>Fish",
    b"</title>",
    b"<meta name=keywords content='fish, sharks'>",
    b"<meta name=googlebot content=noarchive>",
    b"<meta http-equiv=content-language content=de>",
    b"<meta property=og:title content=Fish>",
    b"<link rel=canonical href=/e>",
    b"<link rel='next nofollow' href=/f>",
    b"<body><a href=/g rel=nofollow>G</a>",
    b"<h1>Sharks</h1><p>Fish &amp; chips",
]
"""Parts of documents."""


class Other:
    """The facts of a document that are not plain, and the document."""

    def __init__(self, of: object) -> None:
        """Wrap an object of the core."""
        self._of = of

    def __getattr__(self, name: str) -> object:
        """Return what the object has, but not that it is plain."""
        value = getattr(self._of, name)
        return Other(value) if name == "facts" else False if name == "is_plain" else value


def read(body: bytes) -> Iterator[object]:
    """Yield all that is read of a document."""
    page = Page("https://a.example/", body)
    yield from (page.as_dict(), page.facts, page.said_to_all, page.other_robots, page.is_uniform)


@examples(200)
@given(st.lists(st.sampled_from([*PLAIN, *ELEMENTS, *OTHERS[:8]]), max_size=5).map(b"".join))
def test_the_short_way_reads_the_same(body: bytes) -> None:
    """Reading a document takes all steps if it is not known to be plain."""
    short = list(read(body))
    with patch.object(html, "parse_html", lambda *given: Other(parse_html(*given))):
        assert list(read(body)) == short


@pytest.mark.parametrize("body", PLAIN)
def test_a_plain_document_takes_the_short_way(body: bytes) -> None:
    """So the comparison above does compare two ways."""
    facts = parse_html(body, None, html.WATCHED_IN_HTML).facts
    assert facts.is_plain
    assert not Other(facts).is_plain


@pytest.mark.parametrize("body", OTHERS, ids=range(len(OTHERS)))
def test_everything_else_is_not_plain(body: bytes) -> None:
    """Whatever one of the steps reads makes a document take them."""
    assert not parse_html(body, None, html.WATCHED_IN_HTML).facts.is_plain


def test_declarations_that_disagree_are_not_plain() -> None:
    """The header and META may declare different encodings."""
    assert not parse_html(b"<meta charset=latin1>", "utf-8", []).facts.is_plain
