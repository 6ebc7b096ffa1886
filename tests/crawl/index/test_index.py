"""The index of a crawl: what is found, what is shown, and what it costs."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goodbot import Page, WrongTypeError, WrongValueError
from goodbot._core import LinkTable, anchor_rows
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Anchor, Document, anchors_from
from goodbot.crawl.folder.shares import first_number
from goodbot.crawl.index.full_text import BROAD, QUOTED_FROM, Matches
from goodbot.crawl.index.indexable import anchors_of, document_of
from goodbot.crawl.index.query import GAP_WORD, cleaned
from goodbot.crawl.index.sqlite import MAX_ANCHOR, MOST_ANCHORS, SQLiteIndex, line_of
from goodbot.crawl.searching import search
from goodbot.errors import StoreError
from tests.support.crawls.indexed_crawls import NOW, Crawl, read
from tests.support.examples import examples
from tests.support.paths import ROOT
from tests.support.references import index_reference as reference

KEEP = (
    "INSERT INTO kept(url, address, kind, at, file, offset, length, record, digest, reason, "
    "source) VALUES(?, '', ?, 0, 'a', 0, 1, x'', x'', '', '')"
)


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Crawl]:
    """Return a crawl that knows a few URLs."""
    made = Crawl(tmp_path)
    made.know(*range(1, 30))
    yield made
    made.database.close()


# Phrases.


@pytest.mark.parametrize(
    ("html", "phrase_matches"),
    [
        # Robot Exclusion Profile, Phrases.
        ("<p>word1 <b class=robots-noindex>ignore</b> word2", False),
        ("<p>word1 <b class=robots-noindex></b> word2", False),
        ("<p>word1 <b>not ignored</b> word2", False),
        ("<p>word1 <b>word2</b>", True),
        # Of what must not be archived, words and marks of phrases are stored, and no text.
        ("<p>word1, <b class=robots-noarchive>word2</b>", True),
        ("<p class=robots-noarchive>word1 word2", True),
        ("<p class=robots-noarchive>word2 word1", False),
        ("<p class=robots-noarchive>word1<p class=robots-noarchive>word2", False),
        ("<p class=robots-noarchive>word1 <b class=robots-noindex>x</b> word2", False),
        # Google Search Appliance.
        ("<p>word1 <!--googleoff: index-->ignore<!--googleon: index--> word2", False),
        # A new block: `Run.block`.
        ("<p>word1<p>word2", False),
        ("<table><td>word1<td>word2", False),
        # The title is not part of the text.
        ("<title>word1</title><p>word2", False),
        ("<title>word1\nword2</title>", True),
        # An ellipsis of the author does not end a phrase.
        ("<p>word1 \N{HORIZONTAL ELLIPSIS} word2", True),
        # The gap of the index cannot be written.
        (f"<p>word1 {GAP_WORD} word2", True),
    ],
)
def test_a_phrase_does_not_straddle_a_gap(crawl: Crawl, html: str, *, phrase_matches: bool) -> None:
    """Words on both sides of a gap match, but not as a phrase."""
    crawl.put(1, html)
    assert crawl.found("word1 word2") == {1}
    assert crawl.found('"word1 word2"') == ({1} if phrase_matches else set())
    assert crawl.found("ignore") == set()
    assert crawl.found("word1 -ignore") == {1}


def test_the_gap_cannot_be_searched_for(crawl: Crawl) -> None:
    """No query finds the word that marks gaps."""
    crawl.put(1, "<p>word1 <b class=robots-noindex></b> word2")
    for query in (GAP_WORD, f'"word1 {GAP_WORD} word2"', f"{GAP_WORD}*", f"-{GAP_WORD}", "…"):
        assert not crawl.search(query), query
    assert crawl.found('"word1 … word2"') == {1}  # as a snippet shows it


def test_texts_of_links_are_separate(crawl: Crawl) -> None:
    """No phrase matches across the texts of two links."""
    crawl.text(1, "lamp")
    crawl.index.describe(2, [Anchor(1, "old brass"), Anchor(1, "chair")])
    crawl.index.describe(3, [Anchor(1, "from the attic")])
    assert crawl.found('"old brass"') == crawl.found("anchor:chair attic lamp") == {1}
    for query in ('"brass chair"', '"chair from"', '"brass from"', '"chair old"', '"lamp old"'):
        assert crawl.found(query) == set(), query


def anchors_on(html: str) -> list[tuple[int, str]]:
    """Return the texts of the links of a page that may describe their targets."""
    page = read(html)
    return anchors_of(page, LinkTable(page.links))


def test_omitted_parts_of_a_link_are_gaps() -> None:
    """A part of a link's text that must not be indexed becomes a gap in it."""
    html = "<p><a href=/b>one <b class=robots-noindex>x</b> two</a> <a href=/c>three four</a>"
    assert anchors_on(html) == [(0, "one … two"), (1, "three four")]


@pytest.mark.parametrize(
    "link",
    [
        "<h3>Brass</h3><p>Lamps</p>",
        "Brass<br>Lamps",
        "<ul><li>Brass<li>Lamps</ul>",
        "<table><tr><td>Brass<td>Lamps</table>",
        "B<b>ra</b>ss<img alt=Lamps>",
    ],
)
def test_the_words_of_blocks_within_a_link_are_found_apart(crawl: Crawl, link: str) -> None:
    """A target is found by each word of the link's text, and no word is made of two."""
    ((_, text),) = anchors_on(f"<div><a href=/a>{link}</a></div>")
    crawl.text(1, "target")
    crawl.index.describe(2, [Anchor(1, text)])
    assert text == "Brass Lamps"
    assert crawl.found("brass") == crawl.found("anchor:lamps") == {1}
    assert crawl.found("brasslamps") == set()


OUT = "<b class=robots-noindex>x</b>"


@pytest.mark.parametrize(
    ("link", "text"),
    [
        (f"old brass {OUT} lamps here", "old brass … lamps here"),
        (f"a b {OUT} c d {OUT} e f", "a b … c d … e f"),
        (f"old{OUT}brass", "old … brass"),
        ("old <b class=robots-noindex></b> brass", "old … brass"),
        ("old <b class=robots-noanchortext>x</b> brass lamps", "old … brass lamps"),
        ("old <b class=robots-noanchortext></b> brass", "old … brass"),
        ("old <!--googleoff: all-->x<!--googleon: all--> brass lamps", "old … brass lamps"),
        ("old <!--googleoff: anchor-->x<!--googleon: anchor--> brass", "old … brass"),
        ("old <img alt=x class=robots-noindex> brass lamps", "old … brass lamps"),
        (f"{OUT} old brass {OUT}", "old brass"),
        ("old brass … lamps", "old brass ... lamps"),
    ],
)
@pytest.mark.parametrize(
    "around", ["{}", "<p>old brass lamps, a b c d e f, {}", "{0}{0} <a href=/b>old brass</a>"]
)
def test_a_link_text_is_split_at_each_gap_and_only_there(
    crawl: Crawl, link: str, text: str, around: str
) -> None:
    """No phrase straddles it, also if the page has the words in one piece elsewhere."""
    html = around.format(f"<p><a href=/a>{link}</a>")
    first = anchors_on(html)[0]
    assert first == (0, text)
    crawl.text(1, "target")
    crawl.index.describe(2, [Anchor(1, first[1])])
    parts = [part.strip() for part in text.replace("...", " ").split("…")]
    for part in parts:
        assert crawl.found(f'"{" ".join(part.split())}"') == {1}
    for one, other in pairwise(parts):
        assert crawl.found(f'"{one.split()[-1]} {other.split()[0]}"') == set()


WORDS = st.sampled_from(["fish", "Fish", "café", "cafe", "sea", "seal", "a", "b", "7"])
RUN = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
PIECE = st.tuples(st.sampled_from(["shown", "shown", "hidden", "empty", "block"]), RUN)
PAGE = st.tuples(RUN, st.lists(PIECE, max_size=6), st.lists(RUN, max_size=3))
WANTED = st.builds(
    reference.Wanted,
    st.lists(WORDS, min_size=1, max_size=3).map(tuple),
    st.sampled_from(["", "", "", "title", "text", "anchor"]),
    is_excluded=st.sampled_from([False, False, False, True]),
) | st.builds(
    reference.Wanted,
    st.sampled_from([("fis",), ("sea",), ("caf",)]),
    is_prefix=st.just(True),  # noqa: FBT003
)


def html_of(title: str, pieces: list[tuple[str, str]]) -> str:
    """Return a page with parts that must not be indexed."""
    forms = {
        "shown": "{} ",
        "hidden": "<b class=robots-noindex>{}</b> ",
        "empty": "<b class=robots-noindex></b>{} ",
        "block": "<p>{} ",
    }
    return f"<title>{title}</title><p>" + "".join(forms[kind].format(text) for kind, text in pieces)


def entry_of(title: str, pieces: list[tuple[str, str]], anchors: list[str]) -> reference.Entry:
    """Return what can be found of it, by the rules alone."""
    text = ""
    for kind, words in pieces:
        text += {"shown": " ", "hidden": "…", "empty": "…", "block": "\n"}[kind]
        text += "" if kind == "hidden" else words
    return reference.Entry(
        reference.rows(title),
        reference.rows(text),
        [row for one in anchors for row in reference.rows(one)],
    )


@examples(150, deadline=None)
@given(
    pages=st.lists(PAGE, min_size=1, max_size=6),
    again=st.lists(PAGE, max_size=2),
    is_first_removed=st.booleans(),
    queries=st.lists(st.lists(WANTED, min_size=1, max_size=3), min_size=5, max_size=5),
)
def test_it_finds_what_the_reference_finds(
    tmp_path_factory: pytest.TempPathFactory,
    *,
    pages: list[tuple[str, list[tuple[str, str]], list[str]]],
    again: list[tuple[str, list[tuple[str, str]], list[str]]],
    is_first_removed: bool,
    queries: list[list[reference.Wanted]],
) -> None:
    """Both find the same pages, with gaps, pages put twice, and texts of links."""
    crawl = Crawl(tmp_path_factory.mktemp("reference"))
    crawl.know(*range(1, 40))
    entries = {}
    for round_of_pages in (pages, again):
        for number, (title, pieces, anchors) in enumerate(round_of_pages, 1):
            crawl.put(number, html_of(title, pieces))
            crawl.index.describe(20 + number, [Anchor(number, text) for text in anchors])
            entries[number] = entry_of(title, pieces, anchors)
        crawl.index.refresh()
    if is_first_removed:
        crawl.index.remove(1)
        del entries[1]
    # Search for pairs of words with and without a gap between them.
    shown = [word for _, pieces, _ in pages for kind, text in pieces for word in text.split()]
    queries += [[reference.Wanted(pair)] for pair in dict.fromkeys(pairwise(shown))]
    for query in queries:
        written = " ".join(map(str, query))
        assert crawl.found(written) == reference.search(entries, query), written
    crawl.database.close()


# Results.


def test_a_hit_says_what_is_known(crawl: Crawl) -> None:
    """URL, title, quotation, copy and time of the visit are those of the page."""
    for number, kind in enumerate(("response", "conversion", "metadata", None), 1):
        crawl.text(number, "brass lamp", f"Page {number}")
        if kind is not None:
            with crawl.database.changing() as connection:
                connection.execute(KEEP, (number, kind))
    results = crawl.search("lamp")
    assert [(hit.title, hit.has_copy) for hit in results.hits] == [
        ("Page 1", True),
        ("Page 2", True),
        ("Page 3", False),
        ("Page 4", False),
    ]
    hit = results.hits[0]
    assert hit.url == "https://a.example/1"
    assert hit.snippet == "brass lamp"
    assert hit.visited == datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=timezone.utc)
    assert results.as_dict()["hits"][0]["visited"] == "1970-01-01T00:00:00.000001+00:00"
    assert results.as_dict()["query"] == "lamp"


@pytest.mark.parametrize(
    ("html", "snippet"),
    [
        ("<p>brass <b class=robots-noarchive>secret</b> lamp", "brass … lamp"),
        ("<p>brass <span data-nosnippet>secret</span> lamp", "brass … lamp"),
        ("<section data-nosnippet>brass lamp", ""),
        ("<meta name=robots content=nosnippet><p>brass lamp", ""),
        ("<meta name=robots content=noarchive><p>brass lamp", ""),
        ("<meta name=robots content=max-snippet:0><p>brass lamp", ""),
        ("<meta name=robots content=max-snippet:10><p>brass lamp and chair", "… lamp …"),
        ("<meta name=robots content=max-snippet:-1><p>brass lamp", "brass lamp"),
    ],
)
def test_a_snippet_is_made_of_what_may_be_quoted(crawl: Crawl, html: str, snippet: str) -> None:
    """It is the same as that of `Page.snippet_for`; parts not quoted can still be found."""
    crawl.put(1, html)
    (hit,) = crawl.search("lamp").hits
    assert hit.snippet == snippet == read(html).snippet_for("lamp")
    if "secret" in html:
        assert crawl.found("secret") == {1}


def test_a_snippet_shows_words_as_the_page_writes_them(crawl: Crawl) -> None:
    """A quotation shows the word despite diacritics, and for a prefix the whole word."""
    crawl.text(1, "x " * 200 + "the cafés of Zürich " + "y " * 200)
    for query in ("zurich", "caf*"):
        assert "cafés of Zürich" in crawl.search(query).hits[0].snippet


def test_a_huge_page_is_quoted_from_its_beginning(crawl: Crawl) -> None:
    """Only a limited number of characters are searched for a quotation."""
    crawl.text(1, "start " + "x " * QUOTED_FROM + "lamp")
    assert crawl.search("start x").hits[0].snippet.startswith("start x")
    assert crawl.search("lamp").hits[0].snippet.startswith("start x")


def test_what_is_over_is_not_shown(crawl: Crawl) -> None:
    """`unavailable_after` takes effect at that moment, in hits and total, before any revisit."""
    until = NOW + timedelta(days=1)
    crawl.index.put(1, Document("", "lamp", "lamp", None, until))
    crawl.text(2, "lamp")
    for at, total in ((NOW, 2), (until - timedelta(microseconds=1), 2), (until, 1)):
        results = search(crawl.database, "lamp", now=at)
        assert (len(results.hits), results.total) == (total, total)


def test_the_title_weighs_most(crawl: Crawl) -> None:
    """A word in the title weighs more than in a link, and there more than in the text."""
    for number in range(1, 10):
        crawl.text(number, "chair table " * 3, "Furniture")
    crawl.text(10, "lamp chair table chair table chair", "Furniture")
    crawl.text(11, "chair table " * 3, "Furniture")
    crawl.index.describe(1, [Anchor(11, "lamp")])
    crawl.text(12, "chair table " * 3, "Lamp")
    hits = crawl.search("lamp").hits
    assert [hit.url[-2:] for hit in hits] == ["12", "11", "10"]
    assert hits[0].score > hits[1].score > hits[2].score > 0


def test_pages_of_results_are_parts_of_one_list(crawl: Crawl) -> None:
    """`limit` and `offset` select from one list, which is always the same."""
    for number in range(1, 25):
        crawl.text(number, "lamp " + "chair " * (number % 3))
    every = [hit.url for hit in crawl.search("lamp", limit=100).hits]
    assert len(every) == 24
    parts = [crawl.search("lamp", limit=7, offset=start).hits for start in range(0, 24, 7)]
    assert [hit.url for hits in parts for hit in hits] == every
    beyond = crawl.search("lamp", limit=2**80, offset=2**80)
    assert (beyond.hits, beyond.total) == ((), 24)


def test_broad_searches_give_every_hit_once(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    """With very many hits, pages whose title has all words come first; none is lost or repeated."""
    monkeypatch.setattr("goodbot.crawl.index.full_text.BROAD", 5)
    for number in range(1, 25):
        title = "brass lamp" if number % 4 == 0 else "lamp"
        crawl.text(number, "brass lamp " + "x " * number, title)
    crawl.text(25, "brass lamp shade", "brass lamp")
    query = "brass lamp -shade"
    every = [int(hit.url.rpartition("/")[2]) for hit in crawl.search(query, limit=100).hits]
    assert sorted(every) == list(range(1, 25))
    assert all(number % 4 == 0 for number in every[:6])
    for size in (1, 4, 5, 6, 7, 11):
        parts = [
            int(hit.url.rpartition("/")[2])
            for start in range(0, 24, size)
            for hit in crawl.search(query, limit=size, offset=start).hits
        ]
        assert parts == every
    assert crawl.search("title:lamp text:brass", limit=3).total == 25
    assert BROAD > 1_000


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (WrongTypeError, lambda index: index.search(b"a", now=NOW)),
        (WrongTypeError, lambda index: index.search("a", now=0)),
        (WrongValueError, lambda index: index.search("a", now=datetime(2025, 1, 1))),  # noqa: DTZ001
        (WrongValueError, lambda index: index.search("a", now=NOW, limit=0)),
        (WrongValueError, lambda index: index.search("a", now=NOW, offset=-1)),
    ],
)
def test_misuse_raises(
    crawl: Crawl, error: type[Exception], call: Callable[[SQLiteIndex], Matches]
) -> None:
    """Invalid arguments raise."""
    with pytest.raises(error):
        call(crawl.index)


# What comes and goes.


def test_a_page_that_must_not_be_indexed_any_more_leaves(crawl: Crawl) -> None:
    """It leaves at once with the visit that finds it so, as a whole or in part."""
    crawl.put(1, "<p>brass <i>lamp</i>")
    assert crawl.found("brass lamp") == {1}
    crawl.put(1, "<p>brass <i class=robots-noindex>lamp</i>")
    assert matching(crawl, "lamp") == []
    assert crawl.found("brass") == {1}
    crawl.put(1, "<meta name=robots content=noindex><p>brass lamp")
    assert matching(crawl, "brass") == []
    assert crawl.found("brass") == set()
    crawl.index.remove(1)
    crawl.index.remove(7)


def matching(crawl: Crawl, word: str) -> list[tuple[int]]:
    """Query the table itself, without a refresh."""
    select = "SELECT rowid FROM words WHERE words MATCH ?"
    return crawl.database.connection.execute(select, (word,)).fetchall()


def test_what_links_say_is_replaced(crawl: Crawl) -> None:
    """A text that is gone is not found any more, unless another link has it; new ones are found."""
    crawl.text(1, "lamp")
    crawl.index.describe(2, [Anchor(1, "old"), Anchor(1, "brass")])
    crawl.index.describe(3, [Anchor(1, "brass")])
    assert crawl.found("old brass") == {1}
    crawl.index.describe(2, [Anchor(1, "new")])
    assert matching(crawl, "old") == []
    assert crawl.found("new brass lamp") == {1}
    assert crawl.found("old") == set()
    crawl.index.describe(2, [])
    assert matching(crawl, "brass") == []
    assert crawl.found("brass") == {1}
    assert crawl.found("new") == set()


def test_removing_a_page_removes_what_it_says(crawl: Crawl) -> None:
    """The texts of links to it are kept in case it comes back."""
    crawl.text(1, "lamp")
    crawl.text(2, "chair")
    crawl.index.describe(1, [Anchor(2, "wooden")])
    crawl.index.describe(2, [Anchor(1, "brass")])
    assert crawl.found("wooden chair") == {2}
    crawl.index.remove(1)
    assert crawl.found("wooden") == crawl.found("brass") == set()
    assert crawl.found("chair") == {2}
    crawl.text(1, "lamp")
    assert crawl.found("brass lamp") == {1}


def test_a_page_may_be_described_before_it_is_known(crawl: Crawl) -> None:
    """The order of visits does not matter."""
    crawl.index.describe(2, [Anchor(1, "brass")])
    crawl.text(1, "lamp")
    assert crawl.found("brass lamp") == {1}


def test_what_a_change_has_done_counts_within_it(crawl: Crawl) -> None:
    """Its rows are written together at its end, or when they are asked for."""
    with crawl.database.changing():
        crawl.text(1, "lamp")
        crawl.text(3, "chair")
        assert (1 in crawl.index, crawl.index.among([1, 3, 4])) == (True, {1, 3})
        crawl.index.describe(2, [Anchor(1, "old"), Anchor(1, "brass")])
        crawl.index.describe(2, [Anchor(1, "brass")])
        crawl.text(1, "lantern")
        crawl.index.remove(3)
        assert crawl.index.refresh() == 0
    assert crawl.found("brass lantern") == {1}
    assert crawl.found("old") == crawl.found("lamp") == crawl.found("chair") == set()


def test_what_describes_a_page_is_bounded(crawl: Crawl) -> None:
    """A limited number of texts count, those of the pages found first, each up to its limit."""
    crawl.text(1, "lamp")
    for source in range(MOST_ANCHORS + 10, 1, -1):
        crawl.index.describe(source, [Anchor(1, f"from{source} " + "x" * 150 + " " + "y" * 150)])
    crawl.index.refresh()
    assert crawl.found("from2") == crawl.found(f"from{MOST_ANCHORS + 1}") == {1}
    assert crawl.found(f"from{MOST_ANCHORS + 2}") == crawl.found("yyy*") == set()
    crawl.index.describe(2, [])
    assert crawl.found(f"from{MOST_ANCHORS + 2}") == {1}
    assert crawl.found("from2") == set()


def test_refresh_does_no_more_than_it_is_told(crawl: Crawl) -> None:
    """It returns how many are left, and updates pages without an entry first."""
    crawl.text(1, "lamp")
    assert crawl.index.refresh() == 0
    crawl.index.describe(9, [Anchor(1, "brass")])
    for number in (2, 3):
        crawl.text(number, "lamp")
    assert crawl.index.refresh(1) == 2
    assert crawl.index.refresh(1) == 1
    assert matching(crawl, "brass") == []
    assert crawl.index.refresh(1) == 0
    assert matching(crawl, "brass") == [(1,)]
    assert crawl.index.refresh() == 0


def test_an_entry_without_a_page_is_not_waited_for(crawl: Crawl) -> None:
    """A folder may have such a row only if something else wrote it."""
    crawl.text(1, "lamp")
    crawl.database.execute("INSERT INTO outdated VALUES(7, 2)", ())
    assert crawl.index.refresh() == 0
    assert crawl.found("lamp") == {1}


def test_the_same_page_again_costs_no_entry(crawl: Crawl) -> None:
    """A visit without new content may change what is quotable, but writes no new entry."""
    crawl.text(1, "brass lamp")
    assert crawl.index.refresh() == 0
    crawl.index.put(1, Document("", "brass lamp", "", None, None))
    assert crawl.index.left() == 0
    assert crawl.search("lamp").hits[0].snippet == ""


def test_links_that_may_not_describe_do_not() -> None:
    """Texts of links do not count under noanchortext, nofollow, or on a page under noindex."""
    html = (
        "<p><a href=/1>one</a><a href=/2 rel=nofollow>two</a>"
        "<a href=/3 class=robots-noanchortext>three</a><a href=/4 class=robots-nofollow>four</a>"
        "<a href=/5> </a><a href='http://[::1'>six</a><b class=robots-noindex><a href=/7>7</a></b>"
    )
    assert anchors_on(html) == [(0, "one")]
    assert anchors_on("<meta name=robots content=noindex>" + html) == []
    assert anchors_on("<meta name=robots content=nofollow>" + html) == []


def test_documents_of_pages() -> None:
    """A page that must not be indexed at the given time has no document."""
    after = "<meta name=robots content='unavailable_after: 2025-01-02'><p>lamp"
    document = document_of(read(after), NOW)
    assert document is not None
    assert document.until == NOW + timedelta(days=1)
    assert document_of(read(after), NOW + timedelta(days=2)) is None
    assert document_of(Page("https://a.example/", "lamp", status=404), NOW) is None


# Other processes, and time.


def test_a_search_works_while_another_writes(tmp_path: Path) -> None:
    """Indexed pages are found; a finding reports the others, which a later search finds."""
    crawl = Crawl(tmp_path)
    crawl.know(1, 2)
    crawl.text(1, "lamp")
    crawl.index.refresh()
    crawl.text(2, "lamp")
    other = Database(tmp_path, patience=0)
    with crawl.database.changing():
        results = SQLiteIndex(other).search("lamp", now=NOW)
    assert results.total == 1
    assert [finding.code for finding in results.findings] == ["not-up-to-date"]
    assert "the crawl that is running will add them" in results.findings[0].message
    assert SQLiteIndex(other).search("lamp", now=NOW).total == 2
    other.close()
    crawl.database.close()


def test_a_closed_database_raises(crawl: Crawl) -> None:
    """An error of SQLite becomes one of our exceptions."""
    crawl.database.close()
    with pytest.raises(StoreError, match="open it again"):
        crawl.search("lamp")


def test_an_entry_that_is_not_committed_is_not_kept(tmp_path: Path) -> None:
    """Page and entry are in one transaction, so both are undone together."""
    crawl = Crawl(tmp_path)
    crawl.know(1)

    def interrupted() -> None:
        with crawl.database.changing():
            crawl.text(1, "lamp")
            crawl.index.refresh()
            raise KeyError

    with pytest.raises(KeyError):
        interrupted()
    assert crawl.found("lamp") == set()
    crawl.database.close()


def test_popular_pages_cost_no_more_the_more_link_to_them(tmp_path: Path) -> None:
    """Four times as many pages that link to the same pages take four times the SQLite steps."""

    def steps(pages: int) -> int:
        crawl = Crawl(tmp_path / str(pages))
        taken = 0

        def step() -> None:
            nonlocal taken
            taken += 1

        crawl.database.connection.set_progress_handler(step, 100)
        with crawl.database.changing():
            for number in range(1, pages + 1):
                crawl.index.put(number, Document("", f"lamp {number}", "", None, None))
                crawl.index.describe(number, [Anchor(one, f"t{number}") for one in range(1, 21)])
                if number % 25 == 0:
                    crawl.index.refresh(100)
            for number in range(1, pages + 1):
                crawl.index.remove(number)
                if number % 25 == 0:
                    crawl.index.refresh(100)
        crawl.database.close()
        return taken

    # In both cases a page has more links to it than count.
    assert steps(4 * 500) < 6 * steps(500)


@pytest.mark.stress
def test_the_benchmark_gives_the_right_answers() -> None:
    """Its searches find what a scan of all words finds; its times do not matter here."""
    program = ROOT / "benchmarks" / "search.py"
    command = [sys.executable, str(program), "200"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603  ours
    assert dict(line.split() for line in done.stdout.splitlines())["right"] == "1", done.stderr


@pytest.mark.parametrize(
    "pages",
    [(1, 2, 3), (first_number(7), first_number(7) + 1, first_number(7) + 5), (5, 1 << 40, 1 << 62)],
    ids=["folder", "part", "fleet"],
)
def test_links_outdate_the_entries_that_are_current(
    tmp_path: Path, pages: tuple[int, int, int]
) -> None:
    """An entry is looked up once for all links to it, also after a change that was undone.

    The numbers of a queue that machines share are anywhere.
    """
    one, two, three = pages
    with Database(tmp_path, create=True) as database:
        index = SQLiteIndex(database)
        for page in pages:
            index.put(page, Document(f"Page {page}", "sea", "sea", None, None))
        assert index.refresh() == 0
        changes = database.connection.total_changes
        with database.changing():
            index.describe(two, [Anchor(one, "lamps")])
            index.describe(three, [Anchor(one, "brass lamps")])
        assert database.connection.total_changes - changes == 3  # two texts, one outdated entry
        assert [page.url_id for page in index.search("brass", now=NOW).pages] == [one]
        with pytest.raises(StoreError), database.changing() as connection:  # noqa: PT012  a change
            index.describe(three, [Anchor(two, "chairs")])
            connection.execute("SELECT nothing")
        index.describe(three, [Anchor(two, "chairs")])
        assert [page.url_id for page in index.search("chairs", now=NOW).pages] == [two]
        # Another connection brings it up to date, as a search of another process does.
        with Database(tmp_path) as other:
            other_index = SQLiteIndex(other)
            index.describe(one, [Anchor(three, "tables")])
            assert other_index.refresh() == 0
        index.describe(two, [Anchor(three, "stoves")])
        assert [page.url_id for page in index.search("stoves", now=NOW).pages] == [three]


# Rows of texts of links.


def rows_of_texts(source: int, anchors: list[Anchor]) -> list[tuple[int, int, str]]:
    """Return what `anchor_rows` returns: a line for each text, cut between words."""
    rows = []
    for target, text in anchors:
        line = " ".join(cleaned(text).split())
        if len(line) > MAX_ANCHOR:
            line = line[:MAX_ANCHOR].rpartition(" ")[0] or line[:MAX_ANCHOR]
        if line and (source, target, line) not in rows:
            rows.append((source, target, line))
    return rows


TEXTS = st.text(st.sampled_from("ab  \t\x00\x1c\x1f\x7f\x85\xa0é…\u3000\ud800\uffff"), max_size=8)
LONG_TEXTS = st.builds(lambda text, most: (text + "b ") * most, TEXTS, st.integers(1, 120))


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["a b", "a", ""]) | TEXTS | LONG_TEXTS))
)
@example([(1, "a" * MAX_ANCHOR), (1, "a" * (MAX_ANCHOR + 1)), (1, "a " * MAX_ANCHOR)])
def test_each_text_of_a_link_is_a_line_once(pairs: list[tuple[int, str]]) -> None:
    """Whatever characters it has; links to URLs that are not stored have no rows."""
    anchors = anchors_from(pairs, [0, 7, 8, 7, 0])
    stored = [(place, text) for place, text in pairs if place not in {0, 4}]
    assert anchors == [Anchor([0, 7, 8, 7][place], text) for place, text in stored]
    assert [*anchor_rows(5, anchors, line_of, MAX_ANCHOR)] == rows_of_texts(5, anchors)
