"""The findings on a page at one visit: listed up to a limit, and counted beyond it.

Scope: the record, and its format in a row of the evidence. No table is touched.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, NamedTuple

from goodbot._core import Finding
from goodbot.errors import NotAStoreError
from goodbot.http.quoting import shortened
from goodbot.lazy_dataclass import dataclass
from goodbot.page.finding_codes import FINDING_CODES
from goodbot.sitemaps.finding_codes import FINDING_CODES as SITEMAP_CODES

__all__ = [
    "MOST_FINDINGS",
    "MOST_OF_CRAWL",
    "NO_FINDINGS",
    "SEVERITIES",
    "PageFinding",
    "PageFindings",
    "findings_of",
    "pack_findings",
    "page_severity",
    "unpack_findings",
]

MOST_FINDINGS = 100
"""The most findings listed for one page at one visit, the most severe first; others are counted."""
MOST_OF_CRAWL = 100_000
"""The most findings listed in a crawl; others are counted for their page."""
LONGEST_MESSAGE = 500
"""The most characters of a message, which may quote the page."""
SEVERITIES = ("error", "warning", "info")
"""All severities, the most severe first."""
DAMAGED = "the findings of a page are damaged; restore the crawl from a backup, or crawl again"


class PageFinding(NamedTuple):
    """Something odd about a page."""

    code: str
    """One of `goodbot.page.finding_codes()`, or of a sitemap."""
    severity: str
    """`error`, `warning` or `info`."""
    line: int | None
    """The line of the page; `None` if there is none, such as for a header field."""
    message: str

    def __str__(self) -> str:
        """Return one line: code, line and message."""
        where = "" if self.line is None else f", line {self.line}"
        return f"{self.code}{where}: {self.message}"


@dataclass(frozen=True, slots=True)
class PageFindings:
    """The findings on a page at one visit."""

    listed: tuple[PageFinding, ...] = ()
    """The findings that are listed, the most severe first."""
    more: Mapping[str, int] = field(default_factory=dict)
    """The number of further findings by code, which are not listed."""

    def __bool__(self) -> bool:
        """Return whether there are any findings."""
        return bool(self.listed or self.more)

    def cut(self, most: int) -> "PageFindings":
        """Return the same findings with at most `most` of them listed and the others counted."""
        if len(self.listed) <= most:
            return self
        most = max(most, 0)
        more = Counter(self.more) + Counter(one.code for one in self.listed[most:])
        return PageFindings(self.listed[:most], dict(more))

    @property
    def by_code(self) -> "Counter[str]":
        """The number of findings with each code, listed or not."""
        return Counter(one.code for one in self.listed) + Counter(self.more)

    @property
    def by_severity(self) -> "Counter[str]":
        """The number of findings of each severity, listed or not."""
        counts: Counter[str] = Counter()
        for code, count in self.by_code.items():
            counts[page_severity(code)] += count
        return counts

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"findings": [one._asdict() for one in self.listed], "not_listed": dict(self.more)}


NO_FINDINGS = PageFindings()


def page_severity(code: str) -> str:
    """Return the severity of a code on pages and sitemaps; one of a later version is `info`."""
    found = FINDING_CODES.get(code) or SITEMAP_CODES.get(code)
    return "info" if found is None else found[0]


def findings_of(found: Iterable[Finding]) -> PageFindings:
    """Return the findings of a page in the form in which they are stored.

    >>> from goodbot import Page
    >>> body = b'<?robots index="none"?><r/>'
    >>> page = Page("https://a.example/", body, content_type="application/xml")
    >>> [str(one)[:26] for one in findings_of(page.findings).listed if one.severity == "error"]
    ['illegal-robots-pi, line 1:']
    """
    rows = list(map(kept_finding, found))
    if not rows:
        return NO_FINDINGS
    rows.sort(key=lambda row: SEVERITIES.index(row.severity))
    return PageFindings(tuple(rows)).cut(MOST_FINDINGS)


def kept_finding(one: Finding) -> PageFinding:
    """Return a finding in the form in which it is stored."""
    message = shortened(one.message, LONGEST_MESSAGE)
    return PageFinding(one.code, one.severity, one.line or None, message)


def pack_findings(found: PageFindings) -> str | None:
    """Return findings as JSON for a row; `None` if there are none."""
    if not found:
        return None
    return json.dumps({"listed": found.listed, "more": dict(found.more)}, separators=(",", ":"))


def unpack_findings(text: str | None) -> PageFindings:
    """Read the findings of a row.

    Raises:
        NotAStoreError: The findings are damaged.

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
    """Return a finding after checking its parts.

    Raises:
        ValueError: A part has the wrong type.

    """
    texts = all(isinstance(one, str) for one in (code, severity, message))
    if not texts or severity not in SEVERITIES or not isinstance(line, int | None):
        raise ValueError(DAMAGED)
    return PageFinding(code, severity, line, message)
