"""What logs lack, in words.

Scope: from what was counted to sentences. Nothing is read here.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from goodbot.display import shown_value
from goodbot.http.amounts import counted
from goodbot.notes import ResultNote
from goodbot.site.logs.log_counts import LogCounts, UnreadLine

__all__ = ["has_no_agents", "log_notes", "source_name", "why_no_requests"]

REASONS = {
    "form": "does not have the form of the format",
    "time": "has no time that can be read",
    "value": "has a status or a number of bytes that is none",
    "length": "is longer than 768 KiB",
}
"""Why a line cannot be read, in words."""


RESPELLED = {
    "traefik": "Traefik writes paths as it cleaned them",
    "hypercorn": "Hypercorn writes paths decoded, and no query",
}
"""The formats whose servers do not write a target as it was sent."""
SPELLING = (
    "the log is no evidence of how a robot spelled a URL (//, .., %2F), which can decide what "
    "robots.txt says of it"
)


def source_name(path: str) -> str:
    """Return what a source is called in messages.

    >>> source_name("-"), source_name("access.log")
    ('standard input', 'access.log')
    """
    return "standard input" if path == "-" else path


def log_notes(counts: LogCounts) -> Iterator[str]:
    """Yield what may make the requests of logs wrong or useless, and what to do about it.

    Args:
        counts: What was read.

    """
    yield from (f"{source_name(path)} {fault}" for path, fault in counts.unusable.items())
    for same in counts.repeated:
        yield (
            f"{' and '.join(map(source_name, same))} begin with the same lines, so that their "
            "requests are counted more than once; name only one of them"
        )
    if counts.without_address:
        yield (
            f"{counted(counts.without_address, 'request')} without an address, so that nobody can "
            "say who sent them; let the server write the address of the client, or name its field "
            "in the format"
        )
    yield from reading_notes(counts)
    written_by = {*counts.formats.values(), *counts.readings}
    yield from (f"{note}: {SPELLING}" for name, note in RESPELLED.items() if name in written_by)
    if counts.too_long:
        found = sorted(counts.too_long.items())
        named = ", ".join(f"{robot} ({lines:,})" for robot, lines in found)
        yield f"lines that are too long to be read name robots, and are not judged: {named}"
    if has_no_agents(counts):
        yield (
            "no request has a User-Agent, so that no robot is known; let the server write it, as "
            "the format combined has it, or name its field in the format"
        )


def reading_notes(counts: LogCounts) -> Iterator[str]:
    """Yield which lines can be read in several ways, and which way was taken."""
    readings = Counter(counts.readings)
    cure = "; let the server escape what it writes, or write JSON"
    if readings["several"]:
        number = counted(readings["several"], "request")
        yield (
            f"{number} with quotation marks that the server did not escape, so that the line can "
            "be read in several ways: the shortest request and Referer were taken" + cure
        )
    if readings["continued"] and readings["ended"]:
        number = counted(readings["continued"], "request")
        yield (
            f"{number} with more quotation marks behind the User-Agent than other lines have: they "
            "were read as fields of the server, but may belong to a User-Agent that was not "
            "escaped" + cure
        )
    if readings["escaped"] and readings["bare"]:
        number = counted(readings["escaped"], "request")
        yield (
            f"{number} with backslashes that were read as escapes, although other lines show that "
            "the server does not escape backslashes, as gunicorn does not" + cure
        )


def has_no_agents(counts: LogCounts) -> bool:
    """Return whether no request of logs has a User-Agent, so that robots cannot be known."""
    requests = counts.robots + counts.unknown_robots + counts.people
    return 0 < requests == counts.without_user_agent


def why_no_requests(
    counts: LogCounts, sources: Sequence[str], *, is_format_given: bool
) -> ResultNote:
    """Return why logs without a request have none, and what to do about it.

    Args:
        counts: What was read.
        sources: The logs, as they were named.
        is_format_given: Whether the caller named the format with `log_format=`.

    """
    why = explain_no_requests(counts, sources, is_format_given=is_format_given)
    return ResultNote(why, {"log_format": "log_format="})


def explain_no_requests(counts: LogCounts, sources: Sequence[str], *, is_format_given: bool) -> str:
    """Return the same as text, in which `{log_format}` stands for the setting."""
    names = ", ".join(map(source_name, sources))
    if counts.unusable:
        return "; ".join(f"{source_name(path)} {why}" for path, why in counts.unusable.items())
    if not counts.lines:
        return f"{names} {'is' if len(sources) == 1 else 'are'} empty: there are no requests"
    if counts.lines == 1:
        head = f"the only line of {names} is no request"
    else:
        head = f"none of the {counts.lines:,} lines of {names} is a request"
    if not counts.shown:
        return f"{head}; name the access log, or its format with {{log_format}}"
    return f"{head}: {why_unread(counts, counts.shown[0])}; {advice(counts, is_format_given)}"


def why_unread(counts: LogCounts, line: UnreadLine) -> str:
    """Return why a line could not be read, and the line, shortened and escaped."""
    reason = REASONS.get(line.reason, line.reason)
    if counts.formats.get(line.source) is None and line.reason == "form":
        reason = "has no known form"
    text = line.begin.decode("utf-8", "replace")
    return f"line {line.line:,} {reason} ({shown_value(text)})"


def advice(counts: LogCounts, is_format_given: bool) -> str:  # noqa: FBT001  one of two
    """Return what to do about a format that does not fit."""
    if is_format_given:
        return "correct {log_format}, or omit it to have the format detected"
    if any(counts.formats.values()):
        return "let the server write what is missing, or name the format with {log_format}"
    return "name the format with {log_format}"
