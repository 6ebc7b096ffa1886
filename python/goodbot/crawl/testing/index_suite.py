"""Tests for every index of a crawl, wherever it keeps its entries; they need pytest.

Scope: tests of `goodbot.crawl.index.protocol.Index` that use only its methods.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from goodbot.crawl.folder.records import Anchor, Document
from goodbot.crawl.index.protocol import Index
from goodbot.errors import WrongTypeError, WrongValueError

__all__ = ["IndexSuite", "OpenIndex"]

OpenIndex = Callable[[], Index]
"""Opens the index; opened again, it is the same index after its process was killed."""

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
LAMP = "A brass lamp"
DESCRIBED = ("Welcome to the antiques site", "old furniture", "restoration")
"""A description and two keywords."""
ODD = ['"', "(((", "title:", "-lamp", "*", "\0", "", " ", "a OR", "…", "NEAR(", "x" * 10_000]


def document(text: str, title: str = "") -> Document:
    """Return what may be indexed of a page: all of a text."""
    return Document(title, text, text, None, None)


def found(index: Index, query: str, now: datetime = NOW) -> list[int]:
    """Return the numbers of the pages that are found, best first."""
    return [page.url_id for page in index.search(query, now=now).pages]


class IndexSuite:
    """Tests for an index: derive from it, and define the pytest fixture `open_index`.

    The fixture returns a function that opens the index. Called again within a test, it opens the
    same index as another process does after the first one was killed: without closing it. What was
    put before must then be there.

    For example::

        class TestMyIndex(IndexSuite):
            @pytest.fixture
            def open_index(self, server):
                return lambda: MyIndex(server)
    """

    def test_it_has_every_method(self, open_index: OpenIndex) -> None:
        """It is an index by its methods."""
        assert isinstance(open_index(), Index)

    # Pages.

    def test_what_is_put_is_found(self, open_index: OpenIndex) -> None:
        """By each of its words, in title and text; nothing is there before."""
        index = open_index()
        assert (found(index, "lamp"), 7 in index, index.among([7])) == ([], False, set())
        index.put(7, document(LAMP, "Old things"), 1)
        for query in ("lamp", "LAMP", '"brass lamp"', "things", "brass things"):
            assert found(index, query) == [7]
        assert found(index, "lamp chair") == found(index, '"lamp brass"') == []
        assert 7 in index
        assert index.among([6, 7, 8]) == {7}

    def test_a_match_has_title_and_quotation(self, open_index: OpenIndex) -> None:
        """Only what may be quoted is in the quotation."""
        index = open_index()
        index.put(1, Document("Lamps", "open words, hidden lamp", "open words", None, None), 1)
        index.put(2, Document("", LAMP, "", None, None), 1)
        matches = index.search("lamp", now=NOW)
        assert matches.total == 2
        assert {page.url_id: page.title for page in matches.pages} == {1: "Lamps", 2: ""}
        for page in matches.pages:
            assert "hidden" not in page.snippet
            assert page.url_id == 1 or not page.snippet

    def test_a_quotation_is_no_longer_than_it_may_be(self, open_index: OpenIndex) -> None:
        """As max-snippet states it."""
        index = open_index()
        index.put(1, replace(document("lamp " * 200), longest_quote=10), 1)
        (page,) = index.search("lamp", now=NOW).pages
        assert len(page.snippet) <= 10

    def test_a_page_is_replaced_whole(self, open_index: OpenIndex) -> None:
        """Nothing that it said before is found any more, before a `refresh` as well."""
        index = open_index()
        index.put(1, document(LAMP, "Lamps"), 1)
        assert found(index, "brass") == [1]
        index.put(1, document("An old chair", "Chairs"), 2)
        assert found(index, "brass") == found(index, "lamps") == []
        assert found(index, "chair") == [1]

    def test_what_is_removed_is_gone_at_once(self, open_index: OpenIndex) -> None:
        """The others stay; removing twice does no more."""
        index = open_index()
        index.put(1, document(LAMP), 1)
        index.put(2, document(LAMP), 1)
        for _ in range(2):
            index.remove(1)
            assert (found(index, "lamp"), 1 in index, index.among([1, 2])) == ([2], False, {2})
        index.put(1, document(LAMP), 2)
        assert sorted(found(index, "lamp")) == [1, 2]

    def test_what_is_over_is_not_found(self, open_index: OpenIndex) -> None:
        """From `Document.until` on."""
        index = open_index()
        index.put(1, replace(document(LAMP), until=NOW + timedelta(hours=1)), 1)
        assert found(index, "lamp", NOW + timedelta(minutes=59)) == [1]
        assert found(index, "lamp", NOW + timedelta(hours=1)) == []

    @pytest.mark.parametrize("gap", ["…", "\n"])
    def test_a_phrase_ends_at_a_gap(self, open_index: OpenIndex, gap: str) -> None:
        """Words on both sides of a gap are not next to each other on the page."""
        index = open_index()
        index.put(1, document(f"fish {gap} mackerel"), 1)
        assert found(index, "fish mackerel") == [1]
        assert found(index, '"fish mackerel"') == []

    # What the author says of a page in its head (HTTP: The Definitive Guide, Table 9-5).

    def test_description_and_keywords_assist_searching(self, open_index: OpenIndex) -> None:
        """Their words and phrases are found, and no phrase joins two of them."""
        index = open_index()
        index.put(1, replace(document(LAMP), described=DESCRIBED), 1)
        index.put(2, document("A chair"), 1)
        for query in ("welcome", "restoration", '"old furniture"', "antiques brass"):
            assert found(index, query) == [1]
        for query in ('"site old"', '"furniture restoration"', '"lamp welcome"'):
            assert found(index, query) == []
        assert found(index, "-restoration chair") == [2]
        index.put(1, document(LAMP), 2)
        assert found(index, "welcome") == found(index, "restoration") == []

    def test_the_description_is_the_abstract_of_a_result(self, open_index: OpenIndex) -> None:
        """Of the page that states one, and of it alone; what was found by a keyword has it too."""
        index = open_index()
        index.put(1, replace(document(LAMP), described=DESCRIBED, abstract=DESCRIBED[0]), 1)
        index.put(2, replace(document(LAMP), described=DESCRIBED), 1)
        for query in ("lamp", "restoration"):
            pages = index.search(query, now=NOW).pages
            assert {page.url_id: page.abstract for page in pages} == {1: DESCRIBED[0], 2: ""}
            assert not any("restoration" in page.snippet for page in pages)
        index.put(1, document(LAMP), 2)
        assert [page.abstract for page in index.search("lamp", now=NOW).pages] == ["", ""]

    def test_an_abstract_is_no_longer_than_a_quotation(self, open_index: OpenIndex) -> None:
        """As max-snippet states it."""
        index = open_index()
        limited = replace(document(LAMP), abstract=DESCRIBED[0], longest_quote=10)
        index.put(1, limited, 1)
        (page,) = index.search("lamp", now=NOW).pages
        assert len(page.abstract) <= 10

    # What links say.

    def test_links_describe_their_target(self, open_index: OpenIndex) -> None:
        """Also before the page is there, and only what they say now."""
        index = open_index()
        index.describe(2, [Anchor(1, "shining things"), Anchor(3, "elsewhere")])
        assert found(index, "shining") == []
        index.put(1, document(LAMP), 1)
        assert found(index, "shining") == [1]
        assert found(index, "elsewhere") == []
        index.describe(2, [Anchor(1, "dull things")])
        assert found(index, "shining") == []
        assert found(index, "dull lamp") == [1]

    def test_texts_of_links_are_kept_apart(self, open_index: OpenIndex) -> None:
        """No phrase goes on from one into the next."""
        index = open_index()
        index.put(1, document(LAMP), 1)
        index.describe(2, [Anchor(1, "one"), Anchor(1, "two")])
        assert found(index, "one two") == [1]
        assert found(index, '"one two"') == found(index, '"two one"') == []

    def test_a_page_that_is_removed_describes_nothing(self, open_index: OpenIndex) -> None:
        """What others say of it is there again when it comes back."""
        index = open_index()
        index.put(1, document(LAMP), 1)
        index.put(2, document("A list"), 1)
        index.describe(2, [Anchor(1, "shining")])
        index.describe(1, [Anchor(2, "dusty")])
        index.remove(2)
        assert found(index, "shining") == []
        index.put(2, document("A list"), 2)
        assert found(index, "dusty") == [2]

    # Visits.

    def test_what_is_written_twice_is_there_once(self, open_index: OpenIndex) -> None:
        """As after an error."""
        index = open_index()
        for _ in range(2):
            index.put(1, document(LAMP), 1)
            index.describe(2, [Anchor(1, "shining")])
        assert index.search("lamp", now=NOW).total == 1
        assert found(index, "shining") == [1]

    def test_the_newest_visit_counts(self, open_index: OpenIndex) -> None:
        """A late answer of an older visit changes nothing; without a visit it always applies."""
        index = open_index()
        index.put(1, document("new lamp"), 3)
        index.put(1, document("old lamp"), 2)
        index.remove(1, 2)
        assert (found(index, "new"), found(index, "old")) == ([1], [])
        index.remove(1, 3)
        assert found(index, "lamp") == []
        index.put(1, document("new lamp"), 4)
        index.remove(1)
        assert found(index, "lamp") == []

    # Searches.

    def test_results_come_in_parts_of_one_list(self, open_index: OpenIndex) -> None:
        """The order is the same each time."""
        index = open_index()
        for number in range(1, 26):
            index.put(number, document(f"lamp {'shade ' * (number % 5)}"), 1)
        whole = [page.url_id for page in index.search("lamp", now=NOW, limit=100).pages]
        assert sorted(whole) == list(range(1, 26))
        parts = [index.search("lamp", now=NOW, limit=10, offset=at) for at in (0, 10, 20, 30)]
        assert [page.url_id for part in parts for page in part.pages] == whole
        assert {part.total for part in parts} == {25}

    @pytest.mark.parametrize("query", ODD)
    def test_any_text_has_an_answer(self, open_index: OpenIndex, query: str) -> None:
        """No query raises."""
        index = open_index()
        index.put(1, document(LAMP), 1)
        assert index.search(query, now=NOW).total <= 1

    def test_misuse_raises(self, open_index: OpenIndex) -> None:
        """A naive time, a query that is not a string, and limits out of range."""
        index = open_index()
        with pytest.raises(WrongValueError):
            index.search("lamp", now=NOW.replace(tzinfo=None))
        with pytest.raises(WrongTypeError):
            index.search(b"lamp", now=NOW)  # type: ignore[arg-type]
        for wrong in ({"limit": 0}, {"offset": -1}):
            with pytest.raises(WrongValueError):
                index.search("lamp", now=NOW, **wrong)

    def test_refresh_does_what_is_left(self, open_index: OpenIndex) -> None:
        """So many at most at a time, until nothing is left."""
        index = open_index()
        for number in range(1, 8):
            index.put(number, document(LAMP), 1)
        left = [index.refresh(3) for _ in range(4)]
        assert left == sorted(left, reverse=True)
        assert left[-1] == 0
        assert len(found(index, "lamp")) == 7

    # Crashes.

    def test_what_is_put_is_there_after_a_crash(self, open_index: OpenIndex) -> None:
        """Pages, what links say, and what was removed."""
        index = open_index()
        index.put(1, document(LAMP), 1)
        index.put(2, document(LAMP), 1)
        index.put(4, replace(document("A chair"), described=DESCRIBED, abstract=DESCRIBED[0]), 1)
        index.describe(3, [Anchor(1, "shining")])
        index.remove(2)
        index = open_index()
        assert (found(index, "lamp"), found(index, "shining")) == ([1], [1])
        pages = index.search("restoration", now=NOW).pages
        assert [(page.url_id, page.abstract) for page in pages] == [(4, DESCRIBED[0])]
        index.put(1, document("late"), 0)
        assert found(index, "lamp") == [1]
