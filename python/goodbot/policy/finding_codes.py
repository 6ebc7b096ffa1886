"""Findings on the response to a request for robots.txt.

Findings on the file itself are in `RobotsTxt.findings`.
"""

from goodbot._core import Finding

__all__ = ["finding", "finding_codes"]

FINDING_CODES: dict[str, tuple[str, str]] = {
    "not-robots-txt": (
        "error",
        "A successful response contains something that is evidently not a robots.txt.",
    ),
    "unreadable-body": ("error", "The content is compressed or in UTF-16, so no rule can be read."),
    "not-text-type": (
        "warning",
        "The Content-Type is not a text type; RFC 9309 requires text/plain.",
    ),
    "not-plain-text": (
        "info",
        "The Content-Type is a text type other than text/plain, which RFC 9309 requires.",
    ),
    "part-of-the-file": (
        "error",
        "The server sent only a part of the file, which was not requested.",
    ),
    "nothing-whole": ("error", "The file exceeds the limit, and no complete line fits within it."),
    "other-authority": ("info", "Redirects led to another host; its rules apply to the first one."),
    "bad-redirect": ("error", "A redirect cannot be followed."),
    "bad-date": ("warning", "A date in the header is not an HTTP date, and counts as past."),
    "bad-cache-control": (
        "warning",
        "Cache-Control has an invalid value, and counts as stale.",
    ),
    "bad-age": ("info", "Age is not a number of seconds, and is ignored."),
    "bad-retry-after": ("warning", "Retry-After is neither seconds nor a date."),
    "life-cut": ("info", "The header allows a longer lifetime than the dialect."),
    "life-raised": (
        "info",
        "The header allows less than the shortest lifetime, which applies to save requests.",
    ),
    "no-store": ("info", "The header forbids storing the response."),
    "varies": ("info", "The response may differ for other robots, according to Vary."),
    "validator-mismatch": (
        "error",
        "The status is 304, but no such version is stored, or no condition was sent.",
    ),
    "no-answer-yet": (
        "error",
        "An interim response or a challenge came instead of a final response.",
    ),
    "unexpected-status": ("error", "The status cannot be the final response to a GET."),
}
"""Every code: its severity and meaning."""


def finding(code: str, detail: str = "") -> Finding:
    """Make a finding, with at most 60 characters of what was found.

    >>> print(finding("bad-age", "-1"))
    info: Age is not a number of seconds, and is ignored. (-1) [bad-age]
    """
    severity, message = FINDING_CODES[code]
    # Control characters are escaped; Python's quotes would not help a reader.
    shown = f" ({repr(detail[:60])[1:-1]})" if detail else ""
    return Finding(code, severity, f"{message}{shown}")


def finding_codes() -> list[tuple[str, str, str]]:
    """List every code that a finding of a policy can have: code, severity, meaning.

    >>> finding_codes()[0][:2]
    ('not-robots-txt', 'error')
    """
    return [(code, severity, meaning) for code, (severity, meaning) in FINDING_CODES.items()]
