"""Whether a URL of a crawl may be in an index, and who says so.

Scope: this decision, from what the queue and the inventory store. Nothing is read.
"""

from datetime import datetime
from typing import NamedTuple

from goodbot.crawl.frontier.reading import BriefUrl, UrlRecord
from goodbot.crawl.inventory.page_record import PageRecord
from goodbot.crawl.inventory.reading import BriefFacts
from goodbot.crawl.links.reading import EXPIRED
from goodbot.http.status import NOT_MODIFIED

__all__ = ["Indexability", "indexability", "is_shown"]

TOO_LATE = "too-late"
MULTIPLE, SUCCESS = 300, 200


class Indexability(NamedTuple):
    """Whether a URL may be in an index, why, and who says so."""

    allowed: bool
    reason: str
    """The slug of the reason."""
    source: str
    """The statement that decided; empty if none did."""


def indexability(
    entry: UrlRecord | BriefUrl,
    record: PageRecord | BriefFacts | None,
    canonical: str | None,
    now: datetime,
) -> Indexability:
    """Decide whether a URL may be in an index.

    Args:
        entry: The URL in the queue.
        record: The facts of its latest answer; `None` if there was none.
        canonical: The canonical URL that the page states in its normal form; `None` if it states
            none.
        now: The time, an aware `datetime`.

    Source: RFC 6596 section 3 (the canonical URL is to be preferred).

    """
    if entry.state == "disallowed":
        return Indexability(False, entry.reason, entry.source)  # noqa: FBT003
    if entry.state == "redirected":
        return Indexability(False, "redirect", f"redirects to {entry.source}")  # noqa: FBT003
    if record is None or record.indexable is None or not has_page(entry.status):
        return Indexability(False, entry.reason or entry.state, entry.source)  # noqa: FBT003
    if record.indexable and not is_shown(record, now):
        return Indexability(False, TOO_LATE, EXPIRED)  # noqa: FBT003
    if record.indexable and canonical is not None and canonical != entry.url:
        return Indexability(False, "canonical", f"canonical: {canonical}")  # noqa: FBT003
    return Indexability(bool(record.indexable), record.reason, record.source)


def has_page(status: int | None) -> bool:
    """Return whether a status comes with the page, or confirms the page that came before (304)."""
    return status is not None and (SUCCESS <= status < MULTIPLE or status == NOT_MODIFIED)


def is_shown(record: PageRecord | BriefFacts, now: datetime) -> bool:
    """Return whether the texts of a page may be shown at a time."""
    return record.until is None or record.until > now
