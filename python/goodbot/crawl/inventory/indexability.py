"""Whether a URL of a crawl may be in an index, and who says so.

Scope: from what the queue and the inventory store to `goodbot.indexability`, which decides. Nothing
is read.
"""

from datetime import datetime

from goodbot.crawl.frontier.reading import BriefUrl, UrlRecord
from goodbot.crawl.inventory.page_record import PageRecord
from goodbot.crawl.inventory.reading import BriefFacts
from goodbot.crawl.links.reading import EXPIRED
from goodbot.http.status import NOT_MODIFIED
from goodbot.indexability.decision import Indexability, decide, without_content

__all__ = ["WITHDRAWN", "indexability", "is_shown"]

TOO_LATE = "too-late"
MULTIPLE, SUCCESS = 300, 200
WITHDRAWN = {"removed", "reconsidered"}
"""The reasons why the texts of a page were removed after the crawl: the page itself is gone, or it
is out of the index. A later visit stores them again."""


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

    """
    if record is None or record.indexable is None:
        return barred(entry) or not_reached(entry)
    said = Indexability(bool(record.indexable), record.reason, record.source)
    if record.indexable and not is_shown(record, now):
        said = Indexability(False, TOO_LATE, EXPIRED)  # noqa: FBT003
    return decide(entry.url, barred(entry) or withdrawn(record), said, canonical)


def barred(entry: UrlRecord | BriefUrl) -> Indexability | None:
    """Return what keeps a robot from the page at a URL; `None` if nothing does."""
    if entry.state == "disallowed":
        return Indexability(False, entry.reason, entry.source)  # noqa: FBT003
    if entry.state == "redirected":
        return Indexability(False, "redirect", f"redirects to {entry.source}")  # noqa: FBT003
    return without_content(entry.status) if has_page(entry.status) else not_reached(entry)


def withdrawn(record: PageRecord | BriefFacts) -> Indexability | None:
    """Return that a page was removed from the crawl or its index; `None` if it was not."""
    if record.withheld not in WITHDRAWN:
        return None
    return Indexability(False, record.withheld, "")  # noqa: FBT003


def not_reached(entry: UrlRecord | BriefUrl) -> Indexability:
    """Return that no page was fetched."""
    return Indexability(False, entry.reason or entry.state, entry.source)  # noqa: FBT003


def has_page(status: int | None) -> bool:
    """Return whether a status comes with the page, or confirms the page that came before (304)."""
    return status is not None and (SUCCESS <= status < MULTIPLE or status == NOT_MODIFIED)


def is_shown(record: PageRecord | BriefFacts, now: datetime) -> bool:
    """Return whether the texts of a page may be shown at a time."""
    return record.until is None or record.until > now
