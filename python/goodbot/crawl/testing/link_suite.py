"""Tests for every place of a crawl's links, wherever it is.

Scope: tests of `goodbot.crawl.links.protocol.LinkWriter`. It is only written through that protocol,
so a suite needs methods that read what was written.
"""

from collections.abc import Callable, Mapping

from goodbot.crawl.links.page_links import NO_LINKS, PageLinks, listed_links
from goodbot.crawl.links.protocol import LinkWriter

__all__ = ["LinkSuite", "OpenLinks"]

OpenLinks = Callable[[], LinkWriter]
"""Opens the links; opened again, they are the same links after their process was killed."""


def two() -> PageLinks:
    """Return two links."""
    return listed_links([False, False])


class LinkSuite:
    """Tests for links: derive from it, and define `open_links` and a way to read them.

    The pytest fixture `open_links` returns a function that opens the links. Called again within a
    test, it opens the same links as another process does after the first one was killed: without
    closing them.

    For example::

        class TestMyLinks(LinkSuite):
            @pytest.fixture
            def open_links(self, bucket):
                return lambda: MyLinks(bucket)

            def targets(self, links):
                return {row.page: list(row.targets) for row in links.segment()}
    """

    def targets(self, links: LinkWriter) -> Mapping[int, list[int]]:
        """Return the targets of each page that has links, without those that are not stored."""
        raise NotImplementedError

    def test_it_has_every_method(self, open_links: OpenLinks) -> None:
        """It is a place for links by its methods."""
        assert isinstance(open_links(), LinkWriter)

    def test_links_replace_those_before(self, open_links: OpenLinks) -> None:
        """Recorded again, they stay as they are; another page's stay in any case."""
        links = open_links()
        links.record(1, two(), [7, 8], 1)
        links.record(2, two(), [7, 1], 1)
        links.record(1, two(), [7, 8], 1)
        assert self.targets(links) == {1: [7, 8], 2: [7, 1]}
        links.record(1, two(), [8, 9], 2)
        assert self.targets(links) == {1: [8, 9], 2: [7, 1]}
        links.record(1, NO_LINKS, [], 3)
        assert self.targets(links) == {2: [7, 1]}

    def test_targets_that_are_not_stored_have_no_number(self, open_links: OpenLinks) -> None:
        """The crawl has too many URLs for them."""
        links = open_links()
        links.record(1, two(), [0, 8], 1)
        assert self.targets(links) == {1: [8]}

    def test_an_older_visit_comes_too_late(self, open_links: OpenLinks) -> None:
        """It neither replaces nor removes what a newer one stored."""
        links = open_links()
        links.record(1, two(), [7, 8], 2)
        links.record(1, two(), [5, 6], 1)
        links.remove(1, 1)
        assert self.targets(links) == {1: [7, 8]}

    def test_links_are_removed(self, open_links: OpenLinks) -> None:
        """By the visit that decided it, or whatever visit stored them; links to the page stay."""
        links = open_links()
        for page in (1, 2, 3):
            links.record(page, two(), [1, 9], 2)
        links.remove(1, 2)
        links.remove(2)
        links.remove(2)
        links.remove(4, 1)
        assert self.targets(links) == {3: [1, 9]}

    def test_another_process_finds_everything(self, open_links: OpenLinks) -> None:
        """With the visits that stored it."""
        open_links().record(1, two(), [7, 8], 2)
        links = open_links()
        links.record(1, two(), [5, 6], 1)
        assert self.targets(links) == {1: [7, 8]}
