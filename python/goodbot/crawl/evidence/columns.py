"""The columns of the export: a row for each, with its meaning and the source of its value.

Scope: the table. JSON lines, Parquet and docs/reference/evidence.md are generated from it, so that
a column takes one row here, and its value one in `ExportRow` if no row has it yet.
"""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Literal, NamedTuple

from goodbot.crawl.evidence.evidence_format import ActVerdict, Said
from goodbot.crawl.evidence.page_findings import NO_FINDINGS, PageFindings
from goodbot.crawl.folder.parquet import ColumnKind
from goodbot.crawl.frontier.reading import UrlRecord
from goodbot.crawl.inventory.declared_served import declared_for, declared_to
from goodbot.http.served import Declared, Served, find_served
from goodbot.net import FAILURES

__all__ = ["COLUMNS", "Column", "ColumnValue", "ExportRow", "RobotsTxtSeen"]

ColumnScope = Literal["visit", "fetch", "act"]
"""What a value belongs to: a visit, so that all its rows have it; a visit, but only its row of
`fetch` has it; or the verdict on one act."""
ColumnValue = str | datetime | int | bool | None


class RobotsTxtSeen(NamedTuple):
    """A robots.txt, or its absence, and when it was seen."""

    sha256: str | None = None
    """The SHA-256 of its bytes, in hexadecimal; `None` if there were none."""
    first: datetime | None = None
    last: datetime | None = None


class ExportRow(NamedTuple):
    """The data behind a row of the export: a URL, one visit to it, one act."""

    entry: UrlRecord
    """The URL, with its present state in the queue."""
    at: datetime | None
    """When the result was known; `None` if the URL was never taken out of the queue."""
    event: str
    """The result: one of `EVIDENCE_KINDS`, or the URL's state if it was never taken out."""
    status: int | None
    """The status of the response."""
    said: Said | None
    """The record of the visit; `None` if there was none."""
    verdict: ActVerdict
    """The verdict on the act."""
    robots_txt: RobotsTxtSeen
    """The robots.txt in force."""
    findings: PageFindings = NO_FINDINGS
    """The findings on the page."""
    made_with: str = ""
    """The versions of goodbot that made the crawl, each with the date of its knowledge."""

    @property
    def is_fetch(self) -> bool:
        """Whether the act is `fetch`: that row also has the values of the visit as a whole."""
        return self.verdict.act == "fetch"

    @property
    def sentence(self) -> str:
        """The verdict on fetching, the failure or the deferral, as a sentence."""
        if self.said is None or not self.is_fetch:
            return ""
        return self.said.sentence or self.verdict.sentence

    @property
    def declared(self) -> Declared:
        """What robots.txt declared to the robot."""
        fetch = None if self.said is None else self.said.verdicts[0]
        if fetch is None:
            return declared_to(self.entry)
        if self.said is not None and self.said.permission:
            return "disallowed"
        # A failed request was allowed, or it had not been made.
        is_failure = fetch.allowed is None and fetch.reason in FAILURES
        return declared_for(allowed=True if is_failure else fetch.allowed, reason=fetch.reason)

    @property
    def served(self) -> Served | None:
        """What the site served; `None` if nothing was requested."""
        if self.said is None:
            return None
        if self.status is None and self.said.verdicts[0].reason not in FAILURES:
            return None
        asked = self.said.payment
        return find_served(
            self.status,
            challenged=self.said.challenged,
            wants_license=asked is not None and asked.wants_license,
        )

    @property
    def until(self) -> datetime | None:
        """The time until which the visit was deferred."""
        return self.said.until if self.said is not None and self.is_fetch else None

    @property
    def payment(self) -> str:
        """What the response asked for, in words; empty if it asked for nothing."""
        asked = self.said.payment if self.said is not None and self.is_fetch else None
        return "" if asked is None else str(asked)

    @property
    def findings_text(self) -> str:
        """The findings on the page as JSON; empty if there are none."""
        if not self.is_fetch or not self.findings:
            return ""
        return json.dumps(self.findings.as_dict())


class Column(NamedTuple):
    """A column of the export."""

    name: str
    kind: ColumnKind
    """`text`: UTF-8; `time`: microseconds in UTC; `number`: 64 bits; `truth`: true or false. All
    can be null, and an empty text is written as null."""
    meaning: str
    read: Callable[[ExportRow], ColumnValue]
    """Returns the value for a row."""
    of: ColumnScope = "visit"
    """What the value belongs to."""


COLUMNS = (
    Column("url", "text", "The URL, in its normal form.", lambda row: row.entry.url),
    Column(
        "origin",
        "text",
        "The origin of the URL: scheme, host and port.",
        lambda row: row.entry.origin,
    ),
    Column(
        "how",
        "text",
        "How the URL was found: `start`, `link`, `redirect`, `sitemap`, …",
        lambda row: row.entry.how,
    ),
    Column(
        "depth",
        "number",
        "How many links away from the start of the crawl the URL is.",
        lambda row: row.entry.depth,
    ),
    Column(
        "state",
        "text",
        "The present state of the URL: `done`, `disallowed`, `queued`, …",
        lambda row: "queued" if row.entry.is_queued_again else row.entry.state,
    ),
    Column(
        "at",
        "time",
        "When the response had come or, without a response, when the URL was refused, failed, was "
        "deferred or was removed; null if the URL was never taken out of the queue.",
        lambda row: row.at,
    ),
    Column(
        "event",
        "text",
        "The result: `visited`, `refused`, `failed`, `deferred` or `removed` (see below); the "
        "state of the URL if it was never taken out of the queue.",
        lambda row: row.event,
    ),
    Column(
        "status",
        "number",
        "The HTTP status of the response; null if none came.",
        lambda row: row.status,
    ),
    Column(
        "declared",
        "text",
        "What robots.txt declared to the robot: `allowed`, `disallowed` or `unknown`; see "
        "[declared and served](declared-and-served.md).",
        lambda row: row.declared,
    ),
    Column(
        "served",
        "text",
        "What the site served: `served`, `refused`, `challenged`, `priced`, `limited` or `failed`; "
        "null if nothing was requested.",
        lambda row: row.served,
    ),
    Column(
        "act",
        "text",
        "What the verdict is about: `fetch`, or an act on the page such as `index`, `follow` or "
        "`archive`.",
        lambda row: row.verdict.act,
        "act",
    ),
    Column(
        "allowed",
        "truth",
        "The verdict: whether the act is allowed; null if there is none.",
        lambda row: row.verdict.allowed,
        "act",
    ),
    Column(
        "reason",
        "text",
        "The reason for the verdict, a stable slug.",
        lambda row: row.verdict.reason,
        "act",
    ),
    Column("source", "text", "What decided, in words.", lambda row: row.verdict.source, "act"),
    Column(
        "source_kind",
        "text",
        "The kind of source that decided: `robots.txt`, `access` (the result of fetching "
        "robots.txt), `operator` (of the robot), `header`, `meta`, `pi`, `mark`; null if nothing "
        "is stated.",
        lambda row: row.verdict.kind,
        "act",
    ),
    Column(
        "line",
        "number",
        "The line of robots.txt or of the page that decided.",
        lambda row: row.verdict.line,
        "act",
    ),
    Column("text", "text", "The text of that line.", lambda row: row.verdict.text, "act"),
    Column(
        "parts_left_out",
        "number",
        "How many parts of the page are exempt from the act, if the page as a whole allows it.",
        lambda row: row.verdict.parts.count if row.verdict.parts else None,
        "act",
    ),
    Column(
        "parts",
        "number",
        "How many parts the page has in all: runs of text, or links.",
        lambda row: row.verdict.parts.of if row.verdict.parts else None,
        "act",
    ),
    Column(
        "sentence",
        "text",
        "The verdict, the failure or the deferral, as a sentence.",
        lambda row: row.sentence,
        "fetch",
    ),
    Column(
        "until",
        "time",
        "The time until which the visit was deferred.",
        lambda row: row.until,
        "fetch",
    ),
    Column(
        "findings",
        "text",
        "What is odd about the page, as JSON: `findings` with `code`, `severity`, `line` and "
        "`message`, and `not_listed` with the number of further findings by code. Only in the row "
        "of `fetch`.",
        lambda row: row.findings_text,
        "fetch",
    ),
    Column(
        "payment",
        "text",
        "What the response asked for before it serves the page, in words, such as `the price USD "
        "0.01` or `a licence of RSL`; null if it asked for nothing. Nothing is ever paid.",
        lambda row: row.payment,
        "fetch",
    ),
    Column(
        "permission",
        "text",
        "The permission of the owner of the site by which the URL was requested although "
        "robots.txt disallows it (`--own-site`), in words; null if there was none.",
        lambda row: row.said.permission if row.said is not None and row.is_fetch else None,
        "fetch",
    ),
    Column(
        "robot",
        "text",
        "The name of the robot.",
        lambda row: row.said.robot if row.said else None,
    ),
    Column(
        "dialect",
        "text",
        "The dialect in which robots.txt or the page was read.",
        lambda row: row.verdict.dialect,
        "act",
    ),
    Column(
        "robots_txt_sha256",
        "text",
        "The SHA-256 of the bytes of the robots.txt in force at the time.",
        lambda row: row.robots_txt.sha256,
    ),
    Column(
        "robots_txt_first_seen",
        "time",
        "When that file, or its absence, was first seen.",
        lambda row: row.robots_txt.first,
    ),
    Column(
        "robots_txt_last_seen",
        "time",
        "When it was last seen before any other version.",
        lambda row: row.robots_txt.last,
    ),
    Column(
        "made_with",
        "text",
        "The versions of goodbot that made the crawl, each with the date of its knowledge.",
        lambda row: row.made_with,
    ),
)
"""Every column, in order."""
