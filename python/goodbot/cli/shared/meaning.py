"""What a rule means, in words, in the dialect that it is read in."""

import goodbot

__all__ = ["meaning_of"]


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
    permission = "may" if rule.field == "Allow" else "must not"
    return f"{subject(rule.pattern, choices)} {permission} be fetched"


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
