"""What is odd about a file or a page: counted, and listed as far as there is room."""

from collections import Counter

import goodbot
from goodbot.cli.shared.printing import Printer, Styled

__all__ = ["LISTED", "STYLES", "count_findings", "numbered", "print_findings"]

LISTED = 20
"""How many findings are listed without `--findings`."""

STYLES = {"error": "disallowed", "warning": "warning", "info": "faint"}
"""How a severity looks, the worst first."""


def print_findings(findings: list[goodbot.Finding], listed: int | None, printer: Printer) -> None:
    """Count what is odd, and list so much of it, or all."""
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
        printer.line(f"  and {len(findings) - listed} more; --findings lists them all")


def count_findings(number: int, severity: str) -> str:
    """Write `1 error`, `2 errors`; news has no plural."""
    return f"{number} {severity}{'s' if number > 1 and severity != 'info' else ''}"


def numbered(noun: str, numbers: list[int]) -> str:
    """Write `line 3`, or `lines 3, 4`, or nothing."""
    if not numbers:
        return ""
    return f"{noun}{'s' if numbers[1:] else ''} {', '.join(map(str, numbers))}"
