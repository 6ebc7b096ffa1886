"""Verdicts as sentences or as JSON."""

import json
from typing import TYPE_CHECKING

import goodbot
from goodbot.cli.shared.printing import Printer, Styled
from goodbot.http.address import sent_of

if TYPE_CHECKING:
    from goodbot.policy import PolicyVerdict

__all__ = ["as_object", "considered_object", "print_verdict", "style_of", "verdict_on"]


def style_of(verdict: "goodbot.Verdict | PolicyVerdict") -> str:
    """Return the style of a verdict."""
    return "allowed" if verdict.allowed else "disallowed"


def verdict_on(rules: goodbot.Rules, url: bytes | str) -> goodbot.Verdict:
    """Return the verdict on a URL as it is written and as it is sent: both must be allowed.

    Dialects differ in how they treat percent-encoding, and a robot sends `/b` for `/%62`.
    """
    verdict = rules.verdict(url)
    sent = sent_of(url) if verdict.allowed else ""
    other = rules.verdict(sent) if sent else verdict
    return verdict if other.allowed else other


def print_verdict(verdict: "goodbot.Verdict | PolicyVerdict", printer: Printer) -> None:
    """Print a URL and its verdict as a sentence, with the outcome in colour."""
    sentence = f"{verdict.url}: {verdict}"
    if not printer.colour and printer.width is None:
        # The fast path for a million of them.
        printer.line(sentence)
        return
    outcome = "Allowed:" if verdict.allowed else "Disallowed:"
    printer.prose(sentence, accent=Styled(outcome, style_of(verdict)))


def as_object(verdict: goodbot.Verdict, *, full: bool) -> str:
    """Return a verdict as JSON in ASCII, which contains no control characters."""
    found: dict[str, object] = verdict.as_dict()
    if full:
        found["considered"] = [considered_object(one) for one in verdict.considered]
    return json.dumps(found)


def considered_object(one: goodbot.Considered) -> dict[str, object]:
    """Return a rule that was considered as plain values."""
    return {"rule": one.rule.as_dict(), "decides": one.decides, "why": one.why}
