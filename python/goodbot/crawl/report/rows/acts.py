"""What the pages of a crawl allow: counted, and in words for each page.

Scope: reading each different verdict once. Most pages of a crawl state the same.
"""

from collections.abc import Iterable

from goodbot.crawl.evidence.evidence_format import ActVerdict, unpack_page
from goodbot.crawl.report.rows.summary import ActCount, ReportSummary
from goodbot.indexability.decision import Indexability
from goodbot.lazy_dataclass import dataclass

__all__ = ["ACTS", "ActCounter", "PageActs", "act_name"]

ACTS = {
    "index": "index",
    "follow": "follow links",
    "anchor": "use link texts",
    "archive": "keep a copy",
    "snippet": "quote",
    "image_index": "index images",
    "translate": "translate",
    "train": "train on",
    "train_images": "train on images",
}
"""The acts in words."""
NO_DOCUMENT = "no-document"
MOST_DIFFERENT = 10_000
"""How many different verdicts are counted before the counts are added up."""


def act_name(act: str) -> str:
    """Return an act in words."""
    return ACTS.get(act, act)


@dataclass(frozen=True, slots=True)
class PageActs:
    """The verdicts on one page, in words."""

    verdicts: tuple[ActVerdict, ...] = ()
    denied: str | None = None
    """What must not be done with the page: `index, keep a copy`; `None` if there is no page."""
    partly: str | None = None
    """What must not be done with some of its parts."""

    @property
    def is_document(self) -> bool:
        """Whether the answer was the page itself, and not that of an error."""
        return not any(one.reason == NO_DOCUMENT for one in self.verdicts)

    @property
    def unindexed(self) -> Indexability | None:
        """Why the page must be in no index; `None` if it may be, or is no document."""
        denied = (one for one in self.verdicts if one.act == "index" and not one.allowed)
        one = next(denied, None)
        if one is None or not self.is_document:
            return None
        return Indexability(False, one.reason, one.source)  # noqa: FBT003


NO_PAGE = PageActs()


def page_acts(packed: str) -> PageActs:
    """Read the verdicts on a page."""
    verdicts = unpack_page(packed)
    found = PageActs(verdicts)
    if not found.is_document:
        return found
    denied = [one.act for one in verdicts if not one.allowed]
    partly = [one.act for one in verdicts if one.allowed and one.parts is not None]
    return PageActs(verdicts, listed(denied), listed(partly))


def listed(acts: Iterable[str]) -> str:
    """Return acts as a list in words."""
    return ", ".join(map(act_name, acts))


class ActCounter:
    """Counts what the pages allow.

    Args:
        summary: Where the counts go.

    """

    def __init__(self, summary: ReportSummary) -> None:
        """Start without pages."""
        self._summary = summary
        self._counts: dict[str, int] = {}
        self._known: dict[str, PageActs] = {}

    def page(self, packed: str | None) -> PageActs:
        """Count a page, and return its verdicts."""
        if packed is None:
            return NO_PAGE
        found = self._known.get(packed)
        if found is None:
            if len(self._known) == MOST_DIFFERENT:
                self.finish()
            found = self._known[packed] = page_acts(packed)
        self._counts[packed] = self._counts.get(packed, 0) + 1
        return found

    def finish(self) -> None:
        """Add the counts to the summary."""
        for packed, pages in self._counts.items():
            self._add(self._known[packed], pages)
        self._counts.clear()
        self._known.clear()

    def _add(self, acts: PageActs, pages: int) -> None:
        summary = self._summary
        if not acts.verdicts:
            return
        if not acts.is_document:
            summary.no_documents += pages
            return
        summary.documents += pages
        for one in acts.verdicts:
            summary.acts.setdefault(one.act, ActCount(one.act)).add(one, pages)
