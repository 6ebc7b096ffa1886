"""Verdicts as sentences or as JSON."""

import json
from typing import TYPE_CHECKING, Any

import goodbot
from goodbot.cli.shared.printing import Printer, Styled

if TYPE_CHECKING:
    from goodbot.bots import ObeyedRules

__all__ = [
    "as_object",
    "considered_object",
    "print_verdict",
    "robot_lines",
    "robot_object",
    "style_of",
]


def style_of(verdict: goodbot.Verdict) -> str:
    """Return the style of a verdict."""
    return "allowed" if verdict.allowed else "disallowed"


def print_verdict(verdict: goodbot.Verdict, printer: Printer) -> None:
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
    told = verdict.as_dict()
    rules = told["rules"] or {"rule": None, "group": None}
    found: dict[str, object] = {
        **{key: told[key] for key in ("url", "robot", "known_robot", "token", "tried", "obeys")},
        **{key: told[key] for key in ("allowed", "reason", "source")},
        "rule": rules["rule"],
        "group": rules["group"],
        "dialect": verdict.dialect,
    }
    if full:
        found["considered"] = [considered_object(one) for one in verdict.considered]
    return json.dumps(found)


def robot_object(rules: "ObeyedRules") -> dict[str, Any]:
    """Return as plain values which robot is asked about, and whose group it obeys."""
    robot = rules.robot
    return {
        "known_robot": None if robot is None else robot.name,
        "token": rules.token,
        "tried": list(rules.tried),
        "obeys": None if robot is None else robot.obeys,
    }


def robot_lines(rules: "ObeyedRules") -> list[str]:
    """Return what is known of a robot before any rule is compared, in sentences."""
    robot = rules.robot
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
