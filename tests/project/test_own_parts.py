"""The part of a crawl that docs/how-to/other-stores-and-queues.md shows passes its suite."""

from doctest import DocTestParser
from typing import TYPE_CHECKING, Any

from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "how-to" / "other-stores-and-queues.md").read_text("utf-8")


def page_names() -> dict[str, Any]:
    """Run the examples of the page from top to bottom; another test compares what they print."""
    names: dict[str, Any] = {"__name__": __name__}
    for example in DocTestParser().get_examples(PAGE):
        if example.source.lstrip().startswith(("class", "import", "from")):
            exec(example.source, names)  # noqa: S102  our own page
    return names


if TYPE_CHECKING:
    from goodbot.crawl.testing import EvidenceSuite as Shown
    from goodbot.crawl.testing import FrontierSuite as ShownQueue
else:
    NAMES = page_names()
    Shown, ShownQueue = NAMES["TestListedEvidence"], NAMES["TestMyFrontier"]


class TestOwnEvidence(Shown):
    """The evidence of the page."""


class TestOwnFrontier(ShownQueue):
    """The queue of the page."""
