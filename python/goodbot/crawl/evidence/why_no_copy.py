"""Why there is no copy of a URL: what the crawl has noted of it, as a part of a sentence.

What may live here: putting together what queue and evidence have. Nothing is changed, and a row of
the evidence that is damaged is passed over.
"""

from goodbot.crawl.evidence.evidence_format import ActVerdict
from goodbot.crawl.evidence.reading import VisitRow, latest_visit_of
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.states import phrase_of
from goodbot.crawl.frontier.reading import UrlRecord, entry_of
from goodbot.errors import NotAStoreError
from goodbot.http.status import NOT_MODIFIED, status_of

__all__ = ["why_no_copy"]

NOTHING_KEPT = "it was fetched, and nothing was kept"


def why_no_copy(database: Database, url: str) -> str:
    """Return why there is no copy of a URL.

    Args:
        database: The file of the crawl.
        url: The URL, in its normal form.

    Returns:
        A part of a sentence, foreign text in it.

    """
    entry = entry_of(database, url)
    if entry is None:
        return "the crawl has never met it"
    visit = last_visit(database, entry)
    told = "" if visit is None else of_visit(visit)
    if entry.state in {"queued", "leased"} and visit is not None:
        return f"{told or NOTHING_KEPT}; it {phrase_of(entry.state)}"
    return told or of_entry(entry)


def last_visit(database: Database, entry: UrlRecord) -> VisitRow | None:
    """Return what came of a URL last; `None` if nothing did, or its row is damaged."""
    try:
        return latest_visit_of(database, entry.url_id)
    except NotAStoreError:
        return None


def of_visit(visit: VisitRow) -> str:
    """Return what the last visit says of it; empty if it says nothing."""
    said = visit.said
    if said.event == "refused":
        return said.verdicts[0].sentence.rstrip(".")
    if said.event in {"failed", "deferred", "removed"}:
        return said.sentence.rstrip(".")
    by_act = {one.act: one for one in said.verdicts}
    # The acts of a page stand beside a 304 that confirmed it.
    is_confirmed = visit.status == NOT_MODIFIED and "archive" in by_act
    if visit.status is not None and not (is_confirmed or status_of(visit.status).is_success):
        return no_page(visit.status)
    archive, index = by_act.get("archive"), by_act.get("index")
    if archive is not None and not archive.allowed:
        return f"no copy may be kept: {source_of(archive)}"
    if index is not None and index.reason == "too-late":
        return f"it asked to be forgotten by now: {source_of(index)}"
    return ""


def of_entry(entry: UrlRecord) -> str:
    """Return what the queue says of it."""
    is_done = entry.state == "done"
    status = entry.status
    # A 304 that confirms nothing leaves no URL done.
    if is_done and status not in {None, NOT_MODIFIED} and not status_of(status).is_success:
        return no_page(status)
    told = NOTHING_KEPT if is_done else f"it {phrase_of(entry.state)}"
    why = ", ".join(filter(None, (entry.reason, entry.source)))
    return f"{told}: {why}" if why else told


def no_page(status: int) -> str:
    """Return what to say of an answer that is not the page."""
    return f"the answer was {status}, so that this is not the page"


def source_of(verdict: ActVerdict) -> str:
    """Return who forbids it, or why where nobody does."""
    return verdict.source or verdict.reason
