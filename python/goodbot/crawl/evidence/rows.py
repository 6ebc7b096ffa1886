"""The evidence of one visit, packed for the database: the verdict on each act.

Scope: packing. No table is touched, so that a thread may do it.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from goodbot._core import Finding, Verdict
from goodbot.content_use.page_statements import packed_payment
from goodbot.crawl.evidence.evidence_format import (
    LONGEST_SENTENCE,
    PACKED,
    PackedFetch,
    pack_fetch,
    pack_page,
    pack_shared,
)
from goodbot.crawl.evidence.page_findings import NO_FINDINGS, PageFindings, findings_of
from goodbot.http.instants import written
from goodbot.http.payment import Payment
from goodbot.http.quoting import shortened
from goodbot.page import Page
from goodbot.page.combine import CommonVerdicts

__all__ = ["EvidenceRow", "deferred", "failed", "refused", "removed", "unknown", "visited"]

ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class EvidenceRow(NamedTuple):
    """The record of one visit, refusal, failure or deferral."""

    at: datetime
    status: int | None
    """The status of the response; `None` if none came."""
    verdicts: str
    """The verdicts as JSON; see `goodbot.crawl.evidence.evidence_format`."""
    findings: PageFindings = NO_FINDINGS
    """The findings on the page or the sitemap."""


def visited(
    at: datetime,
    verdict: Verdict,
    status: int | None,
    page: Page | None = None,
    findings: Sequence[Finding] = (),
    *,
    payment: Payment | None = None,
    challenged: bool = False,
    permission: str = "",
) -> EvidenceRow:
    """Pack a response, with the verdict on every act.

    Args:
        at: When the response came.
        verdict: The verdict that allowed the request, or that the owner of the site overruled.
        status: The status of the response.
        page: The page; `None` if there is none, such as after a redirect.
        findings: Findings on a sitemap, besides those on the page.
        payment: What the response asks for; what a page has of it is recorded with the page.
        challenged: Whether the response is the challenge of a firewall.
        permission: The permission of the owner by which the request was made although robots.txt
            disallows it, in words; empty if there was none.

    """
    fetch = pack_fetch(verdict)
    common = None if page is None or challenged or permission else page.common_verdicts
    if page is not None and common is not None:  # as most pages of a crawl
        pack_shared(common, page, at)  # which `common_text` reads
        found = findings_of([*findings, *page.findings])
        return EvidenceRow(at, status, common_text(fetch, common), found)
    record: dict[str, Any] = {"event": "visited", "fetch": fetch.values}
    if permission:
        record["permission"] = shortened(permission, LONGEST_SENTENCE)
    if challenged:
        record["challenged"] = True
    if page is None:
        if payment is not None:
            record["payment"] = packed_payment(payment)
        return row(at, status, record, findings_of(findings))
    record["page"] = pack_page(page, at)
    return row(at, status, record, findings_of([*findings, *page.findings]))


@lru_cache(maxsize=512)
def common_text(fetch: PackedFetch, common: CommonVerdicts) -> str:
    """Return the record of a page that shares its verdicts with others; most of a crawl are one."""
    return text_of({"event": "visited", "fetch": fetch.values, "page": common.derived[PACKED]})


def refused(at: datetime, verdict: Verdict) -> EvidenceRow:
    """Pack a refusal: the URL is disallowed."""
    return row(at, None, {"event": "refused", "fetch": pack_fetch(verdict).values})


def failed(
    at: datetime, kind: str, sentence: str, verdict: Verdict | None = None, permission: str = ""
) -> EvidenceRow:
    """Pack a failure: no response came.

    Args:
        at: When it failed.
        kind: What failed: one of `goodbot.net.FAILURES` or another slug.
        sentence: The same in words.
        verdict: The verdict that allowed the request, if there was one.
        permission: The permission by which it was made against robots.txt; empty if there was none.

    """
    sentence = shortened(sentence, LONGEST_SENTENCE)
    record: dict[str, Any] = {"event": "failed", "reason": kind, "sentence": sentence}
    if verdict is not None:
        record["fetch"] = pack_fetch(verdict).values
    if permission:
        record["permission"] = shortened(permission, LONGEST_SENTENCE)
    return row(at, None, record)


def deferred(at: datetime, until: datetime | None, reason: str, sentence: str) -> EvidenceRow:
    """Pack a deferral: the time for a visit had not come.

    Args:
        at: When the visit was deferred.
        until: When to try again; `None` for never.
        reason: The reason: a slug of `goodbot.policy.reasons()` or `goodbot.pace.REASONS`.
        sentence: The same in words.

    """
    sentence = shortened(sentence, LONGEST_SENTENCE)
    record = {"event": "deferred", "reason": reason, "sentence": sentence, "until": written(until)}
    return row(at, None, record)


def removed(at: datetime, reason: str, sentence: str) -> EvidenceRow:
    """Pack a removal: the operator had a URL removed from the index and the archive.

    Args:
        at: When it was removed.
        reason: The reason, a slug: `forgotten`, or why the URL is outside the crawl.
        sentence: The same in words.

    """
    record = {"event": "removed", "reason": reason, "sentence": sentence}
    return row(at, None, record)


def unknown(at: datetime, status: int | None, reason: str, sentence: str) -> EvidenceRow:
    """Pack a capture of which is not known whether it was allowed.

    Args:
        at: When it was captured.
        status: The status of the response.
        reason: The reason, a slug.
        sentence: The same in words.

    """
    return row(at, status, {"event": "unknown", "reason": reason, "sentence": sentence})


def row(
    at: datetime, status: int | None, record: dict[str, Any], findings: PageFindings = NO_FINDINGS
) -> EvidenceRow:
    """Return a row with a record as JSON."""
    return EvidenceRow(at, status, text_of(record), findings)


def text_of(record: dict[str, Any]) -> str:
    """Return a record as JSON."""
    text = ENCODER.encode(record)
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate from a header
        text = json.dumps(record)
    return text
