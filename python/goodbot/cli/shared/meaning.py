"""What a site asks of a robot, in words and as plain values: rules, pace, hours."""

from typing import Any
from urllib.parse import unquote

import goodbot

__all__ = ["asked_object", "meaning_of", "pace_lines"]

ROBOTS_TXT = "/robots.txt"


def meaning_of(rule: goodbot.Rule, choices: dict[str, str]) -> str:
    """Say what a rule does.

    Args:
        rule: The rule.
        choices: The choices of the dialect.

    Returns:
        Such as `what begins with /private must not be fetched`; it has foreign text in it.

    """
    if not rule.pattern:
        empty = choices["empty_allow" if rule.field == "Allow" else "empty_disallow"]
        return "everything may be fetched" if empty == "allows-all" else "no effect: it has no path"
    urls = subject(rule.pattern, choices)
    permission = "may" if rule.field == "Allow" else "must not"
    sentence = f"{urls} {permission} be fetched"
    if choices["robots_txt_itself"] == "always-allowed":
        if unquote(urls) == f"exactly {ROBOTS_TXT}":
            return f"no effect: {ROBOTS_TXT} itself is always allowed"
        if unquote(urls) == f"what begins with {ROBOTS_TXT}" and permission != "may":
            return f"{sentence}, save {ROBOTS_TXT} itself, which is always allowed"
    return sentence


def subject(pattern: str, choices: dict[str, str]) -> str:
    """Say which URLs a pattern matches."""
    if choices["star"] == "shell":
        return f"what the shell pattern {pattern} matches"
    to_the_end = choices["extent"] == "whole"
    if choices["dollar"] == "end" and pattern.endswith("$"):
        to_the_end, pattern = True, pattern[:-1]
    parts = pattern.split("*") if choices["star"] == "wildcard" else [pattern]
    if len(parts) == 1 and to_the_end:
        return f"exactly {pattern}"
    clauses = clauses_of(parts, to_the_end=to_the_end)
    if not clauses or clauses == ["begins with /"]:
        return "everything"
    *most, last = clauses
    return f"what {', '.join(most)} and {last}" if most else f"what {last}"


def clauses_of(parts: list[str], *, to_the_end: bool) -> list[str]:
    """Say what stands before, between and behind the wildcards."""
    first, *behind = parts
    last = behind.pop() if behind and to_the_end else ""
    clauses = [f"begins with {first}"] if first else []
    clauses += [f"then has {part}" for part in behind if part]
    clauses += [f"ends with {last}"] if last else []
    # Every path begins with a slash; to say so helps only where the next part needs another.
    if first == "/" and len(clauses) > 1 and "/" not in "".join(parts[1:])[:1]:
        clauses = [clause.removeprefix("then ") for clause in clauses[1:]]
    return clauses


def pace_lines(rules: goodbot.Rules) -> list[str]:
    """Say how fast and when the site may be visited."""
    delay = rules.crawl_delay
    unit = "second" if delay == 1 else "seconds"
    lines = [] if delay is None else [f"{delay:g} {unit} between two visits"]
    lines += [f"at most {rate}{doubt_of(rate)}" for rate in rules.request_rates]
    return lines + [f"visits are welcome {time}" for time in rules.visit_times]


def doubt_of(rate: goodbot.RequestRate) -> str:
    """Say what comes of a rate of which it is not known when it holds."""
    return ", in doubt when: it replaces no other pace" if rate.doubtful else ""


def asked_object(rules: goodbot.Rules) -> dict[str, Any]:
    """Describe what a site asks of the robot in plain values."""
    return {
        "crawl_delay": rules.crawl_delay,
        "request_rates": [rate_object(rate) for rate in rules.request_rates],
        "visit_times": [time_object(time) for time in rules.visit_times],
        "comments": rules.comments,
    }


def rate_object(rate: goodbot.RequestRate) -> dict[str, object]:
    """Describe a request rate in plain values."""
    return {
        "documents": rate.documents,
        "seconds": rate.seconds,
        "window": None if rate.window is None else time_object(rate.window),
        "doubtful": rate.doubtful,
    }


def time_object(time: goodbot.VisitTime) -> dict[str, object]:
    """Describe a part of the day, in UT, in plain values."""
    return {"start": time.start.isoformat("minutes"), "end": time.end.isoformat("minutes")}
