"""What was odd about a page at one visit: listed within a bound, and counted beyond it.

What may live here: the record, and its form in a row of the evidence. No table is touched.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from goodbot._core import Finding
from goodbot.errors import NotAStoreError
from goodbot.http.quoting import shortened
from goodbot.page.finding_codes import FINDING_CODES

__all__ = [
    "MOST_FINDINGS",
    "MOST_OF_CRAWL",
    "NO_FINDINGS",
    "SEVERITIES",
    "PageFinding",
    "PageFindings",
    "findings_of",
    "pack_findings",
    "severity_of",
    "unpack_findings",
]

MOST_FINDINGS = 100
"""Findings of one page at one visit that are listed, the most severe first; others are counted."""
MOST_OF_CRAWL = 100_000
"""Findings of a crawl that are listed; others are counted, at the page that has them."""
LONGEST_MESSAGE = 500
"""Characters of a message, which may quote the page."""
SEVERITIES = ("error", "warning", "info")
"""The most severe first."""
DAMAGED = "findings of a page are damaged; restore the crawl from a copy, or crawl anew"


class PageFinding(NamedTuple):
    """Something odd about a page."""

    code: str
    """One of `goodbot.page.finding_codes()`."""
    severity: str
    """`error`, `warning` or `info`."""
    line: int | None
    """The line of the page; `None` if it has none, such as a field of the header."""
    message: str

    def __str__(self) -> str:
        """Return one line: code, line and message."""
        where = "" if self.line is None else f", line {self.line}"
        return f"{self.code}{where}: {self.message}"


@dataclass(frozen=True, slots=True)
class PageFindings:
    """What was odd about a page at one visit."""

    listed: tuple[PageFinding, ...] = ()
    """The most severe first."""
    more: Mapping[str, int] = field(default_factory=dict)
    """How many more there were, by code, that are not listed."""

    def __bool__(self) -> bool:
        """Whether there were any."""
        return bool(self.listed or self.more)

    def cut(self, most: int) -> "PageFindings":
        """Return the same with so many listed at most, and the others counted."""
        if len(self.listed) <= most:
            return self
        most = max(most, 0)
        more = Counter(self.more) + Counter(one.code for one in self.listed[most:])
        return PageFindings(self.listed[:most], dict(more))

    @property
    def by_code(self) -> "Counter[str]":
        """How many there were of each code, listed or not."""
        return Counter(one.code for one in self.listed) + Counter(self.more)

    @property
    def by_severity(self) -> "Counter[str]":
        """How many there were of each severity, listed or not."""
        counts: Counter[str] = Counter()
        for code, count in self.by_code.items():
            counts[severity_of(code)] += count
        return counts

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"findings": [one._asdict() for one in self.listed], "not_listed": dict(self.more)}


NO_FINDINGS = PageFindings()


def severity_of(code: str) -> str:
    """Return the severity of a code; one of a later version counts as information."""
    return FINDING_CODES[code][0] if code in FINDING_CODES else "info"


def findings_of(found: Iterable[Finding]) -> PageFindings:
    """Return the findings of a page as they are kept.

    >>> from goodbot import Page
    >>> body = b'<?robots index="none"?><r/>'
    >>> page = Page("https://a.example/", body, content_type="application/xml")
    >>> [str(one)[:26] for one in findings_of(page.findings).listed if one.severity == "error"]
    ['illegal-robots-pi, line 1:']
    """
    rows = [
        PageFinding(
            one.code, one.severity, one.line or None, shortened(one.message, LONGEST_MESSAGE)
        )
        for one in found
    ]
    if not rows:
        return NO_FINDINGS
    rows.sort(key=lambda row: SEVERITIES.index(row.severity))
    return PageFindings(tuple(rows)).cut(MOST_FINDINGS)


def kept_finding(one: Finding) -> PageFinding:
    """Return a finding as it is kept."""
    message = shortened(one.message, LONGEST_MESSAGE)
    return PageFinding(one.code, one.severity, one.line or None, message)


def pack_findings(found: PageFindings) -> str | None:
    """Return findings as they are kept in a row; `None` if there are none."""
    if not found:
        return None
    return json.dumps({"listed": found.listed, "more": dict(found.more)}, separators=(",", ":"))


def unpack_findings(text: str | None) -> PageFindings:
    """Return the findings of a row.

    Raises:
        NotAStoreError: They are damaged.

    """
    if text is None:
        return NO_FINDINGS
    try:
        packed = json.loads(text)
        listed = tuple(unpacked_finding(*row) for row in packed["listed"])
        more = {str(code): int(count) for code, count in packed["more"].items()}
    except (
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise NotAStoreError(DAMAGED) from error
    return PageFindings(listed, more)


def unpacked_finding(code: str, severity: str, line: int | None, message: str) -> PageFinding:
    """Check the parts of a finding.

    Raises:
        ValueError: One of them is not of its type.

    """
    texts = all(isinstance(one, str) for one in (code, severity, message))
    if not texts or severity not in SEVERITIES or not isinstance(line, int | None):
        raise ValueError(DAMAGED)
    return PageFinding(code, severity, line, message)
