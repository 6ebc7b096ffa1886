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
from goodbot.site.verbs.audit_view.audit_pace import pace_words, select_pace

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
        sent = [event for event in events if isinstance(event, RequestsSent)]
        printer.line(Styled(f"{robot} at {site}", "heading"))
        if audit.begins is not None and audit.ends is not None:
            printer.line(
                f"The log is from {format_time(audit.begins)} to {format_time(audit.ends)}."
            )
        if not any(isinstance(event, RobotsFetched) for event in events):
            printer.line("No request for robots.txt was seen in this log.")
        print_table(HEADS, make_rows(events), printer)
        printer.line("")
        for reason in dict.fromkeys(requests.reason for requests in sent):
            printer.prose(f"{reason}: {REASONS[reason].meaning} ({REASONS[reason].source})")
        print_pace(audit, robot, site, printer)


def print_pace(audit: Audit, robot: str, site: str, printer: Printer) -> None:
    """Print how the robot kept the pace that the site asked for."""
    own = [pace for pace in audit.pace if pace.robot == robot]
    found = [pace for pace in select_pace(own) if pace.site == site]
    if found:
        printer.line("")
        printer.line(Styled("Pace", "heading"))
    for pace in found:
        printer.prose(pace_words(audit.result, pace), "  ")


def make_rows(events: Sequence[StoryEvent]) -> Iterator[tuple[str, str, str, str]]:
    """Yield the rows of the table."""
    for event in events:
        if isinstance(event, RobotsChanged):
            lines = [event.version.digest, *map(cut_line, event.changes)]
            in_force = "in force" if event.is_certain else "may be in force"
            yield clock(event.time), "", "\n".join(lines), f"{in_force} from here"
        elif isinstance(event, RobotsFetched):
            yield (
                clock(event.time),
                fetch_words(event),
                "\nor ".join(event.digests),
                describe_fetch(event),
            )
        else:
            yield clock(event.time), request_words(event), rule_words(event), judgement_words(event)


def clock(time: datetime) -> str:
    """Return the day and the time of day."""
    return f"{time:%Y-%m-%d}\n{time:%H:%M:%S}"


def fetch_words(fetch: RobotsFetched) -> str:
    """Return a request for robots.txt as the log has it."""
    status = "" if fetch.status is None else f" {fetch.status}"
    if fetch.line is None:
        return f"/robots.txt{status}, by another robot of its operator"
    return f"line {line_in(fetch.file, fetch.line)}: /robots.txt{status}"


def describe_fetch(fetch: RobotsFetched) -> str:
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
    targets = [cut_line(target) for target in run.targets[:MOST_TARGETS]]
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
