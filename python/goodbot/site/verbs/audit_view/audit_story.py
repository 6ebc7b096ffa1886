"""The story of one robot on a terminal: the log and robots.txt side by side, in the order of time.

Scope: printing. What happened and the words of reasons are in `goodbot.site.audit`.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from goodbot.cli.shared.printing import Printer, Styled, cut_line, print_table
from goodbot.http.amounts import counted
from goodbot.http.instants import format_time
from goodbot.site.audit import REASONS, Audit, RequestsSent, RobotsChanged, RobotsFetched
from goodbot.site.audit.robot_story import StoryEvent
from goodbot.site.verbs.audit_view.audit_pace import pace_words, shown_pace

__all__ = ["print_story"]

HEADS = ("Time (UTC)", "Log", "robots.txt", "Judgement")
MOST_TARGETS = 3
"""How many targets of a run of requests are shown; --json has more."""


def print_story(audit: Audit, name: str, printer: Printer) -> None:
    """Print what happened between a robot and each site.

    Args:
        audit: The audit.
        name: The name of the robot.
        printer: Where to.

    Raises:
        MisuseError: The log has no request of it.

    """
    for place, (robot, site, events) in enumerate(audit.stories(name)):
        if place:
            printer.line("")
        sent = [one for one in events if isinstance(one, RequestsSent)]
        printer.line(Styled(f"{robot} at {site}", "heading"))
        if audit.begins is not None and audit.ends is not None:
            printer.line(
                f"The log is from {format_time(audit.begins)} to {format_time(audit.ends)}."
            )
        if not any(isinstance(one, RobotsFetched) for one in events):
            printer.line("No request for robots.txt was seen in this log.")
        print_table(HEADS, rows_of(events), printer)
        printer.line("")
        for reason in dict.fromkeys(one.reason for one in sent):
            printer.prose(f"{reason}: {REASONS[reason].meaning} ({REASONS[reason].source})")
        print_pace(audit, robot, site, printer)


def print_pace(audit: Audit, robot: str, site: str, printer: Printer) -> None:
    """Print how the robot kept the pace that the site asked for."""
    own = [one for one in audit.pace if one.robot == robot]
    found = [one for one in shown_pace(own) if one.site == site]
    if found:
        printer.line("")
        printer.line(Styled("Pace", "heading"))
    for one in found:
        printer.prose(pace_words(audit.result, one), "  ")


def rows_of(events: Sequence[StoryEvent]) -> Iterator[tuple[str, str, str, str]]:
    """Yield the rows of the table."""
    for one in events:
        if isinstance(one, RobotsChanged):
            lines = [one.version.digest, *map(cut_line, one.changes)]
            in_force = "in force" if one.is_certain else "may be in force"
            yield clock(one.time), "", "\n".join(lines), f"{in_force} from here"
        elif isinstance(one, RobotsFetched):
            yield clock(one.time), fetch_words(one), "\nor ".join(one.digests), received(one)
        else:
            yield clock(one.time), request_words(one), rule_words(one), judgement_words(one)


def clock(time: datetime) -> str:
    """Return the day and the time of day."""
    return f"{time:%Y-%m-%d}\n{time:%H:%M:%S}"


def fetch_words(fetch: RobotsFetched) -> str:
    """Return a request for robots.txt as the log has it."""
    status = "" if fetch.status is None else f" {fetch.status}"
    if fetch.line is None:
        return f"/robots.txt{status}, by another robot of its operator"
    return f"line {line_in(fetch.file, fetch.line)}: /robots.txt{status}"


def received(fetch: RobotsFetched) -> str:
    """Return what a request for robots.txt brought."""
    if fetch.usable_until is not None:
        return f"may be used until\n{fetch.usable_until:%Y-%m-%d %H:%M:%S}"
    return "" if fetch.status is None else f"answered with {fetch.status}"


def request_words(run: RequestsSent) -> str:
    """Return requests as the log has them."""
    files = run.files or (None, None)
    first, last = map(line_in, files, run.lines)
    if run.requests == 1:
        return f"line {first}: {cut_line(run.targets[0])}"
    if files[0] == files[1]:
        first = f"{run.lines[0]}"
    targets = [cut_line(one) for one in run.targets[:MOST_TARGETS]]
    more = len(run.targets) - len(targets)
    targets += [f"and {more:,} more"] if more else []
    return "\n".join([f"lines {first} to {last}, {counted(run.requests, 'request')}:", *targets])


def line_in(file: str | None, line: int) -> str:
    """Return a line of the log, with its file if there are several."""
    return f"{line}" if file is None else f"{line} of {cut_line(file)}"


def rule_words(run: RequestsSent) -> str:
    """Return the line of robots.txt that decides."""
    if not run.rule_line:
        return run.digest or ""
    return f"{run.digest}\nline {run.rule_line}: {cut_line(run.rule_text)}"


def judgement_words(run: RequestsSent) -> str:
    """Return the outcome and its reason."""
    return run.outcome if run.reason == "rules-allow" else f"{run.outcome}\n({run.reason})"
