"""The uses of a page, as text and as JSON, and the exit status.

Scope: printing what `goodbot.uses` answered.
"""

from collections.abc import Sequence
from typing import Any

from goodbot._core import Verdict
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.findings import print_findings
from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.cli.shared.site_comments import comment_rows
from goodbot.content_use import REASONS, SPECIFICATIONS, Uses, UseVerdict
from goodbot.content_use.statement import Use
from goodbot.http.payment import PRICED

__all__ = ["print_uses", "status_of_uses", "uses_object"]

STYLES = {"allowed": "allowed", "unknown": "warning"}
INDENT = "  "
WIDTH = 9


def uses_object(
    uses: Uses, asked: Sequence[Use], asks_as: str | None, comments: Sequence[str]
) -> dict[str, Any]:
    """Return the answers on the uses that were asked for as plain values."""
    plain = uses.as_dict()
    answers = {use: plain["uses"][use] for use in asked}
    return plain | {"uses": answers, "asks_as": asks_as, "comments": list(comments)}


def print_uses(uses: Uses, asked: Sequence[Use], comments: Sequence[str], printer: Printer) -> None:
    """Print the answers on the uses that were asked for, each with its reason and its conflicts."""
    printer.line(Styled(f"{cut_line(uses.url)} ({uses.robot})", "heading"))
    if uses.access is not None:
        accent = (
            Styled("Allowed:", "allowed") if uses.access else Styled("Disallowed:", "disallowed")
        )
        printer.prose(f"{'fetch':<{WIDTH}}{uses.access}", INDENT, accent)
    for use in asked:
        print_use(uses.verdicts[use], printer)
    if uses.level is not None:
        text = f"{uses.level} ({SPECIFICATIONS['content-signal'][0]})"
        printer.prose(f"{'level':<{WIDTH}}{uses.level.level:<{WIDTH + 2}}{text}", INDENT)
    if uses.payment is not None:
        printer.prose(f"{'asked':<{WIDTH}}{PRICED:<{WIDTH + 2}}{uses.payment}", INDENT)
    for one in uses.reported:
        printer.prose(f"reported: {one}", INDENT)
    if uses.not_consulted:
        printer.prose(f"not consulted: {', '.join(uses.not_consulted)}", INDENT)
    for label, comment in comment_rows(comments):
        printer.prose(f"{label}: {comment}", INDENT)
    print_findings([*uses.findings, *uses.unknown], None, printer)


def print_use(verdict: UseVerdict, printer: Printer) -> None:
    """Print the answer on one use."""
    said = verdict.said
    why = REASONS[verdict.reason]
    if said is not None:
        why = f"{said} ({SPECIFICATIONS[said.specification][0]}, a {verdict.force})"
        if verdict.status != verdict.declared:
            why = f"declared {verdict.declared}: {why}. {REASONS[verdict.reason]}"
    accent = Styled(verdict.status, STYLES.get(verdict.status, "disallowed"))
    printer.prose(f"{verdict.use:<{WIDTH}}{verdict.status:<{WIDTH + 2}}{why}", INDENT, accent)
    if verdict.terms is not None:
        printer.prose(f"terms: {verdict.terms}", INDENT * 3)
    for one in verdict.agreeing:
        printer.prose(f"also: {one}", INDENT * 3)
    for conflict in verdict.conflicts:
        printer.prose(f"against: {conflict.statement}; {conflict.why}", INDENT * 3)


def status_of_uses(uses: Uses, asked: Sequence[Use]) -> ExitStatus:
    """Return 0 if every use is allowed, 1 if one is not, 2 if nothing is known of one."""
    statuses = {uses.verdicts[use].status for use in asked}
    access = uses.access
    if isinstance(access, Verdict) and not access.is_answer:
        return ExitStatus.MISUSE
    is_refused = access is not None and not access
    if is_refused or statuses & {"reserved", "licensed"}:
        return ExitStatus.DISALLOWED
    return ExitStatus.MISUSE if "unknown" in statuses else ExitStatus.ALLOWED
