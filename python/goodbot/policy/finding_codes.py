"""What may be odd about the answer to a request for robots.txt, as findings.

What is odd about the file itself is in `RobotsTxt.findings`.
"""

from goodbot._core import Finding

__all__ = ["finding", "finding_codes"]

FINDING_CODES: dict[str, tuple[str, str]] = {
    "not-robots-txt": ("error", "A success brought something that is evidently no robots.txt."),
    "unreadable-body": ("error", "The content is compressed or in UTF-16: no rule can be read."),
    "not-text-type": ("warning", "The Content-Type is not of text: RFC 9309 has text/plain."),
    "part-of-the-file": ("error", "The server sent a part of the file, which was not asked for."),
    "nothing-whole": ("error", "The file is over the limit, and no whole line stands within it."),
    "other-authority": ("info", "Redirects led to another host; its rules bind the first one."),
    "bad-redirect": ("error", "A redirect cannot be followed."),
    "bad-date": ("warning", "A date in the header is no date of HTTP, and counts as the past."),
    "bad-cache-control": (
        "warning",
        "Cache-Control has a value that is none, and counts as stale.",
    ),
    "bad-age": ("info", "Age is no number of seconds, and is passed over."),
    "bad-retry-after": ("warning", "Retry-After is neither seconds nor a date."),
    "life-cut": ("info", "The header allows a longer life than the dialect takes."),
    "life-raised": (
        "info",
        "The header allows less than the shortest life, which saves requests.",
    ),
    "no-store": ("info", "The header forbids that the answer is kept beyond its use."),
    "varies": ("info", "The answer may differ for other robots, as Vary says."),
    "validator-mismatch": (
        "error",
        "Not modified, but no such version is stored, or no condition was sent.",
    ),
    "no-answer-yet": ("error", "An interim report or a challenge came in place of an answer."),
    "unexpected-status": ("error", "The status cannot be the final answer to a GET."),
}
"""Every code: its severity and meaning."""


def finding(code: str, detail: str = "") -> Finding:
    """Make a finding, with a few words of what was seen; at most 60 characters of those.

    >>> print(finding("bad-age", "-1"))
    info: Age is no number of seconds, and is passed over. (-1) [bad-age]
    """
    severity, message = FINDING_CODES[code]
    # Control characters are escaped; the quotes of Python are of no use to a reader.
    shown = f" ({repr(detail[:60])[1:-1]})" if detail else ""
    return Finding(code, severity, f"{message}{shown}")


def finding_codes() -> list[tuple[str, str, str]]:
    """List every code that a finding of a policy can have: code, severity, meaning.

    >>> finding_codes()[0][:2]
    ('not-robots-txt', 'error')
    """
    return [(code, severity, meaning) for code, (severity, meaning) in FINDING_CODES.items()]
