"""The columns of the export: a row for each, with where its value comes from.

What may live here: the table. JSON lines, Parquet and docs/reference/evidence.md are made
from it, so that a column is added by one row here.
"""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Literal, NamedTuple

from goodbot.crawl.evidence.evidence_format import ActVerdict, Said
from goodbot.crawl.evidence.page_findings import NO_FINDINGS, PageFindings
from goodbot.crawl.frontier.reading import UrlRecord

__all__ = ["COLUMNS", "Column", "ColumnValue", "ExportRow", "RobotsTxtSeen"]

ColumnKind = Literal["text", "time", "number", "truth"]
ColumnValue = str | datetime | int | bool | None


class RobotsTxtSeen(NamedTuple):
    """A robots.txt, or its absence, and how long it was seen."""

    sha256: str | None = None
    """The SHA-256 of its bytes, in hexadecimal; `None` if there were none."""
    first: datetime | None = None
    last: datetime | None = None


class ExportRow(NamedTuple):
    """What a row of the export is made of: a URL, one time that it was asked about, one act."""

    entry: UrlRecord
    """The URL, as the queue has it by now."""
    at: datetime | None
    """When the outcome was known: after the answer, if one came; `None` if never asked about."""
    event: str
    """What came of it: one of `EVIDENCE_KINDS`, or the URL's state if it was never asked about."""
    status: int | None
    """The status of the answer."""
    said: Said | None
    """All that was said then; `None` if it was never asked about."""
    verdict: ActVerdict
    """The verdict on the act."""
    robots_txt: RobotsTxtSeen
    """The robots.txt that was in force."""
    findings: PageFindings = NO_FINDINGS
    """What was odd about the page."""

    @property
    def is_fetch(self) -> bool:
        """Whether the act is `fetch`: what is said of the visit as a whole stands in that row."""
        return self.verdict.act == "fetch"

    @property
    def sentence(self) -> str:
        """The verdict on fetching, the failure or the deferral, as a sentence."""
        if self.said is None or not self.is_fetch:
            return ""
        return self.said.sentence or self.verdict.sentence

    @property
    def until(self) -> datetime | None:
        """Until when the visit was deferred."""
        return self.said.until if self.said is not None and self.is_fetch else None

    @property
    def findings_text(self) -> str:
        """What was odd about the page, as JSON; empty if nothing was."""
        if not self.is_fetch or not self.findings:
            return ""
        return json.dumps(self.findings.as_dict())


class Column(NamedTuple):
    """A column of the export."""

    name: str
    kind: ColumnKind
    """`text`: UTF-8; `time`: microseconds in UTC; `number`: 64 bits; `truth`: true or false. Each
    may be null, and an empty text is written as null."""
    meaning: str
    read: Callable[[ExportRow], ColumnValue]
    """Returns the value in a row."""


COLUMNS = (
    Column("url", "text", "The URL, in its normal form.", lambda row: row.entry.url),
    Column("origin", "text", "Its origin.", lambda row: row.entry.origin),
    Column(
        "how",
        "text",
        "How it was found: `start`, `link`, `redirect`, `sitemap`, …",
        lambda row: row.entry.how,
    ),
    Column(
        "depth",
        "number",
        "How many links lie between it and where the crawl began.",
        lambda row: row.entry.depth,
    ),
    Column(
        "state",
        "text",
        "What has become of it by now: `done`, `disallowed`, `queued`, …",
        lambda row: row.entry.state,
    ),
    Column(
        "at",
        "time",
        "When the outcome was known: after the answer came or, without one, when the URL was "
        "refused, failed or was deferred; null if the URL was never taken out of the queue.",
        lambda row: row.at,
    ),
    Column(
        "event",
        "text",
        "What came of it: `visited`, `refused`, `failed`, `deferred`, `removed` (by the operator); "
        "the state of a URL that was never taken out of the queue.",
        lambda row: row.event,
    ),
    Column(
        "status",
        "number",
        "The HTTP status of the answer; null if none came.",
        lambda row: row.status,
    ),
    Column(
        "act",
        "text",
        "`fetch`, or an act on the page: `index`, `follow`, `archive`, …",
        lambda row: row.verdict.act,
    ),
    Column(
        "allowed",
        "truth",
        "The verdict; null if nobody was asked.",
        lambda row: row.verdict.allowed,
    ),
    Column("reason", "text", "Why, a stable slug.", lambda row: row.verdict.reason),
    Column("source", "text", "Who says so, in words.", lambda row: row.verdict.source),
    Column(
        "source_kind",
        "text",
        "What that is: `robots.txt`, `access` (what came of asking for it), `header`, `meta`, "
        "`pi`, `mark`; null if nobody spoke of it.",
        lambda row: row.verdict.kind,
    ),
    Column(
        "line", "number", "The line of robots.txt or of the page.", lambda row: row.verdict.line
    ),
    Column("text", "text", "What is written there.", lambda row: row.verdict.text),
    Column(
        "parts_left_out",
        "number",
        "Parts left out of a page that allows the act as a whole.",
        lambda row: row.verdict.parts.count if row.verdict.parts else None,
    ),
    Column(
        "parts",
        "number",
        "Of how many: runs of text, or links.",
        lambda row: row.verdict.parts.of if row.verdict.parts else None,
    ),
    Column(
        "sentence",
        "text",
        "The verdict, the failure or the deferral, as a sentence.",
        lambda row: row.sentence,
    ),
    Column("until", "time", "Until when it was deferred.", lambda row: row.until),
    Column(
        "findings",
        "text",
        "What was odd about the page, as JSON: `findings` with `code`, `severity`, `line` and "
        "`message`, and `not_listed` with the number of others by code; in the row of `fetch`.",
        lambda row: row.findings_text,
    ),
    Column(
        "robot",
        "text",
        "The robot, as it was named.",
        lambda row: row.said.robot if row.said else None,
    ),
    Column("dialect", "text", "In which dialect it was read.", lambda row: row.verdict.dialect),
    Column(
        "robots_txt_sha256",
        "text",
        "The SHA-256 of the bytes of robots.txt in force then.",
        lambda row: row.robots_txt.sha256,
    ),
    Column(
        "robots_txt_first_seen",
        "time",
        "When that file, or its absence, was seen first.",
        lambda row: row.robots_txt.first,
    ),
    Column(
        "robots_txt_last_seen",
        "time",
        "When it was seen last, without another between.",
        lambda row: row.robots_txt.last,
    ),
)
"""Every column, in order."""
