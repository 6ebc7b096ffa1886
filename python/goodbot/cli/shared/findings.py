"""Findings on a file or a page: their number by severity, and a list."""

from collections import Counter

import goodbot
from goodbot.cli.shared.printing import Printer, Styled

__all__ = ["LISTED", "STYLES", "count_findings", "numbered", "print_findings"]

LISTED = 20
"""How many findings are listed without `--findings`."""

STYLES = {"error": "disallowed", "warning": "warning", "info": "faint"}
"""The style of each severity, the most severe first."""


def print_findings(findings: list[goodbot.Finding], listed: int | None, printer: Printer) -> None:
    """Print how many findings there are, and list the first ones or all of them."""
    if not findings:
        return
    counts: Counter[str] = Counter(finding.severity for finding in findings)
    told = [count_findings(counts[severity], severity) for severity in STYLES if counts[severity]]
    printer.line()
    printer.line(Styled(f"Findings: {', '.join(told)}", "heading"))
    for finding in findings[:listed]:
        accent = Styled(f"{finding.severity}:", STYLES[finding.severity])
        printer.prose(str(finding), "  ", accent)
    if listed is not None and len(findings) > listed:
        printer.line(f"  and {len(findings) - listed:,} more; add --findings to list them all")


def count_findings(number: int, severity: str) -> str:
    """Return `1 error` or `2 errors`; `info` has no plural."""
    return f"{number:,} {severity}{'s' if number > 1 and severity != 'info' else ''}"


def numbered(noun: str, numbers: list[int]) -> str:
    """Return `line 3`, or `lines 3, 4`, or nothing."""
    if not numbers:
        return ""
    return f"{noun}{'s' if numbers[1:] else ''} {', '.join(map(str, numbers))}"
