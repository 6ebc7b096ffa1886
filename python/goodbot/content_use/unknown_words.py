"""Words that no document known to goodbot defines, wherever a site or a page writes them.

Scope: a list of findings, which decide nothing: an unknown word never permits. Each says as of when
goodbot does not know it; a newer document may define it.
"""

from collections.abc import Iterator
from itertools import islice

from goodbot._core import Finding, RobotsTxt
from goodbot.content_use.finding_codes import MOST_FINDINGS
from goodbot.content_use.tdmrep import TdmRep
from goodbot.page import Page
from goodbot.policy import Policy

__all__ = ["UNKNOWN_CODES", "unknown_words"]

UNKNOWN_CODES = frozenset({
    "unknown-field", "unknown-signal", "unknown-usage-label", "unknown-directive",
    "unknown-reservation", "unknown-key",
})  # fmt: skip
"""The codes of findings on words that no known document defines."""
SIGNALS = (b"content-signal", b"content-usage")
"""Fields of which a value that is not known is one of these words, too."""


def unknown_words(
    robots_txt: RobotsTxt | Policy | None, page: Page | None, tdmrep: TdmRep
) -> tuple[Finding, ...]:
    """Return a finding for each unknown word; at most 100."""
    file = robots_txt.robots_txt if isinstance(robots_txt, Policy) else robots_txt
    found = [*in_robots_txt(file), *in_page(page), *tdmrep.unknown]
    return tuple(islice(found, MOST_FINDINGS))


def in_robots_txt(file: RobotsTxt | None) -> Iterator[Finding]:
    """Yield the unknown words of a robots.txt: fields, signals, their answers, labels."""
    for one in () if file is None else file.findings:
        if one.code in UNKNOWN_CODES or (one.code == "malformed-value" and is_signal(file, one)):
            message = f"robots.txt: {one.message}"
            yield Finding(one.code, one.severity, message, line=one.line, column=one.column)


def is_signal(file: RobotsTxt | None, one: Finding) -> bool:
    """Return whether a finding is about a line that states uses."""
    name = None if file is None or not one.line else file.lines[one.line - 1].name
    return (name or b"").strip().lower() in SIGNALS


def in_page(page: Page | None) -> Iterator[Finding]:
    """Yield the unknown words of a page: directives, and fields of its header."""
    yield from (one for one in (() if page is None else page.findings) if one.code in UNKNOWN_CODES)
