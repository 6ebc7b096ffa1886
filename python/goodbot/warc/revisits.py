"""What a revisit stands for: as its WARC-Profile says, whatever status its head has.

Scope: from one record to the 304 that it is, or to the knowledge that it has the content of another
record. Where that one is, `survey` and `goodbot.tables.building.warc_answers` know.

Source: WARC 1.1 section 6.7: a reader which does not recognize the profile does not interpret the
record. The drafts of WARC 1.0 and its deduplication have the same profiles at other URIs.
"""

import re
from dataclasses import replace

from goodbot.http.status import NOT_MODIFIED
from goodbot.net.fetcher import Response
from goodbot.warc.captured_response import Capture, captured_response, without_body
from goodbot.warc.foreign_records import ForeignRecord

__all__ = ["SUCCESS", "has_other_content", "names_original", "not_modified"]

SUCCESS = re.compile(rb"HTTP/[0-9](?:\.[0-9])? +2[0-9]{2}\b")
"""How a response begins that a later 304 can confirm."""
REFERENCES = ("warc-refers-to", "warc-refers-to-target-uri", "warc-payload-digest")
"""The fields that name the original of a revisit."""

SAME_CONTENT, UNCHANGED = "identical-payload-digest", "server-not-modified"
PROFILE = re.compile(
    r"https?://(?:www\.)?netpreserve\.org/warc/[0-9.]+/(?:revisit/)?(?:uri-agnostic-)?"
    rf"({SAME_CONTENT}|{UNCHANGED})/?",
    re.IGNORECASE,
)


def profile_of(record: ForeignRecord) -> str | None:
    """Return the last part of the profile of a revisit; empty without one, `None` if unknown."""
    stated = record.fields.get("warc-profile", "").strip("<> \t")
    found = PROFILE.fullmatch(stated)
    if found is None:
        return None if stated else ""
    return found[1].lower()


def has_other_content(record: ForeignRecord) -> bool:
    """Return whether a revisit has the content of another record, as far as is known."""
    return profile_of(record) in {SAME_CONTENT, ""}


def names_original(record: ForeignRecord) -> bool:
    """Return whether a record refers to an original, which is optional for a 304."""
    return any(record.fields.get(name) for name in REFERENCES)


def not_modified(record: ForeignRecord, capture: Capture) -> Response | None:
    """Return the 304 that a revisit is; `None` if it is something else.

    Some crawlers write the head that they stored, with its 200, in the place of the 304. Without a
    profile, and with the same content as another 304, the head decides.
    """
    profile, head = profile_of(record), captured_response(record, capture)
    if profile == UNCHANGED:
        found = without_body(record, capture) if head is None else head
        return replace(found, status=NOT_MODIFIED, body=b"", wire=None, truncated=False)
    is_unchanged = head is not None and head.status == NOT_MODIFIED
    return head if is_unchanged and has_other_content(record) else None
