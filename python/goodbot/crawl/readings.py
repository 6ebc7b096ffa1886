"""What pages say, read some pages at a time.

What may live here: decisions on pages, step by step for all of them. Each step goes over every page
before the next one begins: its code and its data are then at hand, which saves a third of the time.
Nothing is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from goodbot.crawl.due import Due, due_again
from goodbot.crawl.indexable import anchors_of, document_of
from goodbot.crawl.leads import NOWHERE, Leads, Refuses, leads_of
from goodbot.crawl.records import Document, Taken
from goodbot.page import Page
from goodbot.robot import Visit

__all__ = ["Answered", "Reading", "readings_of"]


@dataclass(frozen=True, slots=True)
class Answered:
    """A URL that was visited, and what was answered."""

    taken: Taken
    visit: Visit
    at: datetime
    """When the answer came."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one page says."""

    page: Page
    leads: Leads
    """Where it leads."""
    document: Document | None
    """What may be indexed of it."""
    anchors: list[tuple[str, str]]
    """What its links say of their targets."""
    due: Due
    """When it is to be visited again."""


def readings_of(answers: Sequence[Answered], refuses: Refuses) -> list[Reading]:
    """Read pages.

    Args:
        answers: What was answered for each.
        refuses: The bounds of the crawl.

    """
    pages = [one.visit.page for one in answers]
    both = list(zip(answers, pages, strict=True))
    leads = [
        # The links of what tells that nothing is there are no links of the site's.
        leads_of(page, one.taken, refuses) if one.visit else NOWHERE
        for one, page in both
    ]
    documents = [document_of(page, one.at) for one, page in both]
    anchors = [anchors_of(page) for page in pages]
    due = [
        due_again(
            one.visit.response.status,
            one.visit.response.headers,
            now=one.at,
            page=page,
            failures=one.taken.attempts,
        )
        for one, page in both
    ]
    return [Reading(*parts) for parts in zip(pages, leads, documents, anchors, due, strict=True)]
