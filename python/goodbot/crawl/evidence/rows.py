"""What the evidence has of one visit: the verdict on each act, packed.

What may live here: packing. No table is touched, so that a thread may do it.
"""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from goodbot.crawl.evidence.evidence_format import LONGEST_SENTENCE, pack_fetch, pack_page
from goodbot.crawl.evidence.page_findings import NO_FINDINGS, PageFindings, findings_of
from goodbot.http.instants import written
from goodbot.http.quoting import shortened
from goodbot.page import Page
from goodbot.policy import PolicyVerdict

__all__ = ["EvidenceRow", "deferred", "failed", "refused", "removed", "visited"]

ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """What is recorded of one visit, refusal, failure or deferral."""

    at: datetime
    status: int | None
    """The status of the answer; `None` if none came."""
    verdicts: str
    """JSON, see `goodbot.crawl.evidence.evidence_format`."""
    findings: PageFindings = NO_FINDINGS
    """What was odd about the page."""


def visited(
    at: datetime, verdict: PolicyVerdict, status: int | None, page: Page | None = None
) -> EvidenceRow:
    """Pack an answer, with the verdict on every act.

    Args:
        at: When the answer came.
        verdict: Who said that it may be fetched.
        status: The status of the answer.
        page: The page; `None` where there is none, such as after a redirect.

    """
    record: dict[str, Any] = {"event": "visited", "fetch": pack_fetch(verdict)}
    if page is None:
        return row(at, status, record)
    record["page"] = pack_page(page, at)
    return replace(row(at, status, record), findings=findings_of(page.findings))


def refused(at: datetime, verdict: PolicyVerdict) -> EvidenceRow:
    """Pack that the site forbids a URL."""
    return row(at, None, {"event": "refused", "fetch": pack_fetch(verdict)})


def failed(
    at: datetime, kind: str, sentence: str, verdict: PolicyVerdict | None = None
) -> EvidenceRow:
    """Pack that no answer came.

    Args:
        at: When it failed.
        kind: What failed, one of `goodbot.net.FAILURES` or another slug.
        sentence: The same in words.
        verdict: Who said that it may be fetched, if somebody was asked.

    """
    sentence = shortened(sentence, LONGEST_SENTENCE)
    record: dict[str, Any] = {"event": "failed", "reason": kind, "sentence": sentence}
    if verdict is not None:
        record["fetch"] = pack_fetch(verdict)
    return row(at, None, record)


def deferred(at: datetime, until: datetime | None, reason: str, sentence: str) -> EvidenceRow:
    """Pack that a visit was not made, as it was not yet its time.

    Args:
        at: When that was found.
        until: When to ask again; `None`: never.
        reason: Why, a slug of `goodbot.policy.reasons()` or `goodbot.pace.REASONS`.
        sentence: The same in words.

    """
    sentence = shortened(sentence, LONGEST_SENTENCE)
    record = {"event": "deferred", "reason": reason, "sentence": sentence, "until": written(until)}
    return row(at, None, record)


def removed(at: datetime, reason: str, sentence: str) -> EvidenceRow:
    """Pack that index and archive keep nothing of a URL any more, as the operator wants.

    Args:
        at: When it was removed.
        reason: Why, a slug: `forgotten`, or why the URL is outside the crawl.
        sentence: The same in words.

    """
    record = {"event": "removed", "reason": reason, "sentence": sentence}
    return row(at, None, record)


def row(at: datetime, status: int | None, record: dict[str, Any]) -> EvidenceRow:
    """Write a record as JSON."""
    text = ENCODER.encode(record)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a pair of surrogates, out of a header
        text = json.dumps(record)
    return EvidenceRow(at, status, text)
