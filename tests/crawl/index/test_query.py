"""Queries of users: how they are understood and compiled, and that none is an error."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goodbot.crawl.index.query import FINDING_CODES, GAP_WORD, MOST_WORDS, Query, words_in
from tests.support.crawls.indexed_crawls import Crawl
from tests.support.examples import examples


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Crawl]:
    """Return a crawl that knows a URL."""
    made = Crawl(tmp_path)
    made.know(1)
    yield made
    made.database.close()


NASTY = [
    "",
    " ",
    "\0",
    '"',
    '""',
    "'",
    "-",
    "--",
    '-"',
    "*",
    "a*",
    '"a" *',
    "^a",
    "a + b",
    "AND",
    "a AND",
    "OR b",
    "NOT",
    "a NOT b",
    "NEAR(a b, 2)",
    "NEAR(",
    "(",
    ")",
    "((a))",
    "title:",
    "title:title:a",
    "title : a",
    "{title text} : a",
    "-{title} : a",
    "words MATCH 'a'",
    "rank:a",
    "rowid:1",
    "nosuch:a",
    'title:"a',
    "a;DROP TABLE words",
    "\ud800",
    "a\ud800b",
    "a\0b",
    '"a\0b"',
    "\ufeff\u202e\u200b",
    "\U0010ffff\uffff",
    "😀",
    "́",
    "a" * 100_000,
    '"' * 10_000,
    "-a " * 10_000,
    "( " * 5_000,
    "title:" * 5_000,
    '"a ' * 1_000,
    "东" * 5_000,
    "-only -excluded",
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    """Return an index with a few pages, for many queries."""
    crawl = Crawl(tmp_path_factory.mktemp("shared"))
    crawl.know(1, 2)
    crawl.text(1, "a b and not near or title 东京 match rank", "a")
    crawl.text(2, "AND OR NOT words", "b")
    crawl.index.refresh()
    return crawl


@pytest.mark.parametrize("query", NASTY)
def test_any_query_has_an_answer(shared: Crawl, query: str) -> None:
    """No query is an error; if nothing can match, a finding says why."""
    results = shared.search(query)
    assert {finding.code for finding in results.findings} <= FINDING_CODES.keys()
    if not results.query.match:
        assert not results
        assert {one.code for one in results.findings} & {"no-words", "only-excluded"}


@examples(500, deadline=None)
@example("0:000*")
@example("title:a…lamp*")
@given(
    st.text(
        st.characters(codec=None) | st.sampled_from('"-*():{}^+,.\0\ud800 …aAéß东กิ' + GAP_WORD),
        max_size=60,
    )
    | st.lists(st.sampled_from(["AND", "OR", "NOT", "NEAR", "title:", "text:", *'-"()a '])).map(
        "".join
    )
)
def test_any_text_is_a_query(shared: Crawl, query: str) -> None:
    """No text is an error, and parsing the text of a parsed query gives the same query."""
    results = shared.search(query)
    assert results.total >= len(results.hits)
    understood = Query.of(query)
    assert Query.of(str(understood)).match == understood.match


@pytest.mark.parametrize(
    ("query", "understood", "codes"),
    [
        ("deep sea", "deep sea", []),
        ('"deep  sea" -shark', '"deep sea" -shark', []),
        ("-shark deep", "deep -shark", []),
        ("title:lamp TEXT:x anchors:y", "title:lamp text:x anchor:y", []),
        ('-title:"a b" c', 'c -title:"a b"', []),
        ("http://a.example/", '"http a example"', []),
        ("don't", '"don t"', []),
        ("lamp* la*", "lamp* la", ["short-prefix"]),
        ("half-timb* 0:000*", "half.timb* 0.000*", []),
        ("a…lamp*", "a…lamp*", []),
        ("“deep sea”", '"deep sea"', []),
        ('"deep sea', '"deep sea"', ["unclosed-quote"]),
        ("AND OR NOT NEAR", "AND OR NOT NEAR", []),
        ("lamp lamp lamp", "lamp", []),
        ("-shark", "-shark", ["only-excluded"]),
        ("!?", "", ["no-words"]),
    ],
)
def test_how_queries_are_understood(query: str, understood: str, codes: list[str]) -> None:
    """The query language is small, and shows how it understood a query."""
    read = Query.of(query)
    assert str(read) == understood
    assert [finding.code for finding in read.findings] == codes


def test_long_queries_are_cut() -> None:
    """Only a limited number of words count, and a finding says so."""
    query = Query.of(" ".join(f"w{number}" for number in range(MOST_WORDS + 1)))
    assert len(query.wanted) == MOST_WORDS
    assert [finding.code for finding in query.findings] == ["query-cut"]
    assert Query.of("a " * 5_000).findings[0].code == "query-cut"


@pytest.mark.parametrize(
    ("text", "query", "is_found"),
    [
        ("Café Zürich", "cafe zurich", True),
        ("cafe zurich", "CAFÉ Zürich", True),
        ("cafe\u0301", "café", True),
        ("ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς", True),
        ("Straße", "STRASSE", False),  # folding the case does not turn one letter into two
        ("STRAẞE", "straße", True),
        ("東京タワーに行く", "東京", True),
        ("東京タワーに行く", "タワー", True),
        ("東京タワーに行く", "京東", False),
        ("東京 and 京都", "京都", True),
        ("ฉันกินข้าว", "กิน", True),
        ("ฉันกินข้าว", "กนิ", False),
        ("हिन्दी भाषा", "हिन्दी", True),
        ("हिन्दी भाषा", "हन्द", False),
        ("서울은 크다", "서울*", False),  # two letters are too few for a prefix
        ("서울은 크다", "서울은", True),
        ("a_b c", "a b", True),
        ("a lamp", "a…lam*", True),
        ("about a lamp", "b…lam*", False),  # only the last word is a prefix
        ("x \0 y", "x y", True),
        ("x \ud800 y", '"x y"', True),
    ],
)
def test_words_of_many_scripts(crawl: Crawl, text: str, query: str, *, is_found: bool) -> None:
    """Case and diacritics do not count; scripts without spaces are searched by letters."""
    crawl.text(1, text)
    assert crawl.found(query) == ({1} if is_found else set())


def test_words_are_split_as_by_the_index(tmp_path: Path) -> None:
    """A query splits a text into the same words as the table does."""
    text = "Half-timbered café_x 3.5 km don't 東京 กิน हिन्दी Ünï a\u200db ½ ² Ⅷ ⒈ ﬁ"
    crawl = Crawl(tmp_path)
    crawl.know(1)
    crawl.text(1, text)
    crawl.index.refresh()
    connection = crawl.database.connection
    connection.execute("CREATE VIRTUAL TABLE temp.seen USING fts5vocab(main, words, 'instance')")
    seen = connection.execute("SELECT term FROM seen WHERE col = 'text' ORDER BY offset").fetchall()
    assert len(seen) == len(words_in(text))
    crawl.database.close()
