"""Tests for every memory by which traps are recognised, wherever it is.

Scope: tests of `goodbot.crawl.frontier.trap_memory.TrapMemory` that use only its methods.
"""

from collections.abc import Callable, Collection

from goodbot.crawl.frontier.trap_memory import TrapMemory, TrapMet

__all__ = ["OpenTraps", "TrapSuite"]

OpenTraps = Callable[[Collection[str]], TrapMemory]
"""Opens the memory, while these URLs are queued; opened again, it is the same memory."""

SITE, OTHER = "https://a.example", "https://b.example"
PAGES = [f"{SITE}/{name}" for name in "abc"]
ONE, TWO = b"\1" * 16, b"\2" * 16


class TrapSuite:
    """Tests for a memory of traps: derive from it, and define the pytest fixture `open_traps`.

    The fixture returns a function that gets the URLs of `PAGES` that are queued, and opens the
    memory. Called again within a test, it opens the same memory as another process does after the
    first one was killed: without closing it. The queue of the crawl has all of `PAGES`.

    For example::

        class TestMyTraps(TrapSuite):
            @pytest.fixture
            def open_traps(self, bucket):
                return lambda queued: MyTraps(bucket, queued.__contains__)
    """

    def test_it_has_every_method(self, open_traps: OpenTraps) -> None:
        """It is a memory by its methods."""
        assert isinstance(open_traps(()), TrapMemory)

    def test_a_page_is_new_once(self, open_traps: OpenTraps) -> None:
        """Its newest content counts."""
        memory = open_traps(())
        a, b, _ = PAGES
        assert memory.content_of(a) is None
        assert memory.keep(a, SITE, ONE)
        assert memory.keep(b, SITE, ONE)
        assert memory.content_of(a) == ONE
        assert not memory.keep(a, SITE, TWO)
        assert memory.content_of(a) == TWO
        assert memory.content_of(b) == ONE

    def test_pages_with_the_same_content_are_found(self, open_traps: OpenTraps) -> None:
        """Another page of the same site; there may be none."""
        memory = open_traps(())
        a, b, c = PAGES
        for page in (a, b):
            memory.keep(page, SITE, ONE)
        memory.keep(c, SITE, TWO)
        assert memory.same_content(b, SITE, ONE) == a
        assert memory.same_content(a, SITE, ONE) == b
        assert memory.same_content(c, SITE, TWO) == ""

    def test_it_knows_what_is_queued(self, open_traps: OpenTraps) -> None:
        """Only that."""
        memory = open_traps([PAGES[0]])
        assert memory.is_waiting(PAGES[0])
        assert not memory.is_waiting(PAGES[1])
        assert not memory.is_waiting(f"{SITE}/unknown")

    def test_one_url_represents_those_that_are_alike(self, open_traps: OpenTraps) -> None:
        """The newest that was stored for a key."""
        memory = open_traps(())
        assert memory.alike("key") == ("", b"")
        memory.keep_alike("key", PAGES[0], ONE)
        memory.keep_alike("other", PAGES[1], ONE)
        memory.keep_alike("key", PAGES[2], TWO)
        assert memory.alike("key") == (PAGES[2], TWO)
        assert memory.alike("other") == (PAGES[1], ONE)

    def test_what_was_compared_is_counted(self, open_traps: OpenTraps) -> None:
        """By key: how often a page was equal, and how often it differed."""
        memory = open_traps(())
        for is_equal in (True, True, False):
            memory.count("key", is_equal=is_equal)
        memory.count("other", is_equal=False)
        assert [memory.counts(key) for key in ("key", "other", "none")] == [(2, 1), (0, 1), (0, 0)]

    def test_traps_that_were_met_are_counted(self, open_traps: OpenTraps) -> None:
        """By site and trap; the first link is the example."""
        memory = open_traps(())
        memory.tell(SITE, "calendar", PAGES[0], "the first reason")
        memory.tell(SITE, "calendar", PAGES[1], "another reason")
        memory.tell(OTHER, "calendar", f"{OTHER}/a", "its reason")
        assert sorted(memory.met()) == [
            TrapMet(SITE, "calendar", 2, PAGES[0], "the first reason"),
            TrapMet(OTHER, "calendar", 1, f"{OTHER}/a", "its reason"),
        ]

    def test_another_process_finds_everything(self, open_traps: OpenTraps) -> None:
        """What was learned is not lost."""
        before = open_traps(())
        before.keep(PAGES[0], SITE, ONE)
        before.keep_alike("key", PAGES[0], ONE)
        before.count("key", is_equal=True)
        before.tell(SITE, "calendar", PAGES[0], "the reason")
        memory = open_traps(())
        assert not memory.keep(PAGES[0], SITE, ONE)
        assert memory.content_of(PAGES[0]) == ONE
        assert memory.alike("key") == (PAGES[0], ONE)
        assert memory.counts("key") == (1, 0)
        assert memory.met() == [TrapMet(SITE, "calendar", 1, PAGES[0], "the reason")]
