"""Verdicts as sentences or as JSON."""

import json
from typing import TYPE_CHECKING, Any, TypeAlias

import goodbot
from goodbot.cli.shared.printing import Printer, Styled

if TYPE_CHECKING:
    from goodbot.bots import FamilyRules, FamilyVerdict
    from goodbot.policy import PolicyVerdict

__all__ = [
    "as_object",
    "considered_object",
    "family_lines",
    "family_object",
    "print_verdict",
    "style_of",
]

ShownVerdict: TypeAlias = "FamilyVerdict | PolicyVerdict | goodbot.Verdict"
"""What can be printed as a sentence."""


def style_of(verdict: "ShownVerdict") -> str:
    """Return the style of a verdict."""
    return "allowed" if verdict.allowed else "disallowed"


def print_verdict(verdict: "ShownVerdict", printer: Printer) -> None:
    """Print a URL and its verdict as a sentence, with the outcome in colour."""
    sentence = f"{verdict.url}: {verdict}"
    if not printer.colour and printer.width is None:
        # The fast path for a million of them.
        printer.line(sentence)
        return
    outcome = "Allowed:" if verdict.allowed else "Disallowed:"
    printer.prose(sentence, accent=Styled(outcome, style_of(verdict)))


def as_object(verdict: "FamilyVerdict", *, full: bool) -> str:
    """Return a verdict as JSON in ASCII, which contains no control characters."""
    rules = {"rule": None, "group": None} if verdict.rules is None else verdict.rules.as_dict()
    found: dict[str, object] = {
        "url": verdict.url,
        "robot": verdict.robot,
        **family_object(verdict.family),
        "allowed": verdict.allowed,
        "reason": verdict.reason,
        "source": verdict.source,
        "rule": rules["rule"],
        "group": rules["group"],
        "dialect": verdict.dialect,
    }
    if full:
        considered = [] if verdict.rules is None else verdict.rules.considered
        found["considered"] = [considered_object(one) for one in considered]
    return json.dumps(found)


def family_object(family: "FamilyRules") -> dict[str, Any]:
    """Return as plain values which robot is asked about, and whose group it obeys."""
    robot = family.robot
    return {
        "known_robot": None if robot is None else robot.name,
        "token": family.token,
        "tried": list(family.tried),
        "obeys": None if robot is None else robot.obeys,
    }


def family_lines(family: "FamilyRules") -> list[str]:
    """Return what is known of a robot before any rule is compared, in sentences."""
    robot = family.robot
    if robot is None:
        return []
    lines = [f"{robot.name} is a robot of {robot.operator}."] if robot.operator else []
    source = robot.source("tokens")
    if source is not None:
        tokens = ", then ".join(robot.tokens)
        lines.append(f"{robot.name} looks for the group of {tokens} ({source.title}).")
    return lines


def considered_object(one: goodbot.Considered) -> dict[str, object]:
    """Return a rule that was considered as plain values."""
    return {"rule": one.rule.as_dict(), "decides": one.decides, "why": one.why}
