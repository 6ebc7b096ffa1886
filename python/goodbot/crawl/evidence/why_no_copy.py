"""The reason why there is no copy of a URL, as part of a sentence.

Scope: combining what the queue and the evidence store. Nothing is changed, and damaged rows of the
evidence are ignored.
"""

from goodbot.crawl.evidence.evidence_format import ActVerdict
from goodbot.crawl.evidence.reading import VisitRow, latest_visit_of
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.states import phrase_of
from goodbot.crawl.frontier.reading import UrlRecord, entry_of
from goodbot.errors import NotAStoreError
from goodbot.http.status import NOT_MODIFIED, status_of

__all__ = ["why_no_copy"]

NOTHING_KEPT = "it was fetched, but no copy was kept"


def why_no_copy(database: Database, url: str) -> str:
    """Return why there is no copy of a URL.

    Args:
        database: The file of the crawl.
        url: The URL, in its normal form.

    Returns:
        Part of a sentence, which may contain text from the site.

    """
    entry = entry_of(database, url)
    if entry is None:
        return "the crawl has not found this URL"
    visit = last_visit(database, entry)
    told = "" if visit is None else of_visit(visit)
    state = "queued" if entry.is_queued_again else entry.state
    if state in {"queued", "leased"} and visit is not None:
        return f"{told or NOTHING_KEPT}; it {phrase_of(state)}"
    return told or of_entry(entry)


def last_visit(database: Database, entry: UrlRecord) -> VisitRow | None:
    """Return the latest result for a URL; `None` if there is none, or its row is damaged."""
    try:
        return latest_visit_of(database, entry.url_id)
    except NotAStoreError:
        return None


def of_visit(visit: VisitRow) -> str:
    """Return the reason according to the latest visit; empty if it gives none."""
    said = visit.said
    if said.event == "refused":
        return said.verdicts[0].sentence.replace("Disallowed:", "it is disallowed:", 1).rstrip(".")
    if said.event in {"failed", "deferred", "removed"}:
        return said.sentence.rstrip(".")
    by_act = {one.act: one for one in said.verdicts}
    # If a 304 confirmed the page, the verdicts on the page are recorded with it.
    is_confirmed = visit.status == NOT_MODIFIED and "archive" in by_act
    if visit.status is not None and not (is_confirmed or status_of(visit.status).is_success):
        return no_page(visit.status)
    archive, index = by_act.get("archive"), by_act.get("index")
    if archive is not None and not archive.allowed:
        return f"the page disallows copies: {source_of(archive)}"
    if index is not None and index.reason == "too-late":
        return f"the page has expired: {source_of(index)}"
    return ""


def of_entry(entry: UrlRecord) -> str:
    """Return the reason according to the queue."""
    is_done = entry.state == "done"
    status = entry.status
    # A 304 that does not confirm a copy never leaves a URL done.
    if is_done and status not in {None, NOT_MODIFIED} and not status_of(status).is_success:
        return no_page(status)
    told = NOTHING_KEPT if is_done else f"it {phrase_of(entry.state)}"
    why = ", ".join(filter(None, (entry.reason, entry.source)))
    return f"{told}: {why}" if why else told


def no_page(status: int) -> str:
    """Return the reason if the response was not the page itself."""
    return f"the response was {status}, not the page itself"


def source_of(verdict: ActVerdict) -> str:
    """Return what disallows it, or the reason if there is no source."""
    return verdict.source or verdict.reason
