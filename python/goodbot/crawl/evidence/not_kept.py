"""Why there is no copy of a URL: what the crawl has noted of it, as a sentence.

What may live here: reading the rows that other parts keep. Nothing is changed, and what is not
understood of a row is not told.
"""

import json
from typing import Any

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.open_readonly import reading_rows
from goodbot.crawl.folder.states import phrase_of
from goodbot.crawl.frontier.reading import entry_of
from goodbot.http.status import status_of

__all__ = ["why_not_kept"]

LAST = "SELECT status, verdicts FROM evidence WHERE url = ? ORDER BY id DESC LIMIT 1"

NOTHING_KEPT = "it was fetched, and nothing was kept"

EVERY_ACT = "*"


def why_not_kept(database: Database, url: str) -> str:
    """Say why there is no copy.

    Args:
        database: The crawl's.
        url: The URL, in its normal form.

    Returns:
        A part of a sentence, foreign text in it.

    Raises:
        StoreError: The database cannot be read.

    """
    with reading_rows(database.path):
        entry = entry_of(database, url)
        if entry is None:
            return "the crawl has never met it"
        visits = database.connection.execute(LAST, (entry.url_id,)).fetchall()
    state, status, reason, source = entry.state, entry.status, entry.reason, entry.source
    told = next((of_evidence(*row) for row in visits), "")
    if state in {"queued", "leased"} and visits:
        return f"{told or NOTHING_KEPT}; it {phrase_of(state)}"
    if told:
        return told
    if state == "done" and status is not None and not status_of(status).is_success:
        return f"the answer was {status}, so that this is not the page"
    said = ", ".join(part for part in (reason, source) if part)
    told = NOTHING_KEPT if state == "done" else f"it {phrase_of(state)}"
    return f"{told}: {said}" if said else told


def of_evidence(status: int | None, verdicts: str) -> str:
    """Give what the last row of the evidence says of it; empty if it says nothing."""
    try:
        said = json.loads(verdicts)
    except ValueError:
        return ""
    event = text_at(said, "event")
    if event == "refused":
        return text_at(said, "fetch", "sentence").rstrip(".")
    if event in {"failed", "deferred"}:
        return text_at(said, "sentence").rstrip(".")
    if status is not None and not status_of(status).is_success:
        return f"the answer was {status}, so that this is not the page"
    return of_page(at(said, "page", "acts"))


def of_page(acts: object) -> str:
    """Give what the page says of it; empty if it says nothing."""
    row = next((row for act in ("archive", EVERY_ACT) if (row := at(acts, act))), None)
    if isinstance(row, list) and row and not row[0]:
        return f"no copy may be kept: {source_of(row)}"
    row = at(acts, "index")
    if isinstance(row, list) and row[1:2] == ["too-late"]:
        return f"it asked to be forgotten by now: {source_of(row)}"
    return ""


def source_of(row: list[Any]) -> str:
    """Say who forbids it, of a row: allowed, reason, who says so."""
    return next((str(one) for one in reversed(row[1:3]) if one), "")


def at(value: object, *names: str) -> object:
    """Give what is at a path of names; `None` if nothing is."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def text_at(value: object, *names: str) -> str:
    """Give the text at a path of names; empty if there is none."""
    text = at(value, *names)
    return text if isinstance(text, str) else ""
