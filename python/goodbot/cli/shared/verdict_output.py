"""A verdict, told: as a sentence, or as JSON."""

import json
from typing import TYPE_CHECKING

import goodbot
from goodbot.cli.shared.printing import Printer, Styled

if TYPE_CHECKING:
    from goodbot.policy import PolicyVerdict

__all__ = ["as_object", "considered_object", "print_verdict", "style_of"]


def style_of(verdict: "goodbot.Verdict | PolicyVerdict") -> str:
    """Choose the style of an answer."""
    return "allowed" if verdict.allowed else "disallowed"


def print_verdict(verdict: "goodbot.Verdict | PolicyVerdict", printer: Printer) -> None:
    """Print a verdict as a sentence, with its answer in colour."""
    if not printer.colour and printer.width is None:
        # A million of them go this way.
        printer.line(str(verdict))
        return
    answer = "may fetch" if verdict.allowed else "may not fetch"
    printer.prose(str(verdict), accent=Styled(answer, style_of(verdict)))


def as_object(verdict: goodbot.Verdict, *, full: bool) -> str:
    """Write a verdict as JSON, in ASCII: so it has no control character either."""
    found: dict[str, object] = verdict.as_dict()
    if full:
        found["considered"] = [considered_object(one) for one in verdict.considered]
    return json.dumps(found)


def considered_object(one: goodbot.Considered) -> dict[str, object]:
    """Describe a rule that was considered in plain values."""
    return {"rule": one.rule.as_dict(), "decides": one.decides, "why": one.why}
