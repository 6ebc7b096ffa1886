"""What a robots.txt asks of a robot, in words and as plain values: rules, pace, hours."""

from typing import Any
from urllib.parse import unquote

import goodbot

__all__ = ["asked_object", "meaning_of", "pace_lines"]

ROBOTS_TXT = "/robots.txt"


def meaning_of(rule: goodbot.Rule, choices: dict[str, str]) -> str:
    """Describe the effect of a rule.

    Args:
        rule: The rule.
        choices: The choices of the dialect.

    Returns:
        Such as `disallowed: paths that begin with /private`. It contains text of the site.

    """
    if not rule.pattern:
        empty = choices["empty_allow" if rule.field == "Allow" else "empty_disallow"]
        return "allowed: everything" if empty == "allows-all" else "no effect: it has no path"
    paths = subject(rule.pattern, choices)
    is_allow = rule.field == "Allow"
    sentence = f"{'allowed' if is_allow else 'disallowed'}: {paths}"
    if choices["robots_txt_itself"] == "always-allowed":
        if unquote(paths) == f"only {ROBOTS_TXT}":
            return f"no effect: {ROBOTS_TXT} itself is always allowed"
        if unquote(paths) == f"paths that begin with {ROBOTS_TXT}" and not is_allow:
            return f"{sentence}, except {ROBOTS_TXT} itself, which is always allowed"
    return sentence


def subject(pattern: str, choices: dict[str, str]) -> str:
    """Describe the paths that a pattern matches."""
    if choices["star"] == "shell":
        return f"paths that match the shell pattern {pattern}"
    to_the_end = choices["extent"] == "whole"
    if choices["dollar"] == "end" and pattern.endswith("$"):
        to_the_end, pattern = True, pattern[:-1]
    parts = pattern.split("*") if choices["star"] == "wildcard" else [pattern]
    if len(parts) == 1 and to_the_end:
        return f"only {pattern}"
    clauses = clauses_of(parts, to_the_end=to_the_end)
    if not clauses or clauses == ["begin with /"]:
        return "everything"
    *most, last = clauses
    return f"paths that {', '.join(most)} and {last}" if most else f"paths that {last}"


def clauses_of(parts: list[str], *, to_the_end: bool) -> list[str]:
    """Describe the text before, between and after the wildcards of a pattern."""
    first, *behind = parts
    last = behind.pop() if behind and to_the_end else ""
    clauses = [f"begin with {first}"] if first else []
    clauses += [f"then contain {part}" for part in behind if part]
    clauses += [f"end with {last}"] if last else []
    # Every path begins with a slash; to say so helps only if the next part needs another one.
    if first == "/" and len(clauses) > 1 and "/" not in "".join(parts[1:])[:1]:
        clauses = [clause.removeprefix("then ") for clause in clauses[1:]]
    return clauses


def pace_lines(rules: goodbot.Rules) -> list[str]:
    """Return how often and when the robot should visit the site, a line each."""
    delay = rules.crawl_delay
    lines = []
    if delay is not None:
        lines.append(f"{delay:,g} second{'' if delay == 1 else 's'} between requests")
    lines += [f"at most {rate}{doubt_of(rate)}" for rate in rules.request_rates]
    return lines + [f"visits are welcome {time}" for time in rules.visit_times]


def doubt_of(rate: goodbot.RequestRate) -> str:
    """Return what follows if the hours of a rate cannot be read."""
    return " (its hours cannot be read, so it replaces no other pace)" if rate.doubtful else ""


def asked_object(rules: goodbot.Rules) -> dict[str, Any]:
    """Return what a site asks of the robot as plain values."""
    return {
        "crawl_delay": rules.crawl_delay,
        "request_rates": [rate_object(rate) for rate in rules.request_rates],
        "visit_times": [time_object(time) for time in rules.visit_times],
        "comments": rules.comments,
    }


def rate_object(rate: goodbot.RequestRate) -> dict[str, object]:
    """Return a request rate as plain values."""
    return {
        "documents": rate.documents,
        "seconds": rate.seconds,
        "window": None if rate.window is None else time_object(rate.window),
        "doubtful": rate.doubtful,
    }


def time_object(time: goodbot.VisitTime) -> dict[str, object]:
    """Return a part of the day, in UT, as plain values."""
    return {"start": time.start.isoformat("minutes"), "end": time.end.isoformat("minutes")}
